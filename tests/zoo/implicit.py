"""What comes in and goes out by other doors: attributes, closures, caches, hooks; and tensors attached by name."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from tests.zoo.case import Case, Level, chain, dashed, lin, line, model
from torchexplorer.trace import attach

TO_CHILD = Level("in:x a#0 child#0 out:0", chain("in:x", "a#0", "child#0", "out:0") | chain("in:x", "child#0"))


def by_attribute() -> nn.Module:
    def forward(self: Any, x: Tensor) -> Tensor:
        self.child.context = self.a(x)
        return self.child(x)

    return model(forward, a=lin(), child=model(lambda self, x: self.fc(x) * self.context, fc=lin()))


def by_closure() -> nn.Module:
    def forward(self: Any, x: Tensor) -> Tensor:
        h = self.a(x)
        return self.child(x, lambda y: y * h)

    return model(forward, a=lin(), child=model(lambda self, x, by: by(self.fc(x)), fc=lin()))


def by_a_parent_two_levels_up() -> nn.Module:
    inner = model(lambda self, x, store: self.fc(x) * store[0], fc=lin())
    outer = model(lambda self, x, store: self.inner(x, store), inner=inner)

    def forward(self: Any, x: Tensor) -> Tensor:
        store = Hidden([self.a(x)])
        return self.outer(x, store)

    return model(forward, a=lin(), outer=outer)


class Hidden:
    """Keeps tensors where no one looks for them."""

    __slots__ = ("kept",)

    def __init__(self, kept: list[Tensor]) -> None:
        self.kept = kept

    def __getitem__(self, index: int) -> Tensor:
        return self.kept[index]


def by_cache() -> nn.Module:
    cache: dict[str, Tensor] = {}

    def keep(self: Any, x: Tensor) -> Tensor:
        cache["h"] = self.fc(x)
        return cache["h"].relu()

    def use(self: Any, x: Tensor) -> Tensor:
        return self.fc(x) + cache["h"]

    return model(lambda self, x: self.second(self.first(x)), first=model(keep, fc=lin()), second=model(use, fc=lin()))


def by_cache_object() -> nn.Module:
    def step(self: Any, x: Tensor, cache: Hidden) -> Tensor:
        cache.kept.append(self.fc(x))
        return torch.stack(cache.kept).sum(0)

    def forward(self: Any, x: Tensor) -> Tensor:
        cache = Hidden([])
        self.cell(x, cache)
        return self.cell(x + 1, cache)

    return model(forward, cell=model(step, fc=lin()))


def by_user_hook() -> nn.Module:
    seen: dict[str, Tensor] = {}
    made = model(lambda self, x: (self.net(x), seen["mid"] * 2), net=nn.Sequential(lin(), lin()))
    made.net[0].register_forward_hook(lambda module, args, out: seen.update(mid=out))
    return made


def attached(self: Any, x: Tensor) -> Tensor:
    h = attach(self.a(x) * 2, self, "mid")
    return self.b(h.relu())


def attached_twice(self: Any, x: Tensor) -> Tensor:
    for _ in range(2):
        x = attach(self.a(x), self, "mid")
    return x


def attached_input(self: Any, x: Tensor) -> Tensor:
    return self.a(attach(x, self, "start"))


def attached_cut(self: Any, x: Tensor) -> Tensor:
    return self.b(attach(self.a(x).detach(), self, "cut"))


def attached_aside(self: Any, x: Tensor) -> Tensor:
    h = self.a(x)
    attach(h.mean(), self, "mean")
    return self.b(h)


def attached_constant(self: Any, x: Tensor) -> Tensor:
    return self.a(x + attach(torch.ones(4), self, "one"))


def attached_in_a_child() -> nn.Module:
    child = model(lambda self, h: attach(h.exp(), self, "e") + 1)
    return model(lambda self, x: self.child(self.a(x)), a=lin(), child=child)


MID = {
    "second#0": Level(
        "in:x in:outer second.fc#0 out:0", chain("in:x", "second.fc#0", "out:0") | chain("in:outer", "out:0")
    )
}

CASES = [
    Case(
        "a tensor left on a child",
        by_attribute,
        TO_CHILD,
        {
            "child#0": Level(
                "in:x in:context child.fc#0 out:0", chain("in:x", "child.fc#0", "out:0") | chain("in:context", "out:0")
            )
        },
    ),
    Case(
        "a tensor in a closure",
        by_closure,
        TO_CHILD,
        {
            "child#0": Level(
                "in:x in:outer child.fc#0 out:0", chain("in:x", "child.fc#0", "out:0") | chain("in:outer", "out:0")
            )
        },
    ),
    Case(
        "a tensor from two levels up",
        by_a_parent_two_levels_up,
        Level("in:x a#0 outer#0 out:0", chain("in:x", "a#0", "outer#0", "out:0") | chain("in:x", "outer#0")),
        {
            "outer#0": Level(
                "in:x in:outer outer.inner#0 out:0",
                chain("in:x", "outer.inner#0", "out:0") | chain("in:outer", "outer.inner#0"),
            ),
            "outer#0/outer.inner#0": Level(
                "in:x in:outer outer.inner.fc#0 out:0",
                chain("in:x", "outer.inner.fc#0", "out:0") | chain("in:outer", "out:0"),
            ),
        },
    ),
    Case(
        "a tensor in a cache",
        by_cache,
        line("in:x", "first#0", "second#0", "out:0"),
        {"first#0": line("in:x", "first.fc#0", "out:0"), **MID},
    ),
    Case(
        "a tensor caught by a hook",
        by_user_hook,
        Level("in:x net#0 out:0 out:1", chain("in:x", "net#0", "out:0") | chain("net#0", "out:1")),
        {"net#0": line("in:input", "net.0#0", "net.1#0", "out:0")},
    ),
    Case(
        "a cache object filled by earlier calls",
        by_cache_object,
        Level("in:x cell#0 cell#1 out:0", chain("in:x", "cell#0", "cell#1", "out:0") | chain("in:x", "cell#1")),
        {
            "cell#0": line("in:x", "cell.fc#0", "out:0"),
            "cell#1": Level(
                "in:x in:outer cell.fc#1 out:0", chain("in:x", "cell.fc#1", "out:0") | chain("in:outer", "out:0")
            ),
        },
    ),
    Case("attached", lambda: model(attached, a=lin(), b=lin()), line("in:x", "a#0", "attach:mid#0", "b#0", "out:0")),
    Case(
        "attached twice",
        lambda: model(attached_twice, a=lin()),
        line("in:x", "a#0", "attach:mid#0", "a#1", "attach:mid#1", "out:0"),
    ),
    Case("attached input", lambda: model(attached_input, a=lin()), line("in:x", "attach:start#0", "a#0", "out:0")),
    Case(
        "attached after a cut",
        lambda: model(attached_cut, a=lin(), b=lin()),
        Level(
            "in:x a#0 attach:cut#0 b#0 out:0",
            chain("in:x", "a#0") | dashed("a#0", "attach:cut#0", "b#0") | chain("b#0", "out:0"),
        ),
    ),
    Case(
        "attached aside",
        lambda: model(attached_aside, a=lin(), b=lin()),
        Level("in:x a#0 attach:mean#0 b#0 out:0", chain("in:x", "a#0", "b#0", "out:0") | chain("a#0", "attach:mean#0")),
    ),
    Case(
        "attached constant",
        lambda: model(attached_constant, a=lin()),
        Level("in:x attach:one#0 a#0 out:0", chain("in:x", "a#0", "out:0") | dashed("attach:one#0", "a#0")),
    ),
    Case(
        "attached in a child",
        attached_in_a_child,
        line("in:x", "a#0", "child#0", "out:0"),
        {"child#0": line("in:h", "attach:e#0", "out:0")},
    ),
    Case(
        "attached without gradients",
        lambda: model(attached, a=lin(), b=lin()),
        Level("in:x a#0 attach:mid#0 b#0 out:0", dashed("in:x", "a#0", "attach:mid#0", "b#0", "out:0")),
        mode="no_grad",
    ),
]
