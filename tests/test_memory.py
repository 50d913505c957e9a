"""What is let go: a long training takes no more memory, and nothing outlives the user's model."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchexplorer


class Token:
    """Lives as long as the autograd node that holds it."""


class Held(torch.autograd.Function):
    tokens: list[weakref.ref[Token]] = []  # noqa: RUF012

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.token = Token()
        Held.tokens.append(weakref.ref(ctx.token))
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        return grad


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(3, 4), nn.Linear(4, 1)
        self.fails: type[BaseException] | None = None

    def forward(self, x: Tensor) -> Tensor:
        x = Held.apply(self.first(x))
        if self.fails is not None:
            raise self.fails
        y: Tensor = self.last(x)
        return y


def train(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(5, 3)).sum().backward()
        optimizer.step()


def watched_and_trained(fails: type[BaseException] | None) -> list[weakref.ref[Any]]:
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watcher = torchexplorer.watch(model, log_freq=1, backend="none", optimizer=optimizer)
    train(model, optimizer, 3)
    if fails is not None:
        model.fails = fails
        with pytest.raises(fails):
            train(model, optimizer, 1)
    parts = (watcher, watcher._worker, watcher._tracer, watcher._worker.book, model, model.first, model.first.weight)
    return [weakref.ref(part) for part in (*parts, optimizer)]


@pytest.mark.parametrize("fails", [None, ValueError, KeyboardInterrupt])
def test_all_goes_with_the_model(fails: type[BaseException] | None) -> None:
    gone = watched_and_trained(fails)
    gc.collect()
    for thread in [thread for thread in threading.enumerate() if thread.name == "torchexplorer"]:
        thread.join(10)
    gc.collect()
    assert [reference() for reference in gone] == [None] * len(gone)
    gone = watched_and_trained(None)  # takes off what a key pressed in the middle of a forward left
    assert not torch.overrides._get_current_function_mode_stack()


@pytest.mark.parametrize("fails", [None, ValueError, KeyboardInterrupt])
def test_no_graph_of_an_old_step_is_alive(watch: Any, fails: type[BaseException] | None) -> None:
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watcher = watch(model, optimizer=optimizer)
    Held.tokens.clear()
    train(model, optimizer, 3)
    model.fails = fails
    if fails is not None:
        with pytest.raises(fails):
            train(model, optimizer, 1)
        model.fails = None
        train(model, optimizer, 1)
    gc.collect()
    watcher.flush()
    assert len(Held.tokens) >= 3
    assert not [token for token in Held.tokens if token() is not None]


def resident() -> int:
    """Bytes of this process that are in memory, after what is free was given back."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


@pytest.fixture
def one_thread() -> Iterator[None]:
    """So that PyTorch's threads do not wait for each other on a busy machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_two_thousand_recorded_steps_take_no_more_memory(watch: Any) -> None:
    """Histories hold 64 columns at most; after the first few hundred steps nothing grows."""
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 3))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    watcher = watch(model, optimizer=optimizer)
    seen = {}
    for step in range(2001):
        optimizer.zero_grad()
        model(torch.randn(8, 1, 8, 8)).square().mean().backward()
        optimizer.step()
        if step in (200, 600, 1000, 1500, 2000):
            watcher.flush()
            seen[step] = resident() / 2**20
    print({step: round(size, 1) for step, size in seen.items()})
    assert seen[2000] - seen[200] < 8, f"resident MiB by step: {seen}"
