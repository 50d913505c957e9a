"""Edges as smooth lines.

In: polylines from the layout. Out: start point and quadratic curves, as numbers. Owns no state; pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

Point = tuple[float, float]

RADIUS = 10.0
"""Of a corner, in px; smaller where the line is short."""


def curves(route: Sequence[Point]) -> list[float]:
    """x and y of the start, then control point and end of each quadratic curve; corners are rounded."""
    here = route[0]
    numbers = [*here]
    for corner, after in pairwise(route[1:]):
        before, behind = _cut(here, corner), _cut(after, corner)
        numbers += [*_middle(here, before), *before, *corner, *behind]
        here = behind
    end = route[-1]
    return [*numbers, *_middle(here, end), *end]


def _middle(a: Point, b: Point) -> Point:
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2


def _cut(far: Point, corner: Point) -> Point:
    """The point on the way to the corner where its rounding begins."""
    length = math.dist(far, corner)
    share = min(RADIUS, length / 2) / length if length else 0.0
    return corner[0] + (far[0] - corner[0]) * share, corner[1] + (far[1] - corner[1]) * share
