"""Watching changes nothing: a watched model trains bit for bit like its unwatched twin."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
import torchvision
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

import torchexplorer


class Checkpointed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.block = nn.Linear(6, 6), nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.2), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.block, self.first(x), use_reentrant=False)
        y: Tensor = checkpoint(self.block, x, use_reentrant=True)
        return y


class Quantized(nn.Module):
    """A VQ-VAE's middle: codes, a straight-through estimator, a moving average written into a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.encode, self.decode, self.code = nn.Linear(6, 4), nn.Linear(4, 6), nn.Embedding(5, 4)
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        z = self.encode(x)
        index = torch.cdist(z, self.code.weight).argmin(-1)
        code = self.code(index)
        with torch.no_grad():
            self.mean.mul_(0.9).add_(z.mean(0), alpha=0.1)
        return {"y": self.decode(z + (code - z).detach()), "loss": (code - z.detach()).square().mean(), "index": index}


class Writes(nn.Module):
    """In-place code of every kind, on the root's input too."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.relu = nn.Linear(6, 6), nn.ReLU(inplace=True)
        self.register_buffer("last", torch.zeros(6))

    def forward(self, x: Tensor) -> Tensor:
        x = x.clone()
        x[:, 0] = 0
        self.last = x[0] * 2
        y = self.layer(x)
        y += x
        y = self.relu(y)
        z = torch.zeros_like(y)
        z[:, 1:] = y[:, 1:]
        z[:, 0].copy_(y[:, 0])
        return z


Make = Callable[[], nn.Module]
MODELS: dict[str, tuple[Make, tuple[int, ...]]] = {
    "mlp": (
        lambda: nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 2)),
        (5, 6),
    ),
    "resnet18": (torchvision.models.resnet18, (2, 3, 32, 32)),
    "transformer": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2),
        (2, 5, 16),
    ),
    "lstm": (lambda: nn.LSTM(6, 7, 2, dropout=0.1), (4, 2, 6)),
    "checkpointed": (Checkpointed, (3, 6)),
    "quantized": (Quantized, (3, 6)),
    "in-place": (Writes, (3, 6)),
}
OPTIMIZERS: dict[str, Callable[[Any], torch.optim.Optimizer]] = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, 0.05, momentum=0.9),
    "fused adamw": lambda parameters: torch.optim.AdamW(parameters, fused=True),
    "foreach adam": lambda parameters: torch.optim.Adam(parameters, foreach=True),
}


@contextmanager
def watched(model: nn.Module, **options: Any) -> Iterator[None]:
    watcher = torchexplorer.watch(model, log_freq=1, backend="none", **options)
    yield
    watcher.flush()
    assert watcher.structure is not None
    assert watcher.histograms
    watcher.remove()


@contextmanager
def unwatched(model: nn.Module) -> Iterator[None]:
    yield


def loss_of(result: Any) -> Tensor:
    if isinstance(result, Tensor):
        return result.float().square().mean() if result.is_floating_point() else torch.zeros(())
    parts = list(result.values()) if isinstance(result, dict) else result
    return sum((loss_of(part) for part in parts), torch.zeros(()))


def train(
    make: Make, shape: tuple[int, ...], how: Any, optimizer: str, *, steps: int, autocast: bool
) -> dict[str, Any]:
    """Everything that training leaves behind."""
    torch.manual_seed(0)
    model = make().train()
    trainer = OPTIMIZERS[optimizer](model.parameters())
    losses = []
    with how(model):
        for _ in range(steps):
            x = torch.randn(shape)
            trainer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
                loss = loss_of(model(x))
            loss.backward()
            trainer.step()
            losses.append(loss.detach().clone())
        return {
            "losses": losses,
            "state": {name: value.clone() for name, value in model.state_dict().items()},
            "gradients": [None if p.grad is None else p.grad.clone() for p in model.parameters()],
            "optimizer": copy.deepcopy(trainer.state_dict()["state"]),
            "rng": torch.get_rng_state(),
            "needs grad": [p.requires_grad for p in model.buffers()],
            "attributes": {name: sorted(vars(module)) for name, module in model.named_modules()},
        }


def assert_equal(seen: Any, expected: Any, where: str = "") -> None:
    if isinstance(expected, Tensor):
        assert torch.equal(seen, expected), where
    elif isinstance(expected, dict):
        assert seen.keys() == expected.keys(), where
        for key, value in expected.items():
            assert_equal(seen[key], value, f"{where} {key}")
    elif isinstance(expected, list):
        assert len(seen) == len(expected), where
        for index, value in enumerate(expected):
            assert_equal(seen[index], value, f"{where} {index}")
    else:
        assert seen == expected, where


@pytest.mark.parametrize("autocast", [False, True], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("name", MODELS)
def test_twins(name: str, optimizer: str, autocast: bool) -> None:
    if name == "resnet18" and (optimizer != "sgd" or autocast):
        pytest.skip("one setting of the large model is enough")
    make, shape = MODELS[name]
    expected = train(make, shape, unwatched, optimizer, steps=3, autocast=autocast)
    seen = train(make, shape, watched, optimizer, steps=3, autocast=autocast)
    assert_equal(seen, expected)


def hooks(model: nn.Module) -> dict[str, int]:
    registries = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    found = {name: sum(len(getattr(module, each)) for each in registries) for name, module in model.named_modules()}
    return {name: count for name, count in found.items() if count}


def test_hooks_are_on_the_root_alone_and_come_off() -> None:
    model = torchvision.models.resnet18()
    watcher = torchexplorer.watch(model, log_freq=1, backend="none")
    model(torch.randn(2, 3, 32, 32)).sum().backward()
    assert hooks(model) == {"": 2}
    assert all(p._backward_hooks is None for p in model.parameters())
    watcher.remove()
    watcher.remove()
    assert hooks(model) == {}


def test_copies_are_silent_and_whole() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    watcher = torchexplorer.watch(model, log_freq=1, backend="none")
    model(torch.randn(2, 4)).sum().backward()
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        twin(torch.randn(2, 4)).sum().backward()
    seen = {len(history.times) for history in watcher.histograms.values()}
    assert seen == {1}
    watcher.remove()


def test_a_second_watch_replaces_the_first() -> None:
    model = nn.Linear(4, 4)
    torchexplorer.watch(model, log_freq=1, backend="none")
    with pytest.warns(RuntimeWarning, match="already watched"):
        second = torchexplorer.watch(model, log_freq=1, backend="none")
    assert hooks(model) == {"": 2}
    second.remove()
    assert hooks(model) == {}
