"""The graphs of many steps as one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.graph.test_graph import Stack, graph_of
from torchexplorer.graph import GraphUnion, from_json, to_json


class Branching(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.left, self.right, self.last = (nn.Linear(2, 2) for _ in range(4))

    def forward(self, x: Tensor, go_left: Tensor) -> Tensor:
        x = self.first(x)
        x = self.left(x) if go_left else self.right(x)
        y: Tensor = self.last(x)
        return y


def test_nodes_and_edges_carry_the_share_of_steps_that_took_them() -> None:
    model, union = Branching(), GraphUnion()
    for go_left in (True, True, True, False):
        union.add(graph_of(model, torch.zeros(1, 2), torch.tensor(go_left)))
    graph = union.graph()
    assert graph is not None
    shares = {node.key: node.share for node in graph.nodes}
    assert shares == {
        "in:x": 1, "in:go_left": 1, "first#0": 1, "left#0": 0.75, "right#0": 0.25, "last#0": 1, "out:0": 1,
    }  # fmt: skip
    edges = {(edge.source, edge.target): edge.share for edge in graph.edges}
    assert edges["first#0", "left#0"] == edges["left#0", "last#0"] == 0.75
    assert edges["first#0", "right#0"] == edges["right#0", "last#0"] == 0.25
    assert from_json(to_json(graph)) == graph


def test_the_order_of_nodes_is_that_of_the_steps() -> None:
    model, union = Branching(), GraphUnion()
    for go_left in (False, True):
        union.add(graph_of(model, torch.zeros(1, 2), torch.tensor(go_left)))
    graph = union.graph()
    assert graph is not None
    keys = [node.key for node in graph.nodes]
    assert keys.index("first#0") < min(keys.index("left#0"), keys.index("right#0"))
    assert max(keys.index("left#0"), keys.index("right#0")) < keys.index("last#0")


def test_only_a_new_structure_is_a_change() -> None:
    model, union = Branching(), GraphUnion()
    left, right = torch.tensor(True), torch.tensor(False)
    seen = [
        union.add(graph_of(model, torch.zeros(size, 2), way))
        for size, way in [(1, left), (1, left), (3, left), (3, right)]
    ]
    assert seen == [True, False, False, True]


def test_sizes_that_vary_are_unknown() -> None:
    model, union = Branching(), GraphUnion()
    for size in (1, 5):
        union.add(graph_of(model, torch.zeros(size, 2), torch.tensor(True)))
    graph = union.graph()
    assert graph is not None
    assert graph.nodes[0].shapes == {"out:x": (None, 2)}


def test_joins_of_the_same_merge_are_one() -> None:
    union = GraphUnion()
    model = Stack(6)
    for _ in range(3):
        union.add(graph_of(model, torch.zeros(1, 2)))
    graph, single = union.graph(), graph_of(model, torch.zeros(1, 2))
    assert graph is not None
    assert graph.joins == single.joins
    assert graph.edges == single.edges
