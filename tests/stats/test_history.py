"""Columns put together: merging is exact and does not depend on the order of merging."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stats.reference import KEY, binned
from tests.stats.test_binning import BINS, samples
from torchexplorer.stats import Column, History, assemble
from torchexplorer.stats.binning import bin_samples
from torchexplorer.stats.column import merge
from torchexplorer.stats.grid import limits
from torchexplorer.trace.records import Sample

RUNS = st.lists(samples(), min_size=1, max_size=9)
ADDED = ("nan", "posinf", "neginf", "rejected", "seen", "zeros")


def columns_of(rows: Sequence[np.ndarray], *, bins: int = 30, reject: float = 0.0) -> list[Column]:
    return [
        bin_samples(step, step / 2, [Sample(KEY, row, 2 * len(row))], bins=bins, reject=reject)[0]
        for step, row in enumerate(rows)
    ]


def recount(values: np.ndarray, edges: np.ndarray) -> list[int]:
    """How many of the finite values are in each bin."""
    finite = np.sort(values[np.isfinite(values)].astype(np.float64))
    return np.diff(np.clip(finite, *limits(len(edges) - 1)).searchsorted(edges)).tolist()


@given(RUNS, BINS)
def test_counts_are_those_of_binning_on_the_shared_edges(rows: list[np.ndarray], bins: int) -> None:
    history = assemble(columns_of(rows, bins=bins), max_columns=None)
    assert history.counts.tolist() == [recount(row, history.edges) for row in rows]
    assert history.steps.tolist() == list(range(len(rows)))
    assert history.times.tolist() == [step / 2 for step in range(len(rows))]
    assert (np.diff(history.edges) > 0).all()


@given(RUNS, BINS, st.integers(1, 8))
def test_merged_columns_are_sums(rows: list[np.ndarray], bins: int, most: int) -> None:
    columns = columns_of(rows, bins=bins, reject=0.1)
    plain, merged = assemble(columns, max_columns=None), assemble(columns, max_columns=most)
    assert len(merged.steps) <= most
    starts = [plain.steps.tolist().index(step) for step in merged.steps]
    for name in ADDED:
        assert (getattr(merged, name) == np.add.reduceat(getattr(plain, name), starts)).all()
    assert (merged.edges == plain.edges).all()
    assert (merged.counts == np.add.reduceat(plain.counts, starts)).all()
    assert (merged.times == plain.times[starts]).all()


@given(RUNS, BINS, st.data())
def test_merging_does_not_depend_on_the_order(rows: list[np.ndarray], bins: int, data: st.DataObject) -> None:
    columns = columns_of(rows, bins=bins)
    (at_once,) = merge(columns, [0])
    while len(columns) > 1:
        start = data.draw(st.integers(0, len(columns) - 2))
        columns[start : start + 2] = merge(columns[start : start + 2], [0])
    (by_pairs,) = columns
    assert (by_pairs.low, by_pairs.high, by_pairs.counts.tolist()) == (
        at_once.low,
        at_once.high,
        at_once.counts.tolist(),
    )
    assert by_pairs.mean == pytest.approx(at_once.mean, rel=1e-6, abs=1e-6 * abs(at_once.max), nan_ok=True)


@given(RUNS, BINS)
def test_a_merged_column_is_the_column_of_all_values(rows: list[np.ndarray], bins: int) -> None:
    columns = columns_of(rows, bins=bins)
    (merged,) = merge(columns, [0])
    (whole,) = columns_of([np.concatenate([row.astype(np.float64) for row in rows])], bins=bins)
    assert np.array_equal([merged.min, merged.max], [whole.min, whole.max], equal_nan=True)
    coarsest = max((column.high - column.low for column in columns if column.counts.any()), default=np.inf)
    if whole.high - whole.low >= coarsest:
        assert (merged.low, merged.high, merged.counts.tolist()) == (whole.low, whole.high, whole.counts.tolist())
    size = max(abs(whole.min), abs(whole.max)) or 1.0
    assert merged.mean / size == pytest.approx(whole.mean / size, abs=1e-12, nan_ok=True)
    assert merged.std / size == pytest.approx(whole.std / size, abs=1e-7, nan_ok=True)


def test_only_the_shown_window_sets_the_range() -> None:
    rows = [np.random.default_rng(0).standard_normal(100) * (1e6 if step == 1 else 1e-3) for step in range(9)]
    columns = columns_of(rows)
    whole, late = assemble(columns, max_columns=None), assemble(columns[2:], max_columns=None)
    assert whole.edges[-1] > 1e5
    assert late.edges[-1] < 1e-2
    assert (np.count_nonzero(late.counts, axis=1) >= 8).all()


@pytest.mark.parametrize("value", [1.0, -3.7, 1e16, 1e308, 5e-324, 0.0])
def test_a_constant_gets_a_range_that_an_axis_can_show(value: float) -> None:
    history = assemble(columns_of([np.full(5, value)] * 3), max_columns=None)
    assert history.edges[-1] - history.edges[0] >= abs(value) / 4
    assert history.counts.sum(axis=1).tolist() == [5, 5, 5]
    assert np.count_nonzero(history.counts, axis=1).tolist() == [1, 1, 1]
    assert value <= 0 or history.edges[0] >= 0


def test_nothing_but_nan() -> None:
    history = assemble(columns_of([np.full(4, np.nan), np.empty(0)]), max_columns=None)
    assert history.counts.tolist() == [[0] * 30] * 2
    assert history.nan.tolist() == [4, 0]
    assert np.isfinite(history.edges).all()
    assert history.edges[0] == 0


def test_zeros_do_not_coarsen_what_follows() -> None:
    late = np.random.default_rng(1).uniform(0, 1e-20, 100)
    history = assemble(columns_of([np.zeros(9), np.full(3, np.nan), late]), max_columns=None)
    assert history.edges[-1] < 1e-19
    assert history.counts[2].tolist() == recount(late, history.edges)


def test_reference_agrees_on_the_edges() -> None:
    values = [0.5, 2.0, 8.0]
    history = assemble(columns_of([np.array([value, value / 2]) for value in values]), max_columns=None)
    low, high, _ = binned([0.25, 8.0], 30)
    assert (history.edges[0], history.edges[-1]) == (low, high)


def test_no_columns() -> None:
    with pytest.raises(ValueError, match="got no columns"):
        assemble([], max_columns=3)


def test_different_bins() -> None:
    mixed = columns_of([np.ones(3)]) + columns_of([np.ones(3)], bins=20)
    with pytest.raises(ValueError, match="columns with 20 and 30 bins"):
        assemble(mixed, max_columns=None)


def test_fields_are_arrays_of_equal_length() -> None:
    history = assemble(columns_of([np.ones(3)] * 5), max_columns=2)
    names = [name for name in History.__dataclass_fields__ if name != "edges"]
    assert {len(getattr(history, name)) for name in names} == {2}
