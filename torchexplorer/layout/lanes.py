"""Upright lines to the right of the boxes, for edges that pass rows.

In: a level, its ranks and rows. Out: a lane for each such edge. Owns no state; pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from torchexplorer.layout.level import Level
from torchexplorer.layout.ranks import Ranks
from torchexplorer.layout.rows import Rows

LANE_GAP = 12.0


@dataclass(frozen=True, slots=True)
class Lane:
    """An upright line at `x`, from stripe `start` to stripe `end`.

    Stripe 3 * r is the gap above row r, stripes 3 * r + 1 and 3 * r + 2 are the upper and the lower half of that row.
    Where a stripe is in a row, the edge meets its box at the right side, at the given share of its height from the top.
    """

    x: float
    start: int
    end: int
    leaves_at: float = 0.5
    enters_at: float = 0.5


def find_lanes(level: Level, ranks: Ranks, rows: Rows) -> dict[int, Lane]:
    """Lanes by edge, for all edges that do not lead to the next row.

    A box at the right end of its row is left and reached at its side, any other one through the gap below or above.
    Short lanes stand inside of longer ones.
    """
    rightmost = {row[-1] for row in rows.order if row}
    stripes = {}
    for edge, (source, target) in enumerate(level.edges):
        above, below = ranks.of[source], ranks.of[target]
        if below != above + 1:
            start = 3 * above + (2 if below > above else 1) if source in rightmost else 3 * above + 3
            end = 3 * below + (1 if below > above else 2) if target in rightmost else 3 * below
            stripes[edge] = (start, end)
    taken = np.full(3 * ranks.rows + 1, -np.inf)
    for index, row in enumerate(rows.order):
        right = max(rows.x[box] + level.boxes[box].width / 2 for box in row)
        taken[3 * index + 1 : 3 * index + 3] = right
    lanes = {}
    for edge, (start, end) in sorted(stripes.items(), key=lambda item: abs(item[1][1] - item[1][0])):
        passed = slice(min(start, end), max(start, end) + 1)
        taken[passed] = x = float(taken[passed].max()) + LANE_GAP
        lanes[edge] = Lane(x, start, end)
    return _with_ports(level, lanes)


def _with_ports(level: Level, lanes: Mapping[int, Lane]) -> dict[int, Lane]:
    """The lanes with places at the sides of their boxes, so spread that brackets of one box do not cross."""
    sides: defaultdict[int, list[tuple[bool, float, int, bool]]] = defaultdict(list)
    for edge, lane in lanes.items():
        source, target = level.edges[edge]
        for box, here, there, leaves in ((source, lane.start, lane.end, True), (target, lane.end, lane.start, False)):
            if here % 3:
                down = there > here
                sides[box].append((down, -lane.x if down else lane.x, edge, leaves))
    placed = dict(lanes)
    for meetings in sides.values():
        for number, (_, _, edge, leaves) in enumerate(sorted(meetings), 1):
            share, lane = number / (len(meetings) + 1), placed[edge]
            placed[edge] = replace(lane, leaves_at=share) if leaves else replace(lane, enters_at=share)
    return placed
