"""Where the gradient is cut and the data flow on: detach, no_grad, argmax, codes, masks, straight-through.

A call that runs without gradients is no part of the trace: the edges into it are dashed as well as those out of it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.zoo.case import Case, EdgeSet, Level, chain, dashed, lin, merge, model

NODES = "in:x a#0 b#0 out:0"
CUT: EdgeSet = chain("in:x", "a#0") | dashed("a#0", "b#0") | chain("b#0", "out:0")


def between(cut: Any, after: nn.Module | None = None) -> nn.Module:
    return model(lambda self, x: self.b(cut(self.a(x))), a=lin(), b=after or lin())


def without_gradients(h: Tensor) -> Tensor:
    with torch.no_grad():
        return h * 2


def enabled_again(self: Any, x: Tensor) -> Tensor:
    with torch.no_grad():
        h = self.a(x)
        with torch.enable_grad():
            return self.b(h)


def teacher(self: Any, x: Tensor) -> Tensor:
    h = self.a(x)
    with torch.no_grad():
        target = self.t(h)
    return (self.b(h) - target).pow(2).mean()


def teacher_of_input(self: Any, x: Tensor) -> Tensor:
    with torch.no_grad():
        target = self.t(x)
    return (self.a(x) - target).pow(2).mean()


class Quantizer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(8, 4)

    def forward(self, z: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        codes = torch.cdist(z, self.emb.weight).argmin(-1)
        q = self.emb(codes)
        loss = (q - z.detach()).pow(2).mean()
        return z + (q - z).detach(), loss, codes


def vqvae(self: Any, x: Tensor) -> dict[str, Tensor]:
    q, loss, codes = self.vq(self.enc(x))
    return {"rec": self.dec(q), "loss": loss, "codes": codes}


def hard_choice(self: Any, x: Tensor) -> Tensor:
    logits = self.a(x)
    soft = logits.softmax(-1)
    hard = F.one_hot(soft.argmax(-1), 4).float()
    return self.b(hard - soft.detach() + soft)


def top_experts(self: Any, x: Tensor) -> Tensor:
    weights, chosen = self.gate(x).softmax(-1).topk(1)
    out = torch.zeros_like(x)
    for index, expert in enumerate(self.e):
        rows, _ = torch.where(chosen == index)
        out.index_add_(0, rows, expert(x[rows]) * weights[rows])
    return out


def centred(self: Any, x: Tensor) -> Tensor:
    h = self.a(x)
    with torch.no_grad():
        middle = h.mean(0)
    return self.b(h - middle)


VQ_EDGES = (
    dashed("in:z", "vq.emb#0", "out:0")
    | chain("in:z", "out:0")
    | chain("vq.emb#0", "out:1")
    | dashed("in:z", "out:1")
    | dashed("param:vq.emb.weight", "vq.emb#0")
    | dashed("in:z", "out:2")
    | dashed("param:vq.emb.weight", "out:2")
)
EXPERTS = chain("in:x", "gate#0", "out:0") | frozenset(
    (s, t, f)
    for n in (0, 1)
    for s, t, f in [("in:x", f"e.{n}#0", True), ("gate#0", f"e.{n}#0", False), (f"e.{n}#0", "out:0", True)]
)

CASES = [
    Case("detach", lambda: between(lambda h: h.detach()), Level(NODES, CUT)),
    Case("detached view", lambda: between(lambda h: h.view(-1).detach().view(2, 4)), Level(NODES, CUT)),
    Case("detach in place", lambda: between(lambda h: (h * 1).detach_()), Level(NODES, CUT)),
    Case("data", lambda: between(lambda h: h.data), Level(NODES, CUT)),
    Case("no grad between", lambda: between(without_gradients), Level(NODES, CUT)),
    Case("detached and cloned", lambda: between(lambda h: h.detach().clone()), Level(NODES, CUT)),
    Case("argmax codes", lambda: between(lambda h: h.argmax(-1), nn.Embedding(4, 4)), Level(NODES, CUT)),
    Case("rounded to integers", lambda: between(lambda h: h.round().long().float()), Level(NODES, CUT)),
    Case("compared", lambda: between(lambda h: (h > 0).float()), Level(NODES, CUT)),
    Case("sign keeps the trace", lambda: between(torch.sign), Level(NODES, chain("in:x", "a#0", "b#0", "out:0"))),
    Case(
        "through numpy",
        lambda: between(lambda h: torch.from_numpy(h.detach().numpy() * 2)),
        Level(NODES, CUT),
        gap="numpy arrays are not followed",
    ),
    Case(
        "detached root input",
        lambda: model(lambda self, x: self.a(x.detach()), a=lin()),
        Level("in:x a#0 out:0", dashed("in:x", "a#0") | chain("a#0", "out:0")),
    ),
    Case(
        "data of the root input",
        lambda: model(lambda self, x: self.a(x.data), a=lin()),
        Level("in:x a#0 out:0", dashed("in:x", "a#0") | chain("a#0", "out:0")),
    ),
    Case(
        "mean without gradients",
        lambda: model(centred, a=lin(), b=lin()),
        Level(NODES, chain("in:x", "a#0", "b#0", "out:0")),
    ),
    Case(
        "gradients enabled again",
        lambda: model(enabled_again, a=lin(), b=lin()),
        Level(NODES, dashed("in:x", "a#0", "b#0") | chain("b#0", "out:0")),
    ),
    Case(
        "a teacher without gradients",
        lambda: model(teacher, a=lin(), b=lin(), t=lin()),
        Level(
            "in:x a#0 b#0 t#0 out:0",
            chain("in:x", "a#0", "b#0", "out:0") | dashed("a#0", "t#0", "out:0"),
        ),
    ),
    Case(
        "a teacher of the input without gradients",
        lambda: model(teacher_of_input, a=lin(), t=lin()),
        Level("in:x a#0 t#0 out:0", chain("in:x", "a#0", "out:0") | dashed("in:x", "t#0", "out:0")),
    ),
    Case(
        "vq-vae",
        lambda: model(vqvae, enc=lin(), vq=Quantizer(), dec=lin()),
        Level(
            "in:x enc#0 vq#0 dec#0 out:rec out:loss out:codes",
            chain("in:x", "enc#0", "vq#0", "dec#0", "out:rec")
            | chain("vq#0", "out:loss")
            | dashed("vq#0", "out:codes"),
        ),
        {"vq#0": Level("in:z vq.emb#0 param:vq.emb.weight out:0 out:1 out:2", VQ_EDGES)},
    ),
    Case(
        "straight-through choice",
        lambda: model(hard_choice, a=lin(), b=lin()),
        Level(NODES, chain("in:x", "a#0", "b#0", "out:0")),
    ),
    Case(
        "gumbel softmax",
        lambda: between(lambda h: F.gumbel_softmax(h, hard=True)),
        Level(NODES, chain("in:x", "a#0", "b#0", "out:0")),
    ),
    Case(
        "experts by rows",
        lambda: model(top_experts, gate=nn.Linear(4, 2), e=nn.ModuleList([lin(), lin()])),
        Level("in:x gate#0 e.0#0 e.1#0 out:0", EXPERTS),
    ),
    Case(
        "a mask of one branch on another",
        lambda: model(lambda self, x: (self.a(x) > 0) * self.b(x), a=lin(), b=lin()),
        Level(NODES, chain("in:x", "a#0") | dashed("a#0", "out:0") | chain("in:x", "b#0", "out:0")),
    ),
    Case(
        "detached on one way only",
        lambda: model(lambda self, x: (lambda h: self.b(h.detach()) + h)(self.a(x)), a=lin(), b=lin()),
        Level(NODES, CUT | merge("a#0", to="out:0")),
    ),
    Case(
        "sampled from a distribution",
        lambda: between(lambda h: torch.bernoulli(h.sigmoid().detach())),
        Level(NODES, CUT),
    ),
    Case(
        "reparametrized sample",
        lambda: model(
            lambda self, x: self.c(self.a(x) + torch.randn_like(x) * self.b(x).exp()), a=lin(), b=lin(), c=lin()
        ),
        Level("in:x a#0 b#0 c#0 out:0", chain("in:x", "a#0", "c#0", "out:0") | chain("in:x", "b#0", "c#0")),
    ),
    Case(
        "distribution object",
        lambda: model(
            lambda self, x: self.c(torch.distributions.Normal(self.a(x), self.b(x).exp()).rsample()),
            a=lin(),
            b=lin(),
            c=lin(),
        ),
        Level("in:x a#0 b#0 c#0 out:0", chain("in:x", "a#0", "c#0", "out:0") | chain("in:x", "b#0", "c#0")),
    ),
]
