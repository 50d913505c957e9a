"""Level lines in the gaps between rows, so that lines of different edges do not lie on each other.

In: claims, each a span in a gap. Out: a height in its gap for each. Owns the claims of one drawing.
"""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heappop, heappush

MARGIN = 14.0  # from the boxes to the nearest line
TRACK_GAP = 8.0
MOST_HEIGHT = 400.0  # of all tracks of a gap together


class Tracks:
    """The spans claimed in each gap, by owner; spans of one owner are one line."""

    def __init__(self, gaps: int) -> None:
        self._spans: list[dict[Hashable, tuple[float, float]]] = [{} for _ in range(gaps)]
        self._numbers: list[dict[Hashable, int]] = [{} for _ in range(gaps)]

    def claim(self, gap: int, owner: Hashable, *ends: float) -> None:
        """Ask for a line in `gap` that reaches from the least to the greatest of `ends`."""
        known = self._spans[gap].get(owner, ends)
        self._spans[gap][owner] = (min(*known, *ends), max(*known, *ends))

    def settle(self) -> None:
        """Number the lines of each gap from the top, in as few tracks as there are lines above each other."""
        for spans, numbers in zip(self._spans, self._numbers, strict=True):
            ends: list[tuple[float, int]] = []
            for owner, (left, right) in sorted(spans.items(), key=lambda item: item[1]):
                free = bool(ends) and ends[0][0] + TRACK_GAP < left
                numbers[owner] = heappop(ends)[1] if free else len(ends)
                heappush(ends, (right, numbers[owner]))

    def height(self, gap: int) -> float:
        """What the gap needs; 0 where nothing is claimed."""
        tracks = self._count(gap)
        return 2 * MARGIN + (tracks - 1) * self._distance(tracks) if tracks else 0.0

    def offset(self, gap: int, owner: Hashable) -> float:
        """How far below the top of its gap a line runs."""
        return MARGIN + self._numbers[gap][owner] * self._distance(self._count(gap))

    def _count(self, gap: int) -> int:
        return max(self._numbers[gap].values(), default=-1) + 1

    def _distance(self, tracks: int) -> float:
        return min(TRACK_GAP, MOST_HEIGHT / tracks)
