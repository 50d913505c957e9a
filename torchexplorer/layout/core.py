"""What of a level a layout has to see: not edges from a box to itself, nor boxes without edges.

In: a level, and the placement of its core. Out: the core, and the placement of the whole. Owns no state; pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, sqrt

from torchexplorer.layout.level import Box, Level, Placement, Point, Route, fitted

GAP = 28.0
LOOP_REACH = 16.0  # a loop stays within the gap between boxes


@dataclass(frozen=True, slots=True)
class Core:
    """A level without loops and without lone boxes; `boxes` and `edges` are those of `whole` that it keeps."""

    whole: Level
    level: Level
    boxes: tuple[int, ...]
    edges: tuple[int, ...]


def core_of(level: Level) -> Core:
    """The core. Inputs and outputs are never lone: they stand at the top and at the bottom."""
    joined = {*level.first, *level.last, *(end for edge in level.edges for end in edge)}
    boxes = tuple(sorted(joined))
    number = {box: count for count, box in enumerate(boxes)}
    edges = tuple(index for index, (source, target) in enumerate(level.edges) if source != target)
    inner = Level(
        boxes=tuple(level.boxes[box] for box in boxes),
        edges=tuple((number[source], number[target]) for source, target in (level.edges[index] for index in edges)),
        first=tuple(number[box] for box in level.first),
        last=tuple(number[box] for box in level.last),
    )
    return Core(level, inner, boxes, edges)


def complete(core: Core, placement: Placement) -> Placement:
    """The placement of the whole level: loops at the right sides of their boxes, lone boxes in rows beside the rest.

    Lone boxes stand below the inputs and above the outputs, which move down where they have to.
    """
    level = core.whole
    lone = sorted(set(range(len(level.boxes))) - set(core.boxes))
    inputs, outputs = core.level.first, set(core.level.last) - set(core.level.first)
    ends = [placement.centers[box][1] + core.level.boxes[box].height / 2 for box in inputs]
    start = max(ends) + GAP if ends else 0.0
    beside, bottom = _rows(level, lone, placement.width + GAP if core.boxes else 0.0, start)
    if lone and outputs:
        cut = min(placement.centers[box][1] - core.level.boxes[box].height / 2 for box in outputs)
        placement = _stretched(placement, cut, max(bottom + GAP - cut, 0.0))
    centers = beside | dict(zip(core.boxes, placement.centers, strict=True))
    routes = {edge: list(route) for edge, route in zip(core.edges, placement.routes, strict=True)}
    loops: Counter[int] = Counter()
    for edge, (source, target) in enumerate(level.edges):
        if source == target:
            loops[source] += 1
            routes[edge] = _loop(level.boxes[source], centers[source], loops[source])
    placed = [centers[box] for box in range(len(level.boxes))]
    return fitted(level, placed, [routes[edge] for edge in range(len(level.edges))], placement.engine)


def _rows(level: Level, lone: Sequence[int], left: float, top: float) -> tuple[dict[int, Point], float]:
    """Centres of lone boxes, in about as many rows as there are boxes in a row, and where the last row ends."""
    across = max(ceil(sqrt(len(lone))), 1)
    centers: dict[int, Point] = {}
    bottom = top
    for start in range(0, len(lone), across):
        row = [(box, level.boxes[box]) for box in lone[start : start + across]]
        height, x = max(box.height for _, box in row), left
        for number, box in row:
            centers[number] = (x + box.width / 2, top + height / 2)
            x += box.width + GAP
        bottom = top + height
        top = bottom + GAP
    return centers, bottom


def _stretched(placement: Placement, cut: float, by: float) -> Placement:
    """All that is at or below the height `cut`, moved down; lines that cross it run straight down there."""

    def moved(point: Point) -> Point:
        return (point[0], point[1] + by) if point[1] >= cut else point

    def split(route: Route) -> Route:
        points = [moved(route[0])]
        for (x, y), (to_x, to_y) in pairwise(route):
            if min(y, to_y) < cut <= max(y, to_y):
                crossing = x + (to_x - x) * (cut - y) / (to_y - y)
                sides = [(crossing, cut), (crossing, cut + by)]
                points += sides if to_y > y else sides[::-1]
            points.append(moved((to_x, to_y)))
        return tuple(points)

    return replace(
        placement,
        centers=tuple(moved(center) for center in placement.centers),
        routes=tuple(split(route) for route in placement.routes),
    )


def _loop(box: Box, center: Point, number: int) -> list[Point]:
    """A bracket at the right side of a box; further ones stand outside of it, each half as far from the limit."""
    inward = 0.5**number
    right, rise = center[0] + box.width / 2, box.height / 2 * (0.75 - inward / 2)
    out = right + LOOP_REACH * (1 - inward)
    return [(right, center[1] - rise), (out, center[1] - rise), (out, center[1] + rise), (right, center[1] + rise)]
