"""Branches and merges: what several calls share, and what comes together again."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from tests.zoo.case import Case, Level, chain, dashed, lin, line, merge, model, rand

FORK = Level("in:x a#0 b#0 out:0", chain("in:x", "a#0", "out:0") | chain("in:x", "b#0", "out:0"))


def fork(join: Any) -> nn.Module:
    return model(lambda self, x: join(self.a(x), self.b(x)), a=lin(), b=lin())


def residual(count: int) -> nn.Module:
    def forward(self: Any, x: Tensor) -> Tensor:
        for block in self.b:
            x = x + block(x).relu()
        return x

    return model(forward, b=nn.ModuleList(lin() for _ in range(count)))


def residual_level(count: int) -> Level:
    before = ["in:x", *(f"b.{index}#0" for index in range(count))]
    edges = [(source, target, True) for index, target in enumerate(before) for source in before[:index]]
    return Level(" ".join([*before, "out:0"]), frozenset(edges) | merge(*before, to="out:0"))


def dense(self: Any, x: Tensor) -> Tensor:
    features = [x]
    for layer in self.b:
        features.append(layer(torch.cat(features, 1)))
    return features[-1]


def unet(self: Any, x: Tensor) -> Tensor:
    one = self.down1(x)
    two = self.down2(one)
    up = self.up2(self.mid(two) + two)
    return self.up1(torch.cat([up, one], 1))


def gated(self: Any, x: Tensor) -> Tensor:
    gate = self.gate(x).sigmoid()
    return gate * self.a(x) + (1 - gate) * x


def halves(self: Any, x: Tensor) -> Tensor:
    left, right = x.chunk(2, dim=1)
    return torch.cat([left, self.shift(left) + right], 1)


def pooled(self: Any, x: Tensor) -> Tensor:
    small, indices = self.pool(x)
    return self.unpool(small, indices)


def skip_in_place(self: Any, x: Tensor) -> Tensor:
    out = self.a(x)
    out += x
    return self.b(out)


DENSE = (
    chain("in:x", "b.0#0", "b.1#0", "b.2#0", "out:0")
    | merge("in:x", "b.0#0", to="b.1#0")
    | merge("in:x", "b.0#0", "b.1#0", to="b.2#0")
)

CASES = [
    Case("added branches", lambda: fork(torch.add), FORK),
    Case("concatenated branches", lambda: fork(lambda a, b: torch.cat([a, b])), FORK),
    Case("stacked branches", lambda: fork(lambda a, b: torch.stack((a, b)).amax(0)), FORK),
    Case("multiplied branches", lambda: fork(lambda a, b: a.tanh() * b.sigmoid()), FORK),
    Case("einsum of branches", lambda: fork(lambda a, b: torch.einsum("ij,kj->ik", a, b)), FORK),
    Case("einsum of a list", lambda: fork(lambda a, b: torch.einsum("ij,kj->ik", [a, b])), FORK),
    Case("interpolated branches", lambda: fork(lambda a, b: torch.lerp(a, b, 0.3)), FORK),
    Case("keyword operands", lambda: fork(lambda a, b: torch.add(input=a, other=b)), FORK),
    Case("fused operands", lambda: fork(lambda a, b: torch.addcmul(a, b, b, value=0.5)), FORK),
    Case("loss of branches", lambda: fork(nn.functional.mse_loss), FORK),
    Case(
        "bilinear",
        lambda: model(lambda self, x: self.c(self.a(x), self.b(x)), a=lin(), b=lin(), c=nn.Bilinear(4, 4, 2)),
        Level("in:x a#0 b#0 c#0 out:0", chain("in:x", "a#0", "c#0", "out:0") | chain("in:x", "b#0", "c#0")),
    ),
    Case("no residual yet", lambda: residual(0), residual_level(0)),
    Case("one residual block", lambda: residual(1), residual_level(1)),
    Case("three residual blocks", lambda: residual(3), residual_level(3)),
    Case("twenty residual blocks", lambda: residual(20), residual_level(20)),
    Case(
        "in place skip",
        lambda: model(skip_in_place, a=lin(), b=lin()),
        Level("in:x a#0 b#0 out:0", chain("in:x", "a#0", "b#0", "out:0") | chain("in:x", "b#0")),
    ),
    Case(
        "dense connections",
        lambda: model(dense, b=nn.ModuleList(nn.Linear(4 * n, 4) for n in (1, 2, 3))),
        Level("in:x b.0#0 b.1#0 b.2#0 out:0", DENSE),
    ),
    Case(
        "u-net",
        lambda: model(unet, down1=lin(), down2=lin(), mid=lin(), up2=lin(), up1=nn.Linear(8, 4)),
        Level(
            "in:x down1#0 down2#0 mid#0 up2#0 up1#0 out:0",
            chain("in:x", "down1#0", "down2#0", "mid#0", "up2#0", "up1#0", "out:0")
            | chain("down2#0", "up2#0")
            | chain("down1#0", "up1#0"),
        ),
    ),
    Case(
        "highway",
        lambda: model(gated, gate=lin(), a=lin()),
        Level(
            "in:x gate#0 a#0 out:0",
            merge("in:x", "gate#0", "a#0", to="out:0") | merge("in:x", to="gate#0") | merge("in:x", to="a#0"),
        ),
    ),
    Case(
        "coupling layer",
        lambda: model(halves, shift=nn.Linear(2, 2)),
        Level("in:x shift#0 out:0", chain("in:x", "shift#0", "out:0") | chain("in:x", "out:0")),
    ),
    Case(
        "side branch that nobody uses",
        lambda: model(lambda self, x: (self.b(x), self.a(x))[1], a=lin(), b=lin()),
        Level("in:x a#0 b#0 out:0", chain("in:x", "a#0", "out:0") | chain("in:x", "b#0")),
    ),
    Case(
        "pooling with indices",
        lambda: model(pooled, pool=nn.MaxPool2d(2, return_indices=True), unpool=nn.MaxUnpool2d(2)),
        line("in:x", "pool#0", "unpool#0", "out:0"),
        inputs=lambda: (rand(1, 1, 4, 4),),
    ),
    Case(
        "a mask chooses",
        lambda: model(lambda self, x: torch.where(self.m(x) > 0, self.a(x), self.b(x)), a=lin(), b=lin(), m=lin()),
        Level(
            "in:x a#0 b#0 m#0 out:0",
            chain("in:x", "a#0", "out:0")
            | chain("in:x", "b#0", "out:0")
            | chain("in:x", "m#0")
            | dashed("m#0", "out:0"),
        ),
    ),
    Case(
        "attention by hand",
        lambda: model(
            lambda self, x: torch.softmax(self.q(x) @ self.k(x).T, -1) @ self.v(x), q=lin(), k=lin(), v=lin()
        ),
        Level(
            "in:x q#0 k#0 v#0 out:0",
            chain("in:x", "q#0", "out:0") | chain("in:x", "k#0", "out:0") | chain("in:x", "v#0", "out:0"),
        ),
    ),
]
