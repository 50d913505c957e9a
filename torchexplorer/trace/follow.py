"""Follows every PyTorch function of a recorded forward and tells the flow what became of which tensor.

In: calls of PyTorch functions. Out: entries in the open frame. State: none of its own but whether it still listens.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from torchexplorer.trace.flow import NOTHING, Flow, Source, as_part
from torchexplorer.trace.frame import DEAD, DORMANT, LIVE, UNKNOWN, Frame
from torchexplorer.trace.functions import CUTS, FULL_WRITES, NO_FLOW, is_getter, is_in_place, is_setter
from torchexplorer.trace.stand_ins import StandIns
from torchexplorer.trace.values import tensors_in

_SCALARS = (int, float, bool, type(None), torch.Size, torch.dtype, torch.device, str)


Following = tuple[Flow, Frame]
"""Whom to tell, and of which open call."""


class FollowMode(TorchFunctionMode):
    """Runs each function as it is, then notes its effect.

    Falls silent when `close` was called, and at a fault of ours, which stays in `fault` until the forward ends: a mode
    can't be taken off the stack while it runs a function. After a forward that KeyboardInterrupt broke off it stays
    there, so it holds weakly what tells the flow and the open frame (None: follow nothing).
    """

    def __init__(self, following: Callable[[], Following | None], stand_ins: StandIns | None) -> None:
        super().__init__()
        self._following = weakref.WeakMethod(following)
        self._stand_ins = None if stand_ins is None else weakref.ref(stand_ins)
        self._thread = threading.get_ident()
        self._open = True
        self.fault: Exception | None = None

    @property
    def over(self) -> bool:
        """Whether it never follows anything again."""
        return not self._open or self._following() is None

    def close(self) -> None:
        """Follow nothing more, even where this mode could not be taken off the stack."""
        self._open = False

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        following = self._following() if self._open and threading.get_ident() == self._thread else None
        found = None if following is None else following()
        if found is None:
            return func(*args, **kwargs)
        flow, frame = found
        stand_ins = None if self._stand_ins is None else self._stand_ins()
        used = self._adapted(stand_ins, func, args, kwargs)
        result = func(*used, **kwargs)
        try:
            note(flow, frame, func, args, kwargs, result)
            if stand_ins is not None and used is args:
                frame.leak([id(tensor) for tensor in stand_ins.note(func, args, kwargs, result)])
        except Exception as error:
            self._fail(error)
        return result

    def _adapted(
        self, stand_ins: StandIns | None, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, ...]:
        if stand_ins is None:
            return args
        try:
            return stand_ins.adapt(func, args, kwargs)
        except Exception as error:
            self._fail(error)
            return args

    def _fail(self, error: Exception) -> None:
        self.fault = error
        self.close()


def leave_mode(mode: FollowMode | None) -> None:
    """Close a mode, and take those that are over off the stack of this thread; below others they are only silent."""
    if mode is not None:
        mode.close()
    stack = torch.overrides._get_current_function_mode_stack()  # type: ignore[no-untyped-call]
    while stack and isinstance(stack[-1], FollowMode) and stack[-1].over:
        stack.pop().__exit__(None, None, None)


def note(flow: Flow, frame: Frame, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
    """Write down where the results of one function come from."""
    name = getattr(func, "__name__", "")
    if name in NO_FLOW or is_getter(func, "grad"):
        return
    if is_in_place(name) or is_setter(func, "data") or "inplace" in kwargs or "out" in kwargs:
        target = _target(name, args, kwargs, result)
        if target is not None:
            _note_write(flow, frame, name, args, kwargs, target)
            return
    if isinstance(result, _SCALARS):
        return
    parts, real = _gather(flow, frame, tensors_in((args, tuple(kwargs.values()))))
    if parts is None:
        return
    reads_data = is_getter(func, "data")
    if reads_data or name == "detach":
        flow.share(result, args[0])
    results = list(tensors_in(result))
    if name == "_pack_padded_sequence":  # its second result, the batch sizes, comes from the lengths alone
        results = results[:1]
    for tensor in results:
        flow.put(frame, tensor, _state(parts, tensor, cut=reads_data or name in CUTS, real=real))


Parts = tuple[int, bool]


def _gather(flow: Flow, frame: Frame, inputs: Iterable[Tensor]) -> tuple[Parts | None, bool]:
    """The merged origin of some tensors, and whether any of them needs a gradient."""
    found: list[Parts] = []
    real = False
    for tensor in inputs:
        real = real or tensor.requires_grad
        part = as_part(flow.source(frame, tensor))
        if part is not None:
            found.append(part)
    if len(found) == 1:
        return found[0], real
    return frame.origins.merge(found), real


def _state(parts: Parts, result: Tensor, *, cut: bool, real: bool) -> Source:
    """The source of a result: does a gradient flow from it back to its origin?"""
    origin, live = parts
    if not torch.is_grad_enabled():
        return origin, DORMANT if live else DEAD
    carries = result.is_floating_point() or result.is_complex()
    if not live or cut or not carries or (real and not result.requires_grad):
        return origin, DEAD
    return origin, LIVE


def _target(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Tensor | None:
    """The tensor that a function changed in place, if it did."""
    out = kwargs.get("out")
    if isinstance(out, Tensor):
        return out
    first = args[0] if args else kwargs.get("input")
    if not isinstance(first, Tensor):
        return None
    if is_in_place(name) or name == "__set__":
        return first
    return first if kwargs.get("inplace") and result is first else None


def _note_write(flow: Flow, frame: Frame, name: str, args: Any, kwargs: dict[str, Any], target: Tensor) -> None:
    replaces = name == "__set__" or (name in FULL_WRITES and target._base is None) or "out" in kwargs
    inputs = [tensor for tensor in tensors_in((args, tuple(kwargs.values()))) if not (replaces and tensor is target)]
    if not torch.is_grad_enabled() and target.grad_fn is not None:
        flow.write(frame, target, _written_aside(flow, frame, target, inputs))
        return
    parts, real = _gather(flow, frame, inputs)
    cut = name in CUTS or name == "__set__"
    flow.write(frame, target, NOTHING if parts is None else _state(parts, target, cut=cut, real=real))


def _written_aside(flow: Flow, frame: Frame, target: Tensor, inputs: list[Tensor]) -> Source:
    """Written to while gradients are off, a tensor keeps its own trace and gets the others' data alone."""
    own, state = flow.source(frame, target)
    others = [(origin, False) for tensor in inputs if (origin := flow.source(frame, tensor)[0]) not in (own, UNKNOWN)]
    merged = frame.origins.merge([*([] if own == UNKNOWN else [(own, state != DEAD)]), *others])
    return NOTHING if merged is None else (merged[0], state)
