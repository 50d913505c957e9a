"""A short training with everything that a watcher could disturb, and its unwatched twin.

In: a way to watch. Out: the parameters at the end. Owns no state.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from torchexplorer import WatchFailed

STEPS = 50


class Net(nn.Module):
    """Dropout, a residual connection, an in-place activation, a module that is called twice."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(5, 6), nn.Linear(6, 6)
        self.drop, self.relu = nn.Dropout(0.2), nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        x = self.relu(self.first(x))
        x = x + self.relu(self.second(self.drop(x)))
        return self.second(x)


def train(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int = STEPS) -> None:
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.randn(4, 5)).square().mean().backward()
        optimizer.step()


def run(begin: Callable[[nn.Module, torch.optim.Optimizer], Any], during: Callable[[], Any] = lambda: None) -> Any:
    """(parameters and the state of the generator at the end, messages of WatchFailed)."""
    torch.manual_seed(1)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        watcher = begin(model, optimizer)
        during()
        train(model, optimizer)
        if watcher is not None:
            watcher.flush()
            watcher.remove()
    told = [str(each.message) for each in caught]
    assert not [each for each in caught if each.category is not WatchFailed], told
    return [*(p.detach().clone() for p in model.parameters()), torch.get_rng_state()], told


def hooks(model: nn.Module) -> int:
    registries = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return sum(len(getattr(module, name)) for module in model.modules() for name in registries)
