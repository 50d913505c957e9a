"""Whether a drawing can be read: what Graphviz returns is looked at before it is believed.

In: a level and its placement. Out: yes or no. Owns no state; pure.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from torchexplorer.layout.level import Level, Placement

SLACK = 1.0  # px that a line may run inside a box, or two boxes overlap
CHUNK = 64  # boxes that are compared with all others at a time


def is_sound(level: Level, placement: Placement) -> bool:
    """Whether inputs are on top, outputs at the bottom, no boxes overlap, and no route runs through a box."""
    if not level.boxes:
        return True
    centers = np.array(placement.centers)
    half = np.array([(box.width / 2, box.height / 2) for box in level.boxes]) - SLACK
    heights = centers[:, 1]
    last = list(set(level.last) - set(level.first))
    if level.first and heights[list(level.first)].max() > heights.min() + half[:, 1].max() + SLACK:
        return False
    if last and heights[last].min() < heights.max() - half[:, 1].max() - SLACK:
        return False
    return not _overlaps(centers - half, centers + half) and not _crosses(placement, centers - half, centers + half)


def _overlaps(low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
    """Whether two boxes overlap, given their corners (N, 2)."""
    for start in range(0, len(low), CHUNK):
        rows = slice(start, start + CHUNK)
        apart = (low[rows, None] >= high[None]).any(axis=2) | (low[None] >= high[rows, None]).any(axis=2)
        if np.count_nonzero(~apart) > np.count_nonzero((low[rows] < high[rows]).all(axis=1)):
            return True
    return False


def _crosses(placement: Placement, low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
    """Whether a segment of a route runs through the inside of a box."""
    segments = [ends for route in placement.routes for ends in pairwise(route)]
    if not segments:
        return False
    lines = np.array(segments)
    least, most = lines.min(axis=1), lines.max(axis=1)
    downward = np.argsort(low[:, 1])
    for start in range(0, len(low), CHUNK):
        boxes = downward[start : start + CHUNK]
        beside = np.flatnonzero((least[:, 1] < high[boxes, 1].max()) & (most[:, 1] > low[boxes, 1].min()))
        near = ((least[beside, None] < high[boxes]) & (most[beside, None] > low[boxes])).all(axis=2)
        line, box = near.nonzero()
        if _clipped(lines[beside[line]], low[boxes[box]], high[boxes[box]]).any():
            return True
    return False


def _clipped(lines: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each line (M, 2, 2) has a stretch inside its box: a share of it within the bounds of both axes."""
    start, run = lines[:, 0], lines[:, 1] - lines[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.stack([(low - start) / run, (high - start) / run])
    flat = run == 0  # within the bounds all along: the line is near the box
    enter = np.where(flat, 0.0, shares.min(axis=0)).max(axis=1)
    leave = np.where(flat, 1.0, shares.max(axis=0)).min(axis=1)
    inside: NDArray[np.bool_] = np.maximum(enter, 0.0) < np.minimum(leave, 1.0)
    return inside
