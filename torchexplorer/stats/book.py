"""All histories of a run in memory.

In: samples, step by step. Out: columns for the store, and a history for each key. Owns every series; one thread adds,
any may read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from threading import Lock
from typing import Any

from torchexplorer.stats.binning import bin_samples
from torchexplorer.stats.column import Column
from torchexplorer.stats.grid import LARGEST_BINS
from torchexplorer.stats.history import History, assemble
from torchexplorer.stats.series import Series, advance, pack, unpack
from torchexplorer.trace.records import Key, Sample


class HistoryBook(Mapping[Key, History]):
    """The history of each series, from its samples.

    Each step has `bins` equal bins per series, which leave out the `reject_outlier_proportion` of the finite values
    that is farthest from the median. A series holds at most `max_columns` columns; then neighbours merge.
    """

    def __init__(self, bins: int = 30, *, reject_outlier_proportion: float = 0.1, max_columns: int = 64) -> None:
        _check("bins", bins, 2 <= bins <= LARGEST_BINS, f"a whole number from 2 to {LARGEST_BINS}, such as 30")
        proportion = reject_outlier_proportion
        _check("reject_outlier_proportion", proportion, 0 <= proportion < 1, "a number from 0 to below 1, such as 0.1")
        _check("max_columns", max_columns, max_columns >= 1, "a whole number from 1, such as 64")
        self._bins = bins
        self._reject = proportion
        self._max_columns = max_columns
        self._series: dict[Key, Series] = {}
        self._lock = Lock()

    def add(self, step: int, time: float, samples: Sequence[Sample]) -> list[Column]:
        """Bin the samples of a step and keep the columns, which are returned in the order of the samples.

        A further sample of the latest step of a series replaces that step's column.
        """
        columns = bin_samples(step, time, samples, bins=self._bins, reject=self._reject)
        unique = {column.key: column for column in columns}
        with self._lock:
            series = [self._series.setdefault(key, Series()) for key in unique]
            advance(series, list(unique.values()), self._max_columns)
        return columns

    def __getitem__(self, key: Key) -> History:
        with self._lock:
            columns = self._series[key].columns()
        return assemble(columns, max_columns=None)

    def __contains__(self, key: object) -> bool:
        return key in self._series

    def __iter__(self) -> Iterator[Key]:
        with self._lock:
            return iter(list(self._series))

    def __len__(self) -> int:
        return len(self._series)

    def state_dict(self) -> dict[str, Any]:
        """All columns as builtins and numpy arrays, for `load_state_dict`."""
        with self._lock:
            series = [(astuple(key), pack(one)) for key, one in self._series.items()]
        return {"bins": self._bins, "series": series}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace all columns by those of `state`. Raises ValueError if they have another number of bins."""
        if state["bins"] != self._bins:
            raise ValueError(
                f"Can't load these histories: they have {state['bins']} bins, and this watcher has {self._bins}. "
                f"Watch with bins={state['bins']} to go on with them."
            )
        loaded = ((Key(*key), one) for key, one in state["series"])
        series = {key: unpack(key, one) for key, one in loaded}
        with self._lock:
            self._series = series


def _check(name: str, value: float, holds: bool, wanted: str) -> None:
    if not holds:
        raise ValueError(f"Can't keep histories: got {name}={value!r}. Pass {wanted}.")
