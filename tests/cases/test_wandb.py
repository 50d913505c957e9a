"""Reported cases of charts in Weights & Biases: uploads without end, tables not sent again, steps that move."""

from pathlib import Path
from typing import Any

import torch
from torch import nn

import torchexplorer
from tests.wandb.conftest import begin  # noqa: F401
from tests.wandb.offline_log import read_log


def open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def test_files_and_descriptors_are_bounded(begin: Any, tmp_path: Path) -> None:  # noqa: F811
    run = begin()
    model = nn.Linear(4, 4)
    watcher = torchexplorer.watch(model, log_freq=1)
    counts = []
    for _ in range(3):
        for _ in range(50):
            model(torch.randn(2, 4)).sum().backward()
        watcher.flush()
        counts.append((len(list(tmp_path.rglob("*.table.json"))), open_files()))
    assert counts[0][0] <= 3
    assert counts[-1][0] <= counts[0][0] + 1
    assert counts[-1][1] <= counts[0][1] + 5
    run.finish()


def test_each_table_holds_all_so_far(begin: Any) -> None:  # noqa: F811
    """A table that was logged is not sent again when it has grown; ours is a fresh one each time."""
    run = begin()
    model = nn.Linear(4, 4)
    watcher = torchexplorer.watch(model, log_freq=1, wandb_interval=0)
    for step in range(3):
        model(torch.randn(2, 4)).sum().backward()
        watcher.flush()
        run.log({"loss": step})
    path = Path(run.settings.sync_file)
    run.finish()
    log = read_log(path)
    (series, *_) = [row for row in log.rows("explorer_chart_0") if row["kind"] == "series"]
    assert series["numbers"].split("\x1f")[1] == "0 1 2" or "0 1 2" in series["numbers"]


def test_the_users_own_steps_are_never_refused(begin: Any) -> None:  # noqa: F811
    run = begin()
    model = nn.Linear(4, 4)
    torchexplorer.watch(model, log_freq=1, wandb_interval=0)
    for step in range(20):
        loss = model(torch.randn(2, 4)).sum()
        loss.backward()
        run.log({"loss": loss.item()}, step=step)
    assert run.step <= 20
    path = run.settings.sync_file
    run.finish()
    log = read_log(path)
    assert [row["_step"] for row in log.history if "loss" in row] == list(range(20))
    assert len(log.history) == 20
