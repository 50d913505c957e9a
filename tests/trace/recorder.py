"""Runs a Tracer by itself and keeps what it delivers.

In: a module and a way to run it. Out: StepRecords, samples by key. State: the list of records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from torch import nn

from torchexplorer.trace import Guard, Key, Phase, StepRecord, TraceOptions, Tracer, Updates

EVERYTHING = frozenset({"io", "io_grad", "params", "params_grad"})


class Records(list[StepRecord]):
    """What a Tracer delivered, in order."""

    def samples(self, step: int = 0, phase: Phase = "train") -> dict[Key, np.ndarray]:
        """The samples of one step by key."""
        return {
            sample.key: sample.values
            for record in self
            if (record.step, record.phase) == (step, phase)
            for sample in record.samples
        }

    def steps(self, phase: Phase = "train") -> list[int]:
        """The steps delivered, each once."""
        return sorted({record.step for record in self if record.phase == phase})


@contextmanager
def tracing(
    model: nn.Module,
    *,
    log: frozenset[str] = EVERYTHING,
    sample_n: int | None = None,
    due: Callable[[int, Phase], bool] = lambda step, phase: True,
    ignore: tuple[type, ...] = (),
) -> Iterator[Records]:
    """Trace `model` inside the with-statement. Faults are raised."""
    records = Records()

    def stop() -> None:
        tracer.remove()

    guard = Guard(stop)
    tracer = Tracer(
        model,
        TraceOptions(log, sample_n, ignore),
        Updates([], guard),
        due=due,
        deliver=records.append,
        guard=guard,
        stop=stop,
    )
    try:
        yield records
    finally:
        tracer.remove()
