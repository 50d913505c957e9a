"""Outputs of every structure: dicts, dataclasses, the same tensor twice, an input given back, nothing at all."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tests.zoo.case import Case, Level, chain, dashed, lin, line, merge, model


class Pair(NamedTuple):
    mean: Tensor
    variance: Tensor


@dataclass
class Answer:
    logits: Tensor
    hidden: tuple[Tensor, ...]
    loss: Tensor | None = None


def layers(forward: Any) -> nn.Module:
    return model(forward, a=lin(), b=lin())


def dictionary(self: Any, x: Tensor) -> dict[str, Any]:
    h = self.a(x)
    return {"rec": self.b(h), "aux": {"code": h.argmax(-1), "h": h}, "name": "z"}


def answer(self: Any, x: Tensor) -> Answer:
    h = self.a(x)
    return Answer(self.b(h), (x, h))


def twice(self: Any, x: Tensor) -> tuple[Tensor, Tensor]:
    h = self.a(x)
    return h, h


def multi_child() -> nn.Module:
    child = layers(lambda self, x: {"mean": self.a(x), "spread": self.b(x).exp()})
    return model(lambda self, x: self.c(self.child(x)["spread"]), child=child, c=lin())


FORK = chain("in:x", "a#0") | chain("in:x", "b#0")

CASES = [
    Case(
        "nested dict output",
        lambda: layers(dictionary),
        Level(
            "in:x a#0 b#0 out:rec out:aux.code out:aux.h",
            chain("in:x", "a#0", "b#0", "out:rec") | chain("a#0", "out:aux.h") | dashed("a#0", "out:aux.code"),
        ),
    ),
    Case(
        "ordered dict output",
        lambda: layers(lambda self, x: OrderedDict(one=self.a(x), two=self.b(x))),
        Level("in:x a#0 b#0 out:one out:two", FORK | chain("a#0", "out:one") | chain("b#0", "out:two")),
    ),
    Case(
        "named tuple output",
        lambda: layers(lambda self, x: Pair(self.a(x), self.b(x))),
        Level("in:x a#0 b#0 out:mean out:variance", FORK | chain("a#0", "out:mean") | chain("b#0", "out:variance")),
    ),
    Case(
        "dataclass output",
        lambda: layers(answer),
        Level(
            "in:x a#0 b#0 out:logits out:hidden.0 out:hidden.1",
            chain("in:x", "a#0", "b#0", "out:logits") | chain("in:x", "out:hidden.0") | chain("a#0", "out:hidden.1"),
        ),
    ),
    Case(
        "tuple of lists",
        lambda: layers(lambda self, x: ([self.a(x)], (self.b(x), [x * 2]))),
        Level(
            "in:x a#0 b#0 out:0.0 out:1.0 out:1.1.0",
            FORK | chain("a#0", "out:0.0") | chain("b#0", "out:1.0") | chain("in:x", "out:1.1.0"),
        ),
    ),
    Case(
        "other things between",
        lambda: layers(lambda self, x: (None, self.a(x), 3, "text")),
        Level("in:x a#0 out:1", chain("in:x", "a#0", "out:1")),
    ),
    Case(
        "one tensor twice",
        lambda: layers(twice),
        Level("in:x a#0 out:0 out:1", chain("in:x", "a#0", "out:0") | chain("a#0", "out:1")),
    ),
    Case(
        "the input given back",
        lambda: layers(lambda self, x: (x, self.a(x))),
        Level("in:x a#0 out:0 out:1", chain("in:x", "out:0") | chain("in:x", "a#0", "out:1")),
    ),
    Case(
        "scalar output",
        lambda: layers(lambda self, x: self.b(self.a(x)).pow(2).mean()),
        line("in:x", "a#0", "b#0", "out:0"),
    ),
    Case(
        "a loss beside the output",
        lambda: layers(lambda self, x: (self.a(x), (self.b(x) - x).abs().mean())),
        Level("in:x a#0 b#0 out:0 out:1", FORK | chain("a#0", "out:0") | merge("b#0", "in:x", to="out:1")),
    ),
    Case(
        "a constant output",
        lambda: layers(lambda self, x: (self.a(x), torch.ones(3))),
        Level("in:x a#0 out:0 out:1", chain("in:x", "a#0", "out:0")),
    ),
    Case(
        "a parameter given out",
        lambda: layers(lambda self, x: (self.a(x), self.a.weight)),
        Level("in:x a#0 param:a.weight out:0 out:1", chain("in:x", "a#0", "out:0") | chain("param:a.weight", "out:1")),
    ),
    Case(
        "one of many child outputs is used",
        multi_child,
        line("in:x", "child#0", "c#0", "out:0"),
        {
            "child#0": Level(
                "in:x child.a#0 child.b#0 out:mean out:spread",
                chain("in:x", "child.a#0", "out:mean") | chain("in:x", "child.b#0", "out:spread"),
            )
        },
    ),
    Case(
        "keys that are numbers and dots",
        lambda: layers(lambda self, x: {0: self.a(x), "a.b": self.b(x)}),
        Level("in:x a#0 b#0 out:0 out:a.b", FORK | chain("a#0", "out:0") | chain("b#0", "out:a.b")),
    ),
    Case(
        "two outputs of one name",
        lambda: layers(lambda self, x: {"a": {"b": self.a(x)}, "a.b": self.b(x)}),
        Level("in:x a#0 b#0 out:a.b out:a.b'", FORK | chain("a#0", "out:a.b") | chain("b#0", "out:a.b'")),
    ),
]
