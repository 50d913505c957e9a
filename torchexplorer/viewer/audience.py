"""The open pages, so that the last news can reach them before the process ends.

In: pages that come and go, versions they fetched. Out: whether all have the newest. State: which run each page looks
at, and what was fetched. Changed by the server's thread, read by the one that ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class Audience:
    """Pages by the run that they look at."""

    def __init__(self) -> None:
        self._looking: list[str] = []
        self._newest: dict[str, int] = {}
        self._fetched: dict[str, int] = {}

    @contextmanager
    def looking(self, name: str) -> Iterator[None]:
        """A page is connected as long as the context is open."""
        self._looking.append(name)
        try:
            yield
        finally:
            self._looking.remove(name)

    def told(self, name: str, version: int) -> None:
        """The pages of a run were told that there is this version."""
        self._newest[name] = version

    def fetched(self, name: str, version: int) -> None:
        """A page was given this version of a run."""
        self._fetched[name] = version

    @property
    def anyone(self) -> bool:
        """Whether a page is open."""
        return bool(self._looking)

    @property
    def behind(self) -> bool:
        """Whether an open page has not fetched what it was told of."""
        return any(self._fetched.get(name, -1) < self._newest.get(name, -1) for name in list(self._looking))
