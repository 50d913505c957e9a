"""How a table reaches a run of Weights & Biases.

In: rows. Out: calls of a run. State: for each chart, what the run's summary held before the last one was logged.
All calls come from one thread; none of them gives a step or ends a history row.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from torchexplorer.backends.protocol import TransportName
from torchexplorer.backends.wandb_page import page
from torchexplorer.needs import need
from torchexplorer.render import COLUMNS, Row

PURPOSE = "backend='wandb'"


class Transport(Protocol):
    """Sends tables to one chart of one run."""

    def send(self, rows: Sequence[Row], *, last: bool) -> None:
        """Send one table; `last` where none may follow."""


def make_transport(name: TransportName, run: Any, *, key: str, chart: str) -> Transport:
    """The transport of this name, for the chart `key` of `run` that is drawn by the preset `chart`."""
    if name == "file":
        return FileTransport(run, key, chart)
    return HtmlTransport(run, key) if name == "html" else LogTransport(run, key, chart)


class LoggedTransport:
    """Sends with `run.log(..., commit=False)`, which joins the user's pending history row.

    The last one would make a row of its own where the user logs no more, so it goes into the summary alone once the one
    before has left the pending row (which would overwrite it).
    """

    def __init__(self, run: Any, key: str, name: str) -> None:
        self._run, self._key, self._name = run, key, name
        self._before: Any = None
        self._logged = False

    def send(self, rows: Sequence[Row], *, last: bool) -> None:
        """Log the table, or set it in the summary."""
        held = self._run.summary.get(self._name)
        if last and self._logged and held is not None and held != self._before:
            self._run.summary[self._name] = self.summary_value(rows)
            return
        self._run.log({self._key: self.history_value(rows)}, commit=False)
        self._before, self._logged = held, True

    def summary_value(self, rows: Sequence[Row]) -> Any:
        """What the summary gets."""
        raise NotImplementedError

    def history_value(self, rows: Sequence[Row]) -> Any:
        """What the history gets."""
        return self.summary_value(rows)


class LogTransport(LoggedTransport):
    """A `wandb.plot_table`: the documented way."""

    def __init__(self, run: Any, key: str, chart: str) -> None:
        super().__init__(run, key, f"{key}_table")
        self._chart = chart

    def summary_value(self, rows: Sequence[Row]) -> Any:
        """A fresh table: one that was logged before is not sent again."""
        return make_table(rows)

    def history_value(self, rows: Sequence[Row]) -> Any:
        """The chart with its table in it."""
        return make_chart(self._chart, make_table(rows))


class HtmlTransport(LoggedTransport):
    """A page with the chart in it: needs no preset."""

    def __init__(self, run: Any, key: str) -> None:
        super().__init__(run, key, key)

    def summary_value(self, rows: Sequence[Row]) -> Any:
        """The page."""
        return need("wandb", PURPOSE).Html(page(rows), inject=False, data_is_not_path=True)


class FileTransport:
    """A file of the run, named in its summary: no history row, no artifact, and no request that blocks."""

    def __init__(self, run: Any, key: str, chart: str) -> None:
        self._run, self._key, self._chart = run, key, chart
        self._known = False

    def send(self, rows: Sequence[Row], *, last: bool) -> None:
        """Write and name the file."""
        if not self._known:
            chart = make_chart(self._chart, make_table([]))
            chart.set_key(self._key)
            self._run._config_callback(key=chart.spec.config_key, val=chart.spec.config_value)
            self._known = True
        content = json.dumps({"columns": COLUMNS, "data": cells(rows)}, separators=(",", ":"), allow_nan=False)
        raw = content.encode("utf-8")
        digest = hashlib.sha256(raw).hexdigest()
        name = f"media/table/{self._key}_table_{digest[:20]}.table.json"
        path = Path(self._run.dir, *name.split("/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".part")
        half.write_bytes(raw)
        os.replace(half, path)
        self._run.save(str(path), base_path=self._run.dir, policy="now")
        size = {"size": len(raw), "ncols": len(COLUMNS), "nrows": len(rows)}
        self._run.summary[f"{self._key}_table"] = {"_type": "table-file", "path": name, "sha256": digest, **size}


def make_chart(chart: str, table: Any) -> Any:
    """The custom chart that draws the table by a preset."""
    return need("wandb", PURPOSE).plot_table(chart, table, {column: column for column in COLUMNS}, {})


def make_table(rows: Sequence[Row]) -> Any:
    """A fresh table of texts. Its rows are set at once: given one by one, each cell's type is worked out again."""
    table = need("wandb", PURPOSE).Table(columns=list(COLUMNS), dtype=str, optional=False)
    table.data = cells(rows)
    return table


def cells(rows: Sequence[Row]) -> list[list[Any]]:
    """The rows as lists in the order of the columns."""
    return [[row[column] for column in COLUMNS] for row in rows]
