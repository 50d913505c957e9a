"""Checkpointing of both kinds."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from tests.zoo.case import Case, lin, line, model

AB = line("in:x", "a#0", "b#0", "out:0")


def kept(self: Any, x: Tensor) -> Tensor:
    return checkpoint(lambda y: self.b(self.a(y).relu()), x, use_reentrant=False)


def kept_middle(self: Any, x: Tensor) -> Tensor:
    return self.b(checkpoint(self.mid, self.a(x), use_reentrant=False))


def reentrant_middle(self: Any, x: Tensor) -> Tensor:
    return self.b(checkpoint(self.mid, self.a(x), use_reentrant=True))


def reentrant_pair(self: Any, x: Tensor) -> Tensor:
    return checkpoint(lambda y: self.b(self.a(y).relu()), x, use_reentrant=True)


def needing() -> tuple[Any, ...]:
    return (torch.randn(2, 4, requires_grad=True),)


def block() -> nn.Module:
    return nn.Sequential(lin(), nn.Tanh())


MIDDLE = line("in:x", "a#0", "mid#0", "b#0", "out:0")
INSIDE = {"mid#0": line("in:input", "mid.0#0", "mid.1#0", "out:0")}
REENTRANT = "the forward of a reentrant checkpoint runs without gradients, so its inside is drawn dashed"

CASES = [
    Case("checkpoint", lambda: model(kept, a=lin(), b=lin()), AB),
    Case("checkpoint of an input that needs a gradient", lambda: model(kept, a=lin(), b=lin()), AB, inputs=needing),
    Case("checkpoint of a block", lambda: model(kept_middle, a=lin(), mid=block(), b=lin()), MIDDLE, INSIDE),
    Case("reentrant checkpoint of a layer", lambda: model(reentrant_middle, a=lin(), mid=lin(), b=lin()), MIDDLE),
    Case(
        "reentrant checkpoint of a block",
        lambda: model(reentrant_middle, a=lin(), mid=block(), b=lin()),
        MIDDLE,
        INSIDE,
        gap=REENTRANT,
    ),
    Case(
        "reentrant checkpoint of two",
        lambda: model(reentrant_pair, a=lin(), b=lin()),
        AB,
        inputs=needing,
    ),
    Case(
        "checkpoint sequential",
        lambda: model(
            lambda self, x: checkpoint_sequential(self.s, 2, x, use_reentrant=False),
            s=nn.Sequential(lin(), lin(), lin()),
        ),
        line("in:x", "s.0#0", "s.1#0", "s.2#0", "out:0"),
    ),
]
