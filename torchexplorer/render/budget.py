"""How much detail there is room for.

In: histories and a number of bytes. Out: details, the finest first. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from torchexplorer.render.window import Detail, Floats
from torchexplorer.stats import History

FEW_COLUMNS, FEWEST_COLUMNS = 8, 4
"""Below the first, bins are merged in pairs; below the second nothing goes."""

_SERIES_BYTES = 130.0  # names, range, separators
_COLUMN_BYTES = 32.0  # time, total, mean, standard deviation, what was left out


def details(most: int) -> Iterator[Detail]:
    """Each detail that may be tried, from `most` columns down."""
    columns = most
    while columns > FEW_COLUMNS:
        yield Detail(columns)
        columns = max(columns * 3 // 4, FEW_COLUMNS)
    yield Detail(columns)
    for fewer in (FEW_COLUMNS, 6, FEWEST_COLUMNS):
        if fewer <= columns:
            yield Detail(fewer, merged=2)


def estimated_bytes(histories: Iterable[History], chosen: Iterable[Detail]) -> list[float]:
    """About how large the histories are in each detail."""
    facts = np.array([_facts(history) for history in histories]).reshape(-1, 3)
    return [_size(facts, detail) for detail in chosen]


def _facts(history: History) -> tuple[float, float, float]:
    """Columns; bins with data in a column; digits of a count."""
    counts = np.asarray(history.counts)
    full = counts[counts > 0]
    return len(counts), len(full) / max(len(counts), 1), float(np.log10(full).mean()) + 1.5 if len(full) else 1.0


def _size(facts: Floats, detail: Detail) -> float:
    columns, bins, digits = facts.T
    stride = np.ceil(columns / detail.columns)
    texts = bins / detail.merged * (digits + np.log10(stride * detail.merged))
    return float((_SERIES_BYTES + columns / stride * (_COLUMN_BYTES + texts)).sum())
