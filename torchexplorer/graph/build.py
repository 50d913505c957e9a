"""From a recorded call to the graph that people see.

In: a CallRecord. Out: a ModuleGraph with the graphs of its calls inside. Owns no state; pure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from torchexplorer.graph.facts import split_facts
from torchexplorer.graph.flow import Drawing, draw
from torchexplorer.graph.model import Edge, ModuleGraph, Node
from torchexplorer.trace.records import CallRecord, Value


def build_graph(record: CallRecord) -> ModuleGraph:
    """The graph inside a call, with those of the calls inside it."""
    keys = _keys(record)
    drawing = draw(record.origins, record.links)
    _name_joins(drawing, keys)
    drawn = [Edge(keys[source], keys[target], live) for (source, target), live in drawing.edges.items()]
    joins = tuple(Node(keys["join", index], record.path, record.call, "join", "join") for index in drawing.joins)
    nodes = (*_inputs(record, keys), *_middle(record, keys, drawing), *_outputs(record, keys))
    return ModuleGraph(record.path, record.call, record.facts.label, nodes=nodes, drawn=tuple(drawn), joins=joins)


def build_graphs(records: Iterable[CallRecord]) -> tuple[ModuleGraph, ...]:
    """One graph for each root call of a step."""
    return tuple(build_graph(record) for record in records)


Keys = dict[tuple[str, int], str]
"""Node keys by port: ("in", 0) -> "in:x"."""


def _keys(record: CallRecord) -> Keys:
    keys: Keys = {}
    for kind, values in (("in", record.inputs), ("out", record.outputs)):
        names = _unique([value.name for value in values])
        keys.update(((kind, index), f"{kind}:{name}") for index, name in enumerate(names))
    keys.update((("child", index), f"{child.path}#{child.call}") for index, child in enumerate(record.children))
    keys.update((("attach", index), f"attach:{mark.name}#{mark.call}") for index, mark in enumerate(record.attached))
    parameters = _unique([f"{mark.path}.{mark.value.name}".lstrip(".") for mark in record.parameters])
    keys.update((("param", index), f"param:{name}") for index, name in enumerate(parameters))
    return keys


def _unique(names: Sequence[str]) -> list[str]:
    """The same names; a second one of a kind gets a prime, a third two."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        while name in taken:
            name += "'"
        taken.add(name)
        found.append(name)
    return found


def _name_joins(drawing: Drawing, keys: Keys) -> None:
    """Keys of joins tell what they merge, so that the same merge has the same key in every step."""
    merged: dict[tuple[str, int], list[str]] = {("join", index): [] for index in drawing.joins}
    for (source, target), live in drawing.edges.items():
        if target in merged:
            merged[target].append(f"{keys[source]} {live}")
            if len(merged[target]) == drawing.sizes[target[1]]:
                text = "\n".join(sorted(merged[target]))
                keys[target] = f"join:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _inputs(record: CallRecord, keys: Keys) -> list[Node]:
    return [_placeholder(record, keys["in", index], value, "in") for index, value in enumerate(record.inputs)]


def _outputs(record: CallRecord, keys: Keys) -> list[Node]:
    return [_placeholder(record, keys["out", index], value, "out") for index, value in enumerate(record.outputs)]


def _placeholder(record: CallRecord, key: str, value: Value, side: str) -> Node:
    address = (key, record.path, record.call, value.name)
    if side == "in":
        return Node(*address, "input", value.name, outputs=(value,))
    return Node(*address, "output", value.name, inputs=(value,))


def _middle(record: CallRecord, keys: Keys, drawing: Drawing) -> list[Node]:
    used = {edge[0] for edge in drawing.edges}
    parameters = [
        Node(keys["param", index], mark.path, mark.call, mark.name, "param", mark.value.name, outputs=(mark.value,))
        for index, mark in enumerate(record.parameters)
        if ("param", index) in used
    ]
    attached = [
        Node(keys["attach", index], mark.path, mark.call, mark.name, "attach", mark.name, outputs=(mark.value,))
        for index, mark in enumerate(record.attached)
    ]
    return [*parameters, *(_module(record, child) for child in record.children), *attached]


def _module(parent: CallRecord, record: CallRecord) -> Node:
    has_inside = bool(record.children or record.attached)
    return Node(
        key=f"{record.path}#{record.call}",
        path=record.path,
        call=record.call,
        label=record.facts.label,
        kind="module",
        name=_name_in(parent.path, record.path),
        inputs=record.inputs,
        outputs=record.outputs,
        facts=split_facts(record.facts.extra),
        own_parameters=record.facts.own_parameters,
        total_parameters=record.facts.total_parameters,
        inner=build_graph(record) if has_inside else None,
    )


def _name_in(parent: str, path: str) -> str:
    """The part of a path that a parent adds to its own; the whole path where the parent is no ancestor."""
    return path[len(parent) + 1 :] if parent and path.startswith(f"{parent}.") else path
