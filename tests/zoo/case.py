"""What a model of the zoo says of itself.

In: a model, its inputs, and the nodes and edges that are true of it. Out: Cases. Owns no state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

import torch
from torch import Tensor, nn

EdgeSet = frozenset[tuple[str, str, bool]]
"""(source, target, differentiable) of each edge."""

NONE: EdgeSet = frozenset()


def chain(*keys: str) -> EdgeSet:
    """Differentiable edges from each key to the next."""
    return frozenset((source, target, True) for source, target in pairwise(keys))


def dashed(*keys: str) -> EdgeSet:
    """Edges with data flow only, from each key to the next."""
    return frozenset((source, target, False) for source, target in pairwise(keys))


def merge(*sources: str, to: str) -> EdgeSet:
    """Differentiable edges from each source to one target."""
    return frozenset((source, to, True) for source in sources)


@dataclass(frozen=True)
class Level:
    """The true inside of one call: node keys as words, and edges."""

    nodes: str
    edges: EdgeSet


def line(*keys: str) -> Level:
    """A level that is one differentiable chain."""
    return Level(" ".join(keys), chain(*keys))


def one_tensor() -> tuple[Any, ...]:
    """The usual input: x of shape (2, 4)."""
    return (torch.randn(2, 4),)


@dataclass(frozen=True)
class Case:
    """A model and the truth about its graph.

    `inside` maps the way to an opened call ("block#0", "block#0/fc#0") to its level; every call that has an inside
    must be named there, unless it is None (not looked at). `gap` says why the tool is known to fall short.
    """

    name: str
    make: Callable[[], nn.Module]
    top: Level
    inside: Mapping[str, Level] | None = field(default_factory=dict)
    inputs: Callable[[], tuple[Any, ...]] = one_tensor
    keywords: Callable[[], dict[str, Any]] = dict
    mode: Literal["train", "eval", "no_grad", "inference"] = "train"
    gap: str = ""


def model(forward: Callable[..., Any], **parts: Any) -> nn.Module:
    """A module with these attributes (modules, parameters, anything) and this forward."""
    made = type("Model", (nn.Module,), {"forward": forward})()
    for name, part in parts.items():
        setattr(made, name, part)
    return made


def lin() -> nn.Linear:
    """The usual layer: 4 -> 4."""
    return nn.Linear(4, 4)


def rand(*size: int) -> Tensor:
    """A random tensor, of shape (2, 4) unless told."""
    return torch.randn(*(size or (2, 4)))
