"""Floor graph: from recorded calls to module graphs. Pure."""

from torchexplorer.graph.build import build_graph, build_graphs
from torchexplorer.graph.codec import digest, from_json, to_json
from torchexplorer.graph.facts import split_facts
from torchexplorer.graph.fold import fold
from torchexplorer.graph.model import Edge, ModuleGraph, Node, Part, find
from torchexplorer.graph.union import GraphUnion

__all__ = [
    "Edge",
    "GraphUnion",
    "ModuleGraph",
    "Node",
    "Part",
    "build_graph",
    "build_graphs",
    "digest",
    "find",
    "fold",
    "from_json",
    "split_facts",
    "to_json",
]
