"""The recordings that run on this thread, so that `attach` finds them.

In: recordings that begin and end. Out: those open now. State: a list per thread, empty between recorded forwards.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any, Protocol

from torch import Tensor, nn


class Attachable(Protocol):
    """What can show an attached tensor."""

    def attach(self, tensor: Tensor, module: nn.Module, name: str) -> None: ...


class _Open(threading.local):
    def __init__(self) -> None:
        self.recordings: list[weakref.ref[Any]] = []


_open = _Open()


def push(recording: Attachable) -> None:
    """A recording begins on this thread."""
    _open.recordings.append(weakref.ref(recording))


def drop(recording: Attachable) -> None:
    """A recording has ended. Those that were broken off and have gone since go too."""
    _open.recordings = [other for other in _open.recordings if other() not in (recording, None)]


def attach(tensor: Tensor, module: nn.Module, name: str) -> Tensor:
    """Show `tensor` in the explorer as a node called `name` inside `module`; returns the very same tensor.

    Call it in `forward`: `x = torchexplorer.attach(x, self, "intermediate")`. Adds nothing to the module and costs
    next to nothing while no step is being recorded. Raises TypeError for arguments of another kind.
    """
    if not isinstance(tensor, Tensor) or not isinstance(module, nn.Module) or not isinstance(name, str):
        raise TypeError(
            "attach() takes a tensor, the module in whose forward it is called, and a name. "
            f"Seen: {type(tensor).__name__}, {type(module).__name__}, {type(name).__name__}. "
            'Call it as: x = torchexplorer.attach(x, self, "intermediate")'
        )
    for reference in _open.recordings:
        recording = reference()
        if recording is not None:
            recording.attach(tensor, module, name)
    return tensor
