"""Calls: repeated, shared, nested, recursive, handed on, bypassed."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.zoo.case import Case, Level, chain, dashed, lin, line, merge, model, rand


def shared() -> nn.Module:
    layer = lin()
    return model(lambda self, x: self.second(self.first(x)), first=layer, second=layer)


def tied(forward: Any) -> nn.Module:
    made = model(forward, emb=nn.Embedding(8, 4), head=nn.Linear(4, 8, bias=False))
    made.head.weight = made.emb.weight
    return made


def ids() -> tuple[Any, ...]:
    return (torch.randint(0, 8, (2, 3)),)


class Tree(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = lin()

    def forward(self, x: Tensor, depth: int) -> Tensor:
        return self(self.fc(x), depth - 1) if depth else x * 2


def loop(self: Any, x: Tensor) -> Tensor:
    for _ in range(3):
        x = self.a(x)
    return x


def pick(self: Any, x: Tensor) -> Tensor:
    for name in ("b", "a"):
        x = self.parts[name](x)
    return x


def borrowed() -> nn.Module:
    child = model(lambda self, x, layer: layer(x) + 1)
    return model(lambda self, x: self.child(x, self.a), a=lin(), child=child)


def watching_child() -> nn.Module:
    def look(self: Any, x: Tensor) -> Tensor:
        self.side(x)
        return x

    return model(lambda self, x: self.b(self.look(self.a(x))), a=lin(), b=lin(), look=model(look, side=lin()))


def empty_child() -> nn.Module:
    return model(lambda self, x: self.b(self.seq(self.a(x))), a=lin(), b=lin(), seq=nn.Sequential())


CONTENT = {"block#0": line("in:x", "block.fc#0", "out:0")}

CASES = [
    Case(
        "twice in a row", lambda: model(lambda self, x: self.a(self.a(x)), a=lin()), line("in:x", "a#0", "a#1", "out:0")
    ),
    Case(
        "activation used again",
        lambda: model(lambda self, x: self.act(self.fc(self.act(x))), fc=lin(), act=nn.ReLU()),
        line("in:x", "act#0", "fc#0", "act#1", "out:0"),
    ),
    Case("loop over one layer", lambda: model(loop, a=lin()), line("in:x", "a#0", "a#1", "a#2", "out:0")),
    Case("one module under two names", shared, line("in:x", "first#0", "first#1", "out:0")),
    Case(
        "siamese",
        lambda: model(lambda self, x, y: (self.net(x) - self.net(y)).abs(), net=nn.Sequential(lin())),
        Level("in:x in:y net#0 net#1 out:0", chain("in:x", "net#0", "out:0") | chain("in:y", "net#1", "out:0")),
        {"net#0": line("in:input", "net.0#0", "out:0"), "net#1": line("in:input", "net.0#1", "out:0")},
        inputs=lambda: (rand(), rand()),
    ),
    Case(
        "tied weights",
        lambda: tied(lambda self, ids: self.head(self.emb(ids))),
        Level("in:ids emb#0 head#0 out:0", dashed("in:ids", "emb#0") | chain("emb#0", "head#0", "out:0")),
        inputs=ids,
    ),
    Case(
        "tied weights without a layer",
        lambda: model(lambda self, ids: F.linear(self.emb(ids), self.emb.weight), emb=nn.Embedding(8, 4)),
        Level(
            "in:ids emb#0 param:emb.weight out:0",
            dashed("in:ids", "emb#0") | merge("emb#0", "param:emb.weight", to="out:0"),
        ),
        inputs=ids,
    ),
    Case(
        "identity child",
        lambda: nn.Sequential(lin(), nn.Identity(), lin()),
        line("in:input", "0#0", "1#0", "2#0", "out:0"),
    ),
    Case(
        "dropout in eval hands on",
        lambda: nn.Sequential(lin(), nn.Dropout(), lin()),
        line("in:input", "0#0", "1#0", "2#0", "out:0"),
        mode="eval",
    ),
    Case("empty sequential child", empty_child, line("in:x", "a#0", "seq#0", "b#0", "out:0")),
    Case(
        "a child that only looks",
        watching_child,
        line("in:x", "a#0", "look#0", "b#0", "out:0"),
        {"look#0": Level("in:x look.side#0 out:0", chain("in:x", "look.side#0") | chain("in:x", "out:0"))},
    ),
    Case(
        "modules in a plain list",
        lambda: model(lambda self, x: self.b[1](self.b[0](x)), b=[lin(), lin()]),
        line("in:x", "b[0]#0", "b[1]#0", "out:0"),
    ),
    Case(
        "modules in a plain dict",
        lambda: model(lambda self, x: self.b["u"](x), b={"u": lin()}),
        line("in:x", "b[u]#0", "out:0"),
    ),
    Case(
        "module dict in another order",
        lambda: model(pick, parts=nn.ModuleDict({"a": lin(), "b": lin()})),
        line("in:x", "parts.b#0", "parts.a#0", "out:0"),
    ),
    Case(
        "list in a list",
        lambda: model(lambda self, x: self.b[0][0](x), b=nn.ModuleList([nn.ModuleList([lin()])])),
        line("in:x", "b.0.0#0", "out:0"),
    ),
    Case(
        "a grandchild is called directly",
        lambda: model(lambda self, x: self.block.fc(self.block(x)), block=model(lambda self, x: self.fc(x), fc=lin())),
        line("in:x", "block#0", "block.fc#1", "out:0"),
        CONTENT,
    ),
    Case(
        "a module lent to a child",
        borrowed,
        line("in:x", "child#0", "out:0"),
        {"child#0": line("in:x", "a#0", "out:0")},
    ),
    Case(
        "recursion of the root",
        Tree,
        line("in:x", "fc#0", "#1", "out:0"),
        {"#1": line("in:x", "fc#1", "#2", "out:0")},
        inputs=lambda: (rand(), 2),
    ),
    Case(
        "recursion of a child",
        lambda: model(lambda self, x: self.tree(x, 1), tree=Tree()),
        line("in:x", "tree#0", "out:0"),
        {"tree#0": line("in:x", "tree.fc#0", "tree#1", "out:0")},
    ),
    Case(
        "forward called by name",
        lambda: model(lambda self, x: self.b.forward(self.a(x)), a=lin(), b=lin()),
        Level(
            "in:x a#0 param:b.weight param:b.bias out:0",
            chain("in:x", "a#0", "out:0") | merge("param:b.weight", "param:b.bias", to="out:0"),
        ),
    ),
    Case(
        "a block is bypassed, its layers are not",
        lambda: model(lambda self, x: self.block.forward(x), block=nn.Sequential(lin(), nn.ReLU())),
        line("in:x", "block.0#0", "block.1#0", "out:0"),
    ),
    Case(
        "mixture of experts",
        lambda: model(
            lambda self, x: sum(
                g.unsqueeze(1) * e(x) for g, e in zip(self.gate(x).softmax(1).unbind(1), self.e, strict=True)
            ),
            gate=nn.Linear(4, 2),
            e=nn.ModuleList([lin(), lin()]),
        ),
        Level(
            "in:x gate#0 e.0#0 e.1#0 out:0",
            chain("in:x", "gate#0", "out:0") | chain("in:x", "e.0#0", "out:0") | chain("in:x", "e.1#0", "out:0"),
        ),
    ),
]
