"""Inputs of every structure: keywords, containers, objects, one tensor under two names."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from tests.zoo.case import NONE, Case, Level, chain, dashed, lin, line, merge, model, rand


class Pair(NamedTuple):
    left: Tensor
    right: Tensor


@dataclass
class Batch:
    image: Tensor
    label: Tensor
    note: str = ""


def keyword_only(self: Any, x: Tensor, *, mask: Tensor | None = None, context: Tensor | None = None) -> Tensor:
    h = self.a(x) if mask is None else self.a(x) * mask
    return h if context is None else self.b(h, context)


def both(self: Any, q: Tensor, k: Tensor) -> Tensor:
    return self.a(q) + self.b(k)


def dict_child() -> nn.Module:
    child = model(lambda self, batch: self.fc(batch["h"]) * batch["w"], fc=lin())
    return model(lambda self, x: self.child({"h": self.a(x), "w": x}), a=lin(), child=child)


def keyword_child() -> nn.Module:
    child = model(lambda self, h, *, scale: self.fc(h) * scale, fc=lin())
    return model(lambda self, x: self.child(scale=x, h=self.a(x)), a=lin(), child=child)


def ids() -> tuple[Any, ...]:
    return (torch.randint(0, 8, (2, 3)),)


PAIR = chain("in:pair.0", "a#0", "out:0") | chain("in:pair.1", "b#0", "out:0")
SAME = merge("in:q", "in:k", to="a#0") | merge("in:q", "in:k", to="b#0") | merge("a#0", "b#0", to="out:0")

CASES = [
    Case(
        "two inputs",
        lambda: model(both, a=lin(), b=lin()),
        Level("in:q in:k a#0 b#0 out:0", chain("in:q", "a#0", "out:0") | chain("in:k", "b#0", "out:0")),
        inputs=lambda: (rand(), rand()),
    ),
    Case(
        "one tensor under two names",
        lambda: model(both, a=lin(), b=lin()),
        Level("in:q in:k a#0 b#0 out:0", SAME),
        inputs=lambda: (rand(),) * 2,
    ),
    Case(
        "keyword inputs",
        lambda: model(keyword_only, a=lin(), b=nn.Bilinear(4, 4, 2)),
        Level(
            "in:x in:mask in:context a#0 b#0 out:0",
            chain("in:x", "a#0", "b#0", "out:0") | chain("in:context", "b#0") | dashed("in:mask", "b#0"),
        ),
        keywords=lambda: {"mask": torch.ones(2, 4).bool(), "context": rand()},
    ),
    Case(
        "keyword inputs left out",
        lambda: model(keyword_only, a=lin(), b=nn.Bilinear(4, 4, 2)),
        line("in:x", "a#0", "out:0"),
        keywords=lambda: {"mask": None},
    ),
    Case(
        "all by keyword",
        lambda: model(both, a=lin(), b=lin()),
        Level("in:k in:q a#0 b#0 out:0", chain("in:q", "a#0", "out:0") | chain("in:k", "b#0", "out:0")),
        inputs=tuple,
        keywords=lambda: {"k": rand(), "q": rand()},
    ),
    Case(
        "tuple input",
        lambda: model(lambda self, pair: self.a(pair[0]) + self.b(pair[1]), a=lin(), b=lin()),
        Level("in:pair.0 in:pair.1 a#0 b#0 out:0", PAIR),
        inputs=lambda: ((rand(), rand()),),
    ),
    Case(
        "named tuple input",
        lambda: model(lambda self, pair: self.a(pair.left) + pair.right, a=lin()),
        Level(
            "in:pair.left in:pair.right a#0 out:0",
            chain("in:pair.left", "a#0", "out:0") | chain("in:pair.right", "out:0"),
        ),
        inputs=lambda: (Pair(rand(), rand()),),
    ),
    Case(
        "dataclass input",
        lambda: model(lambda self, batch: (self.a(batch.image), batch.label * 1), a=lin()),
        Level(
            "in:batch.image in:batch.label a#0 out:0 out:1",
            chain("in:batch.image", "a#0", "out:0") | dashed("in:batch.label", "out:1"),
        ),
        inputs=lambda: (Batch(rand(), torch.tensor([0, 1])),),
    ),
    Case(
        "plain object input",
        lambda: model(lambda self, sample: self.a(sample.image), a=lin()),
        line("in:sample.image", "a#0", "out:0"),
        inputs=lambda: (SimpleNamespace(image=rand(), size=3),),
    ),
    Case(
        "nested input",
        lambda: model(lambda self, data: self.a(data["views"][1]["pixels"]), a=lin()),
        Level("in:data.views.0 in:data.views.1.pixels a#0 out:0", chain("in:data.views.1.pixels", "a#0", "out:0")),
        inputs=lambda: ({"views": [rand(), {"pixels": rand()}], "size": 2},),
    ),
    Case(
        "any number of inputs",
        lambda: model(lambda self, x, *more: self.a(x + sum(more)), a=lin()),
        Level(
            "in:x in:more.0 in:more.1 a#0 out:0",
            merge("in:x", "in:more.0", "in:more.1", to="a#0") | chain("a#0", "out:0"),
        ),
        inputs=lambda: (rand(), rand(), rand()),
    ),
    Case(
        "any keywords",
        lambda: model(lambda self, **data: self.a(data["image"]), a=lin()),
        Level("in:image in:label a#0 out:0", chain("in:image", "a#0", "out:0")),
        inputs=tuple,
        keywords=lambda: {"image": rand(), "label": torch.tensor([1])},
    ),
    Case(
        "integer ids",
        lambda: model(lambda self, ids: self.head(self.emb(ids)), emb=nn.Embedding(8, 4), head=lin()),
        Level("in:ids emb#0 head#0 out:0", dashed("in:ids", "emb#0") | chain("emb#0", "head#0", "out:0")),
        inputs=ids,
    ),
    Case(
        "integers made floats",
        lambda: model(lambda self, ids: self.a(nn.functional.one_hot(ids, 8).float()), a=nn.Linear(8, 4)),
        Level("in:ids a#0 out:0", dashed("in:ids", "a#0") | chain("a#0", "out:0")),
        inputs=ids,
    ),
    Case(
        "no tensor comes in",
        lambda: model(lambda self, count: self.a(torch.ones(count, 4)), a=lin()),
        Level("a#0 out:0", chain("a#0", "out:0")),
        inputs=lambda: (3,),
    ),
    Case(
        "an input that nobody uses",
        lambda: model(lambda self, x, y: self.a(x), a=lin()),
        Level("in:x in:y a#0 out:0", chain("in:x", "a#0", "out:0")),
        inputs=lambda: (rand(), rand()),
    ),
    Case(
        "only the shape is used",
        lambda: model(lambda self, x: self.a(torch.zeros_like(x) + torch.ones(x.shape) + x.new_zeros(4)), a=lin()),
        Level("in:x a#0 out:0", chain("a#0", "out:0")),
    ),
    Case(
        "a child takes a dict",
        dict_child,
        Level("in:x a#0 child#0 out:0", chain("in:x", "a#0", "child#0", "out:0") | chain("in:x", "child#0")),
        {
            "child#0": Level(
                "in:batch.h in:batch.w child.fc#0 out:0",
                chain("in:batch.h", "child.fc#0", "out:0") | chain("in:batch.w", "out:0"),
            )
        },
    ),
    Case(
        "a child takes keywords",
        keyword_child,
        Level("in:x a#0 child#0 out:0", chain("in:x", "a#0", "child#0", "out:0") | chain("in:x", "child#0")),
        {
            "child#0": Level(
                "in:scale in:h child.fc#0 out:0", chain("in:h", "child.fc#0", "out:0") | chain("in:scale", "out:0")
            )
        },
    ),
    Case("nothing happens", lambda: model(lambda self, x: None), Level("in:x", NONE)),
]
