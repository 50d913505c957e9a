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

from torchexplorer.trace.capture import Capture, TraceOptions
from torchexplorer.trace.children import Children
from torchexplorer.trace.guard import Guard
from torchexplorer.trace.owners import Facts, named_modules
from torchexplorer.trace.parameters import gather_gradients, gather_ratios
from torchexplorer.trace.recording import Recording
from torchexplorer.trace.records import Phase, StepRecord
from torchexplorer.trace.running import Running
from torchexplorer.trace.sampling import Sampler
from torchexplorer.trace.step import Step, backward_task, in_backward
from torchexplorer.trace.steps import Steps
from torchexplorer.trace.tap import Tap, hang
from torchexplorer.trace.unseen import Unseen
from torchexplorer.trace.updates import Updates
from torchexplorer.trace.values import named_outputs


class Tracer:
    """Follows one module. `due(step, phase)` chooses the steps to record; `deliver` takes what they gave.

    `stop` ends the whole watch; a second watch of the same module calls it.
    """

    def __init__(
        self,
        root: nn.Module,
        options: TraceOptions,
        updates: Updates,
        *,
        due: Callable[[int, Phase], bool],
        deliver: Callable[[StepRecord], None],
        guard: Guard,
        stop: Callable[[], None],
    ) -> None:
        self._root = weakref.ref(root)
        self._options, self._updates, self._deliver = options, updates, deliver
        self._guard, self.stop = guard, stop
        self._sampler = Sampler(options.sample_n)
        self._facts = Facts()
        self._lock = threading.RLock()
        self._steps = Steps(due, ended=self._publish, begun=self._step_begins)
        self.counts = self._steps.counts
        self._running: Running | None = None
        self._recording: Recording | None = None
        self._tap = Tap(self._before)
        self._unseen, self._leaving = Unseen(), False
        self._take_off = hang(root, self._tap, Tap(self._after))
        self._children = Children(root, self._child_begins, self._child_ended)

    def remove(self) -> None:
        """Take every hook off; what the open steps gave is delivered first. May be called twice.

        While a forward runs on another thread, that thread does it at the end of the forward.
        """
        with self._lock:
            self._leaving = True
            if self._running is not None and self._running.is_elsewhere():
                return
            self._take_off()
            self._children.remove()
            self._updates.close()
            self._drop_stale()
            if not self._guard.failed:
                self.flush()
            for step in self._steps:
                step.closed = True

    def flush(self) -> None:
        """Deliver what the open steps have gathered so far."""
        with self._lock, self._guard:
            for step in self._steps:
                self._publish(step)
        if not any(self.counts.values()):
            self._unseen.check(self._root(), compiled=self._tap.compiled)

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
            if self._leaving:
                self.remove()
                return
            self._children.remove()
            step = self._steps.of(root)
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
            step = self._steps.of(root, child)
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
            if recording is not None:
                recording.after(child, (), {}, result)
            elif torch.is_grad_enabled():
                self._listen(step, result)
            record = None if recording is None else recording.pause()
            if record is not None:
                step.calls = [record]
                self._deliver_calls(step)
        if self._leaving:
            self.remove()

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
                self._listen(step, result)
            if record is not None:
                step.calls.append(record)
                self._deliver_calls(step)
        if self._leaving:
            self.remove()

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

    def _listen(self, step: Step, outputs: Any) -> None:
        step.listen([tensor for _, tensor in named_outputs(outputs)], lambda: self._backward(step))

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
                gather_gradients(named_modules(root), step, self._sampler, self._options.grad_scaler)
            self._updates.remember()
            self._publish(step)

    def _step_begins(self, step: Step) -> None:
        if step.phase == "train":
            self._updates.close()
            if step.due:
                self._updates.open(partial(self._updated, step))

    def _updated(self, step: Step, ratios: dict[int, Tensor]) -> None:
        """An optimizer has made its step."""
        with self._lock:
            if (root := self._root()) is not None and not step.closed:
                gather_ratios(named_modules(root), step, ratios)
                self._publish(step)

    def _deliver_calls(self, step: Step) -> None:
        """A forward has ended: its structure at once, its samples where no backward will bring more."""
        self._deliver(step.record(tuple(step.calls), samples=not step.expects_backward()))

    def _publish(self, step: Step) -> None:
        if step.due and not step.closed and len(step.gathered):
            self._deliver(step.record(None, samples=True))
