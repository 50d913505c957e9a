"""A root forward that has begun: on which thread, for which step, and whether it can still be running.

In: the moment of the root's pre-hook. Out: `is_stale`. State: the identity of the interpreter frame that runs the
root's call.
"""

from __future__ import annotations

import sys
import threading
from types import FrameType

from torch import nn

from torchexplorer.trace.step import Step

_CALL = "_call_impl"
"""The function of nn.Module that runs hooks and forward."""


class Running:
    """Made in the root's pre-hook.

    `nested` counts the root's calls inside its own call; `virtual` marks a step
    without a root call; `child` is the child called in its place.
    """

    __slots__ = ("_frame", "child", "nested", "step", "thread", "virtual")

    def __init__(self, step: Step, *, virtual: bool = False, child: nn.Module | None = None) -> None:
        self.step = step
        self.thread = threading.get_ident()
        self.nested = 0
        self.virtual = virtual
        self.child = child
        self._frame = id(_call_frame(sys._getframe()))

    def is_stale(self) -> bool:
        """True when asked from a later root pre-hook on the same thread that does not run inside this forward.

        A forward that KeyboardInterrupt broke off leaves no other sign.
        """
        if self.virtual or self.thread != threading.get_ident():
            return False
        own = _call_frame(sys._getframe())
        outer = own.f_back if own is not None else None
        while outer is not None:
            if id(outer) == self._frame:
                return False
            outer = outer.f_back
        return True

    def is_elsewhere(self) -> bool:
        """True where another thread, which still lives, runs this forward."""
        here = threading.get_ident()
        return self.thread != here and any(each.ident == self.thread for each in threading.enumerate())


def _call_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that runs a module's call."""
    while frame is not None and frame.f_code.co_name != _CALL:
        frame = frame.f_back
    return frame
