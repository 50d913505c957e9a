"""Short readings of what a watcher recorded: edges as pairs, keys by address.

In: graphs and watchers. Out: plain sets and lists to compare with the answers that tests carry. Owns no state.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from torchexplorer.graph.model import ModuleGraph, Node


def modules(graph: ModuleGraph) -> list[str]:
    """Keys of the module calls in a graph, in its order."""
    return [node.key for node in graph.nodes if node.kind == "module"]


def node(graph: ModuleGraph, key: str) -> Node:
    """The node with this key."""
    return next(node for node in graph.nodes if node.key == key)


def edges(graph: ModuleGraph) -> set[tuple[str, str]]:
    """(source, target) of every edge."""
    return {(edge.source, edge.target) for edge in graph.edges}


def solid(graph: ModuleGraph) -> set[tuple[str, str]]:
    """(source, target) of the edges along which the autograd trace runs."""
    return {(edge.source, edge.target) for edge in graph.edges if edge.differentiable}


def dashed(graph: ModuleGraph) -> set[tuple[str, str]]:
    """(source, target) of the edges with data flow only."""
    return edges(graph) - solid(graph)


def series(watcher: Any, *, path: str, kind: str, call: int = 0, phase: str = "train") -> dict[str, Any]:
    """Histories of one kind of one call, by tensor name, with all that was recorded so far."""
    watcher.flush()
    found = watcher.histograms
    wanted = (path, call, kind, phase)
    return {key.name: found[key] for key in found if (key.path, key.call, key.kind, key.phase) == wanted}


def only(found: dict[str, Any]) -> Any:
    """The one history of a series reading."""
    assert len(found) == 1, f"expected one tensor, seen: {sorted(found)}"
    return next(iter(found.values()))


def structure(watcher: Any) -> ModuleGraph:
    """The graph of the latest recorded step."""
    watcher.flush()
    found = watcher.structure
    assert isinstance(found, ModuleGraph)
    return found


def kinds(watcher: Any) -> set[str]:
    """The kinds of tensors that were recorded."""
    watcher.flush()
    return {key.kind for key in watcher.histograms}


def of_two_runs(watch: Any, read: Callable[[Any], Any]) -> list[Any]:
    """What `read` finds in the watchers of two runs of one model, each with its own seed."""
    found = []
    for seed in (0, 1):
        torch.manual_seed(seed)
        model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        watcher = watch(model)
        model(torch.randn(2, 4)).sum().backward()
        found.append(read(watcher))
    return found
