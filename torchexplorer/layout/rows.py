"""Where boxes stand in their rows: order by barycentres, then x as near to the neighbours as the boxes allow.

In: a level and its ranks. Out: rows of boxes and their x. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from torchexplorer.layout.level import Level
from torchexplorer.layout.ranks import Ranks

BOX_GAP = 28.0
SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Rows:
    """`order` lists the boxes of each row from left to right; `x` is the centre of each box."""

    order: list[list[int]]
    x: list[float]


def arrange(level: Level, ranks: Ranks) -> Rows:
    """Order the boxes of each row and give them their x; the longest path is kept straight."""
    near = _neighbours(level, ranks)
    order: list[list[int]] = [[] for _ in range(ranks.rows)]
    for index, rank in enumerate(ranks.of):
        order[rank].append(index)
    x = [0.0] * len(level.boxes)
    stiff = [max((weight for side in sides for _, weight in side), default=1.0) for sides in near]
    for sweep in range(SWEEPS):
        upward = sweep % 2
        for row in reversed(order) if upward else order:
            wanted = [_mean(near[index][upward], x, x[index]) for index in row]
            if sweep < SWEEPS - 2:
                # Of boxes that want the same place the main path stands left: lanes are to the right.
                ranking = sorted(
                    (round(want / BOX_GAP), -stiff[box], want, box) for want, box in zip(wanted, row, strict=True)
                )
                row[:], wanted = [box for *_, box in ranking], [want for _, _, want, _ in ranking]
            widths = [level.boxes[index].width for index in row]
            for index, center in zip(row, spread(wanted, widths, [stiff[index] for index in row]), strict=True):
                x[index] = center
    return Rows(order, x)


def _neighbours(level: Level, ranks: Ranks) -> list[tuple[list[tuple[int, float]], list[tuple[int, float]]]]:
    """For each box those above and those below that it is joined to, with its pull: main edges win clearly."""
    near: list[tuple[list[tuple[int, float]], list[tuple[int, float]]]] = [([], []) for _ in level.boxes]
    for (source, target), weight in zip(level.edges, ranks.weights, strict=True):
        span = ranks.of[target] - ranks.of[source]
        if span:
            upper, lower = (source, target) if span > 0 else (target, source)
            near[lower][0].append((upper, weight**2 / abs(span)))
            near[upper][1].append((lower, weight**2 / abs(span)))
    return near


def _mean(neighbours: Sequence[tuple[int, float]], x: Sequence[float], otherwise: float) -> float:
    total = sum(weight for _, weight in neighbours)
    return sum(x[index] * weight for index, weight in neighbours) / total if total else otherwise


def spread(wanted: Sequence[float], widths: Sequence[float], stiff: Sequence[float]) -> list[float]:
    """Centres as near to the wanted ones as boxes in this order allow: least sum of stiff * (moved distance)**2."""
    offsets = [0.0]
    for left, right in pairwise(widths):
        offsets.append(offsets[-1] + (left + right) / 2 + BOX_GAP)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, boxes: neighbours that touch move as one
    for want, offset, weight in zip(wanted, offsets, stiff, strict=False):
        mean, count = want - offset, 1
        while blocks and blocks[-1][0] >= mean:
            other, more, boxes = blocks.pop()
            mean, weight, count = (mean * weight + other * more) / (weight + more), weight + more, count + boxes
        blocks.append((mean, weight, count))
    starts = [mean for mean, _, count in blocks for _ in range(count)]
    return [start + offset for start, offset in zip(starts, offsets, strict=False)]
