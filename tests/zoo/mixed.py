"""Exceptions caught inside forward, modules made on the way, long chains, odd sizes."""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch import Tensor, nn

from tests.zoo.case import Case, Level, chain, lin, line, model, rand

AB = line("in:x", "a#0", "b#0", "out:0")


def fail(self: Any, x: Tensor) -> Tensor:
    raise ValueError("this layer always fails")


def fail_inside(self: Any, x: Tensor) -> Tensor:
    self.fc(x)
    raise ValueError("this block fails after its first layer")


def recover(self: Any, x: Tensor) -> Tensor:
    try:
        return self.bad(x)
    except ValueError:
        return self.b(self.a(x))


def recover_late(self: Any, x: Tensor) -> Tensor:
    h = self.a(x)
    with contextlib.suppress(ValueError):
        h = self.bad(h)
    return self.b(h)


def run_in_handler(self: Any, x: Tensor) -> Tensor:
    try:
        raise KeyError("no cached value")
    except KeyError:
        return self.b(self.a(x))


def finally_more(self: Any, x: Tensor) -> Tensor:
    try:
        h = self.a(x)
    finally:
        h = self.b(h)
    return h


def added_on_the_way(self: Any, x: Tensor) -> Tensor:
    late = lin()
    return self.b(late(self.a(x)))


def generated(self: Any, x: Tensor) -> Tensor:
    return sum(layer(x) for layer in (self.a, self.b))


def deleted(self: Any, x: Tensor) -> Tensor:
    for _ in range(50):  # freed tensors whose ids come again
        x = self.a(x) * 1
        torch.zeros(2, 4).add_(1)
    return x


def chained(self: Any, x: Tensor) -> Tensor:
    for _ in range(2000):
        x = x + 0.001
    return self.a(x)


def chunked(self: Any, x: Tensor) -> Tensor:
    return torch.cat([self.a(part) for part in x.split(1)])


def swapped(self: Any, x: Tensor) -> Tensor:
    h, g = self.a(x), self.b(x)
    h, g = g, h
    return h.exp() - g.detach().requires_grad_(False) * 0


def nested(self: Any, x: Tensor) -> Tensor:
    ragged = torch.nested.nested_tensor_from_jagged(x, torch.tensor([0, 1, 2]))
    return self.b(self.a(ragged)).values()


def bad(forward: Any, **parts: Any) -> nn.Module:
    return model(forward, a=lin(), b=lin(), **parts)


CASES = [
    Case("a child fails first", lambda: bad(recover, bad=model(fail)), AB),
    Case("a child fails between", lambda: bad(recover_late, bad=model(fail)), AB),
    Case("a child fails after its own child", lambda: bad(recover_late, bad=model(fail_inside, fc=lin())), AB),
    Case("a call in an except clause", lambda: bad(run_in_handler), AB),
    Case("a call in a finally clause", lambda: bad(finally_more), AB),
    Case("a module made on the way", lambda: bad(added_on_the_way), AB),
    Case(
        "a generator of calls",
        lambda: bad(generated),
        Level("in:x a#0 b#0 out:0", chain("in:x", "a#0", "out:0") | chain("in:x", "b#0", "out:0")),
    ),
    Case(
        "fifty calls and freed tensors",
        lambda: model(deleted, a=lin()),
        line("in:x", *(f"a#{n}" for n in range(50)), "out:0"),
    ),
    Case("two thousand operations", lambda: model(chained, a=lin()), line("in:x", "a#0", "out:0")),
    Case("nested tensors", lambda: bad(nested), AB),
    Case(
        "the batch in parts",
        lambda: model(chunked, a=lin()),
        Level("in:x a#0 a#1 out:0", chain("in:x", "a#0", "out:0") | chain("in:x", "a#1", "out:0")),
    ),
    Case(
        "one side is detached",
        lambda: bad(swapped),
        Level(
            "in:x a#0 b#0 out:0",
            chain("in:x", "b#0", "out:0") | chain("in:x", "a#0") | frozenset({("a#0", "out:0", False)}),
        ),
    ),
    Case(
        "an input of no elements",
        lambda: bad(lambda self, x: self.b(self.a(x))),
        AB,
        inputs=lambda: (rand(0, 4),),
    ),
    Case(
        "a child gives out its parameter",
        lambda: model(
            lambda self, x: self.pos(x) + self.a(x),
            a=lin(),
            pos=model(lambda self, x: self.table[: len(x)], table=nn.Parameter(rand(5, 4))),
        ),
        Level("in:x pos#0 a#0 out:0", chain("in:x", "a#0", "out:0") | chain("in:x", "pos#0", "out:0")),
    ),
]
