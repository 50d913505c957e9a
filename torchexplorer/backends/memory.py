"""The backend "none": keeps nothing but what the Watcher holds in memory.

In: snapshots. Out: nothing. State: none.
"""

from __future__ import annotations

from torchexplorer.backends.protocol import Snapshot


class NoBackend:
    """Shows nothing; histories and graphs stay with the Watcher."""

    def publish(self, snapshot: Snapshot) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""
