"""What a backend is given and what it does.

In: snapshots of a recording. Out: whatever the backend makes of them. Owns no state.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

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


TransportName = Literal["log", "file", "html"]


def _nothing() -> None:
    """For a watch that need not be asked to catch up."""


def _no_parameters() -> int:
    return 0


@dataclass(frozen=True)
class BackendOptions:
    """What backends need to know of the watch: the name of the run, where to write and serve.

    `catch_up()` returns when all that was recorded has been published; `parameters()` counts those of the module.
    `run_name` is None where the user gave none.
    """

    run: str
    model: str
    time_unit: str
    directory: Path
    port: int
    verbose: bool
    run_name: str | None = None
    wandb_transport: TransportName = "log"
    wandb_chart: str | None = None
    wandb_interval: float = 30.0
    wandb_run: Any = None
    catch_up: Callable[[], None] = _nothing
    parameters: Callable[[], int] = _no_parameters

    @classmethod
    def of(
        cls,
        options: Any,
        *,
        model: str,
        catch_up: Callable[[], None] = _nothing,
        parameters: Callable[[], int] = _no_parameters,
    ) -> BackendOptions:
        """The options of a watch of a module of class `model`."""
        stamp = time.strftime("%Y%m%d-%H%M%S")
        run = options.run_name or f"{stamp}-{model}-{os.getpid()}"
        directory = Path(options.standalone_dir)
        return cls(
            run,
            model,
            options.time_log[0],
            directory,
            options.standalone_port,
            options.verbose,
            run_name=options.run_name,
            wandb_transport=options.wandb_transport,
            wandb_chart=options.wandb_chart,
            wandb_interval=options.wandb_interval,
            wandb_run=options.run,
            catch_up=catch_up,
            parameters=parameters,
        )
