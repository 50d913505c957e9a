"""What is to be drawn, and where it is to be drawn: one level of a module graph.

In: nothing. Out: frozen values. Owns no state; pure. All lengths are in px, x grows to the right and y downward.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal, TypeAlias

Point: TypeAlias = tuple[float, float]
Route: TypeAlias = tuple[Point, ...]
EngineName: TypeAlias = Literal["ortho", "polyline", "layered"]

LARGEST_SIDE = 100_000.0


@dataclass(frozen=True, slots=True)
class Box:
    """The size of a node."""

    width: float
    height: float

    def __post_init__(self) -> None:
        if not all(isfinite(side) and 0 <= side <= LARGEST_SIDE for side in (self.width, self.height)):
            raise ValueError(
                f"Can't place a box of {self.width} x {self.height} px. "
                f"Give it sides from 0 to {LARGEST_SIDE:.0f} px; measure its text again."
            )


@dataclass(frozen=True, slots=True)
class Level:
    """Boxes, and edges between them as (source, target) indices; any edge may come twice, loops and cycles too.

    `first` (inputs) stand above all other boxes, `last` (outputs) below; a box in both counts as an input.
    """

    boxes: tuple[Box, ...]
    edges: tuple[tuple[int, int], ...]
    first: tuple[int, ...] = ()
    last: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        used = {*self.first, *self.last, *(end for edge in self.edges for end in edge)}
        wrong = sorted(index for index in used if not 0 <= index < len(self.boxes))
        if wrong:
            raise ValueError(
                f"Can't place a level of {len(self.boxes)} boxes: edges, first or last name box {wrong[0]}. "
                f"Name boxes by their index, from 0 to {len(self.boxes) - 1}."
            )


@dataclass(frozen=True, slots=True)
class Placement:
    """A drawing of a level, its top left corner at (0, 0).

    `centers` has one point for each box. `routes` has one polyline for each edge, from the border of the source's box
    to the border of the target's box. `engine` tells which layout it came from.
    """

    width: float
    height: float
    centers: tuple[Point, ...]
    routes: tuple[Route, ...]
    engine: EngineName


def fitted(level: Level, centers: list[Point], routes: list[list[Point]], engine: EngineName) -> Placement:
    """The placement that holds these points, moved so that the top left corner of all that is drawn is at (0, 0)."""
    points = [point for route in routes for point in route]
    for (x, y), box in zip(centers, level.boxes, strict=True):
        points += [(x - box.width / 2, y - box.height / 2), (x + box.width / 2, y + box.height / 2)]
    left, top = (min((point[axis] for point in points), default=0.0) for axis in (0, 1))
    right, bottom = (max((point[axis] for point in points), default=0.0) for axis in (0, 1))
    return Placement(
        width=right - left,
        height=bottom - top,
        centers=tuple((x - left, y - top) for x, y in centers),
        routes=tuple(tidy([(x - left, y - top) for x, y in route]) for route in routes),
        engine=engine,
    )


def tidy(points: list[Point]) -> Route:
    """The polyline without points that repeat, or that lie on a straight line between their neighbours."""
    kept: list[Point] = []
    for point in points:
        if kept and point == kept[-1]:
            continue
        if len(kept) > 1 and _between(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return tuple(kept)


def _between(before: Point, point: Point, after: Point) -> bool:
    """Whether a line through the three points is upright or level, and does not turn back."""
    return any(
        before[axis] == point[axis] == after[axis]
        and (point[1 - axis] - before[1 - axis]) * (after[1 - axis] - point[1 - axis]) >= 0
        for axis in (0, 1)
    )
