"""The graphs of many steps as one, with the share of steps that took each way.

In: the graph of each recorded step. Out: one ModuleGraph whose nodes and edges carry their share. State: counts per
node and edge, owned by the Worker.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from torchexplorer.graph.codec import digest
from torchexplorer.graph.model import Edge, ModuleGraph, Node
from torchexplorer.trace.records import Value


@dataclass
class _Level:
    """What was seen of one graph: its nodes in order, their counts, the levels inside them."""

    graph: ModuleGraph
    nodes: dict[str, Node] = field(default_factory=dict)
    joins: dict[str, Node] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    edges: dict[tuple[str, str], tuple[bool, int]] = field(default_factory=dict)
    inside: dict[str, _Level] = field(default_factory=dict)


class GraphUnion:
    """Adds up graphs. Steps of the same structure only count up."""

    def __init__(self) -> None:
        self._top: _Level | None = None
        self._steps = 0
        self._last: ModuleGraph | None = None
        self._digest = ""
        self._again = 0

    def add(self, graph: ModuleGraph) -> bool:
        """Add the graph of one step. True where it is another than the step before."""
        self._steps += 1
        if graph == self._last:
            self._again += 1
            return False
        self._settle()
        before, self._digest = self._digest, digest(graph)
        self._last, self._again = graph, 1
        return self._digest != before

    def graph(self) -> ModuleGraph | None:
        """All graphs as one, None before the first."""
        self._settle()
        return None if self._top is None else _united(self._top, self._steps)

    def _settle(self) -> None:
        if self._last is not None and self._again:
            self._top = _add(self._top, self._last, self._again)
            self._again = 0


def _add(level: _Level | None, graph: ModuleGraph, times: int) -> _Level:
    level = level or _Level(graph)
    level.nodes = _ordered(level.nodes, graph.nodes)
    level.joins = _ordered(level.joins, graph.joins)
    for node in (*graph.nodes, *graph.joins):
        level.counts[node.key] = level.counts.get(node.key, 0) + times
        if node.inner is not None:
            level.inside[node.key] = _add(level.inside.get(node.key), node.inner, times)
    for edge in graph.drawn:
        differentiable, count = level.edges.get((edge.source, edge.target), (False, 0))
        level.edges[edge.source, edge.target] = (differentiable or edge.differentiable, count + times)
    return level


def _ordered(known: dict[str, Node], seen: tuple[Node, ...]) -> dict[str, Node]:
    """The known nodes and the new ones, each new one behind the node that it was seen behind."""
    if known.keys() >= {node.key for node in seen}:
        return {**known, **{node.key: _merged(known[node.key], node) for node in seen}}
    behind: dict[str, list[str]] = {}
    last = ""
    for node in seen:
        if node.key not in known:
            behind.setdefault(last, []).append(node.key)
        else:
            last = node.key
    found = {node.key: _merged(known.get(node.key), node) for node in seen}
    order = list(behind.get("", ()))
    for key in known:
        order += [key, *behind.get(key, ())]
    return {key: found.get(key) or known[key] for key in order}


def _merged(known: Node | None, seen: Node) -> Node:
    if known is None or (known.inputs == seen.inputs and known.outputs == seen.outputs):
        return seen
    return replace(seen, inputs=_values(known.inputs, seen.inputs), outputs=_values(known.outputs, seen.outputs))


def _values(known: tuple[Value, ...], seen: tuple[Value, ...]) -> tuple[Value, ...]:
    """The values last seen; a size that differed is None."""
    before = {value.name: value for value in known}
    return tuple(_value(before.get(value.name, value), value) for value in seen)


def _value(known: Value, seen: Value) -> Value:
    if known.shape is None or seen.shape is None or known.shape == seen.shape:
        return seen
    if len(known.shape) != len(seen.shape):
        return replace(seen, shape=None)
    sizes = tuple(new if old == new else None for old, new in zip(known.shape, seen.shape, strict=True))
    return replace(seen, shape=sizes)


def _united(level: _Level, steps: int) -> ModuleGraph:
    shares = {key: count / steps for key, count in level.counts.items()}
    nodes = tuple(
        replace(node, share=shares[key], inner=_united(level.inside[key], steps) if key in level.inside else None)
        for key, node in level.nodes.items()
    )
    joins = tuple(replace(node, share=shares[key]) for key, node in level.joins.items())
    drawn = tuple(Edge(*ends, live, count / steps) for ends, (live, count) in level.edges.items())
    return replace(level.graph, nodes=nodes, joins=joins, drawn=drawn)
