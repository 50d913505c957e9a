"""The backend "wandb": shows the explorer as a chart of the user's run.

In: snapshots. Out: news for the chart of the run that is active. State: that chart, and the latest graph and news while
there is no run yet.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from torchexplorer.backends.protocol import BackendOptions, Snapshot
from torchexplorer.backends.wandb_chart import News, RunChart, is_finished
from torchexplorer.backends.wandb_transport import PURPOSE
from torchexplorer.graph import ModuleGraph
from torchexplorer.needs import need
from torchexplorer.trace import warn

PATIENCE = 2
"""Recorded steps without a run after which that is told: `wandb.init()` may well come after the first."""


class WandbBackend:
    """One watch. It follows the active run: one that begins later, and the next one of a sweep."""

    def __init__(self, options: BackendOptions) -> None:
        need("wandb", PURPOSE)
        self._options = options
        self._graph: ModuleGraph | None = None
        self._chart: RunChart | None = None
        self._early: News | None = None
        self._steps_without = 0
        self._told = False
        self._said = False
        self._pid = os.getpid()
        self._find_chart()

    def publish(self, snapshot: Snapshot) -> None:
        """Hand on the step. Raises a fault of ours in the making of an earlier chart."""
        self._graph = snapshot.graph or self._graph
        chart = self._find_chart()
        if self._graph is not None:
            news = News(self._graph, snapshot.histories, snapshot.step, snapshot.time, snapshot.time_unit)
            self._hand_on(news, chart)
        self._raise_fault()

    def close(self) -> None:
        """Send the newest."""
        if os.getpid() != self._pid:
            return
        if self._early is not None:
            self._hand_on(self._early, self._find_chart(), final=True)
        if self._chart is not None:
            self._chart.close()
        self._graph = self._early = None
        self._raise_fault()

    def _hand_on(self, news: News, chart: RunChart | None, *, final: bool = False) -> None:
        if chart is not None:
            chart.put(news)
            self._early = None
            self._say(chart)
        elif self._chart is None and not self._disabled():
            self._steps_without += self._early is None or self._early.step != news.step
            self._early = news
            if final or self._steps_without > PATIENCE:
                self._tell()

    def _find_chart(self) -> RunChart | None:
        """The chart in the active run, made if the run is new; None where there is no run that takes anything."""
        run = self._run()
        if run is None or is_finished(run) or getattr(run, "disabled", False):
            return None
        if self._chart is None or self._chart.run is not run:
            if self._chart is not None:
                self._chart.close(patience=0)
            self._chart = RunChart(run, self._options)
        return self._chart

    def _run(self) -> Any:
        if self._options.wandb_run is not None:
            return self._options.wandb_run
        return getattr(sys.modules.get("wandb"), "run", None)

    def _disabled(self) -> bool:
        return bool(getattr(self._run(), "disabled", False))

    def _raise_fault(self) -> None:
        if self._chart is not None and self._chart.fault is not None:
            fault, self._chart.fault = self._chart.fault, None
            raise fault

    def _say(self, chart: RunChart) -> None:
        if self._options.verbose and not self._said:
            self._said = True
            where = getattr(chart.run, "url", None) or f"the run {chart.run.id}"
            print(f"torchexplorer: look inside {self._options.model} in {chart.key} of {where}", flush=True)

    def _tell(self) -> None:
        if not self._told:
            self._told = True
            warn(
                "torchexplorer has no run of Weights & Biases to show its chart in. Seen: wandb.run is None. "
                "Call wandb.init() (the chart is kept until then), pass watch(..., run=run), "
                "or backend='standalone' for a page on this machine."
            )
