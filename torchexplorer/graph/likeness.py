"""Which calls look alike: a number for each kind of node, equal where class, parameters and inside are equal.

In: nodes. Out: numbers. State: the kinds seen so far, owned by one fold.
"""

from __future__ import annotations

from collections.abc import Hashable

from torchexplorer.graph.model import ModuleGraph, Node


class Likeness:
    """Numbers the kinds of nodes. Graphs inside nodes must be added before the graphs that hold those nodes."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._graphs: dict[int, int] = {}  # by identity: the graphs stay alive as long as this does

    def add(self, graph: ModuleGraph) -> None:
        """Learn the kind of a graph: its nodes by their names, and its edges."""
        nodes = (*graph.nodes, *graph.joins)
        index = {node.key: number for number, node in enumerate(nodes)}
        edges = tuple((index[edge.source], index[edge.target], edge.differentiable) for edge in graph.drawn)
        names = tuple((node.name, self.of(node)) for node in nodes)
        self._graphs[id(graph)] = self._number((names, edges))

    def of(self, node: Node) -> int:
        """The kind of a node; its own name, address, shapes and `extra_repr` do not count."""
        inner = -1 if node.inner is None else self._graphs[id(node.inner)]
        return self._number((node.kind, node.label, node.total_parameters, inner))

    def _number(self, kind: Hashable) -> int:
        return self._numbers.setdefault(kind, len(self._numbers))
