"""Provenance: which origins of the open calls a tensor's data come from.

In: tensors and open frames. Out: (origin, state) in the asked frame, new ports where data enter a call unannounced.
State: where each tensor was last seen, for the length of one recorded forward.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchexplorer.trace.frame import DEAD, DORMANT, LIVE, UNKNOWN, Frame
from torchexplorer.trace.owners import Owners
from torchexplorer.trace.records import Mark
from torchexplorer.trace.values import describe

Source = tuple[int, int]
"""An origin of a frame (or UNKNOWN), and DEAD, DORMANT or LIVE."""

NOTHING: Source = (UNKNOWN, DEAD)


class Flow:
    """Looks tensors up in open frames and writes down what operations do to them."""

    def __init__(self, owners: Owners, view_written: Callable[[Frame, Tensor], None]) -> None:
        self._owners, self._view_written = owners, view_written
        self._homes: dict[int, tuple[weakref.ref[Tensor], Frame]] = {}
        self._written: dict[int, tuple[weakref.ref[Tensor], int]] = {}
        self._clock = 0

    def source(self, frame: Frame, tensor: Tensor) -> Source:
        """Where `tensor` comes from in `frame`."""
        entry = frame.table.get(id(tensor))
        if entry is not None and entry[0]() is tensor:
            found: Source = (entry[1], entry[2])
            if found[1] == DORMANT and torch.is_grad_enabled():
                found = (found[0], LIVE if tensor.grad_fn is not None else DEAD)
        else:
            found = self._foreign(frame, tensor)
            frame.table[id(tensor)] = (weakref.ref(tensor), *found, self._clock)
        return self._with_base(frame, tensor, found) if self._written else found

    def put(self, frame: Frame, tensor: Tensor, source: Source) -> None:
        """Write down that `tensor` now comes from `source`."""
        self._clock += 1
        entry = (weakref.ref(tensor), *source, self._clock)
        frame.table[id(tensor)] = entry
        self._homes[id(tensor)] = (entry[0], frame)

    def write(self, frame: Frame, tensor: Tensor, source: Source) -> None:
        """Write down that `tensor` was changed in place; a change of a view changes its base."""
        base = tensor._base
        if base is not None:
            self._view_written(frame, tensor)
            self.add(frame, base, source)
            frame.mutated.append((weakref.ref(base), True))
            self._written[id(base)] = (weakref.ref(base), self._clock)
        self.put(frame, tensor, source)
        frame.mutated.append((weakref.ref(tensor), False))

    def add(self, frame: Frame, tensor: Tensor, source: Source) -> None:
        """Write down that part of `tensor` now comes from `source`, the rest from where it came before."""
        entry = frame.table.get(id(tensor))
        known = (entry[1], entry[2]) if entry is not None and entry[0]() is tensor else NOTHING
        merged = frame.origins.merge(part for part in (as_part(known), as_part(source)) if part is not None)
        self.put(frame, tensor, NOTHING if merged is None else (merged[0], max(known[1], source[1])))

    def _with_base(self, frame: Frame, tensor: Tensor, found: Source) -> Source:
        """A view also carries what was written into its base since it was made."""
        base = tensor._base
        if base is None:
            return found
        written = self._written.get(id(base))
        if written is None or written[0]() is not base or written[1] < frame.table[id(tensor)][3]:
            return found
        entry = frame.table.get(id(base))
        if entry is None or entry[0]() is not base:
            return found
        merged = frame.origins.merge(
            part for part in (as_part(found), as_part((entry[1], entry[2]))) if part is not None
        )
        return found if merged is None else (merged[0], max(found[1], entry[2]))

    def _foreign(self, frame: Frame, tensor: Tensor) -> Source:
        """A tensor that no operation of this call made: a parameter, or one that came in by an attribute or closure."""
        owner = self._owners.owner(tensor)
        if owner is not None:
            return self._parameter(frame, tensor, owner)
        escaped = self._escaped(frame, tensor)
        if escaped[0] != UNKNOWN or frame.parent is None:
            return escaped
        outside = self.source(frame.parent, tensor)
        if outside[0] == UNKNOWN:
            return NOTHING
        return self.enter(frame, attribute_name(frame.module, tensor), tensor, outside)

    def enter(self, frame: Frame, name: str, tensor: Tensor, outside: Source) -> Source:
        """Bring `tensor`, known outside as `outside`, into `frame` as an input."""
        state = outside[1]
        if tensor.requires_grad:
            state = LIVE if torch.is_grad_enabled() else DORMANT
        if not (tensor.is_floating_point() or tensor.is_complex()):
            state = DEAD
        if outside[0] != UNKNOWN and frame.parent is not None:
            frame.parent.link(outside[0], ("child", frame.index), outside[1] == LIVE)
        origin = frame.add_input(name, tensor, state, self._clock)
        self._homes.setdefault(id(tensor), (weakref.ref(tensor), frame))
        return origin, state

    def _parameter(self, frame: Frame, tensor: Tensor, owner: tuple[str, str]) -> Source:
        own = self._owners.owns(frame.module, tensor)
        origin = frame.origins.port("param", len(frame.parameters), weak=own)
        path, name = owner
        inside = path.removeprefix(f"{frame.path}.") if frame.path else path
        label = name if own or not inside else f"{inside}.{name}"
        frame.parameters.append(Mark(label, path, 0, describe(name, tensor)))
        state = LIVE if torch.is_grad_enabled() else DORMANT
        return origin, state if tensor.requires_grad else DEAD

    def _escaped(self, frame: Frame, tensor: Tensor) -> Source:
        """A tensor that a finished call below `frame` made but did not return is an output of that call after all."""
        home = self._homes.get(id(tensor))
        if home is None or home[0]() is not tensor:
            return NOTHING
        inside: Frame | None = home[1]
        while inside is not None and inside.parent is not frame:
            inside = inside.parent
        if inside is None:
            return NOTHING
        return child_port(inside), LIVE if tensor.requires_grad else DEAD


def child_port(frame: Frame) -> int:
    """The port of a call in the frame that it was called from, made when first asked for."""
    assert frame.parent is not None
    return child_port_of(frame.parent, frame.index)


def child_port_of(caller: Frame, index: int) -> int:
    """The port of the call with this index in the frame that it was called from."""
    known = caller.ports.get(index)
    if known is None:
        known = caller.ports[index] = caller.origins.port("child", index)
    return known


def as_part(source: Source) -> tuple[int, bool] | None:
    """A source as a part of a merge."""
    return None if source[0] == UNKNOWN else (source[0], source[1] != DEAD)


def attribute_name(module: Any, tensor: Tensor) -> str:
    """The name of the module's attribute that holds this tensor, or "outer"."""
    for name, value in list(vars(module).items()):
        if value is tensor:
            return str(name)
    return "outer"
