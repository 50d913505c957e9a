"""The numbers of a column worked out slowly, in exact fractions, from the words of the docstrings.

In: values. Out: what a column must say. Owns no state.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor, frexp, isfinite, isinf, isnan
from statistics import median
from typing import NamedTuple

import numpy as np

from torchexplorer.stats import Column
from torchexplorer.trace.records import Key

KEY = Key("layer", 0, "output", "x")


class Expected(NamedTuple):
    low: float
    high: float
    counts: list[int]
    nan: int
    posinf: int
    neginf: int
    rejected: int
    zeros: int


def expected(values: np.ndarray, bins: int, reject: float) -> Expected:
    plain = [float(value) for value in values]
    finite = sorted(value for value in plain if isfinite(value))
    kept = keep(finite, bins, reject)
    low, high, counts = binned(kept, bins)
    infinite = [value for value in plain if isinf(value)]
    return Expected(
        low=low,
        high=high,
        counts=counts,
        nan=sum(map(isnan, plain)),
        posinf=sum(value > 0 for value in infinite),
        neginf=sum(value < 0 for value in infinite),
        rejected=len(finite) - len(kept),
        zeros=finite.count(0.0),
    )


def keep(finite: Sequence[float], bins: int, reject: float) -> list[float]:
    """The values that are not rejected; distances are those of float64."""
    if not finite:
        return []
    end = (bins // 2) * 2.0 ** (1023 - (bins - 1).bit_length())
    inside = [min(max(value, -end), float(np.nextafter(end, 0))) for value in finite]
    middle = float(median(inside))
    distances = sorted(abs(value - middle) for value in inside)
    limit = distances[len(inside) - int(reject * len(inside)) - 1]
    return [value for value in inside if abs(value - middle) <= limit]


def binned(kept: Sequence[float], bins: int) -> tuple[float, float, list[int]]:
    """Ends and counts of the finest grid with room for the kept values."""
    if not kept:
        return 0.0, bins * 2.0 ** -(bins - 1).bit_length(), [0] * bins
    size = max(map(abs, kept))
    exponent = max(frexp(size)[1] - 52, -1074) if size else -1074
    exact = [Fraction(value) for value in kept]
    while True:
        width = Fraction(2) ** exponent
        lowest, highest = floor(min(exact) / width), floor(max(exact) / width)
        if highest - lowest < bins:
            break
        exponent += 1
    first = lowest - (bins - (highest - lowest + 1)) // 2
    if lowest >= 0:
        first = max(first, 0)
    if highest < 0:
        first = min(first, -bins)
    counts = [0] * bins
    for value in exact:
        counts[floor(value / width) - first] += 1
    return float(first * width), float((first + bins) * width), counts


def seen(column: Column) -> Expected:
    """What a column says, in the same form."""
    return Expected(
        column.low,
        column.high,
        column.counts.tolist(),
        column.nan,
        column.posinf,
        column.neginf,
        column.rejected,
        column.zeros,
    )
