"""One recorded step of one series: its bins, and what else was counted in the sample.

In: columns. Out: columns, merged with their neighbours. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter

import numpy as np

from torchexplorer.stats.grid import Floats, Grids, Ints
from torchexplorer.trace.records import Key


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The sample of one tensor at one step, or of several steps that were merged.

    `counts` (bins,) are whole numbers over equal bins between `low` and `high`. Each column has the narrowest grid of
    the lattice in grid.py that holds its values, so columns of one series merge exactly. All that is in the sample is
    counted once: the sum of `counts` + nan + posinf + neginf + rejected. `seen` is the number of elements of the
    tensor. mean, std (of the population), min, max and zeros are those of the finite values, rejected ones too; NaN
    (and zeros 0) where there are none. Values beyond +-2**1022 or so count in the outermost bins.
    """

    key: Key
    step: int
    time: float
    low: float
    high: float
    counts: Ints
    nan: int
    posinf: int
    neginf: int
    rejected: int
    seen: int
    mean: float
    std: float
    min: float
    max: float
    zeros: int


def gather(columns: Sequence[Column], *fields: str) -> Floats:
    """Some numbers of many columns. Shape: (fields, columns)."""
    read = attrgetter(*fields)
    return np.array([read(column) for column in columns], dtype=np.float64).reshape(len(columns), len(fields)).T


def gather_whole(columns: Sequence[Column], *fields: str) -> Ints:
    """Some whole numbers of many columns. Shape: (fields, columns)."""
    read = attrgetter(*fields)
    return np.array([read(column) for column in columns], dtype=np.int64).reshape(len(columns), len(fields)).T


def gather_bins(columns: Sequence[Column]) -> tuple[Grids, Ints]:
    """The grids and counts of many columns. Shape of the counts: (columns, bins)."""
    counts = np.array([column.counts for column in columns], dtype=np.int64)
    low, high = gather(columns, "low", "high")
    return Grids.between(low, high, counts.shape[1]), counts


def merge(columns: Sequence[Column], starts: Sequence[int]) -> list[Column]:
    """Runs of neighbours as one column each; run r is columns[starts[r]:starts[r + 1]], none of them empty.

    Step and time are those of a run's first column. Counts add up exactly; moments are weighted by the number of
    finite values. A run of one column is that column. All columns have equally many bins.
    """
    runs = list(pairwise([*starts, len(columns)]))
    merged = [columns[start] for start, _ in runs]
    long = [run for run, (start, stop) in enumerate(runs) if stop - start > 1]
    members = [column for run in long for column in columns[slice(*runs[run])]]
    if members:
        lengths = np.array([runs[run][1] - runs[run][0] for run in long])
        for run, column in zip(long, _merge_all(members, lengths), strict=True):
            merged[run] = column
    return merged


def _merge_all(columns: Sequence[Column], lengths: Ints) -> list[Column]:
    starts = np.cumsum(lengths) - lengths
    grids, counts = gather_bins(columns)
    target = common_grids(grids, counts, starts)
    totals = np.add.reduceat(gather_whole(columns, *_ADDED), starts, axis=1)
    fields = {
        "low": target.low,
        "high": target.high,
        **dict(zip(_ADDED, totals, strict=True)),
        **_merge_moments(columns, counts, starts),
    }
    moved = grids.move(counts, target, np.repeat(np.arange(len(lengths)), lengths))
    listed = zip(*(values.tolist() for values in fields.values()), strict=True)
    heads = (columns[start] for start in starts)
    return [
        Column(key=head.key, step=head.step, time=head.time, counts=row, **dict(zip(fields, numbers, strict=True)))
        for head, row, numbers in zip(heads, moved, listed, strict=True)
    ]


_ADDED = ("nan", "posinf", "neginf", "rejected", "seen", "zeros")


def common_grids(grids: Grids, counts: Ints, starts: Ints) -> Grids:
    """For each run of rows, the finest grid onto which all counts of the run move. Shapes: counts (G, bins)."""
    lengths = np.diff(starts, append=len(counts))
    full = counts.any(axis=1)
    coarsest = np.maximum.reduceat(np.where(full, grids.exponent, np.iinfo(np.int32).min // 2), starts)
    coarsest = np.where(np.logical_or.reduceat(full, starts), coarsest, grids.exponent[starts])
    shift = np.clip(np.repeat(coarsest, lengths) - grids.exponent, 0, 63)
    lowest, highest = (number >> shift for number in grids.used(counts))
    far = np.iinfo(np.int64).max // 4
    lowest = np.minimum.reduceat(np.where(full, lowest, far), starts)
    highest = np.maximum.reduceat(np.where(full, highest, -far), starts)
    empty = highest < lowest
    return Grids.spanning(np.where(empty, 0, lowest), np.where(empty, 0, highest), coarsest, grids.bins)


def _merge_moments(columns: Sequence[Column], counts: Ints, starts: Ints) -> dict[str, Floats]:
    lengths = np.diff(starts, append=len(columns))
    rejected, means, stds, least, most = gather(columns, "rejected", "mean", "std", "min", "max")
    weight = counts.sum(axis=1) + rejected
    total = np.add.reduceat(weight, starts)
    low, high = np.fmin.reduceat(least, starts), np.fmax.reduceat(most, starts)
    # Scaled by a power of two, which is exact, so that no square overflows or vanishes.
    size = np.maximum(np.abs(low), np.abs(high))
    scale = np.clip(np.frexp(np.where(total > 0, size, 0))[1], -1000, 1000)
    least, most, down = np.ldexp(low, -scale), np.ldexp(high, -scale), -np.repeat(scale, lengths)
    share = weight / np.repeat(np.maximum(total, 1), lengths)
    means = np.where(weight > 0, np.ldexp(means, down), 0.0)
    stds = np.where(weight > 0, np.ldexp(stds, down), 0.0)
    mean = np.clip(np.add.reduceat(share * means, starts), least, most)
    variance = np.add.reduceat(share * (stds**2 + (means - np.repeat(mean, lengths)) ** 2), starts)
    std = np.minimum(np.sqrt(variance), (most - least) / 2)  # rounding must not exceed what is possible
    return {"mean": np.ldexp(mean, scale), "std": np.ldexp(std, scale), "min": low, "max": high}
