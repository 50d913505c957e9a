"""Random module trees: every edge of every level is what plain reasoning says."""

from __future__ import annotations

import torch
from hypothesis import HealthCheck, given, settings

from tests.random_models.oracle import Oracle
from tests.random_models.programs import WIDTH, Module, Program, programs
from tests.trace.recorder import tracing
from torchexplorer.graph import ModuleGraph, build_graph


def levels(graph: ModuleGraph) -> dict[tuple[str, int], dict[tuple[str, str], bool]]:
    found = {(graph.path, graph.call): {(edge.source, edge.target): edge.differentiable for edge in graph.edges}}
    for node in graph.nodes:
        if node.inner is not None:
            found.update(levels(node.inner))
    return found


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(programs())
def test_edges_are_exact(program: Program) -> None:
    oracle = Oracle()
    oracle.run(program)
    model = Module(program)
    with tracing(model, log=frozenset()) as records:
        model(*(torch.ones(1, WIDTH) for _ in range(program.inputs)))
    calls = records[0].calls
    assert calls is not None
    seen = levels(build_graph(calls[0]))
    expected = {level: edges for level, edges in oracle.levels.items() if level in seen}
    assert seen == expected
    assert all(
        not edges or all(source.startswith("in:") for source, _ in edges)
        for level, edges in oracle.levels.items()
        if level not in seen
    )
