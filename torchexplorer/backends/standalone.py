"""The backend "standalone": writes a run's file and shows it on a page of this machine.

In: snapshots. Out: `<folder>/<run>.sqlite`, and the page's address in print. State: the writer of the file, made with
the first recorded step, so that a watch that records nothing leaves nothing behind.
"""

from __future__ import annotations

import re
import sys
from itertools import count
from pathlib import Path

from torchexplorer.backends.protocol import BackendOptions, Snapshot
from torchexplorer.layout import place
from torchexplorer.render import levels
from torchexplorer.store import RunInUse, RunReader, RunWriter, UnreadableRun
from torchexplorer.viewer import serve

LONGEST_NAME = 100


class StandaloneBackend:
    """One run's file. The page is one for all watches of the process."""

    def __init__(self, options: BackendOptions) -> None:
        self._options = options
        self._writer: RunWriter | None = None
        self._open_page()

    def publish(self, snapshot: Snapshot) -> None:
        """Write the step. Raises WriteFailed where that is not possible."""
        if self._writer is None:
            self._writer = self._begin(snapshot)
        graph = snapshot.graph
        placements = None if graph is None else place(levels(graph))
        self._writer.write(snapshot.step, snapshot.time, snapshot.phase, snapshot.columns, graph, placements)

    def close(self) -> None:
        """Mark the run as ended. The page stays up as long as the process."""
        if self._writer is not None:
            self._writer.close()

    def _open_page(self) -> None:
        """A page that can't be served does not keep the run from being recorded."""
        options = self._options
        try:
            server, started = serve(options.directory, options.port)
        except (ImportError, OSError) as error:
            print(
                f"torchexplorer: the page can't be served, but the run is recorded. Seen: {error}. "
                f"Look at it later with: torchexplorer serve {options.directory}",
                file=sys.stderr,
            )
            return
        if started:
            taken = f" (port {options.port} is taken)" if server.port != options.port and options.port else ""
            self._say(f"look inside {options.model} at {server.url}{taken}")

    def _begin(self, snapshot: Snapshot) -> RunWriter:
        """The file named after the run, or after the run and a number where that name can't be gone on with."""
        options = self._options
        for number in count(1):
            run = options.run if number == 1 else f"{options.run}-{number}"
            path = options.directory / f"{file_name(run)}.sqlite"
            if not continues(path, snapshot):
                continue
            try:
                writer = RunWriter(path, run=run, config={"model": options.model, "time_unit": options.time_unit})
            except RunInUse:
                continue
            if number > 1:
                self._say(f"there is a run {options.run!r} already; this one is {run!r}")
            return writer
        raise AssertionError("there are always more numbers")

    def _say(self, text: str) -> None:
        if self._options.verbose:
            print(f"torchexplorer: {text}", flush=True)


def continues(path: Path, snapshot: Snapshot) -> bool:
    """Whether a run that begins with this step goes on with the file at `path`: it is new, or the step comes later.

    A run that starts from its first step again does not overwrite what an earlier one recorded.
    """
    if not path.exists():
        return True
    try:
        reader = RunReader(path)
    except UnreadableRun:
        return path.stat().st_size == 0
    try:
        first = reader.first_step(snapshot.phase)
    finally:
        reader.close()
    return first is None or snapshot.step > first


def file_name(run: str) -> str:
    """The run's name without what a file name can't hold on some system."""
    safe = re.sub(r"[^\w.+=@ -]+", "-", run).strip(" .")
    return safe.encode("utf-8")[:LONGEST_NAME].decode("utf-8", "ignore").strip(" .") or "run"
