"""The right to write a run's file: one writer at a time, over all processes of the machine.

In: the path of a run's file. Out: a Claim, or RunInUse. State: an open lock file beside the run's file; the system
lets go of it when the process dies, so a killed run can be gone on with.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO


class RunInUse(RuntimeError):
    """Another watch, here or in another process, writes this run."""


class Claim:
    """Held from `__init__` to `release()`. Raises RunInUse, or OSError where the folder can't be written to."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".lock")
        self._file = _held(self._path)
        if self._file is None:
            raise RunInUse(
                f"Recording to {path} failed. Seen: another watch is writing to it. "
                "Give each watch of each process its own run_name, or none."
            )

    def release(self) -> None:
        """Let others write. May be called twice."""
        file, self._file = self._file, None
        if file is None:
            return
        with suppress(OSError):  # Windows does not remove open files; the next claim takes the file that stays
            os.unlink(self._path)
        file.close()


def _held(path: Path) -> IO[bytes] | None:
    while True:
        file = open(path, "ab")  # noqa: SIM115 (stays open as long as the claim)
        if not _lock(file):
            file.close()
            return None
        if _same(file, path):
            return file
        file.close()  # its owner removed it between our opening and locking it


def _same(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _lock(file: IO[bytes]) -> bool:
    try:
        import fcntl
    except ImportError:
        return _lock_windows(file)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: the names of runs differ by process anyway
        return True
    return True


def _lock_windows(file: IO[bytes]) -> bool:
    import msvcrt

    try:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        return False
    return True
