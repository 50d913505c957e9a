"""A thread that sends the newest of what it is given, at a pace.

In: items, and a function that sends one. Out: calls of it, all from one thread. State: the newest item not yet sent,
when one was last tried, how many were sent. Knows nothing of Weights & Biases.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

Item = TypeVar("Item")
Fate = Literal["sent", "same", "failed"]

SLOWER_AFTER = 100
"""After each so many the interval doubles, so that a run of any length keeps to a few hundred."""


LONGEST_WAIT = 3600.0


class Outbox(Generic[Item]):
    """`put` and return at once; the newest item is sent when `interval` seconds have gone by since the last.

    `send(item, last)` says what became of it; `last` is true when nothing may follow. It does not raise. What failed
    is tried again at the next turn if nothing newer is there by then.
    """

    def __init__(self, send: Callable[[Item, bool], Fate], *, interval: float) -> None:
        self._send, self._interval = send, interval
        self._changed = threading.Condition()
        self._waiting: Item | None = None
        self._thread: threading.Thread | None = None
        self._tried = float("-inf")
        self._sent = 0
        self._busy = self._urgent = self._held = self._ended = False

    def put(self, item: Item) -> None:
        """Take the place of what is waiting."""
        with self._changed:
            self._waiting = item
            self._begin()
            self._changed.notify_all()

    def hold(self) -> None:
        """Send nothing more until `flush`."""
        with self._changed:
            self._held = True

    def flush(self, patience: float) -> bool:
        """Send what is waiting now; whether that was done within `patience` seconds. It goes on where it was not."""
        with self._changed:
            self._urgent = self._waiting is not None
            self._begin()
            self._changed.notify_all()
            if self._thread is not None:
                return self._changed.wait_for(lambda: self._waiting is None and not self._busy, patience)
        self._work()  # no thread starts any more while the interpreter ends
        return True

    def end(self, patience: float) -> bool:
        """`flush`, and let the thread end when that is done. May be called twice."""
        with self._changed:
            self._ended = True
        return self.flush(patience)

    def _begin(self) -> None:
        if self._thread is None and self._waiting is not None:
            thread = threading.Thread(target=self._run, name="torchexplorer-wandb", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return
            self._thread = thread

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._waiting is None or (pause := self._pause()) > 0:
                    if self._waiting is None and self._ended:
                        self._thread = None
                        return
                    self._changed.wait(None if self._waiting is None else pause)
            self._work()

    def _pause(self) -> float:
        """Seconds until the next may be sent."""
        if self._urgent:
            return 0.0
        interval = self._interval * 2 ** (self._sent // SLOWER_AFTER)
        return LONGEST_WAIT if self._held else min(self._tried + interval - time.monotonic(), LONGEST_WAIT)

    def _work(self) -> None:
        with self._changed:
            item, self._waiting = self._waiting, None
            last, self._urgent = self._urgent, False
            if item is None:
                return
            self._busy, self._tried = True, time.monotonic()
        fate = self._send(item, last)
        with self._changed:
            self._busy = False
            self._sent += fate == "sent"
            if fate == "failed" and not last and self._waiting is None:
                self._waiting = item
            self._changed.notify_all()
