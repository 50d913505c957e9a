"""One training or evaluation step: the root forwards before one backward, and what they and it gave.

In: root calls, gradients, the end of a backward pass. Out: StepRecords. State: its own, owned by the Tracer; threads of
the backward pass may add to it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchexplorer.trace.host import Gathered
from torchexplorer.trace.records import CallRecord, Phase, StepRecord
from torchexplorer.trace.shares import Share
from torchexplorer.trace.tap import silence

MAX_ROOT_CALLS = 64
"""Root calls in a step after which a new step begins even though no backward was seen."""

MAX_PULSES = 16
"""Outputs of a root call on which the coming of backward is awaited."""


class Pulse:
    """Hangs on an output's autograd node: tells when backward comes, and by its death that it can't come any more."""

    __slots__ = ("__weakref__", "_beat")

    def __init__(self, beat: Callable[[], None]) -> None:
        self._beat = beat

    def __call__(self, grads: Any) -> None:
        self._beat()

    def __deepcopy__(self, memo: dict[int, Any]) -> Pulse:
        return Pulse(silence)


class Step:
    """What belongs to one step of one phase. `due` says whether it is recorded."""

    def __init__(self, index: int, phase: Phase, *, due: bool, version: int) -> None:
        self.index, self.phase, self.due, self.version = index, phase, due, version
        self.gathered = Gathered()
        self.calls: list[CallRecord] = []
        self.counters: dict[str, int] = {}
        self.root_calls = 0
        self.graded_calls = 0
        self.backward_seen = False
        self.closed = False
        self.sealed = False
        self.task = -1
        self.first_child: Any = None
        self.recording: Any = None
        self._pulses: list[weakref.ref[Pulse]] = []
        self._pending: dict[int, Share] = {}

    def next_call(self, path: str) -> int:
        """The number of the next call of the module at `path` within this step."""
        number = self.counters.get(path, 0)
        self.counters[path] = number + 1
        return number

    def is_over(self, version: int, *, graded: bool, child: Any = None) -> bool:
        """Whether a forward that begins now belongs to the next step.

        It does after a backward, after an optimizer step (`version` of a parameter), where the outputs are gone so
        that no backward can come any more, and where neither this nor that forward can have one.
        """
        if self.sealed or self.backward_seen or version != self.version or self.root_calls >= MAX_ROOT_CALLS:
            return True
        if self.graded_calls == 0 and child is not None and not graded:
            return child is self.first_child  # calls of children follow each other until the first comes again
        if self.graded_calls == 0:
            return self.root_calls > 0 and not graded
        return all(pulse() is None for pulse in self._pulses)

    def listen(self, tensors: list[Tensor], beat: Callable[[], None]) -> None:
        """Wait for a backward pass that reaches any of these outputs."""
        for tensor in [tensor for tensor in tensors if tensor.requires_grad][:MAX_PULSES]:
            node = tensor.grad_fn
            if node is not None:
                pulse = Pulse(beat)
                self._pulses.append(weakref.ref(pulse))
                node.register_prehook(pulse)

    def expects_backward(self) -> bool:
        """Whether a backward pass of this step can still come."""
        return not self.backward_seen and any(pulse() is not None for pulse in self._pulses)

    def hold(self, share: Share, incomplete: bool) -> None:
        """Remember a share that waits for more consumers, so that the end of the backward pass can finish it."""
        if incomplete:
            self._pending[id(share)] = share
        else:
            self._pending.pop(id(share), None)

    def finish_shares(self) -> None:
        """Tell what incomplete shares have got."""
        while self._pending:
            self._pending.popitem()[1].finish()

    def record(self, calls: tuple[CallRecord, ...] | None, *, samples: bool) -> StepRecord:
        """What is known now; samples once given are not given again."""
        return StepRecord(self.index, self.phase, calls, self.gathered.bring() if samples else ())


def in_backward() -> bool:
    """True inside a backward pass, where a forward is a recomputation (checkpointing) and no call of its own."""
    return backward_task() != -1


backward_task: Callable[[], int] = getattr(torch._C, "_current_graph_task_id", lambda: -1)
"""The number of the backward pass that runs on this thread, -1 outside of one."""
