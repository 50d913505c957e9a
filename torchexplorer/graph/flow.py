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
    it takes as one: the edges into it and one for each use. So a flat stack of N blocks `x = x + f(x)` has O(N)
    edges.
    """
    uses = _uses(origins, links)
    sources: dict[int, dict[End, bool]] = {}
    reached: dict[int, int] = {}
    sizes: dict[int, int] = {}
    edges: dict[tuple[End, End], bool] = {}
    for index, origin in enumerate(origins):
        if index not in uses:
            continue
        if origin.port is not None:
            sources[index], reached[index] = {origin.port: True}, 1 << index
            continue
        inside = _united(origin, sources)
        reached[index] = 0
        for part, _ in origin.parts:
            reached[index] |= reached[part]
        if reached[index].bit_count() * uses[index] > len(inside) + uses[index]:
            sizes[index] = len(inside)
            edges.update(((source, ("join", index)), live) for source, live in inside.items())
            inside = {("join", index): True}
        sources[index] = inside
    for link in links:
        for source, live in sources[link.origin].items():
            ends = (source, link.target)
            edges[ends] = edges.get(ends, False) or (live and link.differentiable)
    return Drawing(edges, tuple(sizes), sizes)


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
