"""One watch's chart in one run of Weights & Biases.

In: news, the newest of which is drawn. Out: tables, sent by the transport. State: the run, the chart's key, the digest
of the last table. Tables are made and sent in the outbox's thread, so neither training nor recording waits.
"""

from __future__ import annotations

import atexit
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from torchexplorer.backends.protocol import BackendOptions
from torchexplorer.backends.wandb_outbox import Fate, Outbox
from torchexplorer.backends.wandb_preset import preset_name
from torchexplorer.backends.wandb_transport import PURPOSE, Transport, make_transport
from torchexplorer.graph import ModuleGraph
from torchexplorer.layout import place
from torchexplorer.needs import need
from torchexplorer.render import Row, explorer_rows, levels
from torchexplorer.stats import History
from torchexplorer.trace import Key, warn

REMOVE_PATIENCE = 0.5
"""Seconds that `remove()` waits for the last table; it is sent in any case."""

END_PATIENCE = 20.0
"""Seconds that the end of the run or of the process waits for it."""

_CHARTS: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""How many charts each run has, so that a new run begins with number 0 again."""


@dataclass(frozen=True, eq=False)
class News:
    """What a table is made from. `histories` is live: it has what was recorded until the table is made."""

    graph: ModuleGraph
    histories: Mapping[Key, History]
    step: int
    time: float
    time_unit: str


class RunChart:
    """Draws news in `run` under `explorer_chart_<n>`, where the first watch of the run is number 0."""

    def __init__(self, run: Any, options: BackendOptions) -> None:
        self.run = run
        number = _CHARTS.get(run, 0)
        _CHARTS[run] = number + 1
        self.key = f"explorer_chart_{number}"
        self.fault: Exception | None = None
        self._options, self._pid = options, os.getpid()
        self._transport: Transport | None = None
        self._digest = ""
        self._told: set[type] = set()
        self._outbox: Outbox[News] = Outbox(self._send, interval=options.wandb_interval)
        atexit.register(self._end)  # after wandb.init, so that it runs before wandb's own handler
        before_finish(run, self._end)

    @property
    def alive(self) -> bool:
        """Whether the run still takes anything."""
        return not is_finished(self.run)

    def put(self, news: News) -> None:
        """Draw this when it is time."""
        self._outbox.put(news)

    def close(self, patience: float = REMOVE_PATIENCE) -> None:
        """Send the newest news; what takes longer goes on, and the end of the run waits for it."""
        self._outbox.end(patience)

    def _end(self) -> None:
        """The run or the process ends: whatever is recorded is sent. Must not raise into wandb or the interpreter."""
        if os.getpid() != self._pid or not self.alive:
            return
        atexit.unregister(self._end)
        self._outbox.hold()
        try:
            self._options.catch_up()
        except Exception as error:
            self._tell(error)
        self._outbox.end(END_PATIENCE)

    def _send(self, news: News, last: bool) -> Fate:
        if not self.alive:
            return "same"
        try:
            rows = self._rows(news)
        except Exception as error:
            self.fault = error  # ours, so it is for the guard
            return "same"
        try:
            return "sent" if self._upload(rows, news, last) else "same"
        except Exception as error:
            if not self.alive:
                return "same"
            self._tell(error)
            return "failed"

    def _rows(self, news: News) -> list[Row]:
        placements = place(levels(news.graph))
        return explorer_rows(
            news.graph,
            placements,
            dict(news.histories.items()),
            run=run_label(self.run, self._options.run_name),
            step=news.step,
            time=news.time,
            time_unit=news.time_unit,
        )

    def _upload(self, rows: Sequence[Row], news: News, last: bool) -> bool:
        if self._transport is None:
            chart = self._options.wandb_chart or default_chart(self.run)
            self._transport = make_transport(self._options.wandb_transport, self.run, key=self.key, chart=chart)
        digest = digest_of(rows)
        if changed := digest != self._digest:
            self._transport.send(rows, last=last)
            self._digest = digest
        facts = {f"{self.key}/parameters": self._options.parameters(), f"{self.key}/step": news.step}
        self.run.summary.update(facts)
        return changed

    def _tell(self, error: Exception) -> None:
        if type(error) not in self._told:
            self._told.add(type(error))
            warn(
                f"torchexplorer could not send the chart {self.key} to Weights & Biases; training goes on, and the "
                f"next one is tried. Seen: {type(error).__name__}: {error}. With backend='standalone' nothing is sent."
            )


def digest_of(rows: Sequence[Row]) -> str:
    """Names what the rows show. Where there are no histograms, the step and time of the first row do not count."""
    digest = hashlib.sha256()
    changing = any(row["kind"] == "series" for row in rows)
    for row in rows:
        shown = [value for column, value in row.items() if changing or row["kind"] != "meta" or column != "numbers"]
        digest.update(repr(shown).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def run_label(run: Any, name: str | None) -> str:
    """What the rows carry: the name that people know, and the id that no other run has."""
    known = name or getattr(run, "name", None)
    return f"{known} ({run.id})" if known and known != run.id else str(run.id)


def default_chart(run: Any) -> str:
    """The preset of this version under the run's entity; without the entity where an offline run knows none."""
    entity = getattr(run, "entity", None)
    return f"{entity}/{preset_name()}" if entity else preset_name()


def is_finished(run: Any) -> bool:
    """Whether the run was finished."""
    return bool(getattr(run, "_is_finished", False))


def before_finish(run: Any, call: Callable[[], None]) -> None:
    """Have `run.finish()` call this first. Where wandb has no such hook, the end of the process is the last chance."""
    try:
        hooks = need("wandb.sdk.wandb_run", PURPOSE)
        run._teardown_hooks.append(hooks.TeardownHook(call, hooks.TeardownStage.EARLY))
    except (ImportError, AttributeError, TypeError):
        return
