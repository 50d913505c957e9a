"""Reads a run's file, while it is being written or later.

In: the file. Out: what the run is, its graph with placements, its histories. State: a read-only connection and the
histories read so far. Takes no lock that a writer waits for.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchexplorer.graph import ModuleGraph, from_json
from torchexplorer.layout import Placement
from torchexplorer.stats import History
from torchexplorer.store.columns import unpack_placements
from torchexplorer.store.schema import open_readable
from torchexplorer.store.shelf import Shelf
from torchexplorer.trace.records import Key, Phase

CURRENT_GRAPH = """
SELECT graphs.{} FROM steps JOIN graphs ON graphs.id = steps.graph
ORDER BY steps.phase = 'train' DESC, steps.id DESC LIMIT 1
"""
"""The graph of the latest training step; where there is none, of the latest step."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What a run is. `created`, `written` (last) and `ended` (None while it runs) are in seconds since the epoch.

    `steps` is the number of recorded steps; `step` and `time` are those of the latest, 0 where there is none.
    """

    run: str
    config: Mapping[str, Any]
    created: float
    written: float
    ended: float | None
    steps: int
    step: int
    time: float


class RunReader:
    """A run's file for reading. Raises UnreadableRun where it can't be read."""

    def __init__(self, path: str | Path) -> None:
        self._db = open_readable(Path(path))
        self._shelves: dict[int | None, Shelf] = {}

    def version(self) -> int:
        """A number that grows with each commit."""
        found = self._db.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        return 0 if found is None else int(found[0])

    def info(self) -> RunInfo:
        """What the run is and how far it has come."""
        with self._snapshot():
            meta = self._meta()
            steps: int = self._db.execute("SELECT count(*) FROM steps").fetchone()[0]
            latest = self._db.execute("SELECT step, time, written FROM steps ORDER BY version DESC LIMIT 1").fetchone()
        created = meta.get("created", 0.0)
        step, time, written = latest or (0, 0.0, created)
        return RunInfo(
            meta.get("run", ""), meta.get("config", {}), created, written, meta.get("ended"), steps, step, time
        )

    def first_step(self, phase: Phase) -> int | None:
        """The first recorded step of a phase, None where there is none."""
        found: int | None = self._db.execute("SELECT min(step) FROM steps WHERE phase = ?", (phase,)).fetchone()[0]
        return found

    def graph(self) -> ModuleGraph | None:
        """The latest graph, None before there is one."""
        found = self._db.execute(CURRENT_GRAPH.format("graph")).fetchone()
        return None if found is None else from_json(found[0])

    def placements(self) -> tuple[Placement, ...]:
        """Those of the latest graph."""
        found = self._db.execute(CURRENT_GRAPH.format("placements")).fetchone()
        return () if found is None else unpack_placements(found[0])

    def histories(self, keys: Iterable[Key] | None = None, max_columns: int | None = 64) -> dict[Key, History]:
        """A history for each of `keys` that was recorded; for all where None.

        Where a series has more columns than `max_columns`, neighbours are merged.
        """
        shelf = self._shelves.setdefault(max_columns, Shelf(max_columns))
        with self._snapshot():
            shelf.refresh(self._db, int(self._meta().get("rewound", 0)))
        return shelf.histories(keys)

    def close(self) -> None:
        """Let go of the file. May be called twice."""
        self._db.close()

    def _meta(self) -> dict[str, Any]:
        return {name: json.loads(value) for name, value in self._db.execute("SELECT name, value FROM meta")}

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """Everything that is read inside is of one moment."""
        self._db.execute("BEGIN")
        try:
            yield self._db
        finally:
            self._db.execute("COMMIT")
