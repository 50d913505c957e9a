"""Columns and placements as the store keeps them.

In: a Column, Placements. Out: the values of a table's row, JSON text; and back. Owns no state; pure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchexplorer.layout import Placement
from torchexplorer.stats import Column
from torchexplorer.trace.records import Key

FIELDS = ("low", "high", "counts", "nan", "posinf", "neginf", "rejected", "seen", "mean", "std", "min", "max", "zeros")
"""Of the table `columns`, after step and series, in the order of Column."""


def pack_column(column: Column) -> tuple[Any, ...]:
    """The values of FIELDS. SQLite has no NaN and keeps it as NULL."""
    return (
        float(column.low),
        float(column.high),
        pack_counts(column.counts),
        *(int(getattr(column, name)) for name in ("nan", "posinf", "neginf", "rejected", "seen")),
        *(float(getattr(column, name)) for name in ("mean", "std", "min", "max")),
        int(column.zeros),
    )


def unpack_column(key: Key, step: int, time: float, row: Sequence[Any]) -> Column:
    """The Column whose FIELDS are `row`."""
    low, high, counts, nan, posinf, neginf, rejected, seen, *moments, zeros = row
    mean, std, least, most = (math.nan if moment is None else moment for moment in moments)
    return Column(
        key, step, time, low, high, unpack_counts(counts), nan, posinf, neginf, rejected, seen,
        mean, std, least, most, zeros,
    )  # fmt: skip


def pack_counts(counts: np.ndarray) -> bytes:
    """One byte that says how many bytes a count has (1, 2, 4 or 8), then the counts, little-endian."""
    kind = np.min_scalar_type(int(counts.max(initial=0)))
    return bytes([kind.itemsize]) + counts.astype(kind.newbyteorder("<")).tobytes()


def unpack_counts(packed: bytes) -> np.ndarray:
    """The counts that were packed, int64 (bins,)."""
    return np.frombuffer(packed, dtype=f"<u{packed[0]}", offset=1).astype(np.int64)


def pack_placements(placements: Sequence[Placement]) -> str:
    """Placements as JSON; coordinates are kept to a hundredth of a pixel."""
    found = [
        {
            "width": one.width,
            "height": one.height,
            "centers": [[round(x, 2), round(y, 2)] for x, y in one.centers],
            "routes": [[[round(x, 2), round(y, 2)] for x, y in route] for route in one.routes],
            "engine": one.engine,
        }
        for one in placements
    ]
    return json.dumps(found, separators=(",", ":"), allow_nan=False)


def unpack_placements(text: str) -> tuple[Placement, ...]:
    """The placements that were packed."""
    return tuple(
        Placement(
            width=one["width"],
            height=one["height"],
            centers=tuple((x, y) for x, y in one["centers"]),
            routes=tuple(tuple((x, y) for x, y in route) for route in one["routes"]),
            engine=one["engine"],
        )
        for one in json.loads(text)
    )
