"""Runs a Case through a Tracer by itself and reads its graph.

In: Cases. Out: ModuleGraphs and levels as plain sets. Owns no state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from tests.trace.recorder import tracing
from tests.zoo.case import Case, EdgeSet
from torchexplorer.graph import ModuleGraph, build_graph


def record(case: Case) -> ModuleGraph:
    """The graph of the first recorded forward of a fresh model."""
    torch.manual_seed(0)
    module = case.make()
    module.train(case.mode != "eval")
    args, keywords = case.inputs(), case.keywords()
    with tracing(module) as records:
        _run(case, module, args, keywords)
    calls = records[0].calls
    assert calls is not None
    return build_graph(calls[0])


def _run(case: Case, module: nn.Module, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    if case.mode == "no_grad":
        with torch.no_grad():
            module(*args, **keywords)
    elif case.mode == "inference":
        with torch.inference_mode():
            module(*args, **keywords)
    else:
        losses = [tensor.abs().sum() for tensor in _tensors(module(*args, **keywords)) if tensor.requires_grad]
        if losses:
            sum(losses[1:], losses[0]).backward()


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for inside in value.values():
            yield from _tensors(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from _tensors(inside)
    elif hasattr(value, "__dataclass_fields__"):
        yield from _tensors(vars(value))


def levels(graph: ModuleGraph) -> dict[str, ModuleGraph]:
    """Every opened call by the way to it, "" for the root."""
    found: dict[str, ModuleGraph] = {}
    todo = [("", graph)]
    while todo:
        way, inside = todo.pop()
        found[way] = inside
        todo += [(f"{way}/{node.key}".lstrip("/"), node.inner) for node in inside.nodes if node.inner is not None]
    return found


def edge_set(graph: ModuleGraph) -> EdgeSet:
    """The direct edges of a level."""
    return frozenset((edge.source, edge.target, edge.differentiable) for edge in graph.edges)


def expanded(graph: ModuleGraph) -> EdgeSet:
    """The direct edges again, found by walking back from each drawn target through the joins."""
    joins = {node.key for node in graph.joins}
    found: dict[tuple[str, str], bool] = {}
    for last in graph.drawn:
        if last.target in joins:
            continue
        todo, seen = [(last.source, last.differentiable)], set()
        while todo:
            key, flag = todo.pop()
            if (key, flag) in seen:
                continue
            seen.add((key, flag))
            if key not in joins:
                found[key, last.target] = found.get((key, last.target), False) or flag
            todo += [(edge.source, flag and edge.differentiable) for edge in graph.drawn if edge.target == key in joins]
    return frozenset((source, target, flag) for (source, target), flag in found.items())
