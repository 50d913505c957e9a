"""Levels that repeat, and what their folds must hold, looked at one real edge at a time.

In: graphs. Out: graphs, and an AssertionError that names the fault. Owns no state.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import strategies as st

from torchexplorer.graph import Edge, ModuleGraph, Node

STANDING = {"fold", "from", "to"}


def call(path: str, number: int = 0, *, label: str = "Linear", inner: ModuleGraph | None = None) -> Node:
    return Node(f"{path}#{number}", path, number, label, "module", path, total_parameters=6, inner=inner)


def level(middle: Sequence[Node], edges: Iterable[tuple[str, str]], joins: Sequence[Node] = ()) -> ModuleGraph:
    """A level with input "in:x" and output "out:0"."""
    ends = Node("in:x", "", 0, "x", "input", "x"), Node("out:0", "", 0, "0", "output", "0")
    drawn = tuple(Edge(source, target, True) for source, target in edges)
    return ModuleGraph("", 0, "Net", nodes=(ends[0], *middle, ends[1]), drawn=drawn, joins=tuple(joins))


def chain(*middle: Node) -> ModuleGraph:
    return level(middle, pairwise(["in:x", *(node.key for node in middle), "out:0"]))


def residual(blocks: int, *, inner: ModuleGraph | None = None) -> ModuleGraph:
    """`x = x + f(x)`: the join of each block feeds the next block and the next join."""
    middle = [call(f"layers.{number}", inner=inner) for number in range(blocks)]
    joins = [Node(f"join:{number}", "", 0, "join", "join") for number in range(blocks)]
    edges, last = [], "in:x"
    for block, join in zip(middle, joins, strict=True):
        edges += [(last, block.key), (last, join.key), (block.key, join.key)]
        last = join.key
    return level(middle, [*edges, (last, "out:0")], joins)


def calls(number: int) -> ModuleGraph:
    return chain(*(call("cell", each) for each in range(number)))


@st.composite
def levels(draw: st.DrawFn) -> ModuleGraph:
    """A level with long rows of calls, and any edges that lead forward, some through joins and attached tensors."""
    runs = draw(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 70), st.booleans()), min_size=1, max_size=4))
    middle: list[Node] = []
    for path, times, same in runs:
        for _ in range(times):
            number = len(middle)
            middle.append(call(path, number) if same else call(f"{path}.{number}", label=path))
    loose = [Node(f"join:{n}", "", 0, "join", "join") for n in range(draw(st.integers(0, 12)))]
    marks = [Node(f"attach:m#{n}", "", n, "m", "attach", "m") for n in range(draw(st.integers(0, 4)))]
    params = [Node(f"param:{n}", "", 0, "p", "param", f"{n}") for n in range(draw(st.integers(0, 3)))]
    where = {node.key: draw(st.integers(0, len(middle) - 1)) + 0.5 for node in [*loose, *marks]}
    where |= {node.key: number for number, node in enumerate(middle)} | {"out:0": len(middle)}
    where |= {node.key: -1 for node in params} | {"in:x": -1}
    order = sorted(where, key=lambda key: (where[key], key))
    edges = set(pairwise(order)) if draw(st.booleans()) else set()
    ends = st.integers(0, len(order) - 1)
    for one, other in draw(st.lists(st.tuples(ends, ends), max_size=40)):
        if where[order[one]] != where[order[other]]:
            edges.add((order[min(one, other)], order[max(one, other)]))
    edges = {(source, target) for source, target in edges if where[target] >= 0}
    graph = level([*params, *middle, *marks], sorted(edges), sorted(loose, key=lambda node: where[node.key]))
    flags = st.tuples(st.booleans(), st.sampled_from([0.25, 1.0]))
    drawn = [replace(edge, differentiable=live, share=share) for edge in graph.drawn for live, share in [draw(flags)]]
    return replace(graph, drawn=tuple(drawn))


def nodes_of(graph: ModuleGraph) -> tuple[Node, ...]:
    return (*graph.nodes, *graph.joins)


def parts_of(graph: ModuleGraph) -> list[ModuleGraph]:
    """The graph of a call and all parts of it, the outer ones first."""
    found = [graph]
    for each in found:  # grows on the way
        found += [node.inner for node in each.nodes if node.kind == "fold" and node.inner is not None]
    return found


def inside(node: Node) -> set[str]:
    """The real nodes in a fold; any other node itself."""
    if node.kind != "fold" or node.inner is None:
        return {node.key}
    real = (each for part in parts_of(node.inner) for each in nodes_of(part))
    return {each.key for each in real if each.kind not in STANDING}


def real_edges(graph: ModuleGraph) -> list[Edge]:
    """The edges between real nodes that a folded graph shows: those drawn, and those to and from stand-ins."""
    found = set()
    for part in parts_of(graph):
        named = {node.key: node.far or node for node in nodes_of(part)}
        for edge in part.drawn:
            source, target = named[edge.source], named[edge.target]
            if "fold" not in {source.kind, target.kind}:
                found.add(Edge(source.key, target.key, edge.differentiable, edge.share))
    return sorted(found, key=repr)


def check(before: ModuleGraph, after: ModuleGraph) -> None:
    """All real nodes are there once, all real edges are there as they were, and each part shows all it should."""
    real = [node for part in parts_of(after) for node in nodes_of(part) if node.kind not in STANDING]
    assert sorted(node.key for node in real) == sorted(node.key for node in nodes_of(before))
    assert {node.key: node for node in real} == {node.key: node for node in nodes_of(before)}
    assert real_edges(after) == sorted(before.drawn, key=repr)
    folds = {node.key: inside(node) for part in parts_of(after) for node in part.nodes if node.kind == "fold"}
    for part in parts_of(after):
        _check_part(before, part, folds)


def _check_part(before: ModuleGraph, part: ModuleGraph, folds: dict[str, set[str]]) -> None:
    """The edges of a part are those of the real nodes in its boxes, differentiable where one of them is."""
    kinds: dict[str, dict[str, str]] = {"here": {}, "from": {}, "to": {}}
    for node in nodes_of(part):
        held = folds.get((node.far or node).key, {(node.far or node).key})
        kinds[node.kind if node.far else "here"].update(dict.fromkeys(held, node.key))
    expected: dict[tuple[str, str], Edge] = {}
    for edge in before.drawn:
        here = kinds["here"]
        if edge.source not in here and edge.target not in here:
            continue
        ends = (here.get(edge.source) or kinds["from"][edge.source], here.get(edge.target) or kinds["to"][edge.target])
        if ends[0] == ends[1] and ends[0] in folds:
            continue
        known = expected.get(ends, edge)
        live, share = edge.differentiable or known.differentiable, max(edge.share, known.share)
        expected[ends] = Edge(*ends, live, share)
    assert sorted(part.drawn, key=repr) == sorted(expected.values(), key=repr)
