"""What a recorded step says: calls, values, links between them, and samples.

In: nothing. Out: frozen records that every floor above reads. Owns no state and knows no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np

Phase = Literal["train", "eval"]
SeriesKind = Literal["input", "output", "input_grad", "output_grad", "param", "param_grad", "param_update"]


@dataclass(frozen=True, slots=True)
class Key:
    """The address of one series: which tensor of which call of which module.

    `path` is the module's dotted path ("" for the watched module), `call` counts the calls of that module within a
    step from 0 (parameters belong to the module, so theirs is 0), `name` is the argument, output or parameter name.
    """

    path: str
    call: int
    kind: SeriesKind
    name: str
    phase: Phase = "train"


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Some elements of one tensor at one step, on the host.

    `values` has shape (n,), floating point, and may hold NaN and infinities; `seen` is the number of elements
    that the tensor has. For gradients of inputs and outputs the values are L2 norms per sample of the batch; for
    "param_update" the one value is the norm of an optimizer's change of the parameter over its norm before.
    """

    key: Key
    values: np.ndarray
    seen: int


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor that went into or came out of a call: its name and what it looked like.

    A size of None varies from step to step; a shape of None is not known.
    """

    name: str
    shape: tuple[int | None, ...] | None
    dtype: str
    device: str


PortKind = Literal["in", "child", "attach", "param"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where data comes from inside one call: a port of that call, or a merge of other origins.

    `port` is ("in", i) for the call's input i, ("child", c) for an output of its child call c, ("attach", a) for an
    attached tensor, ("param", p) for a parameter used without its module's call; None for a merge. `parts` are the
    merged origins as (index, differentiable) pairs with indices into CallRecord.origins, each smaller than the
    merge's own, so that origins form a directed acyclic graph; differentiable where the autograd trace runs along it.
    """

    port: tuple[PortKind, int] | None
    parts: tuple[tuple[int, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """Data that reaches a consumer inside one call: an output of the call, a child call, or an attached tensor."""

    origin: int
    target: tuple[Literal["out", "child", "attach"], int]
    differentiable: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """A tensor with a node of its own: attached by name, or a parameter (or buffer) used without its module's call.

    `path` and `call` are the address of its series.
    """

    name: str
    path: str
    call: int
    value: Value


@dataclass(frozen=True, slots=True)
class ModuleFacts:
    """What does not change from call to call: class name, `extra_repr`, parameter counts (own, with submodules)."""

    label: str
    extra: str
    own_parameters: int
    total_parameters: int


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of one module, with all that was called inside it."""

    path: str
    call: int
    facts: ModuleFacts
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    children: tuple[CallRecord, ...]
    attached: tuple[Mark, ...]
    parameters: tuple[Mark, ...]
    origins: tuple[Origin, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StepRecord:
    """A recorded step: the root calls (None where this record only adds samples to a step) and the samples taken."""

    step: int
    phase: Phase
    calls: tuple[CallRecord, ...] | None
    samples: tuple[Sample, ...]
