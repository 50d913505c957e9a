"""A level in Graphviz's language, and Graphviz's answer as a placement.

In: levels, and what the child process found. Out: DOT texts, and placements. Owns no state; pure. The
texts hold numbers only.
"""

from __future__ import annotations

from math import hypot
from typing import Any, Literal

from torchexplorer.layout.level import Box, Level, Placement, Point, fitted
from torchexplorer.layout.ranks import Ranks

BOX_GAP = 28.0
ROW_GAP = 30.0
NEAR = 3.0  # Graphviz ends a line this near to the border
PX_PER_INCH = 72.0  # Graphviz measures boxes in inches, and all else in points, which are our px


def write(level: Level, ranks: Ranks, splines: Literal["ortho", "polyline"]) -> str:
    """The level in DOT: box i is node "ni", edge i has the id "ei"."""
    first = set(level.first)
    last = set(level.last) - first
    settings = f"splines={splines}, nodesep={BOX_GAP / PX_PER_INCH:.4f}, ranksep={ROW_GAP / PX_PER_INCH:.4f}"
    lines = [
        "digraph {",
        f"graph [{settings}, nslimit=1, nslimit1=1, mclimit=0.3];",  # seconds on large levels, the same small ones
        'node [shape=box, fixedsize=true, label=""]; edge [dir=none];',
    ]
    for number, box in enumerate(level.boxes):
        size = f"width={box.width / PX_PER_INCH:.5f}, height={box.height / PX_PER_INCH:.5f}"
        lines.append(f'n{number} [id="n{number}", {size}];')
    for place, members in (("source", first), ("sink", last)):
        if members:
            lines.append(f"{{rank={place}; {'; '.join(f'n{number}' for number in sorted(members))}}}")
    for number, ((source, target), weight) in enumerate(zip(level.edges, ranks.weights, strict=True)):
        free = ", constraint=false" if target in first or source in last else ""
        lines.append(f'n{source} -> n{target} [id="e{number}", weight={weight}{free}];')
    return "\n".join([*lines, "}"])


def read(level: Level, found: Any, splines: Literal["ortho", "polyline"]) -> Placement | None:
    """The placement that the child process found; None where a box or a route is missing, or ends away from its box."""
    try:
        boxes, edges = found["boxes"], found["edges"]
        centers: list[Point] = [(float(x), float(y)) for x, y in (boxes[str(i)] for i in range(len(level.boxes)))]
        routes: list[list[Point]] = [[(float(x), float(y)) for x, y in edges[str(i)]] for i in range(len(level.edges))]
    except (KeyError, TypeError, ValueError):
        return None
    for (source, target), route in zip(level.edges, routes, strict=True):
        if len(route) < 2:
            return None
        for end, box in ((0, source), (-1, target)):
            met = _on_border(route[end], centers[box], level.boxes[box])
            if hypot(met[0] - route[end][0], met[1] - route[end][1]) > NEAR:
                return None
            route[end] = met
    return fitted(level, centers, routes, splines)


def _on_border(point: Point, center: Point, box: Box) -> Point:
    """The point of the box's border that is nearest to a point, or near to it and straight on from it."""
    half = (box.width / 2, box.height / 2)
    x, y = (min(max(point[axis], center[axis] - half[axis]), center[axis] + half[axis]) for axis in (0, 1))
    if (x, y) != point:
        return x, y
    depth = [half[axis] - abs(point[axis] - center[axis]) for axis in (0, 1)]
    if depth[0] < depth[1]:
        return center[0] + (half[0] if point[0] > center[0] else -half[0]), y
    return x, center[1] + (half[1] if point[1] > center[1] else -half[1])
