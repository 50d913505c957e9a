"""A run that is killed and goes on from a checkpoint has the histories of one that was never interrupted."""

from __future__ import annotations

import copy
import io
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import torchexplorer
from torchexplorer import Watcher


class Run:
    """Model, optimizer and watcher of one process; batches come from the number of the step."""

    def __init__(self, checkpoint: bytes | None = None, **options: Any) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), 0.01)
        self.watcher = torchexplorer.watch(self.model, backend="none", optimizer=self.optimizer, **options)
        if checkpoint is not None:
            state = torch.load(io.BytesIO(checkpoint), weights_only=False)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.watcher.load_state_dict(state["watcher"])

    def train(self, steps: range) -> None:
        for step in steps:
            torch.manual_seed(step)
            self.model.train()
            self.optimizer.zero_grad()
            self.model(torch.randn(8, 4)).square().mean().backward()
            self.optimizer.step()
            if step % 3 == 0:
                self.model.eval()
                with torch.no_grad():
                    self.model(torch.randn(8, 4))

    def checkpoint(self) -> bytes:
        stream = io.BytesIO()
        parts = {"model": self.model, "optimizer": self.optimizer, "watcher": self.watcher}
        torch.save({name: part.state_dict() for name, part in parts.items()}, stream)
        return stream.getvalue()


def assert_same(one: Watcher, other: Watcher) -> None:
    first, second = one.histograms, other.histograms
    assert set(first) == set(second)
    assert {key.kind for key in first} == {
        "input",
        "output",
        "input_grad",
        "output_grad",
        "param",
        "param_grad",
        "param_update",
    }
    for key in first:
        for field in fields(first[key]):
            a, b = getattr(first[key], field.name), getattr(second[key], field.name)
            np.testing.assert_array_equal(a, b, f"{key} {field.name}")
            assert a.dtype == b.dtype
    counts = one.state_dict()["steps"]
    assert counts == other.state_dict()["steps"]
    assert counts["train"] > counts["eval"] > 0


@pytest.mark.parametrize("options", [{"log_freq": 1}, {"log_freq": 3, "eval_log_freq": 2}], ids=["all", "some"])
@pytest.mark.parametrize("k", [1, 37, 80])  # 80: columns have been merged by then
def test_killed_and_resumed(k: int, options: dict[str, Any]) -> None:
    whole = Run(**options)
    whole.train(range(100))
    first = Run(**options)
    first.train(range(k))
    checkpoint = first.checkpoint()
    first.train(range(k, k + 5))  # killed between two checkpoints
    first.watcher.remove()
    second = Run(checkpoint, **options)
    second.train(range(k, 100))
    assert_same(whole.watcher, second.watcher)
    whole.watcher.remove()
    second.watcher.remove()


def test_a_state_is_a_copy() -> None:
    run = Run(log_freq=1)
    run.train(range(2))
    state = run.watcher.state_dict()
    kept = copy.deepcopy(state)
    run.train(range(2, 5))
    assert state["steps"] == kept["steps"] == {"train": 2, "eval": 1}
    run.watcher.remove()
    other = Run(log_freq=1)
    other.watcher.load_state_dict(state)
    assert {
        history.steps.tolist()[-1] for key, history in other.watcher.histograms.items() if key.phase == "train"
    } == {1}
    other.watcher.remove()
