"""Writes a run's file, one transaction a step.

In: columns, graphs and placements of recorded steps. Out: the file. State: the file's one writing connection, the
claim on it, and the ids of its series and graphs.
"""

from __future__ import annotations

import json
import sqlite3
import time as clock
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from torchexplorer.graph import ModuleGraph, digest, to_json
from torchexplorer.layout import Placement
from torchexplorer.stats import Column
from torchexplorer.store.claim import Claim
from torchexplorer.store.columns import FIELDS, pack_column, pack_placements
from torchexplorer.store.schema import WriteFailed, open_writable
from torchexplorer.trace.records import Key, Phase

INSERT = f"INSERT OR REPLACE INTO columns (step, series, {', '.join(FIELDS)}) VALUES (?, ?{', ?' * len(FIELDS)})"


class RunWriter:
    """The one writer of a run. Raises RunInUse, UnreadableRun or WriteFailed; after WriteFailed it may be used again.

    An existing file is gone on with. What it holds of steps at or after the first one written now is forgotten, for a
    run that goes on from a checkpoint takes those steps again.
    """

    def __init__(self, path: str | Path, *, run: str, config: Mapping[str, Any]) -> None:
        self._path = Path(path)
        self._phases: set[Phase] = set()
        self._open = False
        with self._explained():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._claim = Claim(self._path)
        try:
            with self._explained():
                self._db = open_writable(self._path)
            self._begin(run, config)
        except BaseException:
            self._claim.release()
            raise

    def _begin(self, run: str, config: Mapping[str, Any]) -> None:
        try:
            with self._explained():
                self._learn()
            self._graph: int | None = None
            with self._transaction():
                if not self._version:
                    self._set("created", clock.time())
                    self._set("rewound", 0)
                self._set("run", run)
                self._set("config", dict(config))
                self._db.execute("DELETE FROM meta WHERE name = 'ended'")
        except BaseException:
            self._db.close()
            raise
        self._open = True

    def write(
        self,
        step: int,
        time: float,
        phase: Phase,
        columns: Sequence[Column],
        graph: ModuleGraph | None = None,
        placements: Sequence[Placement] | None = None,
    ) -> None:
        """Commit a step. A second write of a step replaces the columns given, and keeps the step's others.

        `graph` with its placements where it is another than before. Raises WriteFailed; then nothing is written.
        """
        with self._transaction():
            if phase not in self._phases:
                self._rewind(step, phase)
            if graph is not None:
                self._graph = self._graph_id(graph, placements or ())
            row = self._step_id(step, time, phase)
            keys = self._series_ids([column.key for column in columns])
            packed = ((row, keys[column.key], *pack_column(column)) for column in columns)
            self._db.executemany(INSERT, packed)
        self._phases.add(phase)

    def close(self) -> None:
        """Mark the run as ended and let go of the file. May be called twice."""
        if not self._open:
            return
        self._open = False
        try:
            with self._transaction():
                self._set("ended", clock.time())
            with self._explained():
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the file is whole by itself, for copying
        finally:
            self._db.close()
            self._claim.release()

    def _learn(self) -> None:
        """What the file holds already; a new file holds nothing."""
        found = self._db.execute("SELECT id, path, call, kind, name, phase FROM series")
        self._series = {Key(*key): row for row, *key in found}
        version = self._db.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        self._version = 0 if version is None else int(version[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing, with a new version of the file."""
        known = self._graph
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._set("version", self._version + 1)
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                self._learn()
                self._graph = known
                raise
        self._version += 1

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise WriteFailed(
                f"Writing the recording {self._path} failed. Seen: {error}. What was written before is kept. "
                "Make room on the disk, or give a folder that can be written to as standalone_dir."
            ) from error

    def _set(self, name: str, value: Any) -> None:
        text = json.dumps(value, default=str)
        self._db.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, text))

    def _rewind(self, step: int, phase: Phase) -> None:
        """Forget the steps of `phase` at or after `step`, and let readers know that steps went away."""
        later = "FROM steps WHERE phase = ? AND step >= ?"
        self._db.execute(f"DELETE FROM columns WHERE step IN (SELECT id {later})", (phase, step))
        if self._db.execute(f"DELETE {later}", (phase, step)).rowcount:
            self._set("rewound", self._version + 1)

    def _graph_id(self, graph: ModuleGraph, placements: Sequence[Placement]) -> int:
        name = digest(graph)
        values = (to_json(graph), pack_placements(placements), name)
        if not self._db.execute("UPDATE graphs SET graph = ?, placements = ? WHERE digest = ?", values).rowcount:
            self._db.execute("INSERT INTO graphs (graph, placements, digest) VALUES (?, ?, ?)", values)
        row: int = self._db.execute("SELECT id FROM graphs WHERE digest = ?", (name,)).fetchone()[0]
        return row

    def _step_id(self, step: int, time: float, phase: Phase) -> int:
        values = (float(time), clock.time(), self._version + 1, self._graph, phase, step)
        changed = "UPDATE steps SET time = ?, written = ?, version = ?, graph = ? WHERE phase = ? AND step = ?"
        if not self._db.execute(changed, values).rowcount:
            names = "time, written, version, graph, phase, step"
            self._db.execute(f"INSERT INTO steps ({names}) VALUES (?, ?, ?, ?, ?, ?)", values)
        row: int = self._db.execute("SELECT id FROM steps WHERE phase = ? AND step = ?", (phase, step)).fetchone()[0]
        return row

    def _series_ids(self, keys: Sequence[Key]) -> dict[Key, int]:
        for key in keys:
            if key not in self._series:
                values = (key.path, key.call, key.kind, key.name, key.phase)
                statement = "INSERT INTO series (path, call, kind, name, phase) VALUES (?, ?, ?, ?, ?)"
                self._series[key] = self._db.execute(statement, values).lastrowid or 0
        return self._series
