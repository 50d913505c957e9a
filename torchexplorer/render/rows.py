"""The table that feeds the chart, within the limits of those who carry it.

In: a module graph, the placements of `levels(graph)`, and histories. Out: rows, the first of kind "meta". Owns no
state; pure: the same input gives the same rows. See docs/rows.md for the schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from torchexplorer.graph import ModuleGraph, fold
from torchexplorer.layout import Placement
from torchexplorer.render import codec
from torchexplorer.render.budget import details, estimated_bytes
from torchexplorer.render.series import Subjects, series_rows, subjects
from torchexplorer.render.structure import Plot, level_uid, plots, structure_rows
from torchexplorer.stats import History
from torchexplorer.trace.records import Key

SLACK = 4
"""Histograms are left out where the table would grow over this many times its aim; they get coarser before."""


def explorer_rows(
    graph: ModuleGraph,
    placements: Sequence[Placement],
    histories: Mapping[Key, History],
    *,
    run: str,
    step: int,
    time: float,
    time_unit: str,
    max_rows: int | None = 10_000,
    max_bytes: int | None = 1_000_000,
    max_columns: int = 64,
) -> list[codec.Row]:
    """All rows of one run; the first tells what they are and whether some were left out.

    Rows over `max_rows` are left out, deepest levels first; up to a third of them is kept for histograms. Histories get
    coarser (fewer columns, then wider bins) until the JSON of the rows has at most `max_bytes`; histograms of the
    deepest modules are left out where that is not enough by far.
    """
    graph = fold(graph)
    shown = sorted(plots(graph, placements), key=lambda plot: len(plot.around))
    found = subjects(list(histories))
    structure = _within(structure_rows(graph, shown, run=run), max_rows, reserved=len(found))
    wanted = _wanted(shown[: len(structure)], found)
    room = None if max_rows is None else max_rows - 1 - sum(map(len, structure))
    kept = dict(list(wanted.items())[:room])
    rows = [row for level in structure for row in level]
    used = sum(map(_bytes, rows))
    series = _sized(kept, histories, run=run, most=max_columns, room=None if max_bytes is None else max_bytes - used)
    if max_bytes is not None:
        series = list(_fitting(series, SLACK * max_bytes - used))
    counts = [len(structure), len(shown) - len(structure), len(series), len(wanted) - len(series)]
    meta = codec.row(
        "meta",
        run,
        uid=level_uid(graph),
        parent="",
        texts=codec.groups([codec.fields([time_unit, graph.label]), codec.fields(_phases(histories))]),
        numbers=codec.pack([codec.SCHEMA, step, time, *counts], digits=9),
    )
    return [meta, *rows, *series]


def _within(levels: Iterable[list[codec.Row]], limit: int | None, *, reserved: int) -> list[list[codec.Row]]:
    """As many whole levels as there are rows for beside those reserved for histograms; the first one in any case."""
    found: list[list[codec.Row]] = []
    used = 1
    for level in levels:
        used += len(level)
        if limit is not None and used > limit - (min(reserved, limit // 3) if found else 0):
            break
        found.append(level)
    return found


def _wanted(shown: Sequence[Plot], found: Subjects) -> Subjects:
    """The subjects that some shown box has, those of the outer levels first."""
    wanted: Subjects = {}
    for node in (node for plot in shown for node in plot.level.nodes if node.kind not in {"fold", "from", "to"}):
        for address in (f"{node.path}#{node.call}", f"{node.path}#"):
            for phase in ("train", "eval"):
                place = (f"{codec.clean(address)}@{phase}", phase)
                if place in found:
                    wanted[place] = found[place]
    return wanted


def _phases(histories: Mapping[Key, History]) -> list[str]:
    seen = {key.phase for key in histories}
    return [phase for phase in ("train", "eval") if phase in seen] or ["train"]


def _bytes(row: codec.Row) -> int:
    return len(json.dumps(row, separators=(",", ":")))


def _sized(
    found: Subjects, histories: Mapping[Key, History], *, run: str, most: int, room: int | None
) -> list[codec.Row]:
    """The rows of the histograms, as fine as there is room for."""
    choices = list(details(most))
    sizes = estimated_bytes((histories[key] for keys in found.values() for key in keys), choices)
    rows: list[codec.Row] = []
    for detail, size in zip(choices, sizes, strict=True):
        if room is None or size <= room or detail == choices[-1]:
            rows = list(series_rows(found, histories, run=run, detail=detail))
            if room is None or sum(map(_bytes, rows)) <= room:
                break
    return rows


def _fitting(rows: Sequence[codec.Row], limit: int) -> Iterable[codec.Row]:
    used = 0
    for row in rows:
        used += _bytes(row)
        if used > limit:
            return
        yield row
