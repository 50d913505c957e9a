"""What is written can be read, at any time, and what is written again replaces."""

import math
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from tests.render.made import chain, module, placed, small
from tests.store.made import OUTPUT, WEIGHT, columns, record, sample, writer
from torchexplorer.stats import Column, History, HistoryBook, assemble
from torchexplorer.store import RunReader
from torchexplorer.store.columns import pack_column, pack_counts, unpack_column, unpack_counts


def assert_same(seen: History, wanted: History) -> None:
    for field in fields(History):
        np.testing.assert_allclose(
            getattr(seen, field.name), getattr(wanted, field.name), rtol=1e-12, err_msg=field.name
        )


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "run one?#%.sqlite"
    record(path, range(5))
    reader = RunReader(path)
    graph = small()
    assert reader.graph() == graph
    assert reader.placements() == placed(graph)
    histories = reader.histories()
    assert set(histories) == {WEIGHT, OUTPUT}
    wanted = assemble([column for step in range(5) for column in columns(step, WEIGHT)], max_columns=None)
    assert_same(histories[WEIGHT], wanted)
    info = reader.info()
    assert (info.run, info.steps, info.step, info.time) == ("run one?#%", 5, 4, 4.0)
    assert info.config == {"model": "Net", "time_unit": "step"}
    assert info.created <= info.written <= (info.ended or 0)
    reader.close()
    reader.close()


def test_only_some_histories(tmp_path: Path) -> None:
    record(tmp_path / "run.sqlite", range(3))
    reader = RunReader(tmp_path / "run.sqlite")
    assert set(reader.histories([OUTPUT, replace(OUTPUT, call=7)])) == {OUTPUT}
    reader.close()


@pytest.mark.parametrize("most", [1, 4, 64, None])
def test_many_columns_merge_like_the_book(tmp_path: Path, most: int | None) -> None:
    """Read step by step or at once, the histories are those of all steps."""
    path = tmp_path / "run.sqlite"
    store, book = writer(path), HistoryBook(max_columns=most or 10_000)
    reader = RunReader(path)
    for step in range(40):
        store.write(step, float(step), "train", columns(step, WEIGHT, book=book))
        if step % 7 == 0:
            reader.histories(max_columns=most)
    assert_same(reader.histories(max_columns=most)[WEIGHT], book[WEIGHT])
    later = RunReader(path)
    assert_same(later.histories(max_columns=most)[WEIGHT], book[WEIGHT])
    store.close()
    reader.close()
    later.close()


def test_a_long_run_is_thinned_when_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchexplorer.store.shelf.COLUMNS_AT_ONCE", 20)
    record(tmp_path / "run.sqlite", range(41))
    reader = RunReader(tmp_path / "run.sqlite")
    steps = reader.histories()[WEIGHT].steps
    assert list(steps) == [0, 8, 16, 24, 32, 40]  # two series, so at most 10 steps: every 8th
    reader.close()


def test_a_second_write_of_a_step_replaces(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store, reader = writer(path), RunReader(path)
    store.write(0, 0.0, "train", columns(0), small(), placed(small()))
    store.write(1, 1.0, "train", columns(1))
    before = reader.version(), reader.histories()[WEIGHT]
    (changed,) = HistoryBook().add(1, 1.0, [replace(sample(WEIGHT, 50))])
    store.write(1, 1.5, "train", [changed])
    assert reader.version() > before[0]
    after = reader.histories()
    assert after[WEIGHT].max[1] == pytest.approx(sample(WEIGHT, 50).values.max())
    assert after[WEIGHT].max[1] != before[1].max[1]
    assert list(after[WEIGHT].times) == [0.0, 1.5]
    assert list(after[OUTPUT].steps) == [0, 1]  # not written again, so kept
    assert reader.info().steps == 2
    store.close()
    reader.close()


def test_an_older_step_written_again(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store, reader = writer(path), RunReader(path)
    for step in (0, 1, 2):
        store.write(step, float(step), "train", columns(step, WEIGHT))
    reader.histories()
    store.write(1, 1.0, "train", HistoryBook().add(1, 1.0, [sample(WEIGHT, 50)]))
    assert list(reader.histories()[WEIGHT].steps) == [0, 1, 2]
    assert reader.histories()[WEIGHT].max[1] == pytest.approx(sample(WEIGHT, 50).values.max())
    store.close()
    reader.close()


def test_phases_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = writer(path)
    evaluated = replace(WEIGHT, phase="eval")
    other = chain("", "Net", module("other"))
    store.write(0, 0.0, "train", columns(0, WEIGHT), small(), placed(small()))
    store.write(0, 0.0, "eval", columns(0, evaluated), other, placed(other))
    reader = RunReader(path)
    assert set(reader.histories()) == {WEIGHT, evaluated}
    assert reader.graph() == small()  # the training graph, though the other came later
    assert reader.first_step("eval") == 0
    store.close()
    reader.close()


def test_numbers_that_sqlite_has_not(tmp_path: Path) -> None:
    """NaN moments of an empty sample, a time that is not a number, counts of every size."""
    column = Column(
        WEIGHT, 3, math.nan, 0.0, 2.0, np.array([0, 2**40]), 5, 1, 0, 2, 10, math.nan, math.nan, math.nan, math.nan, 0
    )
    store = writer(tmp_path / "run.sqlite")
    store.write(3, math.nan, "train", [column])
    store.close()
    reader = RunReader(tmp_path / "run.sqlite")
    history = reader.histories()[WEIGHT]
    assert np.isnan([history.times[0], history.mean[0], history.std[0], history.min[0]]).all()
    assert (history.nan[0], history.posinf[0], history.rejected[0], history.seen[0]) == (5, 1, 2, 10)
    assert history.counts.sum() == 2**40
    reader.close()


@pytest.mark.parametrize("most", [0, 255, 256, 70_000, 2**40])
def test_counts_are_small(most: int) -> None:
    counts = np.array([0, 1, most])
    packed = pack_counts(counts)
    np.testing.assert_array_equal(unpack_counts(packed), counts)
    assert len(packed) == 1 + 3 * max(1, 1 << (max(most.bit_length() - 1, 0) // 8).bit_length())


def test_a_column_comes_back() -> None:
    (column,) = columns(2, WEIGHT)
    back = unpack_column(WEIGHT, 2, 2.0, pack_column(column))
    assert all(np.array_equal(getattr(back, f.name), getattr(column, f.name)) for f in fields(Column))
