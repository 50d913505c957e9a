"""Grids: counts that were moved equal counts made there at once."""

from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from torchexplorer.stats.grid import Grids, limits

BINS = st.sampled_from([2, 3, 30, 31])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def grid_of(values: np.ndarray, bins: int) -> Grids:
    return Grids.holding(values.min(keepdims=True), values.max(keepdims=True), bins)


def count(values: np.ndarray, grid: Grids) -> np.ndarray:
    return np.diff(np.sort(values).searchsorted(grid.edges[0]))[None]


@given(st.lists(NUMBERS, min_size=1), st.lists(NUMBERS, min_size=1), BINS)
def test_moving_is_exact(first: list[float], second: list[float], bins: int) -> None:
    one, other = (np.clip(np.array(values), *limits(bins)) for values in (first, second))
    both = np.concatenate([one, other])
    fine, coarse = grid_of(one, bins), grid_of(both, bins)
    moved = fine.move(count(one, fine), coarse, np.zeros(1, np.int64))
    assert (moved == count(one, coarse)).all()
    assert moved.sum() == len(one)


@given(st.lists(NUMBERS, min_size=1), BINS)
def test_edges_are_distinct_and_the_ends_say_all(values: list[float], bins: int) -> None:
    grid = grid_of(np.clip(np.array(values), *limits(bins)), bins)
    assert (np.diff(grid.edges[0]) > 0).all()
    assert (np.diff(grid.edges[0]) == np.ldexp(1.0, grid.exponent[0])).all()
    again = Grids.between(grid.low, grid.high, bins)
    assert (again.first, again.exponent) == (grid.first, grid.exponent)


@given(NUMBERS, NUMBERS, BINS)
def test_no_finer_grid_has_room(one: float, other: float, bins: int) -> None:
    low, high = np.sort(np.clip(np.array([one, other]), *limits(bins)))[:, None]
    grid = Grids.holding(low, high, bins)
    assert grid.low <= low
    assert high < grid.high
    finer = grid.exponent - 1
    finest = max(np.frexp(max(abs(low[0]), abs(high[0])))[1] - 52, -1074)
    if finer >= finest and low < high:
        lowest, highest = (Fraction(end) / Fraction(2) ** int(finer[0]) for end in (low[0], high[0]))
        assert floor(highest) - floor(lowest) >= bins
