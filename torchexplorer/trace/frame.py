"""One open call: what is known inside it until it returns.

In: events of the call (inputs, child calls, outputs). Out: a CallRecord. State: its own, owned by the Recording.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

from torch import Tensor

from torchexplorer.trace.origins import Origins
from torchexplorer.trace.records import CallRecord, Link, Mark, ModuleFacts, Origin, Value
from torchexplorer.trace.values import describe

DEAD, DORMANT, LIVE = 0, 1, 2
"""Whether a gradient flows from a tensor back to its origin: no; not while gradients are off; yes."""

UNKNOWN = -1

Entry = tuple["weakref.ref[Tensor]", int, int, int]
"""What a call knows of a tensor: the tensor, its origin here (or UNKNOWN), DEAD, DORMANT or LIVE, and since when."""


class Frame:
    """The inside of one call while it runs.

    `table` maps id(tensor) to an Entry; entries hold weak references, so that no activation lives longer for it and a
    reused id is told from the tensor it stood for. `mutated` are the tensors changed in place, True where in part;
    `edges` are the gradient edges of what came in and out.
    """

    __slots__ = (
        "attached", "call", "children", "edges", "facts", "index", "inputs", "leaked", "links", "module", "mutated",
        "origins", "outputs", "parameters", "parent", "path", "ports", "raised", "start", "table", "wanted",
    )  # fmt: skip

    def __init__(self, module: Any, path: str, call: int, facts: ModuleFacts, parent: Frame | None) -> None:
        self.module, self.path, self.call, self.facts, self.parent = module, path, call, facts, parent
        self.table: dict[int, Entry] = {}
        self.origins = Origins()
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.children: list[CallRecord | None] = []
        self.attached: list[Mark] = []
        self.parameters: list[Mark] = []
        self.links: dict[tuple[int, Any], int] = {}
        self.edges: dict[Any, tuple[int, int]] = {}
        self.ports: dict[int, int] = {}
        self.mutated: list[tuple[weakref.ref[Tensor], bool]] = []
        self.wanted: list[tuple[str, weakref.ref[Tensor], Any]] = []
        self.leaked: set[int] = set()
        self.start = 0
        self.raised: BaseException | None = None
        self.index = 0
        if parent is not None:
            self.index = len(parent.children)
            parent.children.append(None)

    def add_input(self, name: str, tensor: Tensor, state: int, clock: int) -> int:
        """A port for one more input. A tensor that comes in under two names keeps both."""
        origin = self.origins.port("in", len(self.inputs))
        self.inputs.append(describe(name, tensor))
        known = self.table.get(id(tensor))
        found: tuple[int, int] = (origin, state)
        if known is not None and known[0]() is tensor and known[1] >= 0:
            both = self.origins.merge([(known[1], known[2] == LIVE), (origin, state == LIVE)])
            assert both is not None
            found = (both[0], max(state, known[2]))
        self.table[id(tensor)] = (weakref.ref(tensor), *found, clock)
        return origin

    def link(self, origin: int, target: tuple[str, int], state: int) -> None:
        """Note that data of `origin` reach `target`."""
        key = (origin, target)
        self.links[key] = max(self.links.get(key, DEAD), state)

    def leak(self, ids: Iterable[int]) -> None:
        """In this call and all around it, the gradients of these inputs can't be known in full."""
        frame: Frame | None = self
        while frame is not None:
            frame.leaked.update(ids)
            frame = frame.parent

    def wake(self, child: int) -> None:
        """A call made without gradients turned out to be a part of the autograd trace (reentrant checkpointing)."""
        todo = [child]
        while todo:
            target = ("child", todo.pop())
            for key, state in self.links.items():
                if key[1] == target and state == DORMANT:
                    self.links[key] = LIVE
                    todo += self.origins.children(key[0])

    def freeze(self) -> CallRecord:
        """What this call was. Calls that ended in an exception are left out."""
        ended = [index for index, child in enumerate(self.children) if child is not None]
        place = {("child", index): ("child", new) for new, index in enumerate(ended)}
        missing = {("child", index) for index, child in enumerate(self.children) if child is None}
        return CallRecord(
            path=self.path,
            call=self.call,
            facts=self.facts,
            inputs=tuple(self.inputs),
            outputs=tuple(self.outputs),
            children=tuple(child for child in self.children if child is not None),
            attached=tuple(self.attached),
            parameters=tuple(self.parameters),
            origins=tuple(self.origins.records)
            if not missing
            else tuple(map(_placed(place, missing), self.origins.records)),
            links=tuple(
                Link(origin, place.get(target, target), state == LIVE)
                for (origin, target), state in self.links.items()
                if target not in missing
            ),
        )


def _placed(place: dict[Any, Any], missing: set[Any]) -> Callable[[Origin], Origin]:
    """Origins with the ports of children where they are now; nothing comes from a missing one."""

    def placed(origin: Origin) -> Origin:
        if origin.port in missing:
            return Origin(None)
        return Origin(place.get(origin.port, origin.port), origin.parts)

    return placed
