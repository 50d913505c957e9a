"""What is drawn in one part of a level, or in the level around all of its parts.

In: nodes, joins and edges, also nodes outside that edges come from or go to. Out: a ModuleGraph. State: what was drawn
so far; owned by one fold.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from torchexplorer.graph.model import Edge, ModuleGraph, Node


@dataclass(slots=True)
class Picture:
    """Grows as it is drawn. Edges that are drawn as one are differentiable where one of them is."""

    nodes: list[Node] = field(default_factory=list)
    joins: list[Node] = field(default_factory=list)
    sources: dict[str, Node] = field(default_factory=dict)
    targets: dict[str, Node] = field(default_factory=dict)
    edges: dict[tuple[str, str], Edge] = field(default_factory=dict)

    def draw(self, source: str, target: str, edge: Edge) -> None:
        """Draw an edge between these two nodes."""
        known = self.edges.get((source, target))
        live, share = edge.differentiable, edge.share
        if known is not None:
            live, share = live or known.differentiable, max(share, known.share)
        self.edges[source, target] = Edge(source, target, live, share)

    def draw_in(self, far: Node, target: str, edge: Edge) -> None:
        """Draw an edge that comes from a node outside."""
        if far.key not in self.sources:
            self.sources[far.key] = replace(_stand_in(far), key=f"from:{far.key}", kind="from", outputs=far.outputs)
        self.draw(f"from:{far.key}", target, edge)

    def draw_out(self, source: str, far: Node, edge: Edge) -> None:
        """Draw an edge that goes to a node outside."""
        if far.key not in self.targets:
            self.targets[far.key] = replace(_stand_in(far), key=f"to:{far.key}", kind="to", inputs=far.inputs)
        self.draw(source, f"to:{far.key}", edge)

    def graph(self, level: ModuleGraph) -> ModuleGraph:
        """The picture as a graph, in the call that `level` is of."""
        nodes = (*self.sources.values(), *self.nodes, *self.targets.values())
        return replace(level, nodes=nodes, joins=tuple(self.joins), drawn=tuple(self.edges.values()))


def _stand_in(far: Node) -> Node:
    address = (far.key, far.path, far.call, far.label, far.kind, far.name)
    return Node(*address, share=far.share, far=replace(far, inner=None))
