"""The part of a history that is shown: few enough columns, and only the range that holds data.

In: a history. Out: a window. Owns no state; pure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torchexplorer.stats import History

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """T columns of `bins` equal bins of the given width from `low` up: counts (T, bins), all else (T,).

    A column stands for all steps since the one before it; `times` says when its last step was.
    """

    low: float
    width: float
    times: Floats
    counts: Ints
    nan: Ints
    posinf: Ints
    neginf: Ints
    rejected: Ints
    mean: Floats
    std: Floats

    @property
    def totals(self) -> Ints:
        """Sampled elements of each column, whatever they were."""
        found: Ints = self.counts.sum(axis=1) + self.nan + self.posinf + self.neginf + self.rejected
        return found

    @property
    def peak(self) -> float:
        """The largest share of a column's elements that one bin holds."""
        return float((self.counts / np.maximum(self.totals, 1)[:, None]).max(initial=0.0))


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a history is shown: at most `columns` columns, and one bin for each `merged` bins."""

    columns: int
    merged: int = 1


def window(history: History, detail: Detail) -> Window:
    """Columns and bins merged as the detail asks; bins that are empty at both ends of the range are left out."""
    starts = np.arange(0, len(history.times), -(-len(history.times) // detail.columns))
    ends = np.append(starts[1:], len(history.times)) - 1

    def added(values: npt.NDArray[np.generic]) -> Ints:
        return np.add.reduceat(np.asarray(values, dtype=np.int64), starts, axis=0)

    counts = _merged(added(history.counts), detail.merged)
    first, last = _used(counts)
    width = float(history.edges[1] - history.edges[0]) * detail.merged
    return Window(
        low=float(history.edges[0]) + first * width,
        width=width,
        times=np.asarray(history.times, dtype=np.float64)[ends],
        counts=counts[:, first:last],
        nan=added(history.nan),
        posinf=added(history.posinf),
        neginf=added(history.neginf),
        rejected=added(history.rejected),
        **_moments(history, starts),
    )


def _merged(counts: Ints, merged: int) -> Ints:
    """Neighbouring bins added up, from the low end; the last one may reach over the end of the range."""
    return counts if merged == 1 else np.add.reduceat(counts, np.arange(0, counts.shape[1], merged), axis=1)


def _used(counts: Ints) -> tuple[int, int]:
    """First bin with data, and the one after the last; one bin where there are no data."""
    used = np.flatnonzero(counts.any(axis=0))
    return (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 1)


def _moments(history: History, starts: Ints) -> dict[str, Floats]:
    """Mean and standard deviation of merged columns, weighed by their elements; NaN where there are none."""
    weight = np.asarray(history.counts.sum(axis=1) + history.rejected, dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        mean, std = np.nan_to_num(history.mean), np.nan_to_num(history.std)
        total = np.add.reduceat(weight, starts)
        whole = np.where(total > 0, total, np.nan)
        merged = np.add.reduceat(weight * mean, starts) / whole
        spread = (mean - np.repeat(np.nan_to_num(merged), np.diff(np.append(starts, len(mean))))) ** 2
        return {"mean": merged, "std": np.sqrt(np.add.reduceat(weight * (std**2 + spread), starts) / whole)}
