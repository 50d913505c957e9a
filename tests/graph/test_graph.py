"""Graphs: joins, direct edges, text, facts."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from tests.trace.recorder import tracing
from torchexplorer.graph import ModuleGraph, build_graph, digest, from_json, split_facts, to_json


class Stack(nn.Module):
    def __init__(self, length: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(2, 2) for _ in range(length))

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = x + block(x)
        return x


def graph_of(model: nn.Module, *args: Tensor) -> ModuleGraph:
    with tracing(model, log=frozenset()) as records:
        model(*args)
    calls = records[0].calls
    assert calls is not None
    return build_graph(calls[0])


def test_a_short_residual_stack_has_direct_edges_only() -> None:
    graph = graph_of(Stack(2), torch.zeros(1, 2))
    assert [(edge.source, edge.target) for edge in graph.edges] == [
        ("in:x", "blocks.0#0"),
        ("in:x", "blocks.1#0"),
        ("blocks.0#0", "blocks.1#0"),
        ("in:x", "out:0"),
        ("blocks.0#0", "out:0"),
        ("blocks.1#0", "out:0"),
    ]


@pytest.mark.parametrize("length", [10, 200])
def test_a_residual_stack_has_at_most_four_drawn_edges_a_block(length: int) -> None:
    graph = graph_of(Stack(length), torch.zeros(1, 2))
    assert len(graph.drawn) <= 4 * length
    assert len(graph.edges) == (length + 1) * (length + 2) // 2
    assert all(edge.differentiable for edge in graph.edges)


def test_joins_that_save_nothing_are_not_drawn() -> None:
    class Heads(nn.Module):
        """A merge of many that is used once, beside one that is used twice."""

        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList(nn.Linear(2, 2) for _ in range(4))
            self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            both = self.blocks[0](x) + self.blocks[1](x)
            every = both + self.blocks[2](x) + self.blocks[3](x)
            return self.first(both), self.second(every)

    graph = graph_of(Heads(), torch.zeros(1, 2))
    assert not graph.joins
    assert set(graph.drawn) == set(graph.edges)


def test_text_and_back() -> None:
    graph = graph_of(nn.Sequential(Stack(5), nn.Sequential(nn.Linear(2, 2))), torch.zeros(1, 2))
    assert from_json(to_json(graph)) == graph


def test_the_digest_names_the_structure_not_the_shapes() -> None:
    model = Stack(3)
    first, second = graph_of(model, torch.zeros(1, 2)), graph_of(model, torch.zeros(7, 2))
    assert first != second
    assert digest(first) == digest(second)
    assert digest(graph_of(Stack(4), torch.zeros(1, 2))) != digest(first)


def test_other_text_is_refused() -> None:
    with pytest.raises(ValueError, match="Reading a graph failed"):
        from_json('{"path": ""}')


def test_a_graph_is_found_by_path() -> None:
    graph = graph_of(nn.Sequential(Stack(1), nn.Sequential(nn.Linear(2, 2))), torch.zeros(1, 2))
    assert graph["1"].label == "Sequential"
    with pytest.raises(KeyError, match="no call of a module at path 'x'"):
        graph["x"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("", ()),
        (
            "3, 64, kernel_size=(7, 7), bias=False",
            (("", "3"), ("", "64"), ("kernel_size", "(7, 7)"), ("bias", "False")),
        ),
        ("p=0.5, inplace=False", (("p", "0.5"), ("inplace", "False"))),
        ("(4,), eps=1e-05", (("", "(4,)"), ("eps", "1e-05"))),
        ("a='x, y=1'", (("a", "'x, y=1'"),)),
        ("a == b", (("a", "= b"),)),
        ("unbalanced (", (("", "unbalanced ("),)),
    ],
)
def test_facts(text: str, pairs: tuple[tuple[str, str], ...]) -> None:
    assert split_facts(text) == pairs
