"""Rows and chart where others lost data: too many rows, too many bytes, columns that change."""

import json
from typing import Any

import torch
from torch import nn

from tests.reading import of_two_runs, structure
from torchexplorer.layout import place
from torchexplorer.render import chart_spec, explorer_rows, levels


def rows(watcher: Any, *, step: int = 0) -> list[dict[str, Any]]:
    graph = structure(watcher)
    placements = place(levels(graph))
    histories = dict(watcher.histograms)
    return explorer_rows(graph, placements, histories, run="r", step=step, time=float(step), time_unit="step")


def test_a_wide_model_stays_below_the_limits_of_rows_and_bytes(watch: Any) -> None:
    model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(300)])
    watcher = watch(model)
    sizes = []
    for _ in range(2):
        for _ in range(12):
            model(torch.randn(2, 2)).sum().backward()
        found = rows(watcher)
        assert len(found) <= 10_000
        sizes.append(len(json.dumps(found)))
    assert max(sizes) <= 4_000_000
    assert sizes[1] <= 1.5 * sizes[0]


def test_columns_are_the_same_at_every_refresh(watch: Any) -> None:
    model = nn.Sequential(nn.Linear(4, 4))
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    first = rows(watcher)
    model.add_module("late", nn.Linear(4, 4))
    model(torch.randn(2, 4)).sum().backward()
    second = rows(watcher, step=1)
    assert len({tuple(row) for row in [*first, *second]}) == 1
    assert not {"id", "name", "color"} & set(first[0])
    assert all(isinstance(cell, (str, int, float, type(None))) for row in second for cell in row.values())


def test_the_chart_has_no_inline_data() -> None:
    spec = chart_spec()
    assert [data for data in spec["data"] if data["name"] == "wandb"] == [{"name": "wandb"}]
    assert chart_spec() is not spec


def test_any_name_can_be_drawn(watch: Any) -> None:
    names = ["a:b", 'q"q', "back\\slash", "<b>x</b>", "{r|s}", "x" * 300, "模型", "new\nline"]
    model = nn.Sequential()
    for name in names:
        model.add_module(name, type(name, (nn.Linear,), {})(4, 4))
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    graph = structure(watcher)
    (placement,) = place(levels(graph))
    assert len(set(placement.centers)) == len(names) + 2
    assert len(placement.routes) == len(names) + 1
    assert rows(watcher)


def test_a_long_flat_model_is_laid_out_in_bounded_time(watch: Any) -> None:
    model = nn.Sequential(*[nn.Linear(2, 2) for _ in range(2000)])
    watcher = watch(model, log=[])
    model(torch.randn(2, 2)).sum().backward()
    placements = place(levels(structure(watcher)))
    assert [len(placement.centers) for placement in placements] == [3, 42, *[52] * 40]


def test_two_runs_have_the_same_addresses(watch: Any) -> None:
    shown = {"level", "node", "edge"}
    found = of_two_runs(watch, lambda watcher: [row for row in rows(watcher) if row["kind"] in shown])
    assert found[0] == found[1]
    assert found[0]
