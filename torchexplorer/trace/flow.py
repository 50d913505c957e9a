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
from torchexplorer.trace.shares import edge_of, edges_behind
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
        self._shared: dict[int, tuple[weakref.ref[Tensor], weakref.ref[Tensor]]] = {}
        self._clock = 0

    def source(self, frame: Frame, tensor: Tensor) -> Source:
        """Where `tensor` comes from in `frame`."""
        entry = frame.table.get(id(tensor))
        if entry is not None and entry[0]() is tensor:
            found: Source = (entry[1], entry[2])
            if found[1] == DORMANT and torch.is_grad_enabled():
                found = self._woken(frame, tensor, found[0])
        else:
            found = self._foreign(frame, tensor)
            frame.table[id(tensor)] = (weakref.ref(tensor), *found, self._clock)
        return self._with_base(frame, tensor, found) if self._written else found

    def _woken(self, frame: Frame, tensor: Tensor, origin: int) -> Source:
        """What was computed without gradients has one all the same if a custom function gave it out."""
        if tensor.grad_fn is None:
            return origin, DEAD
        port = frame.origins.records[origin].port
        if port is not None and port[0] == "child":
            frame.wake(port[1])
        return origin, LIVE

    def put(self, frame: Frame, tensor: Tensor, source: Source) -> None:
        """Write down that `tensor` now comes from `source`."""
        self._clock += 1
        entry = (weakref.ref(tensor), *source, self._clock)
        frame.table[id(tensor)] = entry
        self._homes[id(tensor)] = (entry[0], frame)
        inner = unwrapped(tensor)
        if inner is not None:
            live = inner.requires_grad and torch.is_grad_enabled()
            self.put(frame, inner, (source[0], LIVE if live else source[1]))

    def write(self, frame: Frame, tensor: Tensor, source: Source) -> None:
        """Write down that `tensor` was changed in place; a change of a view changes its base."""
        base = self._base(tensor)
        if base is not None:
            self._view_written(frame, tensor)
            self.add(frame, base, source)
            frame.mutated.append((weakref.ref(base), True))
        written = tensor if base is None else base
        self._written[id(written)] = (weakref.ref(written), self._clock)
        self.put(frame, tensor, source)
        frame.mutated.append((weakref.ref(tensor), False))

    def share(self, tensor: Tensor, base: Tensor) -> None:
        """Know that `tensor` shows the memory of `base` though autograd has it for no view (`detach`, `.data`)."""
        first = self._base(base)
        self._shared[id(tensor)] = (weakref.ref(tensor), weakref.ref(base if first is None else first))

    def _base(self, tensor: Tensor) -> Tensor | None:
        """The tensor whose memory this one shows, if it is another."""
        shared = self._shared.get(id(tensor))
        if shared is not None and shared[0]() is tensor:
            return shared[1]()
        return tensor._base

    def add(self, frame: Frame, tensor: Tensor, source: Source) -> None:
        """Write down that part of `tensor` now comes from `source`, the rest from where it came before."""
        entry = frame.table.get(id(tensor))
        known = (entry[1], entry[2]) if entry is not None and entry[0]() is tensor else NOTHING
        merged = frame.origins.merge(part for part in (as_part(known), as_part(source)) if part is not None)
        self.put(frame, tensor, NOTHING if merged is None else (merged[0], max(known[1], source[1])))

    def _with_base(self, frame: Frame, tensor: Tensor, found: Source) -> Source:
        """A view also carries what was written into its base since it was made."""
        base = self._base(tensor)
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
        inner = unwrapped(tensor)
        if inner is not None:
            return self.source(frame, inner)
        found = self._escaped(frame, tensor)
        if found[0] == UNKNOWN and tensor.grad_fn is not None:
            found = self._by_trace(frame, tensor)
        if found[0] != UNKNOWN or frame.parent is None:
            return found
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
            link = outside[1] if torch.is_grad_enabled() else min(outside[1], DORMANT)
            frame.parent.link(outside[0], ("child", frame.index), link)
        origin = frame.add_input(name, tensor, state, self._clock)
        self.remember(frame, tensor, (origin, state))
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

    def remember(self, frame: Frame, tensor: Tensor, source: Source) -> None:
        """Know the gradient edge of a tensor that came into a call or out of a child."""
        edge = edge_of(tensor) if tensor.grad_fn is not None else None
        if edge is not None:
            frame.edges[edge] = source
        inner = unwrapped(tensor)
        if inner is not None:
            self.remember(frame, inner, source)

    def _by_trace(self, frame: Frame, tensor: Tensor) -> Source:
        """What no function showed (a binding to other code made it), from the autograd trace to what is known."""
        merged = frame.origins.merge((frame.edges[edge][0], True) for edge in edges_behind(tensor, frame.edges))
        return NOTHING if merged is None else (merged[0], LIVE)

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


def unwrapped(tensor: Tensor) -> Tensor | None:
    """The tensor inside one that a function transform (vmap, grad) wrapped."""
    functorch = getattr(torch._C, "_functorch", None)
    if functorch is None or not functorch.is_functorch_wrapped_tensor(tensor):
        return None
    inner: Tensor = functorch.get_unwrapped(tensor)
    return inner


def as_part(source: Source) -> tuple[int, bool] | None:
    """A source as a part of a merge."""
    return None if source[0] == UNKNOWN else (source[0], source[1] != DEAD)


def attribute_name(module: Any, tensor: Tensor) -> str:
    """The name of the module's attribute that holds this tensor, or "outer"."""
    for name, value in list(vars(module).items()):
        if value is tensor:
            return str(name)
    return "outer"
