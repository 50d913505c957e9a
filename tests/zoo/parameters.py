"""Parameters and buffers used without their module's call; a module's own count only where nothing else flows."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations

from tests.zoo.case import Case, Level, chain, dashed, lin, line, merge, model, rand


def parameter(*size: int) -> nn.Parameter:
    return nn.Parameter(rand(*size))


def buffered(forward: Any, **parts: Any) -> nn.Module:
    made = model(forward, **parts)
    made.register_buffer("mask", torch.ones(2, 4))
    return made


def class_token(self: Any, x: Tensor) -> Tensor:
    tokens = torch.cat([self.token.expand(2, 4), x]) + self.places
    return self.a(tokens)


def queries(self: Any, x: Tensor) -> Tensor:
    return self.decoder(self.q, self.a(x))


def two_heads(self: Any, x: Tensor) -> Tensor:
    return F.linear(F.linear(self.a(x), self.b.weight), self.b.weight)


def normed() -> nn.Module:
    return model(lambda self, x: self.a(x), a=parametrizations.weight_norm(lin()))


WEIGHT = "a.parametrizations.weight"

CASES = [
    Case(
        "own scale",
        lambda: model(lambda self, x: self.a(x * self.scale), a=lin(), scale=parameter(4)),
        line("in:x", "a#0", "out:0"),
    ),
    Case(
        "class token and places",
        lambda: model(class_token, a=lin(), token=parameter(1, 4), places=parameter(4, 4)),
        line("in:x", "a#0", "out:0"),
    ),
    Case(
        "own parameter alone into a child",
        lambda: model(queries, a=lin(), decoder=nn.Bilinear(4, 4, 2), q=parameter()),
        Level(
            "in:x a#0 decoder#0 param:q out:0",
            chain("in:x", "a#0", "decoder#0", "out:0") | chain("param:q", "decoder#0"),
        ),
    ),
    Case(
        "a child's parameter",
        lambda: model(lambda self, x: F.linear(self.a(x), self.b.weight), a=lin(), b=lin()),
        Level("in:x a#0 param:b.weight out:0", chain("in:x", "a#0", "out:0") | chain("param:b.weight", "out:0")),
    ),
    Case(
        "a child's parameter twice",
        lambda: model(two_heads, a=lin(), b=lin()),
        Level("in:x a#0 param:b.weight out:0", chain("in:x", "a#0", "out:0") | chain("param:b.weight", "out:0")),
    ),
    Case(
        "a frozen parameter of a child",
        lambda: model(lambda self, x: F.linear(x, self.b.weight), b=lin().requires_grad_(False)),
        Level("in:x param:b.weight out:0", chain("in:x", "out:0") | dashed("param:b.weight", "out:0")),
    ),
    Case(
        "a penalty on weights",
        lambda: model(lambda self, x: (self.a(x), self.a.weight.pow(2).sum()), a=lin()),
        Level("in:x a#0 param:a.weight out:0 out:1", chain("in:x", "a#0", "out:0") | chain("param:a.weight", "out:1")),
    ),
    Case(
        "only parameters",
        lambda: model(lambda self: self.u * self.v, u=parameter(4), v=parameter(4)),
        Level("param:u param:v out:0", merge("param:u", "param:v", to="out:0")),
        inputs=tuple,
    ),
    Case(
        "own buffer as a mask",
        lambda: buffered(lambda self, x: self.a(x * self.mask), a=lin()),
        line("in:x", "a#0", "out:0"),
    ),
    Case(
        "own buffer alone into a child",
        lambda: buffered(lambda self, x: self.a(self.mask) + x, a=lin()),
        Level("in:x param:mask a#0 out:0", dashed("param:mask", "a#0") | merge("a#0", "in:x", to="out:0")),
    ),
    Case(
        "parameter list and dict",
        lambda: model(
            lambda self, x: self.a(x * self.p[0] + self.d["k"]),
            a=lin(),
            p=nn.ParameterList([parameter(4)]),
            d=nn.ParameterDict({"k": parameter(4)}),
        ),
        line("in:x", "a#0", "out:0"),
    ),
    Case(
        "weight norm",
        normed,
        line("in:x", "a#0", "out:0"),
        {
            "a#0": Level(f"in:input {WEIGHT}#0 out:0", chain("in:input", "out:0") | chain(f"{WEIGHT}#0", "out:0")),
            f"a#0/{WEIGHT}#0": Level(
                f"param:{WEIGHT}.original0 param:{WEIGHT}.original1 {WEIGHT}.0#0 out:0",
                merge(f"param:{WEIGHT}.original0", f"param:{WEIGHT}.original1", to=f"{WEIGHT}.0#0")
                | chain(f"{WEIGHT}.0#0", "out:0"),
            ),
        },
    ),
    Case(
        "hyper network",
        lambda: model(lambda self, x, z: F.linear(x, self.hyper(z).view(4, 4)), hyper=nn.Linear(4, 16)),
        Level("in:x in:z hyper#0 out:0", chain("in:z", "hyper#0", "out:0") | chain("in:x", "out:0")),
        inputs=lambda: (rand(), rand(4)),
    ),
]
