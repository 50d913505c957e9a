"""The distribution of one tensor over time: columns put side by side on one grid.

In: columns of one series. Out: a history. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torchexplorer.stats.column import Column, common_grids, gather, gather_bins, gather_whole, merge
from torchexplorer.stats.grid import Floats, Grids, Ints


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """Columns of one series over time, T of them, on one grid of `edges` (bins + 1,).

    `counts` is (T, bins); all else is (T,) and has the meaning that it has in Column. `times` has the unit that the
    user chose for the run.
    """

    steps: Ints
    times: Floats
    edges: Floats
    counts: Ints
    nan: Ints
    posinf: Ints
    neginf: Ints
    rejected: Ints
    seen: Ints
    zeros: Ints
    mean: Floats
    std: Floats
    min: Floats
    max: Floats


def assemble(columns: Sequence[Column], *, max_columns: int | None) -> History:
    """The history of the given columns of one series, in their order.

    Where there are more than `max_columns`, runs of 2, 4, 8, ... neighbours merge, the last run perhaps a shorter one.
    The range is the narrowest that the columns have in common: a spike outside of them does not count. Raises
    ValueError where there is no column, and where columns have different numbers of bins.
    """
    if not columns:
        raise ValueError("Can't assemble a history: got no columns. Pass at least one column of the series.")
    sizes = sorted({len(column.counts) for column in columns})
    if len(sizes) > 1:
        raise ValueError(
            f"Can't assemble a history: got columns with {' and '.join(map(str, sizes))} bins. "
            "Pass columns that were recorded with one number of bins."
        )
    length = stride(len(columns), max_columns)
    return _side_by_side(merge(columns, range(0, len(columns), length)))


def stride(columns: int, max_columns: int | None) -> int:
    """How many neighbours merge: the smallest power of two that leaves at most `max_columns` runs of `columns`."""
    if max_columns is None:
        return 1
    needed = -(-columns // max_columns)
    return 1 << (needed - 1).bit_length()


def _side_by_side(columns: Sequence[Column]) -> History:
    grids, counts = gather_bins(columns)
    rows, same = np.arange(len(columns)), np.zeros(len(columns), np.int64)
    shown = common_grids(grids, counts, same[:1])
    moved = grids.move(counts, shown.pick(same), rows)
    if np.count_nonzero(moved.any(axis=0)) <= 1:
        shown = _widened(shown, moved)
        moved = grids.move(counts, shown.pick(same), rows)
    steps, nan, posinf, neginf, rejected, seen, zeros = gather_whole(
        columns, "step", "nan", "posinf", "neginf", "rejected", "seen", "zeros"
    )
    times, mean, std, least, most = gather(columns, "time", "mean", "std", "min", "max")
    return History(
        steps=steps,
        times=times,
        edges=shown.edges[0],
        counts=moved,
        nan=nan,
        posinf=posinf,
        neginf=neginf,
        rejected=rejected,
        seen=seen,
        zeros=zeros,
        mean=mean,
        std=std,
        min=least,
        max=most,
    )


def _widened(grid: Grids, counts: Ints) -> Grids:
    """A grid of which one bin at most is used, made about as wide as the value in it is large; 0 to 2 for zeros.

    The finest grid of a constant spans a few roundings of it, which no axis can show.
    """
    number, _ = grid.used(counts.sum(axis=0, keepdims=True))
    value = np.ldexp(number.astype(np.float64), grid.exponent)
    magnitude = np.where(value != 0, np.frexp(value)[1], 1)
    exponent = np.maximum(magnitude - (grid.bins - 1).bit_length(), grid.exponent)
    number = number >> np.minimum(exponent - grid.exponent, 63)
    return Grids.spanning(number, number, exponent, grid.bins)
