"""Steps of models whose own forward never runs."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

import torchexplorer
from tests.trace.recorder import Records, tracing
from torchexplorer.graph import ModuleGraph, build_graph


class AutoEncoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoders = nn.ModuleList([nn.Linear(4, 3), nn.Sequential(nn.Linear(3, 3), nn.Tanh())])
        self.decoder = nn.Linear(3, 4)

    def encode(self, x: Tensor) -> Tensor:
        for encoder in self.encoders:
            x = encoder(x)
        return x

    def training_step(self, x: Tensor) -> Tensor:
        y: Tensor = self.decoder(2 * self.encode(x))
        return (y - x).square().mean()


def last_graph(records: Records) -> ModuleGraph:
    calls = [record.calls for record in records if record.calls]
    return build_graph(calls[-1][0])


def test_children_called_before_one_backward_are_one_step() -> None:
    model = AutoEncoder()
    with tracing(model) as records:
        for _ in range(2):
            model.training_step(torch.randn(5, 4)).backward()
    assert records.steps() == [0, 1]
    graph = last_graph(records)
    assert [node.key for node in graph.nodes] == ["in:input", "encoders.0#0", "encoders.1#0", "decoder#0"]
    assert [(edge.source, edge.target, edge.differentiable) for edge in graph.edges] == [
        ("in:input", "encoders.0#0", True),
        ("encoders.0#0", "encoders.1#0", True),
        ("encoders.1#0", "decoder#0", True),
    ]
    assert graph["encoders.1"].label == "Sequential"
    kinds = {(key.path, key.kind) for key in records.samples(1)}
    assert {("decoder", "output_grad"), ("encoders.0", "param_grad"), ("encoders.1.0", "input_grad")} <= kinds


def test_without_gradients_a_step_ends_when_the_first_child_comes_again() -> None:
    model = AutoEncoder().eval()
    with tracing(model) as records, torch.no_grad():
        for _ in range(3):
            model.encode(torch.randn(5, 4))
    assert records.steps("eval") == [0, 1, 2]


def test_hooks_are_gone_between_calls_and_for_good_after_a_root_call() -> None:
    class Model(AutoEncoder):
        def forward(self, x: Tensor) -> Tensor:
            return self.encode(x)

    model = Model()
    with tracing(model) as records:
        model.encode(torch.randn(2, 4))
        assert not model.encoders[1][0]._forward_hooks
        assert not torch.overrides._get_current_function_mode_stack()  # type: ignore[no-untyped-call]
        model(torch.randn(2, 4)).sum().backward()
        assert not any(child._forward_hooks for child in model.children())
        model.encode(torch.randn(2, 4))
    assert records.steps() == [0, 1]


def test_a_failing_child_leaves_nothing_behind() -> None:
    class Fails(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            raise KeyError("once")

    model = AutoEncoder()
    model.fails = Fails()
    with tracing(model) as records:
        with pytest.raises(KeyError):
            model.fails(torch.randn(2, 4))
        model.training_step(torch.randn(2, 4)).backward()
    assert [node.key for node in last_graph(records).nodes if node.kind == "module"][-3:] == [
        "encoders.0#0",
        "encoders.1#0",
        "decoder#0",
    ]


def test_step_makes_one_step_of_what_runs_inside() -> None:
    model = AutoEncoder()
    watcher = torchexplorer.watch(model, log_freq=1, backend="none")
    for _ in range(2):
        with watcher.step():
            loss = model.training_step(torch.randn(5, 4)) + model.encode(torch.randn(5, 4)).mean()
        loss.backward()
    assert watcher.structure is not None
    assert [node.key for node in watcher.structure.nodes if node.kind == "module"] == [
        "encoders.0#0", "encoders.1#0", "decoder#0", "encoders.0#1", "encoders.1#1",
    ]  # fmt: skip
    assert {len(history.times) for history in watcher.histograms.values()} == {2}
    watcher.remove()
