"""Floor graph: from recorded calls to module graphs. Pure."""

from torchexplorer.graph.build import build_graph, build_graphs
from torchexplorer.graph.codec import digest, from_json, to_json
from torchexplorer.graph.facts import split_facts
from torchexplorer.graph.model import Edge, ModuleGraph, Node, find
from torchexplorer.graph.union import GraphUnion

__all__ = [
    "Edge",
    "GraphUnion",
    "ModuleGraph",
    "Node",
    "build_graph",
    "build_graphs",
    "digest",
    "find",
    "from_json",
    "split_facts",
    "to_json",
]
