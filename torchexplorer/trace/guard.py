"""Keeps our faults out of the user's run.

In: code of ours, in a with-statement. Out: nothing; a fault is warned of once and the watch is removed. State: whether
that has happened. With TORCHEXPLORER_ON_ERROR=raise faults are loud.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from types import TracebackType


class WatchFailed(RuntimeWarning):
    """torchexplorer failed and stopped watching; training goes on."""


class Guard:
    """`with guard:` around each entry into our code."""

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self.failed = False

    def __enter__(self) -> Guard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is None or not isinstance(error, Exception):
            return False
        return self.report(error)

    def report(self, error: BaseException) -> bool:
        """Warn of a fault and stop watching. False where it is to be raised instead."""
        if not self.failed:
            self.failed = True
            try:
                self._stop()
            finally:
                if os.environ.get("TORCHEXPLORER_ON_ERROR") != "raise":
                    warn(_message(error), WatchFailed)
        return os.environ.get("TORCHEXPLORER_ON_ERROR") != "raise"


def warn(message: str, category: type[Warning] = RuntimeWarning) -> None:
    """Warn; where the user made warnings into errors, print instead, so that a warning of ours never ends a run."""
    try:
        warnings.warn(message, category, stacklevel=4)
    except Warning:
        print(message, file=sys.stderr)


def _message(error: BaseException) -> str:
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return (
        f"torchexplorer failed and stopped watching; training goes on and what was recorded is kept. "
        f"Seen: {type(error).__name__}: {error}. Please report it with this traceback, or set "
        f"TORCHEXPLORER_ON_ERROR=raise to stop at such faults.\n{trace}"
    )
