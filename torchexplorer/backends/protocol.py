"""What a backend is given and what it does.

In: snapshots of a recording. Out: whatever the backend makes of them. Owns no state.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from torchexplorer.graph import ModuleGraph
from torchexplorer.stats import Column, History
from torchexplorer.trace import Key, Phase


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One recorded step: its columns, its graph where that is new, and all histories so far."""

    run: str
    step: int
    time: float
    time_unit: str
    phase: Phase
    graph: ModuleGraph | None
    columns: Sequence[Column]
    histories: Mapping[Key, History]


class Backend(Protocol):
    """Shows recordings somewhere. Both methods are called by one thread."""

    def publish(self, snapshot: Snapshot) -> None:
        """Take one recorded step."""

    def close(self) -> None:
        """Nothing more will come."""


@dataclass(frozen=True)
class BackendOptions:
    """What backends need to know of the watch: the name of the run, where to write and serve."""

    run: str
    model: str
    time_unit: str
    directory: Path
    port: int
    verbose: bool

    @classmethod
    def of(cls, options: Any, *, model: str) -> BackendOptions:
        """The options of a watch of a module of class `model`."""
        stamp = time.strftime("%Y%m%d-%H%M%S")
        run = options.run_name or f"{stamp}-{model}-{os.getpid()}"
        directory = Path(options.standalone_dir)
        return cls(run, model, options.time_log[0], directory, options.standalone_port, options.verbose)
