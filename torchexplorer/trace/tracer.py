"""Decides with two hooks on the root when a forward is recorded, and when a step is complete.

In: forwards and backwards of the watched module. Out: StepRecords to `deliver`. State: the open step of each phase
and the two hooks; holds the root weakly.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from torchexplorer.trace.capture import Capture, TraceOptions, gather_parameters
from torchexplorer.trace.children import Children
from torchexplorer.trace.guard import Guard, warn
from torchexplorer.trace.owners import Facts, first_trainable, named_modules
from torchexplorer.trace.recording import Recording
from torchexplorer.trace.records import Phase, StepRecord
from torchexplorer.trace.running import Running
from torchexplorer.trace.sampling import Sampler
from torchexplorer.trace.step import Step, backward_task, in_backward
from torchexplorer.trace.tap import Tap, hang
from torchexplorer.trace.values import named_outputs

MAX_PULSES = 16
"""Outputs of a root call on which the coming of backward is awaited."""


UNSEEN = (
    "torchexplorer saw no call of the watched module. Seen: its parameters have gradients all the same. If it was "
    "compiled, watch the result: watch(torch.compile(model)). Call it as model(x), not as model.forward(x); where its "
    "own forward never runs, use `with watcher.step():`."
)


class Tracer:
    """Follows one module. `due(step, phase)` chooses the steps to record; `deliver` takes what they gave.

    `stop` ends the whole watch; a second watch of the same module calls it.
    """

    def __init__(
        self,
        root: nn.Module,
        options: TraceOptions,
        *,
        due: Callable[[int, Phase], bool],
        deliver: Callable[[StepRecord], None],
        guard: Guard,
        stop: Callable[[], None],
    ) -> None:
        self._root = weakref.ref(root)
        self._options, self._due, self._deliver = options, due, deliver
        self._guard, self.stop = guard, stop
        self._sampler = Sampler(options.sample_n)
        self._facts = Facts()
        self._lock = threading.RLock()
        self._steps: dict[Phase, Step] = {}
        self.counts: dict[Phase, int] = {"train": 0, "eval": 0}
        self._running: Running | None = None
        self._recording: Recording | None = None
        self._parameter: weakref.ref[Tensor] | None = None
        self._tap = Tap(self._before)
        self._told_unseen = False
        self._take_off = hang(root, self._tap, Tap(self._after))
        self._children = Children(root, self._child_begins, self._child_ended)

    def remove(self) -> None:
        """Take every hook off; what the open steps gave is delivered first. May be called twice."""
        self._take_off()
        self._children.remove()
        with self._lock:
            if self._recording is not None:
                self._recording.abandon()
                self._recording = self._running = None
            if not self._guard.failed:
                self.flush()
            for step in self._steps.values():
                step.closed = True

    def flush(self) -> None:
        """Deliver what the open steps have gathered so far."""
        with self._lock, self._guard:
            for step in self._steps.values():
                self._publish(step)
        if not self._told_unseen and self._trained_unseen():
            self._told_unseen = True
            warn(UNSEEN)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Take what runs inside for the root's forward."""
        root = self._root()
        if root is None:
            yield
            return
        self._begin(root, (), {}, virtual=True)
        step = None if self._running is None else self._running.step
        try:
            yield
        finally:
            self._after(root, (), {}, None)
            if step is not None:
                step.sealed = True

    def _before(self, root: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if not in_backward() and root is self._root():
            self._begin(root, args, kwargs)

    def _begin(self, root: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], *, virtual: bool = False) -> None:
        with self._lock, self._guard:
            if self._running is not None and not self._running.is_stale():
                self._nested(root, args, kwargs)
                return
            self._drop_stale()
            self._children.remove()
            step = self._step(root)
            step.root_calls += 1
            step.graded_calls += torch.is_grad_enabled()
            self._running = Running(step, virtual=virtual)
            if step.due:
                self._recording = self._new_recording(root, step)
                if virtual:
                    self._recording.open_virtual(root, partial(self._listen, step))
                    self._recording.resume(root)
                else:
                    self._recording.open(root, args, kwargs)

    def _new_recording(self, root: nn.Module, step: Step) -> Recording:
        capture = Capture(step, self._options, sampler=self._sampler, guard=self._guard)
        return Recording(root, step, capture, facts=self._facts, guard=self._guard)

    def _child_begins(self, child: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A child is called while the root's own forward does not run."""
        root = self._root()
        if root is None or in_backward() or (self._running is not None and not self._running.is_stale()):
            return
        with self._lock, self._guard:
            self._drop_stale()
            step = self._step(root, child)
            step.first_child = step.first_child or child
            step.graded_calls += torch.is_grad_enabled()
            self._running = Running(step, child=child)
            if step.due:
                if step.recording is None:
                    step.recording = self._new_recording(root, step)
                    step.recording.open_virtual(root, partial(self._listen, step))
                    step.recording.sample_parameters()
                self._recording = step.recording
                self._recording.resume(child)
                self._recording.before(child, args, kwargs)

    def _child_ended(self, child: nn.Module, result: Any) -> None:
        running = self._running
        if running is None or running.child is not child or running.thread != threading.get_ident() or in_backward():
            return
        with self._lock, self._guard:
            step, self._running = running.step, None
            recording, self._recording = self._recording, None
            if recording is None:
                if torch.is_grad_enabled():
                    self._await_backward(step, result)
                return
            recording.after(child, (), {}, result)
            record = recording.pause()
            if record is not None:
                step.calls = [record]
                self._deliver(step.record((record,), samples=not step.expects_backward()))

    def _after(self, root: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        running = self._running
        if root is not self._root() or running is None or running.thread != threading.get_ident() or in_backward():
            return
        with self._lock, self._guard:
            if running.nested:
                running.nested -= 1
                if self._recording is not None:
                    self._recording.after(root, args, kwargs, result)
                return
            step, self._running = running.step, None
            recording, self._recording = self._recording, None
            record = None if recording is None else recording.close(root, result)
            if torch.is_grad_enabled():
                self._await_backward(step, result)
            if record is not None:
                step.calls.append(record)
                self._deliver(step.record(tuple(step.calls), samples=not step.expects_backward()))

    def _nested(self, root: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The root calls itself, or another thread calls it at the same time."""
        assert self._running is not None
        if self._running.thread == threading.get_ident():
            self._running.nested += 1
            if self._recording is not None:
                self._recording.before(root, args, kwargs)

    def _drop_stale(self) -> None:
        """A forward that was broken off (KeyboardInterrupt) never told its end."""
        if self._recording is not None:
            self._recording.abandon()
        self._recording = self._running = None

    def _await_backward(self, step: Step, result: Any) -> None:
        self._listen(step, [result] if isinstance(result, Tensor) else [tensor for _, tensor in named_outputs(result)])

    def _listen(self, step: Step, outputs: list[Tensor]) -> None:
        step.listen([tensor for tensor in outputs if tensor.requires_grad][:MAX_PULSES], lambda: self._backward(step))

    def _backward(self, step: Step) -> None:
        """A backward pass has reached an output of this step."""
        step.backward_seen = True
        if step.due and not step.closed and step.task != backward_task():
            with self._guard:
                step.task = backward_task()
                torch.autograd.Variable._execution_engine.queue_callback(lambda: self._backward_ended(step))

    def _backward_ended(self, step: Step) -> None:
        with self._lock, self._guard, torch.no_grad(), torch._C.DisableTorchFunction():
            step.task = -1
            if step.closed:
                return
            step.finish_shares()
            root = self._root()
            if "params_grad" in self._options.log and root is not None:
                gather_parameters(named_modules(root), step, self._sampler, gradients=True)
            self._publish(step)

    def _publish(self, step: Step) -> None:
        if step.due and not step.closed and len(step.gathered):
            self._deliver(step.record(None, samples=True))

    def _trained_unseen(self) -> bool:
        """Whether the module trains where none of its calls is seen: inside compiled code, or by other methods."""
        root = self._root()
        if root is None or any(self.counts.values()):
            return False
        parameter = first_trainable(root)
        return self._tap.compiled or (parameter is not None and parameter.grad is not None)

    def _version(self, root: nn.Module) -> int:
        """Changes when an optimizer changes the first trainable parameter."""
        parameter = None if self._parameter is None else self._parameter()
        if parameter is None or not parameter.requires_grad:
            parameter = first_trainable(root)
            self._parameter = None if parameter is None else weakref.ref(parameter)
        return -1 if parameter is None else parameter._version

    def _step(self, root: nn.Module, child: nn.Module | None = None) -> Step:
        """The step that a forward beginning now belongs to."""
        phase: Phase = "train" if root.training else "eval"
        version = self._version(root)
        step = self._steps.get(phase)
        if step is None or step.is_over(version, graded=torch.is_grad_enabled(), child=child):
            if step is not None:
                self._publish(step)
                step.closed = True
            index = self.counts[phase]
            self.counts[phase] += 1
            step = self._steps[phase] = Step(index, phase, due=self._due(index, phase), version=version)
        return step


def find_tracer(root: nn.Module) -> Tracer | None:
    """The Tracer that follows this module, if any."""
    for hook in root._forward_pre_hooks.values():
        owner = getattr(hook.tell, "__self__", None) if isinstance(hook, Tap) else None
        if isinstance(owner, Tracer):
            return owner
    return None
