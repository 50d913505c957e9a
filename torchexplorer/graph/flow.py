"""Which merges of data become nodes, and the edges that are left.

In: the origins and links of one call. Out: a Drawing. Owns no state; pure; iterative, so that 20,000 merges do no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchexplorer.trace.records import Link, Origin

End = tuple[str, int]
"""An end of a drawn edge: a port ("in", 0), a target ("out", 0), or a merge ("join", index of its origin)."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Edges by their ends, True where differentiable, and the merges that are drawn, sources before targets.

    `sizes` is the number of edges into each drawn merge.
    """

    edges: dict[tuple[End, End], bool]
    joins: tuple[int, ...]
    sizes: dict[int, int]


def draw(origins: Sequence[Origin], links: Sequence[Link]) -> Drawing:
    """The flow of one call with as few edges as joins can make it.

    A merge of m sources with u uses stands for m * u direct edges. It is drawn as a node where that is more than what
    it takes as one: the edges into it and one for each use. So a flat stack of N blocks `x = x + f(x)` has O(N) edges.
    Where joins save nothing on the whole, none is drawn.
    """
    uses = _uses(origins, links)
    reached = _reached(origins, uses)
    drawing = _draw(origins, links, uses, reached)
    targets: dict[End, int] = {}
    for link in links:
        targets[link.target] = targets.get(link.target, 0) | reached[link.origin]
    if sum(mask.bit_count() for mask in targets.values()) <= len(drawing.edges):
        return _draw(origins, links, uses, None)
    return drawing


def _draw(
    origins: Sequence[Origin], links: Sequence[Link], uses: dict[int, int], reached: dict[int, int] | None
) -> Drawing:
    """`reached` are the ports behind each origin, None to draw no merges."""
    sources: dict[int, dict[End, bool]] = {}
    sizes: dict[int, int] = {}
    edges: dict[tuple[End, End], bool] = {}
    for index in sorted(uses):
        origin = origins[index]
        inside: dict[End, bool] = {origin.port: True} if origin.port is not None else _united(origin, sources)
        if origin.port is None and reached is not None:
            direct = reached[index].bit_count() * uses[index]
            if direct > len(inside) + uses[index]:
                sizes[index] = len(inside)
                edges.update(((source, ("join", index)), live) for source, live in inside.items())
                inside = {("join", index): True}
        sources[index] = inside
    for link in links:
        for source, live in sources[link.origin].items():
            ends = (source, link.target)
            edges[ends] = edges.get(ends, False) or (live and link.differentiable)
    return Drawing(edges, tuple(sizes), sizes)


def _reached(origins: Sequence[Origin], uses: dict[int, int]) -> dict[int, int]:
    """The ports behind each origin in use, as a bit mask."""
    reached: dict[int, int] = {}
    for index in sorted(uses):
        reached[index] = 1 << index if origins[index].port is not None else 0
        for part, _ in origins[index].parts:
            reached[index] |= reached[part]
    return reached


def _united(origin: Origin, sources: dict[int, dict[End, bool]]) -> dict[End, bool]:
    """The sources of a merge: those of its parts, differentiable where the way through the part is."""
    united: dict[End, bool] = {}
    for part, live in origin.parts:
        for source, flag in sources[part].items():
            united[source] = united.get(source, False) or (flag and live)
    return united


def _uses(origins: Sequence[Origin], links: Sequence[Link]) -> dict[int, int]:
    """How many different consumers (targets, other merges in use) each origin has; origins without any are left out."""
    consumers: dict[int, set[End]] = {}
    for link in links:
        consumers.setdefault(link.origin, set()).add(link.target)
    for index in range(len(origins) - 1, -1, -1):
        if index in consumers:
            for part, _ in origins[index].parts:
                consumers.setdefault(part, set()).add(("join", index))
    return {index: len(found) for index, found in consumers.items()}
