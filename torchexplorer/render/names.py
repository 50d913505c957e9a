"""What nodes and levels are called on the screen.

In: nodes and the level that they stand in. Out: Words. Owns no state; pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from torchexplorer.graph import ModuleGraph, Node

Calls = Mapping[str, int]
"""How often each module path is called in the graph."""

_UNDER = {"input": "input", "output": "output", "attach": "attached", "param": "parameter", "join": "join"}


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of one node: bold name, small class below it, and its full address for titles."""

    name: str
    label: str
    title: str


def all_levels(graph: ModuleGraph) -> Iterator[tuple[ModuleGraph, tuple[ModuleGraph, ...]]]:
    """Each graph with those around it (outermost first), in pre-order."""
    todo: list[tuple[ModuleGraph, tuple[ModuleGraph, ...]]] = [(graph, ())]
    while todo:
        level, around = todo.pop()
        yield level, around
        todo.extend((node.inner, (*around, level)) for node in reversed(level.nodes) if node.inner is not None)


def drawn_nodes(level: ModuleGraph) -> tuple[Node, ...]:
    """The boxes of a level, in the order that layout and rows number them."""
    return (*level.nodes, *level.joins)


def count_calls(graph: ModuleGraph) -> Calls:
    """How often each path is called, the root included."""
    found = Counter({graph.path: 1})
    for level, _ in all_levels(graph):
        found.update(node.path for node in level.nodes if node.kind in {"module", "attach"})
    return found


def words_of(node: Node, level: ModuleGraph, calls: Calls, *, root: str) -> Words:
    """A module is called by its name in the parent; anything else by its own name, with its kind below."""
    if node.far is not None:
        far = words_of(node.far, level, calls, root=root)
        return Words(far.name, f"{node.kind} {far.label}", far.title)
    if node.kind in {"module", "attach"}:
        times = calls[node.path]
        name = node.name or node.path.rpartition(".")[2] or node.label
        title = node.path or node.label
        if times > 1:
            name, title = f"{name} #{node.call + 1}", f"{title} (call {node.call + 1} of {times})"
        return Words(name, node.label if node.kind == "module" else _UNDER["attach"], title)
    name = node.name or node.label
    if node.kind == "fold":
        return Words(name, node.label, f"{place_of(level, calls, root=root)} \N{MIDDLE DOT} {name}")
    if node.kind == "param":
        return Words(name, _UNDER["param"], f"{node.path}.{name}" if node.path else name)
    return Words(name, _UNDER[node.kind], f"{place_of(level, calls, root=root)} \N{MIDDLE DOT} {name}")


def place_of(level: ModuleGraph, calls: Calls, *, root: str) -> str:
    """The full path of a level; the class of the root where there is no path."""
    path = level.path or root
    place = f"{path} (call {level.call + 1} of {calls[level.path]})" if calls[level.path] > 1 else path
    return place if level.part is None else f"{place} \N{MIDDLE DOT} {level.part.name}"
