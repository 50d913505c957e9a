"""Numbers that break histograms: huge, tiny, constant, NaN, infinite, and ranges that change by many powers."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.reading import only, series


class Scaled(nn.Module):
    """A layer with a factor that the test changes."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.factor = nn.Linear(1, 1), 1.0

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) * self.factor


def test_ranges_of_all_sizes_end_in_bounded_time(watch: Any) -> None:
    model = Scaled()
    watcher = watch(model, reject_outlier_proportion=0.0)
    for factor in (1.0, 1e-30, 1e30, 16777216.0, math.inf):
        model.factor = factor
        model(torch.ones(4, 1)).sum().backward()
    history = only(series(watcher, path="", kind="output"))
    assert len(history.times) == 5
    infinite = history.posinf + history.neginf
    assert list(infinite) == [0, 0, 0, 0, 4]
    assert list(history.counts.sum(1)) == [4, 4, 4, 4, 0]
    assert np.isfinite(history.edges).all()


def test_nan_and_infinities_are_counted(watch: Any) -> None:
    model = nn.Linear(3, 3)
    with torch.no_grad():
        model.weight.fill_(1.0)
    watcher = watch(model, reject_outlier_proportion=0.0)
    odd = torch.tensor([[math.inf, -math.inf, 1.0]])
    for x in (torch.full((2, 3), math.nan), torch.randn(2, 3), odd):
        model(x).sum().backward()
    history = only(series(watcher, path="", kind="input"))
    assert list(history.nan) == [6, 0, 0]
    assert list(history.posinf) == [0, 0, 1]
    assert list(history.neginf) == [0, 0, 1]
    assert list(history.counts.sum(1)) == [0, 6, 1]
    assert list(only(series(watcher, path="", kind="output")).nan) == [6, 0, 3]


def test_the_other_order_too(watch: Any) -> None:
    model = nn.Linear(3, 3)
    watcher = watch(model)
    for x in (torch.randn(2, 3), torch.full((2, 3), math.nan), torch.randn(2, 3)):
        model(x).sum().backward()
    assert list(only(series(watcher, path="", kind="input")).nan) == [0, 6, 0]


def test_the_share_of_nan_is_known(watch: Any) -> None:
    model = nn.Linear(10, 1)
    watcher = watch(model)
    x = torch.randn(4, 10)
    x[:, 1:] = math.nan
    model(x).sum().backward()
    history = only(series(watcher, path="", kind="input"))
    assert (history.nan[-1], history.seen[-1]) == (36, 40)


def test_constants_and_single_elements(watch: Any) -> None:
    model = nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(1.0)
    watcher = watch(model, reject_outlier_proportion=0.0)
    for value in (0.0, 3e38, 1e-45, -5.0):
        model(torch.tensor([[value]]))
    history = only(series(watcher, path="", kind="input"))
    assert list(history.counts.sum(1)) == [1, 1, 1, 1]
    assert history.mean[1] == pytest.approx(3e38)


def test_empty_tensors(watch: Any) -> None:
    model = nn.Linear(4, 2)
    watcher = watch(model)
    model(torch.empty(0, 4)).sum().backward()
    model(torch.randn(3, 4)).sum().backward()
    history = only(series(watcher, path="", kind="input"))
    assert history.seen[-1] == 12


def test_late_small_gradients_are_still_resolved(watch: Any) -> None:
    """Early gradients a ten-thousand-millionth times larger do not squash the late ones into one bin for ever."""
    model = nn.Linear(4, 1)
    watcher = watch(model)
    for step in range(30):
        scale = 1e6 if step < 2 else 1e-4
        (model(torch.randn(8, 4)).sum() * scale).backward()
        model.zero_grad()
    history = series(watcher, path="", kind="param_grad")["weight"]
    assert history.max[-1] < 1e-2
    assert history.min[-1] < history.max[-1]
    resolved = getattr(history, "log_counts", history.counts)
    assert (resolved[-1] > 0).sum() > 1
