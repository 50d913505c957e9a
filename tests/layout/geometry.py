"""What every drawing must hold, looked at one box and one line at a time.

In: a level and its placement. Out: an AssertionError that names the fault. Owns no state.
"""

from itertools import combinations, pairwise
from math import isfinite

from torchexplorer.layout import Box, Level, Placement
from torchexplorer.layout.level import Point

NEAR = 0.02  # px; Graphviz gives two decimals
SLACK = 1.0  # px that a line may run inside a box


def check(level: Level, placement: Placement) -> None:
    """All that holds for any layout."""
    assert len(placement.centers) == len(level.boxes)
    assert len(placement.routes) == len(level.edges)
    corners = [rectangle(box, center) for box, center in zip(level.boxes, placement.centers, strict=True)]
    for (one, a), (other, b) in combinations(enumerate(corners), 2):
        assert not overlap(a, b), f"boxes {one} and {other} overlap"
    for (source, target), route in zip(level.edges, placement.routes, strict=True):
        assert len(route) >= 2
        assert on_border(route[0], corners[source]), f"{route[0]} is not on the border of box {source}"
        assert on_border(route[-1], corners[target]), f"{route[-1]} is not on the border of box {target}"
        for ends in pairwise(route):
            hit = [index for index, corner in enumerate(corners) if runs_through(*ends, corner)]
            assert not hit, f"the edge from {source} to {target} runs through box {hit[0]}"
    check_extent(placement, corners)
    check_rows(level, placement)


def check_extent(placement: Placement, corners: list[tuple[float, float, float, float]]) -> None:
    points = [point for route in placement.routes for point in route]
    xs = [x for left, _, right, _ in corners for x in (left, right)] + [x for x, _ in points]
    ys = [y for _, top, _, bottom in corners for y in (top, bottom)] + [y for _, y in points]
    assert all(map(isfinite, xs + ys))
    if xs:
        assert (abs(min(xs)), abs(min(ys))) < (NEAR, NEAR)
        assert abs(max(xs) - placement.width) < NEAR
        assert abs(max(ys) - placement.height) < NEAR


def check_rows(level: Level, placement: Placement) -> None:
    """Inputs stand above the others, outputs below."""
    outputs = set(level.last) - set(level.first)
    ends = set(level.first) | outputs
    y = [center[1] for center in placement.centers]
    for index in range(len(level.boxes)):
        if index not in ends:
            assert all(y[first] < y[index] for first in level.first)
            assert all(y[last] > y[index] for last in outputs)
    assert all(y[last] > y[first] for last in outputs for first in level.first)


def is_square(placement: Placement) -> bool:
    """Whether all lines are upright or level."""
    return all(
        min(abs(x - to_x), abs(y - to_y)) < NEAR
        for route in placement.routes
        for (x, y), (to_x, to_y) in pairwise(route)
    )


def rectangle(box: Box, center: Point) -> tuple[float, float, float, float]:
    """Left, top, right, bottom."""
    x, y = center
    return x - box.width / 2, y - box.height / 2, x + box.width / 2, y + box.height / 2


def overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > SLACK and min(a[3], b[3]) - max(a[1], b[1]) > SLACK


def on_border(point: Point, corners: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = corners
    x, y = point
    inside = left - NEAR <= x <= right + NEAR and top - NEAR <= y <= bottom + NEAR
    return inside and min(abs(x - left), abs(x - right), abs(y - top), abs(y - bottom)) <= NEAR


def runs_through(start: Point, end: Point, corners: tuple[float, float, float, float]) -> bool:
    """Whether a line has a stretch inside a box, `SLACK` from its border."""
    enter, leave = 0.0, 1.0
    for axis in (0, 1):
        low, high = corners[axis] + SLACK, corners[axis + 2] - SLACK
        run = end[axis] - start[axis]
        if run == 0:
            if not low < start[axis] < high:
                return False
            continue
        shares = sorted(((low - start[axis]) / run, (high - start[axis]) / run))
        if low >= high:
            return False
        enter, leave = max(enter, shares[0]), min(leave, shares[1])
    return enter < leave
