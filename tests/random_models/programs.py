"""Random programs: what a module's forward does, as data that can be run and that can be reasoned about.

In: choices of hypothesis. Out: a Program. Owns no state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor, nn

WIDTH = 2


@dataclass(frozen=True)
class Call:
    """Call child number `child` with these values; its outputs become new values."""

    child: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Op:
    """An operation between modules. "write" adds the second value to the first in place, the others make a new
    value."""

    name: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """A module: its inputs, children, statements, and the values it gives out ("tuple" or "dict").

    A leaf has no statements: it adds its inputs up and applies a Linear ("linear"), hands its input on ("identity"), or
    gives out its input without gradient ("codes").
    """

    inputs: int
    children: tuple[Program, ...] = ()
    statements: tuple[Call | Op, ...] = ()
    outputs: tuple[int, ...] = (0,)
    form: str = "tuple"
    leaf: str = ""


LEAVES = [Program(1, leaf="linear"), Program(2, leaf="linear"), Program(1, leaf="identity"), Program(1, leaf="codes")]


@st.composite
def programs(draw: st.DrawFn, depth: int = 2) -> Program:
    """A container with up to 6 statements, nested up to `depth` deep, children used again now and then."""
    inputs = draw(st.integers(1, 3))
    count = inputs
    children: list[Program] = []
    statements: list[Call | Op] = []
    for _ in range(draw(st.integers(1, 6))):
        values = st.integers(0, count - 1)
        if draw(st.booleans()):
            name = draw(st.sampled_from(["add", "mul", "relu", "detach", "write", "cat"]))
            width = 1 if name in {"relu", "detach"} else 2
            statements.append(Op(name, tuple(draw(st.lists(values, min_size=width, max_size=width)))))
            count += name != "write"
            continue
        reused = draw(st.integers(0, len(children))) if children else 0
        if reused == len(children):
            nested = depth > 0 and draw(st.booleans())
            children.append(draw(programs(depth=depth - 1)) if nested else draw(st.sampled_from(LEAVES)))
        child = children[reused]
        taken = draw(st.lists(values, min_size=child.inputs, max_size=child.inputs))
        statements.append(Call(reused, tuple(taken)))
        count += len(child.outputs)
    outputs = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=3))
    form = draw(st.sampled_from(["tuple", "dict"]))
    return Program(inputs, tuple(children), tuple(statements), tuple(outputs), form)


class Module(nn.Module):
    """A program that runs."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self.c = nn.ModuleList(Module(child) for child in program.children)
        if program.leaf == "linear":
            self.linear = nn.Parameter(torch.eye(WIDTH))

    def forward(self, *values: Tensor) -> Any:
        if self.program.leaf:
            return self._leaf(values)
        known = list(values)
        for statement in self.program.statements:
            if isinstance(statement, Call):
                given = self.c[statement.child](*(known[value] for value in statement.values))
                known.extend(given.values() if isinstance(given, dict) else given)
            else:
                _operate(statement, known)
        outputs = [known[value] for value in self.program.outputs]
        return tuple(outputs) if self.program.form == "tuple" else {f"k{i}": value for i, value in enumerate(outputs)}

    def _leaf(self, values: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        if self.program.leaf == "identity":
            return values
        if self.program.leaf == "codes":
            return ((values[0] > 0).to(torch.int64).float(),)
        return (sum(values[1:], values[0]) @ self.linear,)


def _operate(op: Op, known: list[Tensor]) -> None:
    values = [known[value] for value in op.values]
    if op.name == "write":
        values[0].add_(values[1])
    elif op.name == "add":
        known.append(values[0] + values[1])
    elif op.name == "mul":
        known.append(torch.mul(values[0], values[1]))
    elif op.name == "relu":
        known.append(torch.relu(values[0]))
    elif op.name == "detach":
        known.append(values[0].detach().clone())
    else:
        known.append(torch.cat(values)[: values[0].shape[0]])
