"""What `watch` returns: one watched module, what is known of it, and who owns what.

In: a module and checked options. Out: structures and histories. State: the Tracer (hooks), the Worker (thread,
histories, backend).
"""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from torch import nn
from torch.nn.parameter import UninitializedParameter

from torchexplorer.backends import BackendOptions, make_backend
from torchexplorer.graph import ModuleGraph
from torchexplorer.options import WatchOptions
from torchexplorer.stats import History, HistoryBook
from torchexplorer.trace import Guard, Key, Phase, StepRecord, TraceOptions, Tracer, Updates, find_tracer, warn
from torchexplorer.worker import Worker


class Watcher:
    """Watches one module until `remove()`, the end of the module, or the end of the process."""

    def __init__(self, model: nn.Module, options: WatchOptions) -> None:
        replaced = find_tracer(model)
        if replaced is not None:
            replaced.stop()
            warn("watch() was called again for a module that is already watched. The first watch was removed.")
        self._schedules = {"train": options.log_freq, "eval": options.eval_log_freq}
        self._time_log = options.time_log
        self._model = weakref.ref(model)
        self._times: dict[tuple[Phase, int], float] = {}
        self._told_time = False
        guard = Guard(_weakly(self, "_stop_tracing"))
        target = BackendOptions.of(
            options,
            model=type(model).__name__,
            catch_up=_weakly(self, "flush"),
            parameters=partial(_parameter_count, self._model),
        )
        book = HistoryBook(options.bins, reject_outlier_proportion=options.reject_outlier_proportion)
        self._worker = Worker(
            make_backend(options.backend, target), book, guard, run=target.run, time_unit=options.time_log[0]
        )
        self._inplace = _disable_inplace(model) if options.disable_inplace else []
        self._tracer = Tracer(
            model,
            TraceOptions(
                frozenset(options.log),
                options.sample_n,
                options.ignore_io_grad_classes,
                grad_scaler=options.grad_scaler,
            ),
            Updates(options.optimizer, guard),
            due=self._due,
            deliver=self._deliver,
            guard=guard,
            stop=self.remove,
        )
        at_exit = partial(_finish, weakref.ref(self), self._worker)
        atexit.register(at_exit)
        weakref.finalize(self, _release, self._worker, at_exit).atexit = False

    @property
    def structure(self) -> ModuleGraph | None:
        """The module graph of the latest recorded step (its first root call), None before there is one."""
        graphs = self.structures
        return graphs[0] if graphs else None

    @property
    def structures(self) -> tuple[ModuleGraph, ...]:
        """The module graphs of all root calls of the latest recorded step, in order."""
        self._worker.wait()
        return self._worker.graphs

    def union(self, phase: Phase = "train") -> ModuleGraph | None:
        """The graphs of all recorded steps of a phase as one, each node and edge with its share of the steps."""
        self._worker.wait()
        union = self._worker.unions.get(phase)
        return None if union is None else union.graph()

    @property
    def histograms(self) -> Mapping[Key, History]:
        """All histories recorded so far, by their keys."""
        self.flush()
        return self._worker.book

    @contextmanager
    def step(self) -> Iterator[None]:
        """Make what runs inside the with-statement one step, where the model's own forward does not run.

        `with watcher.step(): model.encode(x)`: calls of the model's children are recorded under it.
        """
        with self._tracer.step():
            yield

    def flush(self) -> None:
        """Return when everything recorded so far is in the histories and with the backend."""
        self._tracer.flush()
        self._worker.wait()

    def remove(self) -> None:
        """Stop watching: every hook comes off, everything recorded is written. May be called twice."""
        self._stop_tracing()
        self._worker.close()

    def state_dict(self) -> dict[str, Any]:
        """Histories and step counts, for a checkpoint."""
        self.flush()
        return {"version": 1, "steps": dict(self._tracer.counts), "histories": self._worker.book.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on where `state_dict()` was taken. Raises ValueError for anything else."""
        if not isinstance(state, Mapping) or state.get("version") != 1:
            seen = state.get("version") if isinstance(state, Mapping) else type(state).__name__
            raise ValueError(
                f"Watcher.load_state_dict() can't read this state. Seen: version {seen!r}, expected 1. "
                "Pass what Watcher.state_dict() of this version of torchexplorer returned."
            )
        self.flush()
        self._tracer.counts.update(state["steps"])
        self._worker.book.load_state_dict(state["histories"])

    def _due(self, step: int, phase: Phase) -> bool:
        if not self._worker.here:
            return False
        schedule = self._schedules[phase]
        return bool(schedule(step)) if callable(schedule) else step % schedule == 0

    def _deliver(self, record: StepRecord) -> None:
        self._worker.put(record, self._time(record.phase, record.step))

    def _time(self, phase: Phase, step: int) -> float:
        """The time of a step, asked for once; the step itself where the user's function fails."""
        known = self._times.get((phase, step))
        if known is None:
            known = self._times[phase, step] = self._ask_time(step)
            while len(self._times) > 8:
                del self._times[next(iter(self._times))]
        return known

    def _ask_time(self, step: int) -> float:
        unit, function = self._time_log
        try:
            model = self._model()
            return float(step if model is None else function(model, step))
        except Exception as error:
            if not self._told_time:
                self._told_time = True
                warn(
                    f"The function of time_log failed; the step is used instead. Seen: {error!r}. "
                    f"It is called as function(module, step) and returns a number ({unit})."
                )
            return float(step)

    def _stop_tracing(self) -> None:
        self._tracer.remove()
        for module in self._inplace:
            module.inplace = True
        self._inplace = []


def _disable_inplace(model: nn.Module) -> list[Any]:
    """Set `inplace=False` where it is True. Returns the modules that were changed."""
    changed: list[Any] = [module for module in model.modules() if getattr(module, "inplace", False) is True]
    for module in changed:
        module.inplace = False
    return changed


def _parameter_count(reference: weakref.ref[nn.Module]) -> int:
    """Numbers in the module's parameters, without those that a lazy module has not made yet; 0 when it has gone."""
    model = reference()
    parameters = [] if model is None else list(model.parameters())
    return sum(each.numel() for each in parameters if not isinstance(each, UninitializedParameter))


def _weakly(owner: object, method: str) -> Callable[[], None]:
    """A call of a method that does not keep its owner alive."""
    reference = weakref.ref(owner)

    def call() -> None:
        alive = reference()
        if alive is not None:
            getattr(alive, method)()

    return call


def _finish(reference: weakref.ref[Watcher], worker: Worker) -> None:
    """The process ends: write everything."""
    watcher = reference()
    if watcher is not None and worker.here:
        watcher.remove()


def _release(worker: Worker, at_exit: Callable[[], None]) -> None:
    """The Watcher has gone with its module: write everything, keep nothing."""
    atexit.unregister(at_exit)
    worker.close()
