"""Upright lines to the right of the boxes, for edges that pass rows.

In: a level, its ranks and rows. Out: a lane for each such edge. Owns no state; pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from torchexplorer.layout.level import Level
from torchexplorer.layout.ranks import Ranks
from torchexplorer.layout.rows import Rows

LANE_GAP = 12.0
FEWEST_IN_BUS = 4

Bus: TypeAlias = tuple[Literal["edge", "from", "to"], int, bool]
"""The number of the edge that has a lane for itself, or of the box that its edges come from or go to; True downward."""


@dataclass(frozen=True, slots=True)
class Lane:
    """An upright line at `x`, from stripe `start` to stripe `end`.

    Stripe 3 * r is the gap above row r, stripes 3 * r + 1 and 3 * r + 2 are the upper and the lower half of that row.
    Where a stripe is in a row, the edge meets its box at the right side, at the given share of its height from the top.
    Edges that share a lane are one `bus`: many from one box, or many to one box.
    """

    x: float
    start: int
    end: int
    bus: Bus
    leaves_at: float = 0.5
    enters_at: float = 0.5


def find_lanes(level: Level, ranks: Ranks, rows: Rows) -> dict[int, Lane]:
    """Lanes by edge, for all edges that do not lead to the next row.

    A box at the right end of its row is left and reached at its side, any other one through the gap below or above.
    Short lanes stand inside of longer ones. Where many edges come from one box, or go to one, they share a lane.
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
    buses: defaultdict[Bus, list[int]] = defaultdict(list)
    for edge, bus in _buses(level, stripes).items():
        buses[bus].append(edge)
    spans = {bus: [end for edge in edges for end in stripes[edge]] for bus, edges in buses.items()}
    lanes: dict[int, Lane] = {}
    for bus, span in sorted(spans.items(), key=lambda item: max(item[1]) - min(item[1])):
        passed = slice(min(span), max(span) + 1)
        taken[passed] = x = float(taken[passed].max()) + LANE_GAP
        lanes |= {edge: Lane(x, *stripes[edge], bus) for edge in buses[bus]}
    return _with_ports(level, lanes)


def _buses(level: Level, stripes: Mapping[int, tuple[int, int]]) -> dict[int, Bus]:
    """The bus of each edge; edges between the same two boxes have a lane each."""
    twins = Counter(level.edges)
    choices: dict[int, list[Bus]] = {}
    for edge, (start, end) in stripes.items():
        source, target = level.edges[edge]
        shared: list[Bus] = [("from", source, start < end), ("to", target, start < end)]
        choices[edge] = shared if twins[level.edges[edge]] == 1 else []
    sizes = Counter(bus for shared in choices.values() for bus in shared)
    found: dict[int, Bus] = {}
    for edge, shared in choices.items():
        largest = max(shared, key=lambda bus: sizes[bus], default=None)
        alone: Bus = ("edge", edge, True)
        found[edge] = alone if largest is None or sizes[largest] < FEWEST_IN_BUS else largest
    return found


def _with_ports(level: Level, lanes: Mapping[int, Lane]) -> dict[int, Lane]:
    """The lanes with places at the sides of their boxes, so spread that brackets of one box do not cross."""
    sides: defaultdict[int, set[tuple[bool, float, Bus, bool]]] = defaultdict(set)
    for edge, lane in lanes.items():
        source, target = level.edges[edge]
        for box, here, there, leaves in ((source, lane.start, lane.end, True), (target, lane.end, lane.start, False)):
            if here % 3:
                down = there > here
                sides[box].add((down, -lane.x if down else lane.x, lane.bus, leaves))
    shares = {
        (box, bus, leaves): number / (len(meetings) + 1)
        for box, meetings in sides.items()
        for number, (_, _, bus, leaves) in enumerate(sorted(meetings), 1)
    }
    return {
        edge: replace(
            lane,
            leaves_at=shares.get((level.edges[edge][0], lane.bus, True), 0.5),
            enters_at=shares.get((level.edges[edge][1], lane.bus, False), 0.5),
        )
        for edge, lane in lanes.items()
    }
