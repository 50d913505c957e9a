"""One model of a well-known family, with what is needed to run it and what is known to be special about it.

In: nothing. Out: Family, MODES. Owns no state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from torch import nn

Mode = Literal["train", "eval", "no_grad"]
"""Training and evaluation, both with a backward pass; evaluation without gradients."""

MODES: tuple[Mode, ...] = ("train", "eval", "no_grad")


@dataclass(frozen=True)
class Family:
    """A small model and its arguments. `make` and the arguments are called after the generators were seeded.

    The mappings go from a name to the reason; `*` in a name stands for anything. `sourceless` names nodes that no edge
    leads to, as "path#call" or "path/out:name". `ungraded` names series "path kind name" that full backward hooks give
    and we do not. `totals` names outputs that the call itself uses for another output: there hooks leave that part of
    the gradient out, and we tell all that arrives.
    """

    make: Callable[[], nn.Module]
    args: Callable[[], tuple[Any, ...]] = tuple
    keywords: Callable[[], dict[str, Any]] = dict
    eval_args: Callable[[], tuple[Any, ...]] | None = None
    sourceless: Mapping[str, str] = field(default_factory=dict)
    ungraded: Mapping[str, str] = field(default_factory=dict)
    totals: Mapping[str, str] = field(default_factory=dict)
