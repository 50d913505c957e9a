"""What a run's own file holds afterwards: the user's history rows, the table, the chart's entry, two facts."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import torchexplorer
from tests.wandb.offline_log import RunLog, read_log
from tests.wandb.webapp import MOST_ROWS, RESERVED
from torchexplorer.backends.wandb_preset import preset_name
from torchexplorer.render import COLUMNS

Begin = Callable[..., Any]
STYLES: dict[str, Callable[[Any, int], None]] = {
    "log": lambda run, step: run.log({"loss": step}),
    "step": lambda run, step: run.log({"loss": step}, step=10 * step),
    "commit": lambda run, step: run.log({"loss": step}, step=10 * step, commit=True),
    "two halves": lambda run, step: (run.log({"half": step}, commit=False), run.log({"loss": step})),
}


def small() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))


def train(model: nn.Module, steps: int, after: Callable[[int], Any] = lambda step: None) -> None:
    for step in range(steps):
        model(torch.randn(8, 4)).sum().backward()
        after(step)


def finished(run: Any) -> RunLog:
    path = run.settings.sync_file
    run.finish()
    return read_log(path)


@pytest.mark.parametrize(
    ("transport", "interval", "style"),
    [
        ("log", 0.1, "step"),
        ("log", 3600, "log"),
        ("log", 3600, "two halves"),
        ("file", 0.1, "log"),
        ("file", 0.1, "commit"),
        ("html", 3600, "step"),
    ],
)
@pytest.mark.parametrize("removed", [False, True], ids=["finished", "removed"])
def test_the_history_rows_are_the_users(
    begin: Begin, transport: str, interval: float, style: str, removed: bool
) -> None:
    run = begin()
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1, wandb_transport=transport, wandb_interval=interval)
    steps = 300 if interval < 1 else 40
    train(model, steps, lambda step: STYLES[style](run, step))
    if removed:
        watcher.remove()
    log = finished(run)
    assert [row["loss"] for row in log.history] == list(range(steps))
    assert [row["_step"] for row in log.history] == [
        step * (10 if style in {"step", "commit"} else 1) for step in range(steps)
    ]
    assert log.summary["explorer_chart_0/step"] == steps - 1
    if transport != "html":
        assert meta_step(log) == steps - 1
        sent = len(list(log.path.parent.glob("files/media/table/*")))
        assert sent >= 3 if interval < 1 else sent == 2


def meta_step(log: RunLog, key: str = "explorer_chart_0") -> int:
    return int(log.rows(key)[0]["numbers"].split(" ")[1])


@pytest.mark.parametrize("transport", ["log", "file"])
def test_the_table(begin: Begin, transport: str) -> None:
    run = begin()
    model = small()
    torchexplorer.watch(model, log_freq=1, wandb_transport=transport)
    model[0].weight.data[0, 0] = float("nan")
    train(model, 3)
    log = finished(run)
    table = log.table("explorer_chart_0")
    assert table["columns"] == list(COLUMNS)
    assert not RESERVED & set(table["columns"])
    assert not [name for name in table["columns"] if not re.fullmatch(r"\w+", name)]
    assert {type(cell) for row in table["data"] for cell in row} == {str}
    rows = log.rows("explorer_chart_0")
    assert len(rows) == log.summary["explorer_chart_0_table"]["nrows"] <= MOST_ROWS
    assert {row["run"] for row in rows} == {run.id}
    assert {row["kind"] for row in rows} == {"meta", "level", "node", "series"}
    assert "NaN" not in log.file("explorer_chart_0_table").read_text()


@pytest.mark.parametrize("transport", ["log", "file"])
@pytest.mark.parametrize("chart", [None, "team/mine"])
def test_the_entry_of_the_chart(begin: Begin, transport: str, chart: str | None) -> None:
    run = begin()
    model = small()
    torchexplorer.watch(model, log_freq=1, wandb_transport=transport, wandb_chart=chart)
    train(model, 1)
    log = finished(run)
    assert list(log.charts) == ["explorer_chart_0"]
    entry = log.charts["explorer_chart_0"]
    assert entry["panel_type"] == "Vega2"
    assert entry["panel_config"]["panelDefId"] == chart or preset_name()
    assert entry["panel_config"]["fieldSettings"] == {column: column for column in COLUMNS}
    assert '"value": "explorer_chart_0_table"' in str(entry).replace("'", '"')


def test_nothing_else_is_in_the_summary(begin: Begin) -> None:
    run = begin()
    model = small()
    torchexplorer.watch(model, log_freq=1)
    train(model, 3, lambda step: run.log({"loss": step}))
    log = finished(run)
    ours = {"explorer_chart_0_table", "explorer_chart_0/parameters", "explorer_chart_0/step"}
    assert set(log.summary) == ours | {"loss", "_wandb", "_step", "_runtime", "_timestamp"}
    assert log.summary["explorer_chart_0/parameters"] == 30


@pytest.mark.parametrize("transport", ["log", "file"])
def test_the_users_rules_for_summaries_do_not_empty_the_chart(begin: Begin, transport: str) -> None:
    run = begin()
    run.define_metric("*", summary="none")
    model = small()
    torchexplorer.watch(model, log_freq=1, wandb_transport=transport)
    train(model, 3, lambda step: run.log({"loss": step}))
    if transport == "file":
        assert meta_step(finished(run)) == 2
    else:
        assert "explorer_chart_0_table" not in finished(run).summary  # a limit of the interface, told in the README


def test_what_did_not_change_is_not_sent(begin: Begin) -> None:
    run = begin()
    model = small()
    watcher = torchexplorer.watch(model, log=[], log_freq=1, wandb_interval=0)
    for step in range(10):
        train(model, 1)
        watcher.flush()
        run.log({"loss": step})
    log = finished(run)
    assert len(list(log.path.parent.glob("files/media/table/*"))) == 1
    assert len(log.steps_with("explorer_chart_0_table")) == 1
    assert log.summary["explorer_chart_0/step"] == 9


def test_each_watch_has_its_chart(begin: Begin) -> None:
    run = begin()
    first, second = small(), nn.Linear(4, 4)
    torchexplorer.watch(first, log_freq=1)
    torchexplorer.watch(second, log_freq=1)
    train(second, 1)
    train(first, 1)
    log = finished(run)
    assert set(log.charts) == {"explorer_chart_0", "explorer_chart_1"}
    assert log.rows("explorer_chart_0")[0]["texts"].startswith("step\x1fSequential")
    assert log.rows("explorer_chart_1")[0]["texts"].startswith("step\x1fLinear")


def test_a_page_needs_nothing_else(begin: Begin) -> None:
    run = begin()
    model = small()
    torchexplorer.watch(model, log_freq=1, wandb_transport="html")
    train(model, 2)
    log = finished(run)
    page = log.file("explorer_chart_0").read_text(encoding="utf-8")
    assert not log.charts
    assert page.count("</script>") == 4
    assert not re.findall(
        r"<(?:script|link|img)[^>]+(?:src|href)=",
        page.replace(page[page.index("<script>") : page.index("</script>")], ""),
    )
    assert len(page) < 2_000_000


def test_disabled_runs_get_nothing(begin: Begin, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    begin(mode="disabled")
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1)
    train(model, 4)
    watcher.remove()
    assert "no run of Weights" not in capfd.readouterr().err
    assert not list(tmp_path.rglob("*.json"))
