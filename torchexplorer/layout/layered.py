"""A plain layered layout that always works: rows by the longest path, and square routes.

In: a level without edges from a box to itself. Out: a placement. Owns no state; pure.

No route runs through a box: an edge to the next row turns in the gap between the rows, and any other one has a lane
to the right of all boxes that it passes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from torchexplorer.layout.lanes import Lane, find_lanes
from torchexplorer.layout.level import Level, Placement, fitted
from torchexplorer.layout.ranks import Ranks, rank
from torchexplorer.layout.rows import Rows, arrange
from torchexplorer.layout.tracks import Tracks

ROW_GAP = 28.0
SHIFT = 8.0  # a line may meet a box this far from its middle: to run straight, or not to lie on another line


class _AtBox(NamedTuple):
    """A height on a box: `share` of it from its top."""

    box: int
    share: float


class _InGap(NamedTuple):
    """A height between rows: that of a line which `owner` claimed."""

    gap: int
    owner: Hashable


_Bend: TypeAlias = tuple[float, _AtBox | _InGap]


def layered(level: Level) -> Placement:
    """Place the level."""
    ranks = rank(level)
    rows = arrange(level, ranks)
    tracks = Tracks(ranks.rows + 1)
    bends = _Plan(level, ranks, rows, tracks).routes()
    tracks.settle()
    gaps = [max(tracks.height(gap), ROW_GAP if 0 < gap < ranks.rows else 0.0) for gap in range(ranks.rows + 1)]
    heights = [max((level.boxes[index].height for index in row), default=0.0) for row in rows.order]
    ends = list(accumulate(part for pair in zip(gaps, [*heights, 0.0], strict=True) for part in pair))
    middles = [ends[2 * row] + heights[row] / 2 for row in ranks.of]

    def y(height: _AtBox | _InGap) -> float:
        if isinstance(height, _AtBox):
            return middles[height.box] + (height.share - 0.5) * level.boxes[height.box].height
        return ends[2 * height.gap] - gaps[height.gap] + tracks.offset(*height)

    routes = [[(x, y(height)) for x, height in route] for route in bends]
    return fitted(level, list(zip(rows.x, middles, strict=True)), routes, "layered")


class _Plan:
    """Routes as long as heights are not known yet; claims tracks on the way."""

    def __init__(self, level: Level, ranks: Ranks, rows: Rows, tracks: Tracks) -> None:
        self._level, self._ranks, self._rows, self._tracks = level, ranks, rows, tracks
        self._lanes = find_lanes(level, ranks, rows)
        self._shifts = _twin_shifts(level)
        self._trunks = self._find_trunks()

    def routes(self) -> list[list[_Bend]]:
        """The bends of each edge."""
        return [
            self._along(edge, self._lanes[edge]) if edge in self._lanes else self._down(edge)
            for edge in range(len(self._level.edges))
        ]

    def _down(self, edge: int) -> list[_Bend]:
        """To the next row."""
        source, target = self._level.edges[edge]
        bottom, top = _AtBox(source, 1.0), _AtBox(target, 0.0)
        if self._runs_straight(edge):
            x = self._rows.x[target] + self._shift(edge, target)
            return [(x, bottom), (x, top)]
        return [*self._out(edge), *self._into(edge, _InGap(self._ranks.of[target], self._trunk(edge)))]

    def _along(self, edge: int, lane: Lane) -> list[_Bend]:
        """Past rows, or upward."""
        source, target = self._level.edges[edge]
        leaving, entering = _AtBox(source, lane.leaves_at), _AtBox(target, lane.enters_at)
        if lane.start % 3:
            bends: list[_Bend] = [(self._right(source), leaving), (lane.x, leaving)]
        else:
            bends = self._out(edge)
            turn = _InGap(lane.start // 3, self._trunk(edge))
            self._tracks.claim(turn.gap, turn.owner, lane.x)
            bends.append((lane.x, turn))
        if lane.end % 3:
            return [*bends, (lane.x, entering), (self._right(target), entering)]
        turn = _InGap(lane.end // 3, ("into", lane.bus))
        self._tracks.claim(turn.gap, turn.owner, lane.x)
        return [*bends, (lane.x, turn), *self._into(edge, turn)]

    def _out(self, edge: int) -> list[_Bend]:
        """From the bottom of the source into the gap below."""
        source, _ = self._level.edges[edge]
        x = self._rows.x[source] + self._shift(edge, source)
        turn = _InGap(self._ranks.of[source] + 1, self._trunk(edge))
        self._tracks.claim(turn.gap, turn.owner, x)
        return [(x, _AtBox(source, 1.0)), (x, turn)]

    def _into(self, edge: int, turn: _InGap) -> list[_Bend]:
        """From a line in the gap above to the top of the target; not on a line that leads down from another box."""
        source, target = self._level.edges[edge]
        x = self._rows.x[target] + self._shift(edge, target)
        if self._trunks.get((turn.gap, round(x)), source) != source:
            x -= min(SHIFT, self._level.boxes[target].width / 2)
        self._tracks.claim(turn.gap, turn.owner, x)
        return [(x, turn), (x, _AtBox(target, 0.0))]

    def _runs_straight(self, edge: int) -> bool:
        source, target = self._level.edges[edge]
        room = min(SHIFT, self._level.boxes[source].width / 2 - abs(self._shift(edge, target)))
        return abs(self._rows.x[source] - self._rows.x[target]) <= room

    def _find_trunks(self) -> dict[tuple[int, int], int]:
        """Which box has a line leading down at which x of a gap, other than straight to the next box."""
        trunks = {}
        for edge, (source, _) in enumerate(self._level.edges):
            at_side = edge in self._lanes and self._lanes[edge].start % 3
            if not at_side and (edge in self._lanes or not self._runs_straight(edge)):
                x = self._rows.x[source] + self._shift(edge, source)
                trunks[self._ranks.of[source] + 1, round(x)] = source
        return trunks

    def _trunk(self, edge: int) -> Hashable:
        """Owner of the line below the source, which all of its edges share but twins."""
        source, _ = self._level.edges[edge]
        return ("out", source, self._shifts[edge])

    def _shift(self, edge: int, box: int) -> float:
        room = 0.4 * self._level.boxes[box].width
        return max(-room, min(room, self._shifts[edge]))

    def _right(self, box: int) -> float:
        return self._rows.x[box] + self._level.boxes[box].width / 2


def _twin_shifts(level: Level) -> list[float]:
    """How far beside the middle each edge runs: 0, but for further edges between the same boxes."""
    seen: Counter[tuple[int, int]] = Counter()
    shifts = []
    for edge in level.edges:
        number = seen[edge]
        shifts.append((number + 1) // 2 * SHIFT * (1 if number % 2 else -1))
        seen[edge] += 1
    return shifts
