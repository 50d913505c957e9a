"""Where boxes stand and lines run: levels of a module graph become placements, by Graphviz or by rules of our own."""

from torchexplorer.layout.level import Box, Level, Placement
from torchexplorer.layout.planner import place

__all__ = ["Box", "Level", "Placement", "place"]
