"""A small residual network that learns to read handwritten digits, watched while it trains.

In: a number of steps. Out: progress in print, a recording. Owns no state. The digits are those that scikit-learn ships.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchexplorer import Watcher
from torchexplorer.needs import need

BATCH = 64
BAR = 28


class Block(nn.Module):
    """Two convolutions and a skip connection, with the in-place operations of torchvision's ResNets."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = nn.Conv2d(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else None

    def forward(self, x: Tensor) -> Tensor:
        """Shape: (batch, inputs, height, width) -> (batch, outputs, height / stride, width / stride)."""
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += identity
        result: Tensor = self.relu(out)
        return result


class DigitNet(nn.Module):
    """A residual network for digits of 8 x 8 pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True))
        self.block1, self.block2 = Block(16, 16), Block(16, 32, stride=2)
        self.block3, self.block4 = Block(32, 32), Block(32, 64, stride=2)
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(64, 10)

    def forward(self, images: Tensor) -> Tensor:
        """Shape: (batch, 1, 8, 8) -> (batch, 10)."""
        x = self.block4(self.block3(self.block2(self.block1(self.stem(images)))))
        logits: Tensor = self.fc(self.pool(x).flatten(1))
        return logits


def digits() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Images (n, 1, 8, 8) scaled to mean 0 and deviation 1, and labels (n,): for training, then held out."""
    datasets = need("sklearn.datasets", "The demo", install="scikit-learn")
    images, labels = datasets.load_digits(return_X_y=True)
    x = torch.tensor(images, dtype=torch.float32).reshape(-1, 1, 8, 8)
    x, y = (x - x.mean()) / x.std(), torch.tensor(labels)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    held = len(x) // 5
    return x[order[held:]], y[order[held:]], x[order[:held]], y[order[:held]]


def batches(x: Tensor, y: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Random batches without end."""
    while True:
        for index in torch.split(torch.randperm(len(x)), BATCH):
            if len(index) == BATCH:
                yield x[index], y[index]


def train(steps: int, *, watch: Callable[[nn.Module], Watcher], out: Any = None) -> tuple[Watcher, float]:
    """Train for some steps. Returns the watcher and the held-out accuracy, from 0 to 1."""
    torch.manual_seed(0)
    train_x, train_y, test_x, test_y = digits()
    model = DigitNet()
    watcher = watch(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
    progress = Progress(steps, out or sys.stdout)
    accuracy: float | None = None
    for step, (x, y) in enumerate(batches(train_x, train_y)):
        if step == steps:
            break
        loss = functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step % 20 == 19 or step == steps - 1:
            accuracy = held_out_accuracy(model, test_x, test_y)
        progress.show(step + 1, loss.item(), accuracy)
    watcher.flush()
    progress.end()
    return watcher, held_out_accuracy(model, test_x, test_y) if accuracy is None else accuracy


def held_out_accuracy(model: nn.Module, x: Tensor, y: Tensor) -> float:
    """The share of digits that the model reads right."""
    model.eval()
    with torch.no_grad():
        right = float((model(x).argmax(1) == y).float().mean())
    model.train()
    return right


class Progress:
    """One line that is written over on a terminal, a line now and then elsewhere."""

    def __init__(self, steps: int, out: Any) -> None:
        self._steps, self._out = steps, out
        self._live = bool(getattr(out, "isatty", lambda: False)())
        self._last = 0.0

    def show(self, step: int, loss: float, accuracy: float | None) -> None:
        """Tell how far it is; on a terminal at most ten times a second."""
        now = time.monotonic()
        due = now - self._last > 0.1 if self._live else step % max(1, self._steps // 10) == 0
        if not due and step != self._steps:
            return
        self._last = now
        filled = BAR * step // max(1, self._steps)
        bar = "#" * filled + "." * (BAR - filled)
        held_out = "" if accuracy is None else f"  held-out accuracy {accuracy:.1%}"
        text = f"[{bar}] {step}/{self._steps}  train loss {loss:.3f}{held_out}"
        self._out.write(f"\r{text}" if self._live else f"{text}\n")
        self._out.flush()

    def end(self) -> None:
        """Leave the line."""
        if self._live:
            self._out.write("\n")
