"""Backward passes of every order: what they leave behind is the unwatched twin's, and which columns there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from torchexplorer import Key
from torchexplorer.trace.host import MAX_PASSES

Begin = Callable[[nn.Module], Any]


def critic() -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1))


def gradient_penalty(begin: Begin) -> Any:
    """A Wasserstein critic: the norm of a gradient is part of the loss."""
    model = critic()
    watcher = begin(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        optimizer.zero_grad()
        x = torch.randn(4, 3, requires_grad=True)
        score = model(x)
        (slope,) = torch.autograd.grad(score.sum(), x, create_graph=True)
        (score.mean() + (slope.norm(dim=1) - 1).square().mean()).backward()
        optimizer.step()
    return [model], [watcher]


def hessian_vector(begin: Begin) -> Any:
    model = critic()
    watcher = begin(model)
    for _ in range(3):
        loss = model(torch.randn(4, 3)).square().mean()
        gradients = torch.autograd.grad(loss, list(model.parameters()), create_graph=True)
        sum(gradient.square().sum() for gradient in gradients).backward()  # type: ignore[union-attr]
    return [model], [watcher]


def two_losses(begin: Begin) -> Any:
    model = critic()
    watcher = begin(model)
    for _ in range(3):
        model.zero_grad()
        y = model(torch.randn(4, 3))
        y.mean().backward(retain_graph=True)
        y.square().mean().backward()
    return [model], [watcher]


def two_forwards_two_backwards(begin: Begin) -> Any:
    model = critic()
    watcher = begin(model)
    for _ in range(3):
        model.zero_grad()
        first, second = model(torch.randn(4, 3)), model(torch.randn(5, 3))
        first.mean().backward()
        second.mean().backward()
    return [model], [watcher]


def retained_twice(begin: Begin) -> Any:
    model = critic()
    watcher = begin(model)
    for _ in range(3):
        loss = model(torch.randn(4, 3)).mean()
        for _ in range(3):
            loss.backward(retain_graph=True)
    return [model], [watcher]


def gan(begin: Begin) -> Any:
    maker, judge = nn.Sequential(nn.Linear(2, 3), nn.Tanh()), critic()
    watchers = [begin(maker), begin(judge)]
    optimizers = [torch.optim.Adam(model.parameters(), 0.01) for model in (maker, judge)]
    for _ in range(3):
        fake = maker(torch.randn(4, 2))
        optimizers[1].zero_grad()
        (judge(fake.detach()).mean() - judge(torch.randn(4, 3)).mean()).backward()
        optimizers[1].step()
        optimizers[0].zero_grad()
        (-judge(fake).mean()).backward()
        optimizers[0].step()
    return [maker, judge], watchers


def accumulation(begin: Begin) -> Any:
    model = critic()
    watcher = begin(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(6):
        (model(torch.randn(4, 3)).mean() / 3).backward()
        if step % 3 == 2:
            optimizer.step()
            optimizer.zero_grad()
    return [model], [watcher]


TRAININGS = [
    gradient_penalty, hessian_vector, two_losses, two_forwards_two_backwards, retained_twice, gan, accumulation,
]  # fmt: skip


@pytest.mark.parametrize("training", TRAININGS)
def test_twins(watch: Any, training: Callable[[Begin], Any]) -> None:
    torch.manual_seed(0)
    expected, _ = training(lambda model: None)
    state = torch.get_rng_state()
    torch.manual_seed(0)
    seen, watchers = training(lambda model: watch(model, sample_n=None))
    assert torch.equal(torch.get_rng_state(), state)
    for one, other in zip(expected, seen, strict=True):
        for left, right in zip(one.parameters(), other.parameters(), strict=True):
            assert torch.equal(left, right)
            assert (left.grad is None) == (right.grad is None)
            assert left.grad is None or right.grad is None or torch.equal(left.grad, right.grad)
    for watcher in watchers:
        assert {key.kind for key in watcher.histograms} >= {"input_grad", "output_grad", "param_grad"}


def columns(training: Callable[[Begin], Any], watch: Any, *keys: Key) -> list[tuple[list[int], list[int]]]:
    """(steps, elements counted) of the first watched model's series."""
    _, watchers = training(lambda model: watch(model, sample_n=None))
    found = watchers[0].histograms
    return [(found[key].steps.tolist(), found[key].seen.tolist()) for key in keys]


GRAD = Key("0", 0, "output_grad", "0")
WEIGHT = Key("0", 0, "param_grad", "weight")


def test_a_second_backward_of_a_step_joins_the_column(watch: Any) -> None:
    assert columns(two_losses, watch, GRAD, WEIGHT) == [([0, 1, 2], [8, 8, 8]), ([0, 1, 2], [18, 18, 18])]
    assert columns(retained_twice, watch, GRAD) == [([0, 1, 2], [12, 12, 12])]


def test_a_gradient_penalty_is_two_passes(watch: Any) -> None:
    first_input = Key("0", 0, "input_grad", "input")
    assert columns(gradient_penalty, watch, GRAD, first_input, WEIGHT) == [
        ([0, 1, 2], [8, 8, 8]),
        ([0, 1, 2], [8, 8, 8]),
        ([0, 1, 2], [18, 18, 18]),
    ]


def test_the_second_of_two_forwards_has_its_own_column(watch: Any) -> None:
    second = Key("0", 1, "output_grad", "0")
    assert columns(two_forwards_two_backwards, watch, GRAD, second) == [
        ([0, 1, 2], [4, 4, 4]),
        ([0, 1, 2], [5, 5, 5]),
    ]


def test_accumulated_backwards_are_steps(watch: Any) -> None:
    assert columns(accumulation, watch, GRAD) == [([0, 1, 2, 3, 4, 5], [4] * 6)]


def test_the_values_of_both_passes(watch: Any) -> None:
    model = nn.Linear(2, 1)
    watcher = watch(model, sample_n=None)
    y = model(torch.randn(3, 2))
    y.sum().backward(retain_graph=True)
    (y.sum() * 5).backward()
    history = watcher.histograms[Key("", 0, "output_grad", "0")]
    assert (history.min.tolist(), history.max.tolist(), history.mean.tolist()) == ([1.0], [5.0], [3.0])
    bias = watcher.histograms[Key("", 0, "param_grad", "bias")]
    assert (bias.min.tolist(), bias.max.tolist()) == ([18.0], [18.0])  # as accumulated after the last pass


def test_the_passes_of_a_step_are_limited(watch: Any) -> None:
    model = nn.Linear(2, 1)
    watcher = watch(model, sample_n=None)
    y = model(torch.randn(3, 2)).sum()
    for _ in range(MAX_PASSES + 5):
        y.backward(retain_graph=True)
    assert watcher.histograms[Key("", 0, "output_grad", "0")].seen.tolist() == [3 * MAX_PASSES]
    assert watcher.histograms[Key("", 0, "param_grad", "bias")].max.tolist() == [3.0 * (MAX_PASSES + 5)]
