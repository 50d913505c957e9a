"""The runs in some folders, as the page asks for them.

In: folders. Out: descriptions of their runs, and the rows of one, as JSON. State: open readers of the runs that were
looked at last. Used by one thread. A run is found by its name in a listing; no name ever becomes part of a path.
"""

from __future__ import annotations

import json
import os
import time as clock
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchexplorer.render import explorer_rows
from torchexplorer.store import RunInfo, RunReader, UnreadableRun

SUFFIX = ".sqlite"
OPEN_READERS = 4
"""Runs whose histories stay in memory."""


@dataclass(eq=False)
class Book:
    """One run being read: its reader, which file that is, and the last answer made from it."""

    reader: RunReader
    file: tuple[int, int]
    version: int = -1
    text: str = ""


class Library:
    """Runs by name. Where two folders hold a run of one name, the later folder's has the folder's name before it."""

    def __init__(self, *folders: Path) -> None:
        self._folders: list[Path] = []
        self._books: OrderedDict[Path, Book] = OrderedDict()
        for folder in folders:
            self.add(folder)

    def add(self, folder: Path) -> None:
        """Show the runs of this folder too; it need not exist yet."""
        absolute = folder.absolute()
        if absolute not in self._folders:
            self._folders.append(absolute)

    def listing(self) -> dict[str, Path]:
        """The file of each run, by the run's name."""
        found: dict[str, Path] = {}
        for folder in list(self._folders):
            for path in sorted(folder.glob(f"*{SUFFIX}")):
                name = path.name.removesuffix(SUFFIX)
                found.setdefault(name if name not in found else f"{folder.name}/{name}", path)
        return found

    def runs(self) -> list[dict[str, Any]]:
        """What the page lists, the newest first; a file that can't be read is listed with the reason, at the end."""
        described = [_described(name, path) for name, path in self.listing().items()]
        return sorted(described, key=lambda run: run["created"], reverse=True)

    def state(self, name: str) -> dict[str, Any] | None:
        """How a run is doing: version, age of the last write in seconds, whether it has ended. None: no such run."""
        book = self._book(name)
        if book is None:
            return None
        info = book.reader.info()
        return {
            "version": book.reader.version(),
            "age": _age(info),
            "ended": info.ended is not None,
            "steps": info.steps,
            "step": info.step,
        }

    def version(self, name: str) -> int | None:
        """A number that changes with each commit to the run. None: no such run (yet)."""
        book = self._book(name)
        return None if book is None else book.reader.version()

    def rows(self, name: str) -> tuple[int, str] | None:
        """The run's version, and its rows as JSON, no rows before the first step. None: no such run."""
        book = self._book(name)
        if book is None:
            return None
        version = book.reader.version()
        if book.version != version:
            book.text = _answer(name, version, book.reader)
            book.version = version
        return version, book.text

    def close(self) -> None:
        """Close all files."""
        while self._books:
            self._books.popitem()[1].reader.close()

    def _book(self, name: str) -> Book | None:
        """The open run, kept as long as its file is the same one."""
        path = self.listing().get(name)
        if path is None:
            return None
        book = self._books.pop(path, None)
        try:
            file = _identity(path)
            if book is not None and book.file != file:
                book.reader.close()
                book = None
            book = book or Book(RunReader(path), file)
        except (FileNotFoundError, UnreadableRun):
            return None
        self._books[path] = book
        while len(self._books) > OPEN_READERS:
            self._books.popitem(last=False)[1].reader.close()
        return book


def _answer(name: str, version: int, reader: RunReader) -> str:
    """`cost` is how long it took to make in seconds, so that the page asks no more often than is cheap."""
    begun = clock.perf_counter()
    rows = _rows(reader)
    cost = round(clock.perf_counter() - begun, 3)
    answer = {"name": name, "version": version, "cost": cost, "rows": rows}
    return json.dumps(answer, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _rows(reader: RunReader) -> list[dict[str, Any]]:
    graph = reader.graph()
    if graph is None:
        return []
    info = reader.info()
    return explorer_rows(
        graph,
        reader.placements(),
        reader.histories(),
        run=info.run,
        step=info.step,
        time=info.time,
        time_unit=str(info.config.get("time_unit", "step")),
    )


def _described(name: str, path: Path) -> dict[str, Any]:
    try:
        reader = RunReader(path)
    except UnreadableRun as error:
        return {"name": name, "created": 0.0, "error": str(error)}
    try:
        info = reader.info()
    finally:
        reader.close()
    return {
        "name": name,
        "run": info.run,
        "model": str(info.config.get("model", "")),
        "created": info.created,
        "age": _age(info),
        "ended": info.ended is not None,
        "steps": info.steps,
        "step": info.step,
    }


def _age(info: RunInfo) -> float:
    return round(max(clock.time() - info.written, 0.0), 1)


def _identity(path: Path) -> tuple[int, int]:
    seen = os.stat(path)
    return seen.st_dev, seen.st_ino
