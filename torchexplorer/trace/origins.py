"""Where the data inside one call come from, as a shared structure.

In: ports (inputs, child calls, attached tensors, parameters) and merges of what is known. Out: Origin records.
State: the origins of one open call, owned by its Frame.
"""

from __future__ import annotations

from collections.abc import Iterable

from torchexplorer.trace.records import Origin, PortKind

Part = tuple[int, bool]


class Origins:
    """Ports and merges of one call. A merge is made once for the same parts, so a chain of N merges costs O(N).

    Beside each origin stand two sets of ports as bit masks: those it comes from, and those the autograd trace reaches.
    """

    __slots__ = ("_carried", "_made", "_reached", "_weak", "records")

    def __init__(self) -> None:
        self.records: list[Origin] = []
        self._reached: list[int] = []
        self._carried: list[int] = []
        self._made: dict[tuple[Part, ...], int] = {}
        self._weak: set[int] = set()

    def port(self, kind: PortKind, index: int, *, weak: bool = False) -> int:
        """A new port. A weak one (a module's own parameter) counts only where nothing else flows."""
        origin = len(self.records)
        self.records.append(Origin((kind, index)))
        self._reached.append(1 << origin)
        self._carried.append(1 << origin)
        if weak:
            self._weak.add(origin)
        return origin

    def children(self, origin: int) -> list[int]:
        """The child calls that an origin comes from."""
        reached = self._reached[origin]
        ports = (record.port for index, record in enumerate(self.records) if reached >> index & 1)
        return [port[1] for port in ports if port is not None and port[0] == "child"]

    def merge(self, parts: Iterable[Part]) -> Part | None:
        """The origin of what is computed from `parts`, and whether a gradient flows back to any of them."""
        united: dict[int, bool] = {}
        for origin, live in parts:
            united[origin] = united.get(origin, False) or live
        if len(united) > 1 and self._weak:
            united = {origin: live for origin, live in united.items() if origin not in self._weak} or united
        if len(united) <= 1:
            return next(iter(united.items()), None)
        return self._cover(united) or (self._merged(united), any(united.values()))

    def _cover(self, united: dict[int, bool]) -> Part | None:
        """One of the parts, if the others add nothing to it."""
        reached = carried = 0
        for origin, live in united.items():
            reached |= self._reached[origin]
            carried |= self._carried[origin] if live else 0
        newest = max(united)
        if self._reached[newest] == reached and (self._carried[newest] if united[newest] else 0) == carried:
            return newest, united[newest]
        return None

    def _merged(self, united: dict[int, bool]) -> int:
        parts = tuple(sorted(united.items()))
        known = self._made.get(parts)
        if known is not None:
            return known
        origin = len(self.records)
        self.records.append(Origin(None, parts))
        reached = carried = 0
        for part, live in parts:
            reached |= self._reached[part]
            carried |= self._carried[part] if live else 0
        self._reached.append(reached)
        self._carried.append(carried)
        self._made[parts] = origin
        if all(part in self._weak for part, _ in parts):
            self._weak.add(origin)
        return origin
