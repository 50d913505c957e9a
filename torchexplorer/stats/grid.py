"""Grids of equal bins on one shared dyadic lattice, many at once.

In: the ends of values, or bins in use. Out: grids, their edges, and counts moved exactly from one grid onto another.
Owns no state; pure.

A bin is [i * 2**k, (i + 1) * 2**k) for integers i and k; a grid is `bins` neighbours of one k. A bin lies in exactly
one bin of any larger k, so counts on two grids add without error on a coarser one, and counts that were moved equal
counts made there at once. Edges are exact: |i| stays below 2**53.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Exponents: TypeAlias = NDArray[np.int32]  # what frexp gives and ldexp takes on every platform

PRECISION = 52  # the finest bins relative to the largest value: their numbers stay within a float64's 53 bits
FINEST = -1074  # exponent of the smallest subnormal number
LARGEST_BINS = 2**16


@dataclass(frozen=True, slots=True, eq=False)
class Grids:
    """Some grids of `bins` bins: grid g covers [first[g] * 2**k, (first[g] + bins) * 2**k) with k = exponent[g].

    Shapes: first and exponent (G,).
    """

    first: Ints
    exponent: Exponents
    bins: int

    @classmethod
    def between(cls, low: Floats, high: Floats, bins: int) -> Grids:
        """The grids that were described by their ends (see `low` and `high`)."""
        exponent = _exponent((high - low) / bins) - 1
        return cls(np.ldexp(low, -exponent).astype(np.int64), exponent, bins)

    @classmethod
    def holding(cls, low: Floats, high: Floats, bins: int) -> Grids:
        """The finest grids with room for the values from `low` to `high`, which lie within `limits`. Shapes: (G,)."""
        size = np.maximum(np.abs(low), np.abs(high))
        finest = np.where(size > 0, np.maximum(_exponent(size) - PRECISION, FINEST), FINEST)
        return cls.spanning(_bin_number(low, finest), _bin_number(high, finest), finest, bins)

    @classmethod
    def spanning(cls, lowest: Ints, highest: Ints, exponent: Exponents, bins: int) -> Grids:
        """The finest grids, of `exponent` or coarser, with room for the bins numbered `lowest` to `highest`.

        The used bins stand in the middle, but a grid reaches over zero only where they do. Shapes: (G,).
        """
        shift = np.maximum(_exponent((highest - lowest) / bins) - 1, 0)
        for _ in range(2):  # the estimate is too fine by two doublings at most
            shift += (highest >> shift) - (lowest >> shift) >= bins
        lowest, highest = lowest >> shift, highest >> shift
        first = lowest - (bins - (highest - lowest + 1)) // 2
        first = np.where(lowest >= 0, np.maximum(first, 0), first)
        first = np.where(highest < 0, np.minimum(first, -bins), first)
        return cls(first, exponent + shift, bins)

    @property
    def low(self) -> Floats:
        """Lower ends, (G,)."""
        return _edge(self.first, self.exponent)

    @property
    def high(self) -> Floats:
        """Upper ends, (G,). high - low is bins * 2**k without rounding, and finite."""
        return _edge(self.first + self.bins, self.exponent)

    @property
    def edges(self) -> Floats:
        """(G, bins + 1), exact and strictly increasing."""
        return _edge(self.first[:, None] + np.arange(self.bins + 1), self.exponent[:, None])

    def pick(self, rows: Any) -> Grids:
        """The grids at `rows`."""
        return Grids(self.first[rows], self.exponent[rows], self.bins)

    def used(self, counts: Ints) -> tuple[Ints, Ints]:
        """Numbers of the lowest and highest full bin, (G,) each, where there is any. Shape: counts (G, bins)."""
        full = counts > 0
        return self.first + full.argmax(axis=1), self.first + self.bins - 1 - full[:, ::-1].argmax(axis=1)

    def move(self, counts: Ints, onto: Grids, rows: Ints) -> Ints:
        """Counts on these grids added up on coarser ones: row g goes onto row rows[g] of `onto`, which has room for it.

        Shapes: counts (G, bins), rows (G,) -> (rows of onto, bins).
        """
        target = onto.pick(rows)
        shift = np.clip(target.exponent - self.exponent, 0, 63)  # bin numbers have 54 bits: 63 shifts all of them out
        place = ((self.first[:, None] + np.arange(self.bins)) >> shift[:, None]) - target.first[:, None]
        place = np.clip(place, 0, self.bins - 1) + self.bins * rows[:, None]  # what would lie outside is an empty bin
        total = np.bincount(place.ravel(), weights=counts.ravel(), minlength=len(onto.first) * self.bins)
        return total.reshape(-1, self.bins).astype(np.int64)


def limits(bins: int) -> tuple[float, float]:
    """The least and greatest values that grids of `bins` bins hold; about -+2**1022, so that no width overflows."""
    end = float(np.ldexp(bins // 2, 1023 - (bins - 1).bit_length()))
    return -end, float(np.nextafter(end, 0.0))


def _bin_number(values: Floats, exponent: Exponents) -> Ints:
    number = np.floor(np.ldexp(values, -exponent)).astype(np.int64)
    return np.where((values < 0) & (number == 0), -1, number)  # a tiny negative value, rounded to -0.0


def _edge(number: Ints, exponent: Exponents) -> Floats:
    return np.ldexp(number.astype(np.float64), exponent)


def _exponent(values: Floats) -> Exponents:
    """The k with 2**(k - 1) <= value < 2**k; 0 for 0."""
    return np.frexp(values)[1]
