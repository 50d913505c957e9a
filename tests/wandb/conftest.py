"""Runs of Weights & Biases that write below tmp_path, and a server on this machine.

In: pytest's tmp_path. Out: fixtures. State: wandb's own process, ended after each test, so that the next one's
environment counts.
"""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sources import ROOT
from tests.wandb.server import Server

BEGIN = """
import json, os, sys, time
import torch, wandb, torchexplorer
from torch import nn
quick = wandb.Settings(x_disable_stats=True, console="off")
def small():
    return nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
def train(model):
    model(torch.randn(8, 4)).sum().backward()
"""


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """`wandb.init`, offline. Its runs are finished after the test."""
    import wandb

    runs: list[Any] = []

    def init(**options: Any) -> Any:
        settings = wandb.Settings(x_disable_stats=True, console="off")
        runs.append(wandb.init(**{"project": "p", "mode": "offline", "dir": tmp_path, "settings": settings, **options}))
        return runs[-1]

    yield init
    for run in runs:
        run.finish()
    wandb.teardown()


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Any]:
    """Runs code in a process of its own; returns what it printed as the last line, read as JSON."""

    def run(code: str, server: Server | None = None, **more: str) -> Any:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
        environment |= (server.environment() if server else {}) | more
        done = subprocess.run(
            [sys.executable, "-c", BEGIN + textwrap.dedent(code)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.strip().rpartition("\n")[2])

    return run
