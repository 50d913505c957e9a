"""Custom autograd functions, gradients taken inside forward, function transforms."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from tests.zoo.case import Case, Level, chain, dashed, lin, line, merge, model

AB = line("in:x", "a#0", "b#0", "out:0")


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 2


class Outside(torch.autograd.Function):
    """Computes with numpy, as bindings to other libraries do."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return torch.from_numpy(x.detach().numpy() * 2)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 2


class Reverse(torch.autograd.Function):
    """Gives its input back as it is; only the gradient is another."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return -grads[0]


class NewStyle(torch.autograd.Function):
    @staticmethod
    def forward(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x * y, (x > y).float()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        x, y = ctx.saved_tensors
        return grads[0] * y, grads[0] * x


class InPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 2


class Sign(torch.autograd.Function):
    """A straight-through estimator: not differentiable as data flow, differentiable as autograd has it."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return (x > 0).float()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0]


def between(function: Any) -> nn.Module:
    return model(lambda self, x: self.b(function(self.a(x))), a=lin(), b=lin())


def force(self: Any, x: Tensor) -> tuple[Tensor, Tensor]:
    x = x.detach().requires_grad_()
    energy = self.b(self.a(x).tanh()).sum()
    (slope,) = torch.autograd.grad(energy, x, create_graph=True)
    return energy, slope


def force_without_graph(self: Any, x: Tensor) -> Tensor:
    h = self.a(x)
    (slope,) = torch.autograd.grad(h.pow(3).sum(), h)
    return self.b(slope)


def differentiated(self: Any, x: Tensor) -> Tensor:
    return torch.func.grad(lambda y: self.a(y).tanh().sum())(x)


@torch.library.custom_op("zoo::doubled", mutates_args=())
def doubled(x: Tensor) -> Tensor:
    return torch.from_numpy(x.numpy() * 2)


doubled.register_autograd(lambda ctx, grad: grad * 2)


def backward_hooked() -> nn.Module:
    made = between(torch.relu)
    for layer in (made.a, made.b):
        layer.register_full_backward_hook(lambda module, grads, outs: None)
    return made


NO_NODE = "the forward of a custom function runs without gradients, and nothing shows later that it was one"

CASES = [
    Case("custom function", lambda: between(Double.apply), AB),
    Case("custom function outside of torch", lambda: between(Outside.apply), AB),
    Case("gradient reversal", lambda: between(Reverse.apply), AB),
    Case("custom function in place", lambda: between(lambda h: InPlace.apply(h * 1)), AB),
    Case("straight-through function", lambda: between(Sign.apply), AB),
    Case(
        "custom function of the root input",
        lambda: model(lambda self, x: self.a(Double.apply(x)), a=lin()),
        line("in:x", "a#0", "out:0"),
        gap=NO_NODE,
    ),
    Case(
        "custom function of two",
        lambda: model(lambda self, x: NewStyle.apply(self.a(x), self.b(x)), a=lin(), b=lin()),
        Level(
            "in:x a#0 b#0 out:0 out:1",
            merge("in:x", to="a#0")
            | merge("in:x", to="b#0")
            | merge("a#0", "b#0", to="out:0")
            | dashed("a#0", "out:1")
            | dashed("b#0", "out:1"),
        ),
    ),
    Case(
        "forces from an energy",
        lambda: model(force, a=lin(), b=lin()),
        Level(
            "in:x a#0 b#0 out:0 out:1",
            dashed("in:x", "a#0") | chain("a#0", "b#0", "out:0") | chain("b#0", "out:1") | dashed("in:x", "out:1"),
        ),
    ),
    Case(
        "a slope without a graph",
        lambda: model(force_without_graph, a=lin(), b=lin()),
        Level(AB.nodes, chain("in:x", "a#0") | dashed("a#0", "b#0") | chain("b#0", "out:0")),
    ),
    Case("vmap over a layer", lambda: model(lambda self, x: self.b(torch.vmap(self.a)(x)), a=lin(), b=lin()), AB),
    Case("vmap over a function", lambda: between(torch.vmap(lambda row: row * 2)), AB),
    Case(
        "grad transform",
        lambda: model(differentiated, a=lin()),
        Level("in:x a#0 out:0", chain("in:x", "a#0", "out:0") | chain("in:x", "out:0")),
    ),
    Case(
        "functional call with other weights",
        lambda: model(
            lambda self, x: torch.func.functional_call(
                self.a, {"weight": self.w(x).T @ x, "bias": torch.zeros(4)}, (x,)
            ),
            a=lin(),
            w=lin(),
        ),
        Level("in:x w#0 a#0 out:0", chain("in:x", "w#0", "a#0", "out:0") | chain("in:x", "a#0")),
    ),
    Case(
        "full backward hooks of the user", backward_hooked, AB, inputs=lambda: (torch.randn(2, 4, requires_grad=True),)
    ),
    Case("operator of a library", lambda: between(doubled), AB),
]
