"""The levels that the layout places.

In: a module graph. Out: for each container its boxes, measured from their texts, and its edges. Owns no state; pure.
"""

from __future__ import annotations

from torchexplorer.graph import ModuleGraph
from torchexplorer.layout import Level
from torchexplorer.render.measure import JOIN, box
from torchexplorer.render.names import Calls, all_levels, count_calls, drawn_nodes, words_of


def levels(graph: ModuleGraph) -> tuple[Level, ...]:
    """One level for each container, in pre-order; its boxes are the container's nodes, then its joins."""
    calls = count_calls(graph)
    return tuple(_level(each, calls, root=graph.label) for each, _ in all_levels(graph))


def _level(level: ModuleGraph, calls: Calls, *, root: str) -> Level:
    nodes = drawn_nodes(level)
    index = {node.key: number for number, node in enumerate(nodes)}
    return Level(
        boxes=tuple(JOIN if node.kind == "join" else box(words_of(node, level, calls, root=root)) for node in nodes),
        edges=tuple((index[edge.source], index[edge.target]) for edge in level.drawn),
        first=tuple(index[node.key] for node in level.nodes if node.kind == "input"),
        last=tuple(index[node.key] for node in level.nodes if node.kind == "output"),
    )
