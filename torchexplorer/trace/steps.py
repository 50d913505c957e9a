"""Which step of which phase a forward belongs to, and how many there were.

In: forwards of the watched module. Out: Steps. State: the open step of each phase and their counts.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from torchexplorer.trace.owners import first_trainable
from torchexplorer.trace.records import Phase
from torchexplorer.trace.step import Step


class Steps:
    """The open step of each phase. `due` chooses those to record; `ended` and `begun` are told."""

    def __init__(
        self, due: Callable[[int, Phase], bool], *, ended: Callable[[Step], None], begun: Callable[[Step], None]
    ) -> None:
        self._due, self._ended, self._begun = due, ended, begun
        self._open: dict[Phase, Step] = {}
        self._parameter: weakref.ref[Tensor] | None = None
        self.counts: dict[Phase, int] = {"train": 0, "eval": 0}

    def __iter__(self) -> Iterator[Step]:
        """The open steps."""
        return iter(list(self._open.values()))

    def of(self, root: nn.Module, child: nn.Module | None = None) -> Step:
        """The step that a forward beginning now belongs to."""
        phase: Phase = "train" if root.training else "eval"
        version = self._version(root)
        step = self._open.get(phase)
        if step is None or step.is_over(version, graded=torch.is_grad_enabled(), child=child):
            if step is not None:
                self._ended(step)
                step.closed = True
            index = self.counts[phase]
            self.counts[phase] += 1
            step = self._open[phase] = Step(index, phase, due=self._due(index, phase), version=version)
            self._begun(step)
        return step

    def _version(self, root: nn.Module) -> int:
        """Changes when an optimizer changes the first trainable parameter."""
        parameter = None if self._parameter is None else self._parameter()
        if parameter is None or not parameter.requires_grad:
            parameter = first_trainable(root)
            self._parameter = None if parameter is None else weakref.ref(parameter)
        return -1 if parameter is None else parameter._version
