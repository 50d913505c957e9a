"""The columns of one series in memory, at most so many: the older the run, the more steps stand in one column.

In: columns. Out: the columns to show. Owns the columns of one series; not safe to change from two threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from torchexplorer.stats.column import Column, merge
from torchexplorer.trace.records import Key


@dataclass(slots=True)
class Series:
    """Groups of `stride` steps, merged, and the latest step by itself, so that it can be replaced.

    `steps` counts the steps in `groups`; the last group may hold fewer than `stride`.
    """

    groups: list[Column] = field(default_factory=list)
    latest: Column | None = None
    stride: int = 1
    steps: int = 0

    def due(self, column: Column) -> list[Column]:
        """What to merge before `put`: the last group and the latest step, or nothing."""
        if self._replaces(column) or self.latest is None or not self._open:
            return []
        return [self.groups[-1], self.latest]

    def put(self, column: Column, merged: Column | None) -> None:
        """Take the column of a step; a second one of the same step replaces the first. `merged`: of `due`."""
        if self.latest is not None and not self._replaces(column):
            if merged is None:
                self.groups.append(self.latest)
            else:
                self.groups[-1] = merged
            self.steps += 1
        self.latest = column

    def overfull(self, max_columns: int) -> bool:
        """Whether more than `max_columns` are held."""
        return len(self.groups) + (not self._open) > max_columns

    def columns(self) -> list[Column]:
        """The columns to show, in order of steps: those of `assemble` for all steps, up to rounding of moments."""
        held = [*self.groups, *([] if self.latest is None else [self.latest])]
        return merge(held, range(len(held) - 1)) if self._open and self.latest is not None else held

    @property
    def _open(self) -> bool:
        """Whether the last group has room for another step."""
        return self.steps < len(self.groups) * self.stride

    def _replaces(self, column: Column) -> bool:
        return self.latest is not None and self.latest.step == column.step


def advance(series: Sequence[Series], columns: Sequence[Column], max_columns: int) -> None:
    """Give each series its column, and merge neighbours where a series holds too many; all series at once."""
    pairs = [one.due(column) for one, column in zip(series, columns, strict=True)]
    members = [column for pair in pairs for column in pair]
    merged = iter(merge(members, range(0, len(members), 2)))
    for one, column, pair in zip(series, columns, pairs, strict=True):
        one.put(column, next(merged) if pair else None)
    while full := [one for one in series if one.overfull(max_columns)]:
        _halve(full)


def _halve(series: Sequence[Series]) -> None:
    members: list[Column] = []
    starts: list[int] = []
    for one in series:
        starts += range(len(members), len(members) + len(one.groups), 2)
        members += one.groups
    merged = iter(merge(members, starts))
    for one in series:
        one.groups = [next(merged) for _ in range(0, len(one.groups), 2)]
        one.stride *= 2


def pack(series: Series) -> dict[str, Any]:
    """The series as builtins and numpy arrays."""
    held = [*series.groups, *([] if series.latest is None else [series.latest])]
    table = {name: np.array([getattr(column, name) for column in held]) for name in _FIELDS}
    return {"stride": series.stride, "steps": series.steps, "columns": table}


def unpack(key: Key, state: dict[str, Any]) -> Series:
    """The series that was packed."""
    table = {name: state["columns"][name] for name in _FIELDS}
    listed = [values if name == "counts" else values.tolist() for name, values in table.items()]
    held = [Column(key, *row) for row in zip(*listed, strict=True)]
    return Series(held[:-1], held[-1] if held else None, state["stride"], state["steps"])


_FIELDS = tuple(field.name for field in fields(Column) if field.name != "key")
