"""Tensors found in whatever modules take and give, with their names."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from torchexplorer.trace.values import describe, named_inputs, named_outputs

A, B = torch.zeros(1), torch.ones(2)
Pair = namedtuple("Pair", "left right")


@dataclass
class Bundle:
    logits: Tensor
    hidden: tuple[Tensor, ...]
    loss: None = None


class Holder:
    def __init__(self) -> None:
        self.tensor, self.cache, self.text = A, [B], "x"


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (A, ["0"]),
        ((A, B), ["0", "1"]),
        ([A, None, B], ["0", "2"]),
        ({"x": A, "y": {"z": B}}, ["x", "y.z"]),
        (OrderedDict(logits=A, hidden=(A, B)), ["logits", "hidden.0", "hidden.1"]),
        (Pair(A, None), ["left"]),
        (Bundle(A, (B,)), ["logits", "hidden.0"]),
        (nn.utils.rnn.pack_sequence([A, A]), ["data"]),
        (Holder(), ["tensor"]),
        (None, []),
        ("text", []),
        (3, []),
        ({1: A}, ["1"]),
    ],
)
def test_outputs(value: Any, names: list[str]) -> None:
    assert [name for name, _ in named_outputs(value)] == names


def test_inputs_are_named_after_the_signature() -> None:
    class Module(nn.Module):
        def forward(self, x: Tensor, *rest: Tensor, mask: Tensor, flag: bool = False, **more: Tensor) -> None: ...

    named = named_inputs(Module(), (A, B, A), {"mask": B, "flag": True, "extra": A})
    assert [name for name, _ in named] == ["x", "rest.0", "rest.1", "mask", "extra"]


def test_a_structure_that_holds_itself_ends() -> None:
    loop: list[Any] = [A]
    loop.append(loop)
    assert len(named_outputs(loop)) < 20


def test_description() -> None:
    value = describe("x", torch.zeros(2, 3, dtype=torch.bfloat16))
    assert (value.name, value.shape, value.dtype, value.device) == ("x", (2, 3), "bfloat16", "cpu")
