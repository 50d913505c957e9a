"""When a step begins, when it ends, what belongs to it."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.trace.recorder import tracing


def small() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))


def test_a_forward_and_a_backward_are_a_step() -> None:
    model = small()
    with tracing(model) as records:
        for _ in range(3):
            model(torch.randn(2, 4)).sum().backward()
    assert records.steps() == [0, 1, 2]


def test_two_forwards_before_one_backward_are_one_step_with_two_calls() -> None:
    model = small()
    with tracing(model) as records:
        first, second = model(torch.randn(2, 4)), model(torch.randn(5, 4))
        (first.sum() + second.sum()).backward()
    assert records.steps() == [0]
    shapes = {
        key.call: values.shape for key, values in records.samples().items() if key.path == "0" and key.kind == "output"
    }
    assert shapes == {0: (8,), 1: (20,)}
    norms = {
        key.call: values.shape
        for key, values in records.samples().items()
        if key.path == "0" and key.kind == "output_grad"
    }
    assert norms == {0: (2,), 1: (5,)}


def test_an_eval_forward_between_forward_and_backward_disturbs_nothing() -> None:
    model = small()
    with tracing(model) as records:
        output = model(torch.randn(2, 4))
        model.eval()
        with torch.no_grad():
            model(torch.randn(7, 4))
        model.train()
        output.sum().backward()
    assert records.steps("train") == [0]
    assert records.steps("eval") == [0]
    assert any(key.kind == "output_grad" for key in records.samples())


def test_only_due_steps_are_recorded_and_all_are_counted() -> None:
    model = small()
    with tracing(model, due=lambda step, phase: step % 3 == 0) as records:
        for _ in range(8):
            model(torch.randn(2, 4)).sum().backward()
    assert records.steps() == [0, 3, 6]


def test_accumulation_counts_each_backward() -> None:
    model = small()
    with tracing(model) as records:
        for _ in range(4):
            (model(torch.randn(2, 4)).mean() / 4).backward()
    assert records.steps() == [0, 1, 2, 3]


def test_a_second_backward_adds_to_the_same_step() -> None:
    model = small()
    with tracing(model) as records:
        output = model(torch.randn(2, 4))
        output.sum().backward(retain_graph=True)
        output.square().sum().backward()
    assert records.steps() == [0]


def test_a_forward_whose_output_is_dropped_is_a_step_of_its_own() -> None:
    model = small()
    with tracing(model) as records:
        for _ in range(3):
            model(torch.randn(2, 4))
    assert records.steps() == [0, 1, 2]
    assert {key.kind for key in records.samples(1)} == {"input", "output", "param"}


def test_forwards_without_gradients_are_steps() -> None:
    model = small()
    with tracing(model) as records, torch.no_grad():
        for _ in range(3):
            model(torch.randn(2, 4))
    assert records.steps() == [0, 1, 2]


def test_a_forward_without_gradients_joins_the_forward_that_has_them() -> None:
    model = small()
    with tracing(model) as records:
        for _ in range(2):
            with torch.no_grad():
                model(torch.randn(2, 4))
            model(torch.randn(2, 4)).sum().backward()
    assert records.steps() == [0, 1]


@pytest.mark.parametrize("reentrant", [False, True])
def test_recomputation_is_no_call(reentrant: bool) -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.block = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU())

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y: torch.Tensor = checkpoint(self.block, self.first(x), use_reentrant=reentrant)
            return y.sum()

    model = Model()
    with tracing(model) as records:
        for _ in range(2):
            model(torch.randn(2, 4)).backward()
    assert records.steps() == [0, 1]
    assert {key.call for key in records.samples(1)} == {0}


def test_an_exception_in_forward_ends_the_call_and_training_goes_on() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.fails = nn.Linear(4, 1), True

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.layer(x)
            if self.fails:
                raise KeyError("once")
            return x

    model = Model()
    with tracing(model) as records:
        with pytest.raises(KeyError):
            model(torch.randn(2, 4))
        model.fails = False
        model(torch.randn(2, 4)).sum().backward()
    calls = [record.calls for record in records if record.calls]
    assert len(calls) == 1
    assert [child.path for child in calls[0][0].children] == ["layer"]


def test_an_interrupted_forward_leaves_nothing_behind() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.fails = nn.Linear(4, 1), True

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.layer(x)
            if self.fails:
                raise KeyboardInterrupt
            return x

    model = Model()
    with tracing(model) as records:
        with pytest.raises(KeyboardInterrupt):
            model(torch.randn(2, 4))
        model.fails = False
        model(torch.randn(2, 4)).sum().backward()
        assert not model.layer._forward_hooks
    assert any(record.calls for record in records)


def test_a_module_that_calls_itself() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: torch.Tensor, depth: int = 2) -> torch.Tensor:
            x = self.layer(x)
            return self(x, depth - 1) if depth else x

    model = Model()
    with tracing(model) as records:
        model(torch.randn(2, 4)).sum().backward()
    root = next(record.calls for record in records if record.calls)[0]
    assert [(child.path, child.call) for child in root.children] == [("layer", 0), ("", 1)]
    assert [(child.path, child.call) for child in root.children[1].children] == [("layer", 1), ("", 2)]
