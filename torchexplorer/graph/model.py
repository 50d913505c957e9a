"""The module graph as people see it: nodes, edges, and the graphs inside nodes.

In: nothing. Out: frozen values that layout, render and the user read. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from torchexplorer.trace.records import Value

NodeKind = Literal["module", "input", "output", "attach", "param", "join", "fold", "from", "to"]
"""The last three are there for drawing only, see fold.py: `watcher.structure` has none of them."""


@dataclass(frozen=True, slots=True)
class Node:
    """One box: a module call, an input or output of the graph it stands in, an attached tensor, a parameter, a join.

    In a graph that was folded for drawing also a fold (calls that are drawn as one box), and a "from" or "to": it
    stands for the node `far` outside of a fold, which data come from or go to.

    `key` is unique within its graph ("conv1#0", "in:x", "out:0"); `label` is the class name for a module and the name
    otherwise; `facts` are the (key, value) pairs of `extra_repr`, an empty key where it gives none; `inner` is the
    graph inside the call, or None for a leaf. `path` and `call` are the address of the node's series (see Key).
    `share` is the share of the recorded steps that had this node (1 in the graph of a single step).
    """

    key: str
    path: str
    call: int
    label: str
    kind: NodeKind
    name: str = ""
    inputs: tuple[Value, ...] = ()
    outputs: tuple[Value, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    own_parameters: int = 0
    total_parameters: int = 0
    inner: ModuleGraph | None = field(default=None, repr=False)
    share: float = 1.0
    far: Node | None = field(default=None, repr=False)

    @property
    def shapes(self) -> dict[str, tuple[int | None, ...] | None]:
        """Shapes by port: {"in:x": (2, 3), "out:0": (2, 4)}."""
        ports = [("in", value) for value in self.inputs] + [("out", value) for value in self.outputs]
        return {f"{port}:{value.name}": value.shape for port, value in ports}


@dataclass(frozen=True, slots=True)
class Edge:
    """Data that flows from one node to another; `differentiable` where the autograd trace runs along it.

    `share` is the share of the recorded steps in which they flowed (1 in the graph of a single step).
    """

    source: str
    target: str
    differentiable: bool
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a call a fold shows: a key that is the same in every step, and the fold's name."""

    key: str
    name: str


@dataclass(frozen=True)
class ModuleGraph:
    """The inside of one module call; or the `part` of it that a fold shows.

    `drawn` is the smallest picture of the flow: it may pass through nodes of kind "join" (listed in `joins`, sources
    before targets, not in `nodes`), each a merge (`+`, `cat`, `*`) that saves edges. `edges` is the same flow with
    every module joined directly (its share at most that of each part of the way). `graph["layer1.0"]` is the graph
    inside the first call of that module.
    """

    path: str
    call: int
    label: str
    kind: Literal["module"] = "module"
    nodes: tuple[Node, ...] = ()
    drawn: tuple[Edge, ...] = ()
    joins: tuple[Node, ...] = ()
    part: Part | None = None

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Direct edges between `nodes`; differentiable where any way through the joins is so all along."""
        return direct(self.drawn, tuple(node.key for node in self.joins))

    def __getitem__(self, path: str) -> ModuleGraph:
        return find(self, path)


def direct(drawn: tuple[Edge, ...], joins: tuple[str, ...]) -> tuple[Edge, ...]:
    """The edges that `drawn` stands for when its joins are left out. Joins are ordered sources before targets."""
    sources: dict[str, dict[str, Edge]] = {join: {} for join in joins}
    found: dict[tuple[str, str], Edge] = {}
    for edge in sorted(drawn, key=_by_join({join: index for index, join in enumerate(joins)})):
        for begin in sources[edge.source].values() if edge.source in sources else (edge,):
            way = Edge(
                begin.source,
                edge.target,
                begin.differentiable and edge.differentiable,
                min(begin.share, edge.share),
            )
            if edge.target in sources:
                _widen(sources[edge.target], way.source, way)
            else:
                _widen(found, (way.source, way.target), way)
    return tuple(found.values())


def _widen(ways: dict[Any, Edge], key: Any, way: Edge) -> None:
    """Keep of two ways between the same nodes what either has."""
    known = ways.get(key)
    if known is not None:
        way = replace(way, differentiable=known.differentiable or way.differentiable, share=max(known.share, way.share))
    ways[key] = way


def _by_join(order: dict[str, int]) -> Callable[[Edge], int]:
    """Edges into joins first, in the order of the joins."""
    return lambda edge: order.get(edge.target, len(order))


def find(graph: ModuleGraph, path: str) -> ModuleGraph:
    """The graph inside the first call of the module at `path`. Raises KeyError where no such call has an inside."""
    todo = [graph]
    while todo:
        seen = todo.pop()
        if seen.path == path:
            return seen
        todo.extend(node.inner for node in reversed(seen.nodes) if node.inner is not None)
    raise KeyError(f"no call of a module at path {path!r} has a graph inside it")
