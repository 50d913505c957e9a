"""In-place operations, views, writes into slices, out=, and what they leave of the old value."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from tests.zoo.case import Case, Level, chain, dashed, lin, line, merge, model

BOTH = Level("in:x a#0 b#0 out:0", chain("in:x", "a#0", "out:0") | chain("in:x", "b#0", "out:0"))
ONLY_B = Level("in:x a#0 b#0 out:0", chain("in:x", "a#0") | chain("in:x", "b#0", "out:0"))


def two(change: Any) -> nn.Module:
    """`change(a(x), b(x))` changes the first in place; it, or what `change` gives, is returned."""

    def forward(self: Any, x: Tensor) -> Tensor:
        h, g = self.a(x), self.b(x)
        given = change(h, g)
        return h if given is None else given

    return model(forward, a=lin(), b=lin())


def write_slice(h: Tensor, g: Tensor) -> None:
    h[:, 0] = g[:, 0]


def write_mask(h: Tensor, g: Tensor) -> None:
    h[g > 0] = 0.0


def write_view(h: Tensor, g: Tensor) -> None:
    h[:, :2].add_(g[:, :2])


def write_view_of_view(h: Tensor, g: Tensor) -> None:
    h.view(-1)[:4].mul_(g.view(-1)[:4])


def view_made_before(h: Tensor, g: Tensor) -> Tensor:
    old = h[:, :2]
    h.add_(g)
    return old * 1


def sibling_views(h: Tensor, g: Tensor) -> Tensor:
    first, second = h[:, :2], h[:, 1:]
    first.mul_(g[:, :2])
    return second * 1


def write_zeros(h: Tensor, g: Tensor) -> Tensor:
    made = torch.zeros(2, 4)
    made[:, 1:] = g[:, 1:]
    return made


def buffer_of_results(self: Any, x: Tensor) -> Tensor:
    made = x.new_empty(3, 2, 4)
    for index in range(3):
        made[index] = self.a(x)
    return self.b(made)


def out_argument(h: Tensor, g: Tensor) -> Tensor:
    made = torch.empty(2, 4)
    torch.mul(h, g, out=made)
    return made


def out_over_old(h: Tensor, g: Tensor) -> None:
    torch.mul(g, 2, out=h)


def out_pair(h: Tensor, g: Tensor) -> Tensor:
    values, indices = torch.empty(2), torch.empty(2, dtype=torch.long)
    torch.max(h * g, dim=1, out=(values, indices))
    return values


def augmented(h: Tensor, g: Tensor) -> None:
    h *= 2
    h -= g


def data_write(h: Tensor, g: Tensor) -> None:
    h.data.add_(g.data)


def set_data(h: Tensor, g: Tensor) -> Tensor:
    made = torch.zeros(2, 4)
    made.data = g.detach()
    return made


def child_changes_its_input() -> nn.Module:
    def change(self: Any, h: Tensor, g: Tensor) -> None:
        h.add_(self.fc(g))

    def forward(self: Any, x: Tensor) -> Tensor:
        h = self.a(x)
        self.child(h, x)
        return h

    return model(forward, a=lin(), child=model(change, fc=lin()))


def no_grad_write(h: Tensor, g: Tensor) -> Tensor:
    made = h * 1
    with torch.no_grad():
        made.add_(g)
    return made


def scatter(h: Tensor, g: Tensor) -> Tensor:
    return torch.zeros(2, 4).scatter_(1, g.argsort(1), h)


def detached_write(h: Tensor, g: Tensor) -> None:
    h.detach().add_(g.detach())


def running_mean() -> nn.Module:
    def forward(self: Any, x: Tensor) -> Tensor:
        with torch.no_grad():
            self.mean.lerp_(self.a(x).mean(0), 0.1)
        return self.b(self.mean.clone())

    made = model(forward, a=lin(), b=lin())
    made.register_buffer("mean", torch.zeros(4))
    return made


DASHED = dashed("in:x", "a#0", "out:0") | dashed("in:x", "b#0", "out:0")
B_IS_CUT = Level(BOTH.nodes, chain("in:x", "a#0", "out:0") | chain("in:x", "b#0") | dashed("b#0", "out:0"))

CASES = [
    Case("relu in place", lambda: two(lambda h, g: h.relu_().add(g)), BOTH),
    Case("add in place", lambda: two(lambda h, g: h.add_(g)), BOTH),
    Case("augmented assignment", lambda: two(augmented), BOTH),
    Case("add in place, result dropped", lambda: two(lambda h, g: (h.add_(g), None)[1]), BOTH),
    Case("write into a slice", lambda: two(write_slice), BOTH),
    Case("write where a mask says", lambda: two(write_mask), B_IS_CUT),
    Case("write through a view", lambda: two(write_view), BOTH),
    Case("write through a view of a view", lambda: two(write_view_of_view), BOTH),
    Case("a view sees a later write", lambda: two(view_made_before), BOTH),
    Case("a view sees a write by another view", lambda: two(sibling_views), BOTH),
    Case("write into fresh zeros", lambda: two(write_zeros), ONLY_B),
    Case(
        "results gathered in a buffer",
        lambda: model(buffer_of_results, a=lin(), b=lin()),
        Level(
            "in:x a#0 a#1 a#2 b#0 out:0",
            merge("in:x", to="a#0")
            | merge("in:x", to="a#1")
            | merge("in:x", to="a#2")
            | merge("a#0", "a#1", "a#2", to="b#0")
            | chain("b#0", "out:0"),
        ),
    ),
    Case("copy replaces the old value", lambda: two(lambda h, g: h.copy_(g)), ONLY_B),
    Case("zero forgets", lambda: two(lambda h, g: h.zero_().add(g)), ONLY_B),
    Case("masked fill by a mask", lambda: two(lambda h, g: h.masked_fill(g > 0, 0.0)), B_IS_CUT),
    Case("index add", lambda: two(lambda h, g: h.index_add(0, torch.tensor([1, 0]), g)), BOTH),
    Case("scatter by indices", lambda: two(scatter), B_IS_CUT),
    Case("out argument", lambda: two(out_argument), Level(BOTH.nodes, DASHED), mode="no_grad"),
    Case(
        "out argument over an old value",
        lambda: two(out_over_old),
        Level(BOTH.nodes, dashed("in:x", "a#0") | dashed("in:x", "b#0", "out:0")),
        mode="no_grad",
    ),
    Case("out argument of two", lambda: two(out_pair), Level(BOTH.nodes, DASHED), mode="no_grad"),
    Case("write into data", lambda: two(data_write), B_IS_CUT),
    Case(
        "data is set",
        lambda: two(set_data),
        Level(BOTH.nodes, chain("in:x", "a#0") | chain("in:x", "b#0") | dashed("b#0", "out:0")),
    ),
    Case("write without gradients", lambda: two(no_grad_write), B_IS_CUT),
    Case(
        "a child changes its input",
        child_changes_its_input,
        Level("in:x a#0 child#0 out:0", chain("in:x", "a#0", "child#0", "out:0") | chain("in:x", "child#0")),
        {"child#0": Level("in:h in:g child.fc#0", chain("in:g", "child.fc#0"))},
    ),
    Case("changes of a list", lambda: two(lambda h, g: torch._foreach_add_([h], [g]) and None), BOTH),
    Case("written by a detached alias", lambda: two(detached_write), B_IS_CUT),
    Case(
        "running mean in a buffer",
        running_mean,
        Level("in:x a#0 b#0 out:0", dashed("in:x", "a#0", "b#0") | chain("b#0", "out:0")),
    ),
    Case(
        "relu layer in place",
        lambda: nn.Sequential(lin(), nn.ReLU(inplace=True), lin()),
        line("in:input", "0#0", "1#0", "2#0", "out:0"),
    ),
]
