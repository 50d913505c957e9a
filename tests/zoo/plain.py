"""Plain chains: one call after the other, whatever lies between them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.zoo.case import Case, Level, chain, dashed, lin, line, model, rand

AB = line("in:x", "a#0", "b#0", "out:0")
AB_DASHED = Level("in:x a#0 b#0 out:0", dashed("in:x", "a#0", "b#0", "out:0"))


def frozen(layer: nn.Module) -> nn.Module:
    return layer.requires_grad_(False)


def two(between: Any) -> nn.Module:
    def forward(self: Any, x: Tensor) -> Tensor:
        return self.b(between(self.a(x)))

    return model(forward, a=lin(), b=lin())


def with_autocast(self: Any, x: Tensor) -> Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return self.b(self.a(x))


def with_hooks() -> nn.Module:
    made = two(torch.relu)
    made.a.register_forward_hook(lambda module, args, out: out * 2)
    made.b.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    return made


def convolutions() -> nn.Module:
    stem = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
    return model(lambda self, x: self.head(self.stem(x).mean((2, 3)).flatten(1)), stem=stem, head=lin())


CASES = [
    Case("leaf root", lin, line("in:input", "out:0")),
    Case("identity root", nn.Identity, line("in:input", "out:0")),
    Case("sequential", lambda: nn.Sequential(lin(), nn.Tanh(), lin()), line("in:input", "0#0", "1#0", "2#0", "out:0")),
    Case("empty sequential", nn.Sequential, line("in:input", "out:0")),
    Case("functions between", lambda: two(lambda h: F.gelu(h) * 2 + 1), AB),
    Case("dtype there and back", lambda: two(lambda h: h.double().exp().float()), AB),
    Case("views between", lambda: two(lambda h: h.view(4, 2).t().reshape(2, 4).contiguous()), AB),
    Case("complex between", lambda: two(lambda h: torch.fft.ifft(torch.fft.fft(h)).real), AB),
    Case("real view of complex", lambda: two(lambda h: torch.view_as_real(torch.complex(h, h)).sum(-1)), AB),
    Case("list of pieces between", lambda: two(lambda h: torch.stack(h.unbind(1), 1)), AB),
    Case("iterated and indexed", lambda: two(lambda h: torch.stack([row[0] * row for row in h])), AB),
    Case("sorted between", lambda: two(lambda h: h.sort(dim=1).values), AB),
    Case("python sum between", lambda: two(lambda h: sum(h.split(1, dim=1)).expand(2, 4)), AB),
    Case("reflected operators", lambda: two(lambda h: 1 - (2 / (3 + h.exp()))), AB),
    Case("numpy style methods", lambda: two(lambda h: h.clip(-1, 1).T.T @ torch.eye(4)), AB),
    Case("sparse between", lambda: two(lambda h: h.to_sparse().to_dense()), AB),
    Case("autocast", lambda: model(with_autocast, a=lin(), b=lin()), AB),
    Case("user hooks change values", with_hooks, AB),
    Case("frozen first layer", lambda: model(lambda self, x: self.b(self.a(x)), a=frozen(lin()), b=lin()), AB),
    Case("all frozen", lambda: frozen(two(torch.relu)), AB),
    Case("eval with gradients", lambda: two(torch.relu), AB, mode="eval"),
    Case("no grad outside", lambda: two(torch.relu), AB_DASHED, mode="no_grad"),
    Case("inference mode outside", lambda: two(torch.relu), AB_DASHED, mode="inference"),
    Case("lazy layers", lambda: model(lambda self, x: self.b(self.a(x)), a=nn.LazyLinear(4), b=nn.LazyLinear(4)), AB),
    Case("double input", lambda: two(torch.relu).double(), AB, inputs=lambda: (rand().double(),)),
    Case("input that needs a gradient", lambda: two(torch.relu), AB, inputs=lambda: (rand().requires_grad_(),)),
    Case(
        "in place activations",
        convolutions,
        line("in:x", "stem#0", "head#0", "out:0"),
        {"stem#0": line("in:input", "stem.0#0", "stem.1#0", "stem.2#0", "out:0")},
        inputs=lambda: (rand(2, 3, 8, 8),),
    ),
    Case(
        "three levels",
        lambda: nn.Sequential(nn.Sequential(nn.Sequential(lin()), nn.ReLU()), lin()),
        line("in:input", "0#0", "1#0", "out:0"),
        {"0#0": line("in:input", "0.0#0", "0.1#0", "out:0"), "0#0/0.0#0": line("in:input", "0.0.0#0", "out:0")},
    ),
    Case(
        "unused layer",
        lambda: model(lambda self, x: self.a(x), a=lin(), unused=lin()),
        line("in:x", "a#0", "out:0"),
    ),
    Case(
        "fully functional",
        lambda: model(lambda self, x: F.softmax(x * 2, -1).log()),
        Level("in:x out:0", chain("in:x", "out:0")),
    ),
]
