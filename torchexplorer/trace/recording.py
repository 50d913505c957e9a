"""Records one forward of the watched module: hooks go on, each call is written down, hooks come off.

In: the root, a Step to fill, options. Out: the root's CallRecord and the samples in the Step. State: the stack of open
calls, and every hook and mode it installed, taken off by `close`.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn

from torchexplorer.trace import active
from torchexplorer.trace.capture import Capture
from torchexplorer.trace.flow import Flow, Source, child_port, child_port_of
from torchexplorer.trace.follow import Following, FollowMode, leave_mode
from torchexplorer.trace.frame import DORMANT, LIVE, UNKNOWN, Frame
from torchexplorer.trace.guard import Guard
from torchexplorer.trace.owners import Facts, Owners
from torchexplorer.trace.records import CallRecord, Mark
from torchexplorer.trace.shares import behind, mark, sequence_number
from torchexplorer.trace.step import Step
from torchexplorer.trace.tap import Tap, hang
from torchexplorer.trace.values import Named, describe, named_inputs, named_outputs

Listen = Callable[[list[Tensor]], None]


class Recording:
    """One recorded forward, from the root's pre-hook to its forward hook."""

    def __init__(self, root: nn.Module, step: Step, capture: Capture, *, facts: Facts, guard: Guard) -> None:
        self._step, self._capture, self._facts, self._guard = step, capture, facts, guard
        self._owners = Owners(root)
        self._flow = Flow(self._owners, capture.view_written)
        self._thread = threading.get_ident()
        self._installed = ExitStack()
        self.top: Frame | None = None
        self.root_record: CallRecord | None = None
        self._listen: Listen | None = None
        self._mode: FollowMode | None = None

    def open(self, root: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Begin with the root's call and install the hooks."""
        with torch._C.DisableTorchFunction():
            self._enter(root, args, kwargs)
        self.resume(root)

    def open_virtual(self, root: nn.Module, listen: Listen) -> None:
        """Begin with a root whose forward does not run; `listen` is told what its children give out."""
        self._listen = listen
        self._enter(root, (), {})

    def resume(self, running: nn.Module) -> None:
        """Install the hooks on all modules but the one whose call has already begun."""
        before, after = Tap(self.before), Tap(self.after)
        for _, module in self._owners.modules:
            if module is not running:
                self._installed.callback(hang(module, before, after))
        self._run_eager()
        stand_ins = self._capture.stand_ins if self._capture.wants_gradients else None
        self._mode = FollowMode(self._following, stand_ins)
        active.push(self)
        self._installed.callback(active.drop, self)
        self._installed.callback(leave_mode, self._mode)
        leave_mode(None)
        self._mode.__enter__()  # type: ignore[no-untyped-call]

    def pause(self) -> CallRecord | None:
        """Take everything off between two calls of children; what the root's call is so far."""
        self._installed.close()
        self._raise_fault()
        self._capture.close([])
        while self.top is not None and self.top.parent is not None:
            self.top = self.top.parent
        if self.top is not None:
            self.top.edges.clear()  # nothing of the user's graph is held between calls
        return None if self.top is None else self.top.freeze()

    def close(self, root: nn.Module, result: Any) -> CallRecord | None:
        """End the root's call, take everything off, sample the parameters; None where the forward failed."""
        try:
            with torch._C.DisableTorchFunction():
                self._leave(root, result)
                self.sample_parameters()
        finally:
            self._installed.close()
        self._raise_fault()
        return self.root_record

    def _raise_fault(self) -> None:
        """Let go of the mode, whose reference back would keep the user's graph alive, and tell its fault."""
        mode, self._mode = self._mode, None
        if mode is not None and mode.fault is not None:
            raise mode.fault

    def sample_parameters(self) -> None:
        """Take the parameters as they are now."""
        with torch.no_grad():
            self._capture.parameters(self._owners.modules)

    def abandon(self) -> None:
        """Take everything off after a forward that never ended."""
        self._installed.close()
        self.top = None

    def attach(self, tensor: Tensor, module: nn.Module, name: str) -> None:
        """Give `tensor` a node of its own inside the open call of `module` (else inside the innermost call)."""
        frame = self._frame_of(module) or self.top
        if frame is None or threading.get_ident() != self._thread:
            return
        with self._guard, torch._C.DisableTorchFunction():
            path = f"{frame.path}.{name}" if frame.path else name
            call = self._step.next_call(f"attach {path}")
            source = self._flow.source(frame, tensor)
            index = len(frame.attached)
            if source[0] != UNKNOWN:
                frame.link(source[0], ("attach", index), source[1])
            frame.attached.append(Mark(name, path, call, describe("tensor", tensor)))
            state = LIVE if tensor.requires_grad and torch.is_grad_enabled() else source[1]
            self._flow.put(frame, tensor, (frame.origins.port("attach", index), state))
            self._capture.attached(frame, tensor, path, call)

    def _following(self) -> Following | None:
        return None if self.top is None else (self._flow, self.top)

    def _run_eager(self) -> None:
        """Make compiled modules run their own code for once, so that the calls inside them are seen."""
        stance = getattr(torch.compiler, "set_stance", None)
        if stance is not None and any(is_compiled(module) for _, module in self._owners.modules):
            self._installed.enter_context(stance("force_eager"))

    def before(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """A call begins."""
        if threading.get_ident() == self._thread:
            with self._guard, torch._C.DisableTorchFunction():
                self._enter(module, args, kwargs)

    def after(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """A call has ended, by a return or by an exception."""
        if threading.get_ident() == self._thread:
            with self._guard, torch._C.DisableTorchFunction():
                self._leave(module, result)

    def _enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        path = self._owners.path(module)
        if path is None:
            return  # a copy or replica that shares our hooks
        facts = self._facts.of(module)
        frame = Frame(module, path, self._step.next_call(path), facts, self.top)
        frame.raised = sys.exc_info()[1]
        frame.start = sequence_number()
        named = named_inputs(module, args, kwargs)
        free = LIVE if torch.is_grad_enabled() else DORMANT
        for name, tensor in named:
            outside = (UNKNOWN, free) if self.top is None else self._outside(self.top, name, tensor, free)
            self._flow.enter(frame, name, tensor, outside)
        self.top = frame
        self._capture.inputs(frame, named)

    def _outside(self, caller: Frame, name: str, tensor: Tensor, free: int) -> Source:
        """Where an argument comes from in the caller. What a root without a forward does not know is its input."""
        source = self._flow.source(caller, tensor)
        if source[0] != UNKNOWN or self._listen is None or caller.parent is not None:
            return source
        merged = caller.origins.merge((child_port_of(caller, index), True) for index in behind(tensor, self))
        source = (merged[0], LIVE) if merged is not None else self._flow.enter(caller, name, tensor, (UNKNOWN, free))
        self._flow.put(caller, tensor, source)
        return source

    def _frame_of(self, module: nn.Module) -> Frame | None:
        """The innermost open call of a module."""
        frame = self.top
        while frame is not None and frame.module is not module:
            frame = frame.parent
        return frame

    def _leave(self, module: nn.Module, result: Any) -> None:
        frame = self._frame_of(module)
        if frame is None:
            return
        self.top = frame  # calls inside it that are still open ended in an exception which their caller caught
        if sys.exc_info()[1] is not frame.raised:
            self.top = frame.parent
            return
        named = named_outputs(result)
        self._note_outputs(frame, named)
        self._capture.outputs(frame, named)
        if self._listen is not None and frame.parent is not None and frame.parent.parent is None:
            for _, tensor in named:
                mark(tensor, self, frame.index)
            self._listen([tensor for _, tensor in named])
        if frame.parent is None:
            self._capture.close(named)
        record = frame.freeze()
        frame.edges.clear()
        self.top = frame.parent
        if frame.parent is None:
            self.root_record = record
        else:
            frame.parent.children[frame.index] = record

    def _note_outputs(self, frame: Frame, named: Named) -> None:
        given: set[int] = set()
        for index, (name, tensor) in enumerate(named):
            frame.outputs.append(describe(name, tensor))
            origin, state = self._flow.source(frame, tensor)
            if origin != UNKNOWN:
                frame.link(origin, ("out", index), state)
            given.add(id(tensor))
            self._hand_over(frame, tensor, state)
        for changed, partly in frame.mutated:
            tensor_changed = changed()
            if tensor_changed is None or frame.parent is None:
                continue
            frame.parent.mutated.append((changed, partly))
            if id(tensor_changed) not in given:
                self._hand_over(frame, tensor_changed, self._flow.source(frame, tensor_changed)[1], partly=partly)

    def _hand_over(self, frame: Frame, tensor: Tensor, state: int, *, partly: bool = False) -> None:
        """What the caller knows of a tensor that comes out of a call."""
        if frame.parent is None:
            return
        if tensor.requires_grad:
            state = LIVE if torch.is_grad_enabled() else max(state, DORMANT)
        tell = self._flow.add if partly else self._flow.put
        source = (child_port(frame), state)
        tell(frame.parent, tensor, source)
        if not partly:
            self._flow.remember(frame.parent, tensor, source)


def is_compiled(module: nn.Module) -> bool:
    """True for the result of torch.compile(module) and for a module on which compile() was called."""
    return hasattr(module, "_orig_mod") or getattr(module, "_compiled_call_impl", None) is not None
