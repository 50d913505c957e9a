"""A run's file as a file: other kinds, other versions, going on with one, one writer at a time, full disks."""

import os
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from tests.render.made import small
from tests.store.made import OUTPUT, WEIGHT, columns, record, writer
from torchexplorer.store import SCHEMA_VERSION, RunInUse, RunReader, UnreadableRun, WriteFailed


def test_a_newer_schema(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    record(path, range(1))
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    db.close()
    for opening in (lambda: RunReader(path), lambda: writer(path)):
        with pytest.raises(UnreadableRun) as failure:
            opening()
        text = str(failure.value)
        assert "failed. Seen: schema 2" in text
        assert "pip install --upgrade" in text


def test_other_files(tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("not a database, and long enough to have a header " * 50)
    with sqlite3.connect(tmp_path / "other.sqlite") as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    (tmp_path / "empty.sqlite").touch()
    for name, seen in {
        "text": "not a database",
        "other": "not written by",
        "empty": "empty",
        "none": "no file",
    }.items():
        with pytest.raises(UnreadableRun, match=seen):
            RunReader(tmp_path / f"{name}.sqlite")
    with pytest.raises(UnreadableRun):
        writer(tmp_path / "other.sqlite")
    assert not list(tmp_path.glob("*.lock"))


def test_going_on_with_a_run(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    record(path, range(10))
    reader = RunReader(path)
    assert list(reader.histories()[WEIGHT].steps) == list(range(10))
    store = writer(path)
    assert reader.info().ended is None
    for step in (6, 7):  # from a checkpoint at step 6
        store.write(step, float(step), "train", columns(step))
    assert list(reader.histories()[WEIGHT].steps) == list(range(8))
    assert reader.info().step == 7
    assert reader.graph() == small()
    store.close()
    reader.close()


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = writer(path)
    with pytest.raises(RunInUse, match=r"failed\. Seen: another watch .* run_name"):
        writer(path)
    store.close()
    store.close()
    writer(path).close()
    assert [file.name for file in tmp_path.iterdir()] == ["run.sqlite"]


def test_a_failed_write_leaves_nothing_and_may_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store, reader = writer(path), RunReader(path)
    store.write(0, 0.0, "train", columns(0))
    before = reader.version()
    full = sqlite3.OperationalError("database or disk is full")
    real = store._db
    store._db = Failing(real, full)  # type: ignore[assignment]
    with pytest.raises(WriteFailed, match=r"failed\. Seen: database or disk is full\. .* Make room") as failure:
        store.write(1, 1.0, "train", columns(1, WEIGHT, replace(OUTPUT, path="new")))
    assert failure.value.__cause__ is full
    assert reader.version() == before
    assert reader.info().steps == 1
    store._db = real
    store.write(1, 1.0, "train", columns(1, replace(OUTPUT, path="new")))
    assert replace(OUTPUT, path="new") in reader.histories()
    store.close()
    reader.close()


class Failing:
    """A connection whose disk is full."""

    def __init__(self, db: sqlite3.Connection, error: Exception) -> None:
        self._db, self._error = db, error

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    def executemany(self, *_: object) -> None:
        raise self._error


def test_a_folder_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WriteFailed, match="standalone_dir"):
        writer(tmp_path / "file" / "run.sqlite")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    record(folder / "old.sqlite", range(2))
    folder.chmod(0o500)
    try:
        with pytest.raises(WriteFailed):
            writer(folder / "new.sqlite")
        reader = RunReader(folder / "old.sqlite")
        assert reader.info().steps == 2
        reader.close()
    finally:
        folder.chmod(0o700)


def test_an_ended_run_is_one_file_that_can_be_copied(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = writer(path)
    reader = RunReader(path)
    store.write(0, 0.0, "train", columns(0))
    reader.histories()
    store.close()
    (tmp_path / "elsewhere").mkdir()
    copy = shutil.copy(path, tmp_path / "elsewhere" / "copy.sqlite")
    copied = RunReader(copy)
    assert copied.info().steps == 1
    copied.close()
    reader.close()
