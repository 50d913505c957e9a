"""The levels that the layout places.

In: a module graph. Out: for each container of the graph as it is drawn, folds included: its boxes, measured from their
texts, and its edges. Owns no state; pure.
"""

from __future__ import annotations

from torchexplorer.graph import ModuleGraph, fold
from torchexplorer.layout import Level
from torchexplorer.render.measure import node_box
from torchexplorer.render.names import Calls, all_levels, count_calls, drawn_nodes, words_of


def levels(graph: ModuleGraph) -> tuple[Level, ...]:
    """One level for each container and part of a fold, in pre-order; its boxes are its nodes, then its joins."""
    graph = fold(graph)
    calls = count_calls(graph)
    return tuple(_level(each, calls, root=graph.label) for each, _ in all_levels(graph))


def _level(level: ModuleGraph, calls: Calls, *, root: str) -> Level:
    nodes = drawn_nodes(level)
    index = {node.key: number for number, node in enumerate(nodes)}
    return Level(
        boxes=tuple(node_box(node, words_of(node, level, calls, root=root)) for node in nodes),
        edges=tuple((index[edge.source], index[edge.target]) for edge in level.drawn),
        first=tuple(index[node.key] for node in level.nodes if node.kind in {"input", "from"}),
        last=tuple(index[node.key] for node in level.nodes if node.kind in {"output", "to"}),
    )
