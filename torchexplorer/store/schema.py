"""The tables of a run's file, and how such a file is opened.

In: a path. Out: a connection for the one writer or for a reader; an error that says what to do for a file of another
kind or of a newer schema. Owns no state. docs/store.md describes the tables.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

SCHEMA_VERSION = 1
APPLICATION_ID = 0x74783031
"""Marks our files among other SQLite files, in their header."""

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE graphs (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, graph TEXT NOT NULL, placements TEXT NOT NULL
);
CREATE TABLE steps (
    id INTEGER PRIMARY KEY, phase TEXT NOT NULL, step INTEGER NOT NULL, time REAL, written REAL NOT NULL,
    version INTEGER NOT NULL, graph INTEGER REFERENCES graphs, UNIQUE (phase, step)
);
CREATE INDEX steps_by_version ON steps (version);
CREATE TABLE series (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, call INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    phase TEXT NOT NULL, UNIQUE (path, call, kind, name, phase)
);
CREATE TABLE columns (
    step INTEGER NOT NULL REFERENCES steps, series INTEGER NOT NULL REFERENCES series,
    low REAL NOT NULL, high REAL NOT NULL, counts BLOB NOT NULL,
    nan INTEGER NOT NULL, posinf INTEGER NOT NULL, neginf INTEGER NOT NULL, rejected INTEGER NOT NULL,
    seen INTEGER NOT NULL, mean REAL, std REAL, min REAL, max REAL, zeros INTEGER NOT NULL,
    PRIMARY KEY (step, series)
) WITHOUT ROWID;
"""


class UnreadableRun(ValueError):
    """A file that holds no recording, or one that this version can't read."""


class WriteFailed(OSError):
    """A recording could not be written: the disk is full, the folder is read-only, or the like."""


def open_writable(path: Path) -> sqlite3.Connection:
    """The file for writing, made where it is missing. Raises sqlite3.Error, or UnreadableRun."""
    db = _connect(path.absolute().as_uri() + "?mode=rwc")
    try:
        _check(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if not _made(db):
            script = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
            db.executescript(f"BEGIN IMMEDIATE; {script} {TABLES} COMMIT;")
    except BaseException:
        db.close()
        raise
    return db


def open_readable(path: Path) -> sqlite3.Connection:
    """The file for reading only. Raises UnreadableRun where it is none, is still being made, or is newer than this."""
    uri = path.absolute().as_uri()
    if not path.is_file():
        raise UnreadableRun(f"Opening a recording failed. Seen: no file at {path}. Give the path of a .sqlite file.")
    try:
        return _checked(uri + "?mode=ro", path)
    except sqlite3.OperationalError as error:
        if path.with_name(path.name + "-wal").exists():
            raise UnreadableRun(_unreadable(path, error)) from error
    try:  # in a folder that can't be written to, SQLite reads a finished file only as one that nobody changes
        return _checked(uri + "?mode=ro&immutable=1", path)
    except sqlite3.OperationalError as error:
        raise UnreadableRun(_unreadable(path, error)) from error


def _checked(uri: str, path: Path) -> sqlite3.Connection:
    db = _connect(uri)
    try:
        _check(db, path)
        if not _made(db):
            raise UnreadableRun(f"Opening a recording failed. Seen: {path} is still empty. Try again in a second.")
    except BaseException:
        db.close()
        raise
    return db


def _connect(uri: str) -> sqlite3.Connection:
    """No implicit transactions; any thread may use it, one at a time."""
    return sqlite3.connect(uri, uri=True, timeout=10.0, isolation_level=None, check_same_thread=False)


def _made(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA user_version").fetchone()[0])


def _check(db: sqlite3.Connection, path: Path) -> None:
    try:
        kind, version = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        raise UnreadableRun(_unreadable(path, error)) from error
    if kind != APPLICATION_ID and (version or tables):
        raise UnreadableRun(_unreadable(path, "it was not written by torchexplorer"))
    if version > SCHEMA_VERSION:
        raise UnreadableRun(
            f"Opening the recording {path} failed. Seen: schema {version}, and this torchexplorer reads up to schema "
            f"{SCHEMA_VERSION}. A newer torchexplorer wrote it. Run: pip install --upgrade torchexplorer"
        )


def _unreadable(path: Path, seen: object) -> str:
    return f"Opening the recording {path} failed. Seen: {seen}. Give a .sqlite file that torchexplorer wrote."
