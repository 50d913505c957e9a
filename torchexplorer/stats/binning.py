"""Samples become columns: all series of a step at once.

In: samples. Out: columns. Owns no state; pure.

The linear scale is the only one here; another one would bin transformed values on the same kind of grids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torchexplorer.stats.column import Column
from torchexplorer.stats.grid import Floats, Grids, Ints, limits
from torchexplorer.trace.records import Sample


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """What was found in some samples of equal length; all (S,) but counts, (S, bins)."""

    low: Floats
    high: Floats
    counts: Ints
    rejected: Ints
    mean: Floats
    std: Floats
    min: Floats
    max: Floats
    zeros: Ints


def bin_samples(step: int, time: float, samples: Sequence[Sample], *, bins: int, reject: float) -> list[Column]:
    """One column for each sample, in the same order.

    NaN and infinities are counted apart. Of the n finite values, those farther from their median than the others are
    rejected: at most reject * n, and none that is as near as one which is kept.
    """
    finite: list[np.ndarray] = []
    apart: list[tuple[int, int, int]] = []
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for index, sample in enumerate(samples):
        values, others = _split_finite(np.asarray(sample.values))
        finite.append(values)
        apart.append(others)
        groups[len(values)].append(index)
    columns: dict[int, Column] = {}
    for length, members in groups.items():
        found = _measure([finite[index] for index in members], bins, reject) if length else _nothing(len(members), bins)
        for index, column in zip(members, _columns(step, time, samples, members, apart, found), strict=True):
            columns[index] = column
    return [columns[index] for index in range(len(samples))]


def _split_finite(values: np.ndarray) -> tuple[np.ndarray, tuple[int, int, int]]:
    """The finite values, and how many are NaN, +inf and -inf."""
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float32 if values.dtype == np.float16 else np.float64)
    finite = np.isfinite(values)
    if finite.all():
        return values, (0, 0, 0)
    nan, posinf = int(np.isnan(values).sum()), int(np.isposinf(values).sum())
    kept = values[finite]
    return kept, (nan, posinf, len(values) - len(kept) - nan - posinf)


def _measure(rows: Sequence[np.ndarray], bins: int, reject: float) -> _Rows:
    block = np.stack(rows)
    block.sort(axis=1)
    exact = block.astype(np.float64, copy=False)
    mean, std = _moments(exact)
    values = np.clip(exact, *limits(bins))
    start, stop = _kept(values, reject)
    series = np.arange(len(rows))
    grids = Grids.holding(values[series, start], values[series, stop - 1], bins)
    # Rows are sorted, so looking up the edges counts without rounding: faster than finding the bin of each value.
    ends = np.array([row.searchsorted(edges) for row, edges in zip(values, grids.edges, strict=True)])
    counts = np.diff(np.clip(ends, start[:, None], stop[:, None]), axis=1)
    zeros = exact.shape[1] - np.count_nonzero(exact, axis=1)
    rejected = exact.shape[1] - (stop - start)
    return _Rows(grids.low, grids.high, counts, rejected, mean, std, exact[:, 0], exact[:, -1], zeros)


def _moments(rows: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of sorted rows, scaled by a power of two so that no square overflows or vanishes."""
    size = np.maximum(np.abs(rows[:, 0]), np.abs(rows[:, -1]))
    scale = np.clip(np.frexp(size)[1], -1000, 1000)
    scaled = rows * np.ldexp(1.0, -scale)[:, None]
    least, most = scaled[:, 0], scaled[:, -1]
    mean = np.clip(scaled.mean(axis=1), least, most)
    scaled -= mean[:, None]
    variance = np.einsum("sn,sn->s", scaled, scaled) / rows.shape[1]
    std = np.minimum(np.sqrt(variance), (most - least) / 2)  # rounding must not exceed what is possible
    return np.ldexp(mean, scale), np.ldexp(std, scale)


def _kept(rows: Floats, reject: float) -> tuple[Ints, Ints]:
    """Where the values nearest to the median start and stop in each sorted row."""
    length = rows.shape[1]
    spare = min(int(reject * length + 1e-9), length - 1)  # 0.29 * 100 is 28.999999999999996
    median = 0.5 * (rows[:, (length - 1) // 2] + rows[:, length // 2])[:, None]
    # Of all windows of length - spare neighbours, the one whose farther end is nearest to the median.
    reach = np.maximum(median - rows[:, : spare + 1], rows[:, length - 1 - spare :] - median).min(axis=1, keepdims=True)
    start = np.count_nonzero(median - rows[:, :spare] > reach, axis=1)
    stop = length - np.count_nonzero(rows[:, length - spare :] - median > reach, axis=1)
    return start, stop


def _nothing(series: int, bins: int) -> _Rows:
    zero, none = np.zeros(series, np.int64), np.full(series, np.nan)
    grids = Grids(zero, np.full(series, -(bins - 1).bit_length(), np.int32), bins)
    counts = np.zeros((series, bins), np.int64)
    return _Rows(grids.low, grids.high, counts, zero, none, none, none, none, zero)


def _columns(
    step: int,
    time: float,
    samples: Sequence[Sample],
    members: Sequence[int],
    apart: Sequence[tuple[int, int, int]],
    found: _Rows,
) -> list[Column]:
    low, high, rejected = found.low.tolist(), found.high.tolist(), found.rejected.tolist()
    mean, std, zeros = found.mean.tolist(), found.std.tolist(), found.zeros.tolist()
    least, most = found.min.tolist(), found.max.tolist()
    return [
        Column(
            key=samples[index].key,
            step=step,
            time=time,
            low=low[row],
            high=high[row],
            counts=found.counts[row],
            nan=apart[index][0],
            posinf=apart[index][1],
            neginf=apart[index][2],
            rejected=rejected[row],
            seen=samples[index].seen,
            mean=mean[row],
            std=std[row],
            min=least[row],
            max=most[row],
            zeros=zeros[row],
        )
        for row, index in enumerate(members)
    ]
