"""Graphs as text, for the store and for comparing structures.

In: a ModuleGraph. Out: JSON text and back, and a digest. Owns no state; the same graph gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from torchexplorer.graph.model import Edge, ModuleGraph, Node
from torchexplorer.trace.records import Value


def to_json(graph: ModuleGraph) -> str:
    """The graph as compact JSON."""
    return json.dumps(_graph(graph, values=True), separators=(",", ":"), ensure_ascii=False)


def from_json(text: str) -> ModuleGraph:
    """The graph that `to_json` wrote. Raises ValueError for other text."""
    try:
        return _read_graph(json.loads(text))
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"Reading a graph failed: {error!r} in {text[:60]!r}. Record it again.") from error


def digest(graph: ModuleGraph) -> str:
    """Names the structure: nodes, classes and edges, not shapes or shares. Hexadecimal SHA-256."""
    text = json.dumps(_graph(graph, values=False), separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _graph(graph: ModuleGraph, *, values: bool) -> dict[str, Any]:
    return {
        "path": graph.path,
        "call": graph.call,
        "label": graph.label,
        "nodes": [_node(node, values=values) for node in graph.nodes],
        "joins": [_node(node, values=values) for node in graph.joins],
        "drawn": [_edge(edge, values=values) for edge in graph.drawn],
    }


def _node(node: Node, *, values: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "key": node.key,
        "path": node.path,
        "call": node.call,
        "label": node.label,
        "kind": node.kind,
        "name": node.name,
    }
    if values:
        found["inputs"] = [_value(value) for value in node.inputs]
        found["outputs"] = [_value(value) for value in node.outputs]
    if values and node.share != 1:
        found["share"] = node.share
    if node.facts:
        found["facts"] = [list(pair) for pair in node.facts]
    if node.total_parameters:
        found["parameters"] = [node.own_parameters, node.total_parameters]
    if node.inner is not None:
        found["inner"] = _graph(node.inner, values=values)
    return found


def _edge(edge: Edge, *, values: bool) -> list[Any]:
    found: list[Any] = [edge.source, edge.target, int(edge.differentiable)]
    return found if edge.share == 1 or not values else [*found, edge.share]


def _value(value: Value) -> list[Any]:
    return [value.name, None if value.shape is None else list(value.shape), value.dtype, value.device]


def _read_graph(found: dict[str, Any]) -> ModuleGraph:
    return ModuleGraph(
        path=found["path"],
        call=found["call"],
        label=found["label"],
        nodes=tuple(_read_node(node) for node in found["nodes"]),
        drawn=tuple(Edge(source, target, bool(flag), *share) for source, target, flag, *share in found["drawn"]),
        joins=tuple(_read_node(node) for node in found["joins"]),
    )


def _read_node(found: dict[str, Any]) -> Node:
    own, total = found.get("parameters", (0, 0))
    return Node(
        key=found["key"],
        path=found["path"],
        call=found["call"],
        label=found["label"],
        kind=found["kind"],
        name=found["name"],
        inputs=tuple(_read_value(value) for value in found.get("inputs", ())),
        outputs=tuple(_read_value(value) for value in found.get("outputs", ())),
        facts=tuple((key, value) for key, value in found.get("facts", ())),
        own_parameters=own,
        total_parameters=total,
        inner=_read_graph(found["inner"]) if "inner" in found else None,
        share=found.get("share", 1.0),
    )


def _read_value(found: list[Any]) -> Value:
    name, shape, dtype, device = found
    return Value(name, None if shape is None else tuple(shape), dtype, device)
