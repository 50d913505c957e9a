"""The histories of a run's file, kept up to date by reading only the steps that were written since the last look.

In: a reading connection. Out: a History for each key. State: the merged columns of every series, and what was seen.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable

from torchexplorer.stats import History, Series, advance, assemble
from torchexplorer.store.columns import FIELDS, unpack_column
from torchexplorer.trace.records import Key

COLUMNS_AT_ONCE = 100_000
"""Columns read in one look, about 2 seconds. Where more are new, every 2nd, 4th, ... of the new steps is read."""

Step = tuple[int, int, float, str, int]
"""id, step, time, phase, version."""


class Shelf:
    """At most `max_columns` columns a series (None: all): neighbours merge, as in a HistoryBook."""

    def __init__(self, max_columns: int | None) -> None:
        self._most = sys.maxsize if max_columns is None else max_columns
        self._limit = sys.maxsize if max_columns is None else COLUMNS_AT_ONCE
        self._rewound = 0
        self._clear()

    def _clear(self) -> None:
        self._seen = 0
        self._last: dict[str, int] = {}
        self._keys: dict[int, Key] = {}
        self._series: dict[Key, Series] = {}
        self._ready: dict[Key, History] = {}

    def refresh(self, db: sqlite3.Connection, rewound: int) -> None:
        """Read what is new. `rewound` is the file's version at which steps were last forgotten."""
        if rewound != self._rewound:
            self._rewound = rewound
            self._clear()
        steps = self._new_steps(db)
        if any(row < self._last.get(phase, 0) for row, _, _, phase, _ in steps):  # an older step was written again
            self._clear()
            steps = self._new_steps(db)
        if steps:
            found = db.execute("SELECT id, path, call, kind, name, phase FROM series")
            self._keys = {row: Key(*key) for row, *key in found}
            for step in self._thinned(steps):
                self._add(db, step)
            self._seen = max(version for *_, version in steps)
            self._last.update({phase: row for row, _, _, phase, _ in steps})

    def histories(self, keys: Iterable[Key] | None) -> dict[Key, History]:
        """A history for each of `keys` that has columns; for all where None."""
        wanted = self._series if keys is None else [key for key in keys if key in self._series]
        for key in wanted:
            if key not in self._ready:
                self._ready[key] = assemble(self._series[key].columns(), max_columns=None)
        return {key: self._ready[key] for key in wanted}

    def _new_steps(self, db: sqlite3.Connection) -> list[Step]:
        found = db.execute(
            "SELECT id, step, time, phase, version FROM steps WHERE version > ? ORDER BY id", (self._seen,)
        )
        return found.fetchall()

    def _thinned(self, steps: list[Step]) -> list[Step]:
        most = max(self._limit // max(len(self._keys), 1), 1)
        stride = 1 << (-(-len(steps) // most) - 1).bit_length()
        last = {phase: row for row, _, _, phase, _ in steps}
        return [step for index, step in enumerate(steps) if index % stride == 0 or step[0] == last[step[3]]]

    def _add(self, db: sqlite3.Connection, step: Step) -> None:
        row, number, time, _, _ = step
        found = db.execute(f"SELECT series, {', '.join(FIELDS)} FROM columns WHERE step = ?", (row,))
        columns = [unpack_column(self._keys[series], number, time, values) for series, *values in found]
        series = [self._series.setdefault(column.key, Series()) for column in columns]
        advance(series, columns, self._most)
        for column in columns:
            self._ready.pop(column.key, None)
