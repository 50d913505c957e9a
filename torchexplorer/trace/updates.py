"""How far an optimizer's step moves each parameter: the norm of the change over the norm of the weight before.

In: optimizers, the begin and end of recorded steps. Out: one ratio per parameter, told after an optimizer's step.
State: hooks on the optimizers and copies of parameters, both only while a recorded step is open.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from torchexplorer.trace.guard import Guard
from torchexplorer.trace.sampling import plain
from torchexplorer.trace.tap import Tap

Tell = Callable[[dict[int, Tensor]], None]
"""Takes the ratios (0-d) by the ids of their parameters."""


class Updates:
    """Watches the steps of optimizers, which are held weakly.

    A parameter with a gradient is copied at the end of the backward pass (`remember`), and again before the optimizer's
    step where it has changed in between. The first of the two is needed where the optimizer's step runs forward and
    backward itself, in a closure.
    """

    def __init__(self, optimizers: Iterable[Optimizer], guard: Guard) -> None:
        self._optimizers = [weakref.ref(each) for each in optimizers]
        self._guard = guard
        self._before: dict[int, tuple[Tensor, int, Tensor]] = {}
        self._take_off: list[Callable[[], None]] = []
        self._tell: Tell | None = None
        self._inside = False

    def open(self, tell: Tell) -> None:
        """A recorded step begins."""
        self.close()
        self._tell = tell
        before, after = Tap(self._step_begins), Tap(self._step_ended)
        for optimizer in filter(None, (reference() for reference in self._optimizers)):
            self._take_off.append(optimizer.register_step_pre_hook(before).remove)
            self._take_off.append(optimizer.register_step_post_hook(after).remove)

    def close(self) -> None:
        """The recorded step is over. May be called often.

        PyTorch goes through its table of hooks while one of ours runs: then they only fall silent, and the next call
        takes them off.
        """
        self._tell = None
        self._before.clear()
        while self._take_off and not self._inside:
            self._take_off.pop()()

    def remember(self) -> None:
        """A backward pass has ended: copy the parameters as they are now."""
        if self._tell is not None:
            for optimizer in filter(None, (reference() for reference in self._optimizers)):
                self._copy(optimizer)

    def _step_begins(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        self._run(self._copy, optimizer)

    def _step_ended(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        self._run(self._measure, optimizer)

    def _run(self, work: Callable[[Optimizer], None], optimizer: Optimizer) -> None:
        if self._tell is None:
            return
        self._inside = True
        try:
            with self._guard:
                work(optimizer)
        finally:
            self._inside = False

    def _copy(self, optimizer: Optimizer) -> None:
        for parameter in _parameters(optimizer):
            known = self._before.get(id(parameter))
            values = None if parameter.grad is None else plain(parameter)
            if values is not None and (known is None or known[1] != parameter._version):
                self._before[id(parameter)] = parameter, parameter._version, values.clone()

    def _measure(self, optimizer: Optimizer) -> None:
        ratios: dict[int, Tensor] = {}
        with torch.no_grad():
            for parameter in _parameters(optimizer):
                known = self._before.pop(id(parameter), None)
                after = plain(parameter)
                if known is not None and after is not None:
                    ratios[id(parameter)] = _norm(after - known[2]) / _norm(known[2])
        if ratios and self._tell is not None:
            self._tell(ratios)


def _parameters(optimizer: Optimizer) -> list[Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _norm(values: Tensor) -> Tensor:
    """L2 norm, at least float32. Shape: any -> ()."""
    if values.is_complex():
        values = torch.view_as_real(values)
    norm: Tensor = torch.linalg.vector_norm(values, dtype=torch.promote_types(values.dtype, torch.float32))
    return norm
