"""Graphviz in a child process that is kept alive.

In: DOT texts. Out: what the child found for each, or None. Owns the child process; for one thread at a time.

No text can hang or end this process: the child is killed after a time limit, and started again for the next text.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any, TypeAlias

Process: TypeAlias = "subprocess.Popen[bytes]"

CHILD = Path(__file__).with_name("child.py")
MOST_FAILED_STARTS = 3


class Engine:
    """A child that lays out, started at the first request.

    Limits in seconds: `start_limit` until it is ready, `limit` for one text, `total_limit` for a request. After
    three starts in a row that failed it is not started again.
    """

    def __init__(
        self, child: Path = CHILD, *, start_limit: float = 30.0, limit: float = 5.0, total_limit: float = 30.0
    ) -> None:
        self._child = child
        self._start_limit, self._limit, self._total_limit = start_limit, limit, total_limit
        self._process: Process | None = None
        self._unread = b""
        self._failed_starts = 0

    def lay_out(self, texts: Sequence[str]) -> list[Any]:
        """What the child says for each text; None where it failed, took too long, or can't be started."""
        found: list[Any] = []
        until = monotonic() + self._total_limit
        while len(found) < len(texts) and monotonic() < until and (process := self._ready()):
            try:
                self._send(process, json.dumps(texts[len(found) :]).encode() + b"\n")
                while len(found) < len(texts):
                    found.append(json.loads(self._receive(process, self._limit)))
            except (OSError, ValueError):
                self.close()
                found.append(None)
        return found + [None] * (len(texts) - len(found))

    def close(self) -> None:
        """End the child. It starts again when it is needed."""
        process, self._process, self._unread = self._process, None, b""
        if process is not None:
            process.kill()
            _close_pipes(process)
            process.wait()
            atexit.unregister(self.close)

    def abandon(self) -> None:
        """Let go of the child after a fork: it belongs to the other process."""
        process, self._process, self._unread = self._process, None, b""
        if process is not None:
            process.returncode = 0  # so that it is neither waited for nor missed
            _close_pipes(process)
            atexit.unregister(self.close)

    def _ready(self) -> Process | None:
        """The child, started if there is none; None where it can't be."""
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        if self._failed_starts >= MOST_FAILED_STARTS or not sys.executable or getattr(sys, "frozen", False):
            return None
        try:
            process = self._start()
        except (OSError, ValueError):
            self.close()
            self._failed_starts += 1
            return None
        self._failed_starts = 0
        return process

    def _start(self) -> Process:
        # Unbuffered: closing a pipe after a fork must neither write nor wait for a lock.
        self._process = process = subprocess.Popen(
            [sys.executable, str(self._child), str(2 * self._limit)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        atexit.register(self.close)
        if self._receive(process, self._start_limit).strip() != b"ready":
            raise ValueError(f"{sys.executable} did not run {self._child.name}")
        return process

    def _send(self, process: Process, request: bytes) -> None:
        assert process.stdin is not None
        with _killed_after(process, self._limit):
            rest = memoryview(request)
            while rest:
                rest = rest[os.write(process.stdin.fileno(), rest) :]

    def _receive(self, process: Process, seconds: float) -> bytes:
        assert process.stdout is not None
        parts = [self._unread]
        with _killed_after(process, seconds):
            while b"\n" not in parts[-1]:
                parts.append(os.read(process.stdout.fileno(), 1 << 16))
                if not parts[-1]:
                    raise BrokenPipeError("the layout process ended")
        line, _, self._unread = b"".join(parts).partition(b"\n")
        return line


@contextmanager
def _killed_after(process: Process, seconds: float) -> Iterator[None]:
    guard = Timer(seconds, process.kill)
    guard.daemon = True
    with suppress(RuntimeError):  # no thread starts while the interpreter ends: the child then limits itself
        guard.start()
    try:
        yield
    finally:
        guard.cancel()


def _close_pipes(process: Process) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
