"""The book: bounded, replaceable, restorable, and readable while it grows."""

import pickle
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.stats.reference import seen
from torchexplorer.stats import Column, History, HistoryBook, assemble
from torchexplorer.trace.records import Key, Sample

KEYS = [Key("layer", call, "output", "x") for call in range(3)]


def sample(key: Key, seed: int) -> Sample:
    random = np.random.default_rng(seed)
    return Sample(key, random.standard_normal(20) * random.lognormal(0, 5), 1000)


def same(one: History, other: History) -> bool:
    """Whether all is equal, moments up to rounding."""
    exact = [name for name in History.__dataclass_fields__ if name not in ("mean", "std")]
    close = all(np.allclose(getattr(one, name), getattr(other, name)) for name in ("mean", "std"))
    return close and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in exact)


def identical(one: History, other: History) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in History.__dataclass_fields__)


@given(st.lists(st.lists(st.sampled_from(KEYS), unique=True), max_size=50), st.integers(1, 6))
def test_memory_and_store_agree(steps: list[list[Key]], most: int) -> None:
    """What the book shows is what `assemble` shows for all columns that were returned."""
    book = HistoryBook(bins=7, max_columns=most)
    stored: dict[Key, list[Column]] = {}
    for step, keys in enumerate(steps):
        for column in book.add(step, float(step), [sample(key, step) for key in keys]):
            stored.setdefault(column.key, []).append(column)
    assert list(book) == list(stored)
    for key, columns in stored.items():
        assert len(book[key].steps) <= most
        assert same(book[key], assemble(columns, max_columns=most))


@given(st.lists(st.integers(0, 1), max_size=40), st.integers(1, 5))
def test_a_step_is_replaced(advances: list[int], most: int) -> None:
    book, plain = HistoryBook(max_columns=most), HistoryBook(max_columns=most)
    step, latest = 0, dict[int, Sample]()
    for seed, advance in enumerate(advances):
        step += advance
        latest[step] = sample(KEYS[0], seed)
        book.add(step, 0.0, [latest[step]])
    for step, last in latest.items():
        plain.add(step, 0.0, [last])
    assert all(identical(book[key], plain[key]) for key in plain)
    assert len(book) == len(plain)


def test_replacing_touches_only_the_keys_given() -> None:
    book = HistoryBook()
    book.add(0, 0.0, [sample(KEYS[0], 1), sample(KEYS[1], 2)])
    before = book[KEYS[1]]
    book.add(0, 9.0, [sample(KEYS[0], 3)])
    assert identical(book[KEYS[1]], before)
    assert book[KEYS[0]].times.tolist() == [9.0]


def test_a_key_twice_in_one_step() -> None:
    book = HistoryBook()
    columns = book.add(0, 0.0, [sample(KEYS[0], 1), sample(KEYS[0], 2)])
    assert len(columns) == 2
    assert seen(columns[1])[2] == book[KEYS[0]].counts[0].tolist()


def test_a_mapping() -> None:
    book = HistoryBook()
    book.add(4, 0.5, [sample(key, 1) for key in KEYS[:2]])
    assert isinstance(book, Mapping)
    assert list(book.keys()) == KEYS[:2]
    assert [history.steps.tolist() for history in book.values()] == [[4], [4]]
    assert len(book) == 2
    assert KEYS[0] in book
    assert KEYS[2] not in book
    assert book.get(KEYS[2]) is None
    with pytest.raises(KeyError):
        book[KEYS[2]]


def test_a_long_run_stays_bounded() -> None:
    book = HistoryBook(bins=5, max_columns=8)
    for step in range(1000):
        book.add(step, step / 10, [Sample(KEYS[0], np.array([float(step)]), 1)])
    history = book[KEYS[0]]
    assert history.steps.tolist() == list(range(0, 1000, 128))
    assert history.counts.sum(axis=1).tolist() == [128] * 7 + [104]
    assert history.mean[0] == pytest.approx(np.arange(128).mean())
    assert history.std[0] == pytest.approx(np.arange(128).std())
    assert history.max[-1] == 999


@pytest.mark.parametrize("steps", [0, 1, 7, 8, 9, 20, 33])
def test_the_state_comes_back_exactly(steps: int, tmp_path: Path) -> None:
    book = HistoryBook(max_columns=8)
    grow(book, range(steps))
    torch.save(book.state_dict(), tmp_path / "state.pt")
    loaded = torch.load(tmp_path / "state.pt", weights_only=False)
    for state in (pickle.loads(pickle.dumps(book.state_dict())), loaded):
        again = HistoryBook(max_columns=8)
        again.load_state_dict(state)
        original = HistoryBook(max_columns=8)
        original.load_state_dict(book.state_dict())
        for other in (again, original):
            grow(other, range(steps, steps + 9))
        assert list(again) == list(original)
        assert all(identical(again[key], original[key]) for key in original)


def test_a_restored_book_goes_on_as_if_it_had_not_stopped() -> None:
    straight, stopped, resumed = (HistoryBook(max_columns=4) for _ in range(3))
    grow(straight, range(30))
    grow(stopped, range(13))
    resumed.load_state_dict(stopped.state_dict())
    grow(resumed, range(13, 30))
    assert all(identical(straight[key], resumed[key]) for key in straight)


def test_a_state_in_a_smaller_book() -> None:
    book, small = HistoryBook(max_columns=64), HistoryBook(max_columns=4)
    grow(book, range(40))
    small.load_state_dict(book.state_dict())
    grow(small, [40])
    grow(book, [40])
    assert len(small[KEYS[0]].steps) == 3
    assert small[KEYS[0]].counts.sum() == book[KEYS[0]].counts.sum()


def test_a_state_is_builtins_and_arrays() -> None:
    book = HistoryBook()
    grow(book, range(3))
    for value in leaves(book.state_dict()):
        assert type(value) in (int, float, str, np.ndarray)


def test_a_state_of_other_bins() -> None:
    with pytest.raises(ValueError, match=r"they have 20 bins, and this watcher has 30\. Watch with bins=20"):
        HistoryBook().load_state_dict(HistoryBook(bins=20).state_dict())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": 1}, r"got bins=1\. Pass a whole number from 2"),
        ({"bins": 10**9}, "got bins=1000000000"),
        ({"reject_outlier_proportion": 1.0}, r"got reject_outlier_proportion=1\.0\. Pass a number from 0"),
        ({"reject_outlier_proportion": -0.1}, "got reject_outlier_proportion"),
        ({"max_columns": 0}, "got max_columns=0"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HistoryBook(**options)


def test_reading_while_adding() -> None:
    book = HistoryBook(max_columns=4)
    faults: list[BaseException] = []
    adding = Thread(target=grow, args=(book, range(300)))

    def read() -> None:
        try:
            while adding.is_alive():
                for key, history in book.items():
                    assert key in KEYS
                    assert len({len(history.steps), len(history.counts), len(history.mean)}) == 1
                    assert (np.diff(history.steps) > 0).all()
                book.state_dict()
        except BaseException as fault:
            faults.append(fault)

    readers = [Thread(target=read) for _ in range(2)]
    for thread in [adding, *readers]:
        thread.start()
    for thread in [adding, *readers]:
        thread.join(timeout=60)
    assert not faults


def grow(book: HistoryBook, steps: Iterable[int]) -> None:
    for step in steps:
        book.add(step, float(step), [sample(key, step) for key in KEYS])


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]
