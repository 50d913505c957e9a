"""Small graphs, placements and histories, made by hand.

In: nothing. Out: values of the floors below. Owns no state; pure.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from torchexplorer.graph import Edge, ModuleGraph, Node
from torchexplorer.layout import Level, Placement
from torchexplorer.render import levels
from torchexplorer.stats import History
from torchexplorer.trace.records import Key, Value


def value(name: str = "x", shape: tuple[int, ...] | None = (2, 3)) -> Value:
    return Value(name, shape, "torch.float32", "cpu")


def module(path: str, label: str = "Linear", *, call: int = 0, inner: ModuleGraph | None = None, **more: Any) -> Node:
    ports = {"inputs": (value(),), "outputs": (value("0"),)}
    return Node(
        f"{path}#{call}", path, call, label, "module", path.rpartition(".")[2], inner=inner, **{**ports, **more}
    )


def chain(path: str, label: str, *middle: Node, call: int = 0) -> ModuleGraph:
    """An input, the nodes one after the other, an output."""
    first = Node("in:x", path, call, "x", "input", "x", outputs=(value(),))
    last = Node("out:0", path, call, "0", "output", "0", inputs=(value("0"),))
    nodes = (first, *middle, last)
    pairs = pairwise(nodes)
    return ModuleGraph(path, call, label, nodes=nodes, drawn=tuple(Edge(a.key, b.key, True) for a, b in pairs))


def small() -> ModuleGraph:
    """Net: block (with conv inside), then fc."""
    block = chain("block", "Block", module("block.conv", "Conv2d"))
    return chain("", "Net", module("block", "Block", inner=block), module("fc"))


def stacked(level: Level) -> Placement:
    """All boxes below each other, each edge with one corner."""
    centers = tuple((200.0, 22.0 + 80 * index) for index in range(len(level.boxes)))
    routes = tuple(((200.0, centers[a][1] + 22), (200.0, 60.0), (230.0, centers[b][1])) for a, b in level.edges)
    return Placement(400.0, 80.0 * len(level.boxes), centers, routes, "layered")


def placed(graph: ModuleGraph) -> tuple[Placement, ...]:
    return tuple(stacked(level) for level in levels(graph))


def history(columns: int = 2, bins: int = 4, **more: Any) -> History:
    """Counts 1 and 3 in the two middle bins of [-2, 2]."""
    counts = np.zeros((columns, bins), dtype=np.int64)
    counts[:, 1], counts[:, 2] = 1, 3
    whole = {
        name: np.zeros(columns, dtype=np.int64) for name in ("nan", "posinf", "neginf", "rejected", "seen", "zeros")
    }
    parts = {name: np.full(columns, 0.25) for name in ("mean", "std", "min", "max")}
    steps = np.arange(columns)
    fields = {"steps": steps, "times": steps.astype(float), "edges": np.linspace(-2, 2, bins + 1), "counts": counts}
    return History(**{**fields, **whole, **parts, **more})


def histories(*keys: Key, columns: int = 2) -> dict[Key, History]:
    return {key: history(columns) for key in keys}
