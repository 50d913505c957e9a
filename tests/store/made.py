"""Recorded steps, made by hand.

In: numbers. Out: samples and columns, and a run's file that holds some. Owns no state.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.render.made import placed, small
from torchexplorer.stats import Column, HistoryBook
from torchexplorer.store import RunWriter
from torchexplorer.trace.records import Key, Phase, Sample

WEIGHT = Key("fc", 0, "param", "weight")
OUTPUT = Key("block", 0, "output", "0")
CONFIG = {"model": "Net", "time_unit": "step"}


def sample(key: Key, step: int) -> Sample:
    """A hundred values that drift with the step."""
    return Sample(key, np.linspace(-1.0, 1.0, 100) * (1 + step % 7) + step / 10, 1000)


def columns(step: int, *keys: Key, book: HistoryBook | None = None) -> list[Column]:
    wanted = keys or (WEIGHT, OUTPUT)
    return (HistoryBook() if book is None else book).add(step, float(step), [sample(key, step) for key in wanted])


def writer(path: Path, **more: Any) -> RunWriter:
    return RunWriter(path, run=more.pop("run", path.stem), config={**CONFIG, **more})


def record(path: Path, steps: range, phase: Phase = "train") -> None:
    """A run with these steps, ended; its graph comes with the first step."""
    store = writer(path)
    for step in steps:
        graph = small() if step == steps.start else None
        store.write(step, float(step), phase, columns(step), graph, placed(graph) if graph else None)
    store.close()
