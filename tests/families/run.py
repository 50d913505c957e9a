"""Runs a model of a family once, and says all that the user could see of it.

In: a Family, a mode, a model. Out: a Seen. Owns no state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import Tensor, nn

from tests.families.family import Family, Mode


@dataclass(frozen=True)
class Seen:
    """What a forward and a backward left: types and tensors given out, gradients, buffers, the generator's state."""

    types: list[str]
    outputs: list[Tensor]
    gradients: dict[str, Tensor]
    buffers: dict[str, Tensor]
    generator: Tensor


def made(family: Family, mode: Mode) -> nn.Module:
    """A fresh model, the same one each time."""
    torch.manual_seed(0)
    return family.make().train(mode == "train")


def run(family: Family, mode: Mode, model: nn.Module, *, graded_inputs: bool = False) -> Seen:
    """One forward, and one backward where gradients are on."""
    torch.manual_seed(1)
    args = family.args() if mode == "train" or family.eval_args is None else family.eval_args()
    keywords = family.keywords()
    if graded_inputs:
        for tensor in tensors((args, keywords)):
            tensor.requires_grad_(tensor.is_floating_point())
    torch.manual_seed(2)
    with torch.set_grad_enabled(mode != "no_grad"):
        result = model(*args, **keywords)
    outputs = list(tensors(result))
    if mode != "no_grad":
        loss(outputs).backward()
    return Seen(
        types=[type(each).__name__ for each in walk(result)],
        outputs=[tensor.detach().clone() for tensor in outputs],
        gradients={name: each.grad.clone() for name, each in model.named_parameters() if each.grad is not None},
        buffers={name: each.clone() for name, each in model.named_buffers()},
        generator=torch.get_rng_state(),
    )


def loss(outputs: list[Tensor]) -> Tensor:
    """All outputs with random weights: a plain sum of what a normalisation gives out would have no gradient."""
    generator = torch.Generator().manual_seed(3)
    graded = [tensor for tensor in outputs if tensor.requires_grad]
    return sum(((tensor * torch.randn(tensor.shape, generator=generator)).sum() for tensor in graded), torch.zeros(()))


def tensors(value: Any) -> Iterator[Tensor]:
    """Tensors in what a model takes and gives."""
    yield from (each for each in walk(value) if isinstance(each, Tensor))


def walk(value: Any) -> Iterator[Any]:
    """A value and all that is inside it, containers first."""
    yield value
    if isinstance(value, dict):
        for inside in value.values():
            yield from walk(inside)
    elif isinstance(value, (list, tuple)):
        for inside in value:
            yield from walk(inside)
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from walk(getattr(value, each.name))
