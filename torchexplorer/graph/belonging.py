"""What stands between the calls of a run, and so belongs into its fold: joins, attached tensors, parameters.

In: a level, its calls in order, and its runs. Out: the place of each node among the calls. Owns no state; pure; linear.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from torchexplorer.graph.model import ModuleGraph

MOST_SOURCES = 8
"""A join of more than this many is no link of a chain: it stays outside, below the fold that it sums up."""

OUTSIDE = -1


@dataclass(frozen=True, slots=True)
class Flow:
    """Neighbours by node key, and the place of each call, join and attached tensor.

    The place of a call is its number; a join or an attached tensor stands behind the last call that it gets data from.
    `between` lists joins and attached tensors, sources before targets.
    """

    sources: Mapping[str, Sequence[str]]
    targets: Mapping[str, Sequence[str]]
    places: Mapping[str, int]
    between: Sequence[str]

    def before(self, key: str) -> list[int]:
        """The places that a node gets data from."""
        return [self.places.get(source, OUTSIDE) for source in self.sources.get(key, ())]


def flow_of(level: ModuleGraph, calls: Sequence[str]) -> Flow:
    """The flow of a level whose calls have these keys, in order."""
    sources: dict[str, list[str]] = defaultdict(list)
    targets: dict[str, list[str]] = defaultdict(list)
    for edge in level.drawn:
        sources[edge.target].append(edge.source)
        targets[edge.source].append(edge.target)
    places = {key: number for number, key in enumerate(calls)}
    loose = {node.key for node in (*level.nodes, *level.joins) if node.kind in {"attach", "join"}}
    waiting = {key: sum(source in loose for source in sources[key]) for key in loose}
    between = [node.key for node in (*level.nodes, *level.joins) if waiting.get(node.key) == 0]
    for key in between:  # grows on the way; nodes on a cycle stay outside
        places[key] = max((places.get(source, OUTSIDE) for source in sources[key]), default=OUTSIDE)
        for target in targets[key]:
            if target in loose:
                waiting[target] -= 1
                if waiting[target] == 0:
                    between.append(target)
    return Flow(sources, targets, places, between)


def inside(flow: Flow, spans: Iterable[tuple[int, int]]) -> dict[str, int]:
    """The places of all nodes that belong into a span (start, stop) of calls, the calls themselves included.

    A join or an attached tensor belongs to the span of its place where something in it uses it, or all its data are of
    it. (A parameter belongs where all its uses are: `parts.py` sees to that, as it knows the parts of a span.)
    """
    span_of = {call: number for number, (start, stop) in enumerate(spans) for call in range(start, stop)}
    between = set(flow.between)
    found = {key: place for key, place in flow.places.items() if place in span_of and key not in between}

    def span(key: str) -> int | None:
        return span_of[found[key]] if key in found else None

    def local(key: str) -> int | None:
        small = key not in between or len(flow.sources[key]) <= MOST_SOURCES
        return span_of.get(flow.places.get(key, OUTSIDE)) if small else None

    for key in reversed(flow.between):
        own = local(key)
        used = any(span(target) == own for target in flow.targets.get(key, ()))
        if own is not None and (used or all(local(source) == own for source in flow.sources[key])):
            found[key] = flow.places[key]
    return found
