"""The one thread that turns what was recorded into histograms, pictures and files.

In: StepRecords with their time. Out: calls of the backend. State: the queue, the thread, the histories and the latest
graphs; holds neither the watched module nor its Watcher, so that both can be freed.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import Any

from torchexplorer.backends import Backend, Snapshot
from torchexplorer.graph import GraphUnion, ModuleGraph, build_graphs
from torchexplorer.stats import HistoryBook
from torchexplorer.trace import Guard, Phase, StepRecord

QUEUE_LENGTH = 16
"""Recorded steps that may wait; when full, the training thread waits too, so that nothing is dropped."""


class Worker:
    """Works one record after another. Faults go to the guard; `wait` raises what the guard wants raised."""

    def __init__(self, backend: Backend, book: HistoryBook, guard: Guard, *, run: str, time_unit: str) -> None:
        self.book = book
        self.graphs: tuple[ModuleGraph, ...] = ()
        self._backend, self._guard, self._run, self._time_unit = backend, guard, run, time_unit
        self._queue: queue.Queue[Any] = queue.Queue(QUEUE_LENGTH)
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self.unions: dict[Phase, GraphUnion] = {}
        self._error: BaseException | None = None
        self._closed = False
        self._ends = False

    @property
    def here(self) -> bool:
        """False in a forked child, which has no worker and stays silent."""
        return os.getpid() == self._pid

    def put(self, record: StepRecord, time: float) -> None:
        """Hand over a record; waits while too many are waiting."""
        if self._closed or not self.here:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._run_forever, name="torchexplorer", daemon=True)
            self._thread.start()
        self._queue.put((record, time))

    def wait(self) -> None:
        """Return when all that was handed over is done. Raises a fault that the guard did not swallow."""
        if self._thread is not None and self.here and threading.current_thread() is not self._thread:
            self._queue.join()
        error, self._error = self._error, None
        if error is not None:
            raise error

    def close(self) -> None:
        """Finish the work, end the thread, close the backend. May be called twice.

        The thread itself may call it in the middle of its work, where Python collects garbage: it ends after that.
        """
        if self._closed or not self.here:
            return
        self._closed = True
        if self._thread is threading.current_thread():
            self._ends = True
            return
        if self._thread is not None:
            self._queue.join()
            self._queue.put(None)
            self._thread.join()
        self._guarded(self._backend.close)

    def _run_forever(self) -> None:
        while (item := self._queue.get()) is not None:
            self._guarded(self._work, *item)
            del item
            self._queue.task_done()
            if self._ends and self._queue.empty():
                self._guarded(self._backend.close)
                return
        self._queue.task_done()

    def _guarded(self, work: Any, *args: Any) -> None:
        try:
            work(*args)
        except Exception as error:
            self._let_in()
            if not self._guard.report(error):
                self._error = error

    def _let_in(self) -> None:
        """Nobody waits for room any more: who does so holds the lock that is needed to stop watching."""
        with self._queue.mutex:
            self._queue.maxsize = sys.maxsize
            self._queue.not_full.notify_all()

    def _work(self, record: StepRecord, time: float) -> None:
        graph = self._new_graph(record)
        columns = self.book.add(record.step, time, record.samples)
        snapshot = Snapshot(
            run=self._run,
            step=record.step,
            time=time,
            time_unit=self._time_unit,
            phase=record.phase,
            graph=graph,
            columns=columns,
            histories=self.book,
        )
        self._backend.publish(snapshot)

    def _new_graph(self, record: StepRecord) -> ModuleGraph | None:
        """The graph to show, if this step changed it: that of training, or of evaluation while nothing trains."""
        if not record.calls:
            return None
        self.graphs = build_graphs(record.calls)
        union = self.unions.setdefault(record.phase, GraphUnion())
        if not union.add(self.graphs[0]) or (record.phase == "eval" and "train" in self.unions):
            return None
        return union.graph()
