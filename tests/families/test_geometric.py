"""A graph network of torch_geometric."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.families.family import Family, Mode
from tests.families.harness import cases, check

gnn: Any = pytest.importorskip(
    "torch_geometric.nn", reason="torch_geometric is not installed: pip install '.[test]'", exc_type=ImportError
)


class GCN(nn.Module):
    """Two convolutions over the edges of a graph, as in torch_geometric's introduction."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = gnn.GCNConv(4, 8), gnn.GCNConv(8, 3)
        self.dropout = nn.Dropout(0.2)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        x = self.dropout(self.first(x, edge_index).relu())
        scores: Tensor = self.second(x, edge_index)
        return scores.log_softmax(-1)


def ring() -> tuple[Any, ...]:
    around = torch.arange(6)
    return torch.randn(6, 4), torch.stack([around, around.roll(1)])


GATHERED = "the nodes' own numbers are gathered from neighbours before a parameter meets them"

FAMILIES = {
    "gcn": Family(GCN, ring),
    "gat": Family(lambda: gnn.GAT(4, 8, 2, 3, heads=2), ring),
    "sage": Family(
        lambda: gnn.GraphSAGE(4, 8, 2, 3),
        ring,
        ungraded={
            " input_grad x": GATHERED,
            "convs.0 input_grad x": GATHERED,
            "convs.0.aggr_module input_grad x": GATHERED,
            "convs.0.aggr_module output_grad 0": GATHERED,
        },
    ),
}


@cases(FAMILIES)
def test_graph_networks(family: Family, mode: Mode) -> None:
    check(family, mode)
