"""Every model of the zoo has exactly the graph that it says it has."""

from __future__ import annotations

from typing import Any

import pytest

from tests.zoo import (
    branches,
    calls,
    checkpoints,
    cuts,
    functions,
    implicit,
    inplace,
    layers,
    mixed,
    outputs,
    parameters,
    plain,
    structures,
)
from tests.zoo.case import Case, Level
from tests.zoo.harness import edge_set, expanded, levels, record
from torchexplorer.graph import digest, from_json, to_json

THEMES = (
    plain,
    branches,
    structures,
    outputs,
    calls,
    inplace,
    cuts,
    functions,
    implicit,
    parameters,
    layers,
    checkpoints,
    mixed,
)
CASES: list[Case] = [case for theme in THEMES for case in theme.CASES]


def _parameters(*, gaps: bool) -> list[Any]:
    def marks(case: Case) -> Any:
        return pytest.mark.xfail(reason=case.gap, strict=True) if gaps and case.gap else ()

    return [pytest.param(case, id=case.name, marks=marks(case)) for case in CASES]


def test_names_are_unique() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 70


@pytest.mark.parametrize("case", _parameters(gaps=True))
def test_graph_is_exact(case: Case) -> None:
    graph = record(case)
    found = levels(graph)
    told: dict[str, Level] = {"": case.top, **(case.inside or {})}
    if case.inside is not None:
        assert sorted(found) == sorted(told)
    for way, level in told.items():
        assert sorted(node.key for node in found[way].nodes) == sorted(level.nodes.split()), way
        assert sorted(edge_set(found[way])) == sorted(level.edges), way


@pytest.mark.parametrize("case", _parameters(gaps=False))
def test_drawing_stands_for_the_edges_and_is_the_same_again(case: Case) -> None:
    if case.gap.startswith("crash"):
        pytest.xfail(case.gap)
    graph = record(case)
    for inside in levels(graph).values():
        assert expanded(inside) == edge_set(inside)
        assert len({node.key for node in (*inside.nodes, *inside.joins)}) == len(inside.nodes) + len(inside.joins)
        assert len(inside.drawn) <= len(inside.edges)
    assert from_json(to_json(graph)) == graph
    assert digest(record(case)) == digest(graph)
