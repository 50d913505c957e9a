"""Columns of one step: equal to the slow reference, for every kind of number."""

import warnings
from math import fsum, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.stats.reference import KEY, expected, seen
from torchexplorer.stats.binning import bin_samples
from torchexplorer.stats.column import Column
from torchexplorer.trace.records import Key, Sample

MAX = float(np.finfo(np.float64).max)
TINY = 5e-324

DTYPES = st.sampled_from([np.float16, np.float32, np.float64])
SHARES = st.sampled_from([0.0, 0.1, 0.29, 0.5, 0.999])
BINS = st.sampled_from([2, 3, 5, 7, 30, 31, 64])


@st.composite
def samples(draw: st.DrawFn) -> np.ndarray:
    """Up to 40 values of one dtype: any at all, or a cloud of a random place and width, with some odd ones."""
    dtype = draw(DTYPES)
    wild = arrays.arrays(dtype, st.integers(0, 40), elements=st.floats(width=np.dtype(dtype).itemsize * 8))
    if draw(st.booleans()):
        return draw(wild)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = 10.0 ** draw(st.integers(-40, 40))
    cloud = random.standard_normal(draw(st.integers(1, 40))) * scale + draw(st.sampled_from([0, 1, -1e4])) * scale
    odd = draw(st.lists(st.sampled_from([np.nan, np.inf, -np.inf, 0.0]), max_size=4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a scale may be too large for the dtype
        return np.concatenate([cloud, odd]).astype(dtype)


def one(values: np.ndarray, *, bins: int = 30, reject: float = 0.1) -> Column:
    return bin_samples(3, 1.5, [Sample(KEY, values, len(values))], bins=bins, reject=reject)[0]


@given(samples(), BINS, SHARES)
def test_equal_to_the_reference(values: np.ndarray, bins: int, reject: float) -> None:
    assert seen(one(values, bins=bins, reject=reject)) == expected(values, bins, reject)


@given(samples(), BINS, SHARES)
def test_all_is_counted_once(values: np.ndarray, bins: int, reject: float) -> None:
    column = one(values, bins=bins, reject=reject)
    assert column.counts.sum() + column.nan + column.posinf + column.neginf + column.rejected == len(values)
    assert column.rejected <= reject * np.isfinite(values).sum()


@given(samples())
def test_moments(values: np.ndarray) -> None:
    column = one(values)
    finite = np.sort(values[np.isfinite(values)].astype(np.float64))
    if not len(finite):
        assert all(isnan(value) for value in (column.mean, column.std, column.min, column.max))
        return
    assert (column.min, column.max) == (finite[0], finite[-1])
    size = max(abs(finite[0]), abs(finite[-1])) or 1.0
    scaled = [float(value) for value in finite / size]
    mean = fsum(scaled) / len(scaled)
    std = (fsum((value - mean) ** 2 for value in scaled) / len(scaled)) ** 0.5
    assert column.mean / size == pytest.approx(mean, rel=1e-9, abs=1e-12)
    assert column.std / size == pytest.approx(std, rel=1e-6, abs=1e-7)
    assert column.min <= column.mean <= column.max


@given(st.lists(samples(), max_size=8), SHARES)
def test_series_do_not_touch_each_other(rows: list[np.ndarray], reject: float) -> None:
    keys = [Key("layer", call, "output", "x") for call in range(len(rows))]
    together = bin_samples(
        0, 0.0, [Sample(key, row, 9) for key, row in zip(keys, rows, strict=True)], bins=30, reject=reject
    )
    assert [column.key for column in together] == keys
    assert [seen(column) for column in together] == [seen(one(row, reject=reject)) for row in rows]


@given(samples(), BINS)
def test_kept_values_fill_the_bins(values: np.ndarray, bins: int) -> None:
    column = one(values, bins=bins, reject=0.0)
    used = np.flatnonzero(column.counts)
    inside = np.abs(column.low) < MAX / 16 and np.abs(column.high) < MAX / 16
    if inside and len(used) and column.std > 1e-9 * max(abs(column.min), abs(column.max)):
        assert used[-1] - used[0] + 1 >= bins / 2
        assert column.low <= column.min <= column.max < column.high


@given(samples(), BINS)
def test_a_norm_has_no_negative_range(values: np.ndarray, bins: int) -> None:
    assert one(np.abs(values), bins=bins).low >= 0
    assert one(-np.abs(values) - 1, bins=bins).high <= 0 or not np.isfinite(values).any()


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0.0],
        [-0.0, 0.0],
        [1e16] * 1000,
        [1e38] * 3,
        [1e308],
        [MAX, -MAX],
        [MAX] * 3,
        [MAX, -TINY],
        [-MAX, TINY],
        [TINY],
        [-TINY],
        [TINY, -TINY, 0.0],
        [np.nan] * 5,
        [np.inf, -np.inf, np.nan],
        [np.inf, 1.0],
        [1.0, np.nextafter(1.0, 2.0)],
        [0.1] * 7,
    ],
    ids=str,
)
@pytest.mark.parametrize("bins", [2, 3, 30, 31])
def test_hostile_samples(values: list[float], bins: int) -> None:
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        column = one(np.array(values), bins=bins)
    assert seen(column) == expected(np.array(values), bins, 0.1)
    assert np.isfinite([column.low, column.high, column.high - column.low]).all()
    assert column.low < column.high


def test_constants_are_exact() -> None:
    for value in (0.1, -1e16, 1e38, MAX, TINY):
        column = one(np.full(999, value))
        assert (column.mean, column.std, column.rejected) == (value, 0.0, 0)


def test_the_farthest_are_rejected() -> None:
    values = np.array([*range(10, 28), 1000.0, -500.0], dtype=np.float32)
    column = one(values)
    assert column.rejected == 2
    assert (column.min, column.max) == (-500, 1000)
    assert column.low >= 0
    assert column.high < 64


def test_equally_far_values_stay_together() -> None:
    assert one(np.array([-1.0] * 5 + [0.0] * 90 + [1.0] * 5)).rejected == 10
    assert one(np.array([-1.0] * 6 + [0.0] * 88 + [1.0] * 6)).rejected == 0


def test_a_view_with_strides_and_whole_numbers() -> None:
    assert seen(one(np.arange(20.0)[::2])) == expected(np.arange(0.0, 20.0, 2.0), 30, 0.1)
    assert one(np.arange(10)).counts.sum() == 10
    assert one(np.array([True, False])).counts.sum() == 2


def test_samples_are_not_changed() -> None:
    values = np.array([3.0, 1.0, 2.0])
    one(values)
    assert values.tolist() == [3.0, 1.0, 2.0]
