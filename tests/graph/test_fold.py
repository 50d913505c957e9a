"""Folding: what repeats is one box, that box opens, and no node and no edge is lost."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given

from tests.graph.folds import STANDING, call, calls, chain, check, level, levels, nodes_of, parts_of, residual
from tests.graph.test_graph import Stack, graph_of
from torchexplorer.graph import Edge, ModuleGraph, Node, fold


def opened(graph: ModuleGraph, *way: int) -> ModuleGraph:
    """The inside of the fold with this number, and of that in it."""
    for number in way:
        inner = [node for node in graph.nodes if node.kind == "fold"][number].inner
        assert inner is not None
        graph = inner
    return graph


def names(graph: ModuleGraph) -> list[str]:
    return [node.name for node in graph.nodes]


def pairs(graph: ModuleGraph) -> list[tuple[str, str]]:
    return [(edge.source, edge.target) for edge in graph.drawn]


def test_calls_of_one_module_are_one_box() -> None:
    folded = fold(calls(2000))
    assert [node.key for node in folded.nodes] == ["in:x", "fold:cell#0", "out:0"]
    assert pairs(folded) == [("in:x", "fold:cell#0"), ("fold:cell#0", "out:0")]
    box = folded.nodes[1]
    assert (box.kind, box.label, box.name, box.total_parameters) == ("fold", "Linear", "cell x 2000", 6)
    assert box.facts == (("calls", "2,000 of Linear"), ("modules", "1"))


def test_it_opens_in_ranges_and_then_in_calls() -> None:
    ranges = opened(fold(calls(2000)), 0)
    assert names(ranges) == ["x", *(f"calls {first + 1}-{first + 50}" for first in range(0, 2000, 50)), "0"]
    assert [node.kind for node in ranges.nodes] == ["from", *["fold"] * 40, "to"]
    keys = ["from:in:x", *(f"fold:cell#0@{first}:50" for first in range(0, 2000, 50)), "to:out:0"]
    assert sorted(pairs(ranges)) == sorted(pairwise(keys))
    real = opened(ranges, 1)
    keys = ["from:cell#49", *(f"cell#{number}" for number in range(50, 100)), "to:cell#100"]
    assert [node.key for node in real.nodes] == keys
    assert sorted(pairs(real)) == sorted(pairwise(keys))
    assert real.part is not None
    assert real.part.name == "calls 51-100"


@pytest.mark.parametrize(("number", "flat"), [(8, True), (60, True), (61, False), (3000, False), (3001, False)])
def test_few_calls_open_at_once_and_many_in_ranges(number: int, flat: bool) -> None:
    graph = calls(number)
    folded = fold(graph)
    assert any(node.kind == "module" for node in opened(folded, 0).nodes) == flat
    assert max(len(part.nodes) for part in parts_of(folded)) <= 62
    check(graph, folded)


@pytest.mark.parametrize(
    "graph",
    [
        calls(7),
        chain(*(call(f"layers.{number}") for number in range(15))),
        chain(*(call(f"layers.{number}", label=f"L{number}") for number in range(40))),
        chain(*(replace(call(f"layers.{number}"), total_parameters=number) for number in range(40))),
    ],
    ids=["few calls", "few blocks", "other classes", "other sizes"],
)
def test_what_does_not_repeat_often_enough_stays_as_it_is(graph: ModuleGraph) -> None:
    assert fold(graph) is graph


def test_a_row_of_equal_blocks_is_one_box() -> None:
    inner = chain(call("a"), call("b"))
    folded = fold(chain(call("stem", label="Conv"), *(call(f"layers.{n}", label="B", inner=inner) for n in range(24))))
    assert names(folded) == ["x", "stem", "layers.0-23 x 24", "0"]
    box = folded.nodes[2]
    assert (box.label, box.total_parameters, box.facts) == ("B", 144, (("calls", "24 of B"), ("modules", "24")))
    assert [node.inner for node in opened(folded, 0).nodes[1:-1]] == [inner] * 24


def test_blocks_with_another_inside_are_another_box() -> None:
    insides = [chain(call("a")), chain(call("b"))]
    blocks = [call(f"layers.{number}", inner=insides[number // 20]) for number in range(40)]
    assert names(fold(chain(*blocks))) == ["x", "layers.0-19 x 20", "layers.20-39 x 20", "0"]


def test_a_row_of_a_few_modules_that_repeats_is_one_box() -> None:
    step = [call("cell"), call("norm", label="Norm")]
    middle = [replace(node, key=f"{node.path}#{n}", call=n) for n in range(100) for node in step]
    graph = chain(*middle)
    folded = fold(graph)
    assert names(folded) == ["x", "cell, norm x 100", "0"]
    assert folded.nodes[1].label == "Linear, Norm"
    assert names(opened(folded, 0)) == ["x", "calls 1-50", "calls 51-100", "0"]
    check(graph, folded)


def test_layers_that_alternate_are_one_box() -> None:
    middle = [call(f"{number}", label="Linear" if number % 2 == 0 else "ReLU") for number in range(40)]
    assert names(fold(chain(*middle))) == ["x", "0-39 x 20", "0"]


@pytest.mark.parametrize("blocks", [20, 200, 2000])
def test_a_flat_residual_stack_folds_with_its_joins(blocks: int) -> None:
    graph = residual(blocks)
    folded = fold(graph)
    assert names(folded) == ["x", f"layers.0-{blocks - 1} x {blocks}", "0"]
    assert not folded.joins
    assert len(folded.drawn) == 2
    assert all(len(part.drawn) <= 4 * 50 for part in parts_of(folded))
    check(graph, folded)


def test_a_join_outside_of_a_part_is_named_after_its_part() -> None:
    real = opened(fold(residual(200)), 0, 1)
    first, *_, last = real.nodes
    assert (first.key, first.name, first.far and first.far.kind) == ("from:join:49", "layers.0-49", "join")
    assert (last.key, last.name) == ("to:join:100", "layers.100-149")


def test_a_recorded_stack_folds() -> None:
    graph = graph_of(Stack(200), torch.zeros(1, 2))
    folded = fold(graph)
    assert names(folded) == ["x", "blocks.0-199 x 200", "0"]
    check(graph, folded)


def test_what_sums_all_up_stays_outside() -> None:
    middle = [call("cell", number) for number in range(100)]
    join = Node("join:all", "", 0, "join", "join")
    edges = [*((node.key, join.key) for node in middle), *(("in:x", node.key) for node in middle), (join.key, "out:0")]
    graph = level(middle, edges, [join])
    folded = fold(graph)
    assert pairs(folded) == [("fold:cell#0", "join:all"), ("in:x", "fold:cell#0"), ("join:all", "out:0")]
    check(graph, folded)


def test_parameters_and_attached_tensors_go_with_the_blocks_that_use_them() -> None:
    scales = [Node(f"param:scales.{n}", "", 0, "scale", "param", f"{n}") for n in range(20)]
    marks = [Node(f"attach:h#{n}", "", n, "h", "attach", "h") for n in range(20)]
    blocks = [call(f"layers.{n}") for n in range(20)]
    edges, last = [], "in:x"
    for scale, block, mark in zip(scales, blocks, marks, strict=True):
        edges += [(last, block.key), (scale.key, block.key), (block.key, mark.key)]
        last = mark.key
    graph = level([*scales, *blocks, *marks], [*edges, (last, "out:0")])
    folded = fold(graph)
    assert names(folded) == ["x", "layers.0-19 x 20", "0"]
    check(graph, folded)


def test_dashed_edges_and_shares_are_kept() -> None:
    graph = calls(200)
    drawn = [
        replace(edge, differentiable=n % 50 != 0, share=0.5 if n == 50 else 1) for n, edge in enumerate(graph.drawn)
    ]
    graph = replace(graph, drawn=tuple(drawn))
    folded = fold(graph)
    between = {(edge.source, edge.target): edge for edge in opened(folded, 0).drawn}
    assert between["fold:cell#0@0:50", "fold:cell#0@50:50"] == Edge("fold:cell#0@0:50", "fold:cell#0@50:50", False, 0.5)
    check(graph, folded)


def test_blocks_inside_of_blocks_fold_too() -> None:
    inner = calls(10)
    folded = fold(chain(*(call(f"layers.{n}", inner=inner) for n in range(16))))
    block = opened(folded, 0).nodes[1]
    assert block.inner is not None
    assert names(block.inner) == ["x", "cell x 10", "0"]


def test_keys_do_not_depend_on_how_often_something_repeats() -> None:
    fewer, more = (opened(fold(calls(number)), 0) for number in (300, 400))
    assert {node.key for node in fewer.nodes} < {node.key for node in more.nodes}


def test_folding_twice_is_as_once() -> None:
    folded = fold(residual(200, inner=calls(10)))
    assert fold(folded) == folded


def test_a_deep_graph_does_no_harm() -> None:
    graph = calls(9)
    for depth in range(1500):
        graph = chain(call(f"m{depth}", inner=graph))
    folded = fold(graph)
    while folded.nodes[1].kind == "module":
        folded = folded.nodes[1].inner or folded
    assert names(folded) == ["x", "cell x 9", "0"]


@pytest.mark.parametrize("make", [calls, residual])
def test_it_takes_linear_time(make: object) -> None:
    def seconds(size: int) -> float:
        graph = make(size)  # type: ignore[operator]
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            fold(graph)
            times.append(time.perf_counter() - begun)
        return min(times)

    assert seconds(2000) < 0.5
    assert seconds(16000) < 30 * seconds(2000)


@given(levels())
def test_expanding_a_fold_gives_the_same_edges_between_the_same_nodes(graph: ModuleGraph) -> None:
    folded = fold(graph)
    check(graph, folded)
    assert fold(folded) == folded
    assert all(
        node.far is not None for part in parts_of(folded) for node in nodes_of(part) if node.kind in STANDING - {"fold"}
    )
