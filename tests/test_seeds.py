"""The published snippets that people copy: each runs unchanged, and shows what its text promises."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import torchexplorer
from tests.reading import edges, kinds, modules, node, only, series, solid, structure
from tests.snippets import ATTACH, RESNET, RESNET_GRADIENTS
from tests.sources import ROOT


class AttachModule(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(10, 10)
        self.fc2 = nn.Linear(10, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.fc1(x)
        x = torchexplorer.attach(x, self, "intermediate")
        return self.fc2(x)


class TestModule(nn.Module):
    __test__ = False

    def __init__(self, *, twice: bool = False) -> None:
        super().__init__()
        self.fc = nn.Linear(20, 20)
        self.activation = nn.ReLU()
        self.twice = twice

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.activation(x) if self.twice else x
        return self.activation(self.fc(x))


def resnet18() -> nn.Module:
    return pytest.importorskip("torchvision").models.resnet18(weights=None)


@pytest.mark.slow
@pytest.mark.parametrize("snippet", [RESNET, RESNET_GRADIENTS, ATTACH], ids=["resnet", "resnet-gradients", "attach"])
def test_snippet_runs_unchanged(snippet: str, tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", snippet], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "http://" in done.stdout + done.stderr
    assert list((tmp_path / "torchexplorer_standalone").glob("*.sqlite"))


def test_resnet_structure(watch: Any) -> None:
    model = resnet18()
    watcher = watch(model, log=["io", "params"])
    model(torch.randn(5, 3, 32, 32)).sum().backward()
    graph = structure(watcher)
    chain = ["conv1", "bn1", "relu", "maxpool", "layer1", "layer2", "layer3", "layer4", "avgpool", "fc"]
    path = ["in:x", *(f"{name}#0" for name in chain), "out:0"]
    assert edges(graph) == solid(graph) == set(pairwise(path))
    block = graph["layer1.0"]
    assert ("in:x", "layer1.0.relu#1") in solid(block)
    assert modules(block) == [
        f"layer1.0.{name}" for name in ("conv1#0", "bn1#0", "relu#0", "conv2#0", "bn2#0", "relu#1")
    ]
    assert node(graph, "conv1#0").shapes == {"in:input": (5, 3, 32, 32), "out:0": (5, 64, 16, 16)}
    assert kinds(watcher) == {"input", "output", "param"}


def test_log_nothing_shows_the_structure_alone(watch: Any) -> None:
    model = TestModule()
    watcher = watch(model, log=[])
    model(torch.randn(5, 20)).sum().backward()
    assert modules(structure(watcher)) == ["fc#0", "activation#0"]
    assert not watcher.histograms


def test_resnet_gradients_need_no_options(watch: Any) -> None:
    """In-place activations and residual additions, all four kinds, and the numbers of an unwatched twin."""
    model, twin = resnet18(), resnet18()
    twin.load_state_dict(model.state_dict())
    watcher = watch(model)
    x = torch.randn(5, 3, 32, 32)
    model(x).sum().backward()
    twin(x).sum().backward()
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(ours.grad, theirs.grad)
    assert kinds(watcher) == {"input", "output", "input_grad", "output_grad", "param", "param_grad"}
    assert set(series(watcher, path="layer1.0", kind="input_grad")) == {"x"}
    assert set(series(watcher, path="conv1", kind="input_grad")) == {"input"}


def test_disable_inplace_and_ignored_classes(watch: Any) -> None:
    model = resnet18()
    block = type(model.layer1[0])
    watcher = watch(model, disable_inplace=True, ignore_io_grad_classes=[block])
    model(torch.randn(5, 3, 32, 32)).sum().backward()
    assert not any(module.inplace for module in model.modules() if isinstance(module, nn.ReLU))
    assert not series(watcher, path="layer1.0", kind="input_grad")
    assert not series(watcher, path="layer1.0", kind="output_grad")
    assert series(watcher, path="layer1.0.conv1", kind="input_grad")
    assert series(watcher, path="layer1.0", kind="input")


def test_attach(watch: Any) -> None:
    model = AttachModule()
    names, keys = [name for name, _ in model.named_modules()], list(model.state_dict())
    watcher = watch(model)
    model(torch.randn(5, 10)).sum().backward()
    graph = structure(watcher)
    attached = next(node for node in graph.nodes if node.kind == "attach")
    assert attached.label == "intermediate"
    assert {("fc1#0", attached.key), (attached.key, "fc2#0")} <= solid(graph)
    assert ("fc1#0", "fc2#0") not in edges(graph)
    assert series(watcher, path="intermediate", kind="output")
    assert series(watcher, path="intermediate", kind="output_grad")
    assert [name for name, _ in model.named_modules()] == names
    assert list(model.state_dict()) == keys


def test_histograms_are_what_the_text_says(watch: Any) -> None:
    model = TestModule()
    watcher = watch(model, sample_n=None, reject_outlier_propertion=0.0)
    x = torch.randn(5, 20)
    model(x).sum().backward()
    assert only(series(watcher, path="fc", kind="input")).mean[-1] == pytest.approx(x.mean().item(), abs=1e-6)
    out, into = (only(series(watcher, path=p, kind=k)) for p, k in (("fc", "output"), ("activation", "input")))
    assert np.array_equal(out.counts, into.counts)
    assert np.array_equal(out.edges, into.edges)
    assert out.counts.sum() == out.seen[-1] == 100
    assert out.rejected[-1] == 0
    norms = only(series(watcher, path="activation", kind="output_grad"))
    assert norms.seen[-1] == norms.counts.sum() == 5
    assert (norms.min[-1], norms.max[-1]) == pytest.approx((20**0.5, 20**0.5), rel=1e-6)
    assert set(series(watcher, path="fc", kind="param")) == {"weight", "bias"}
    gradient = series(watcher, path="fc", kind="param_grad")["weight"]
    assert gradient.max[-1] == pytest.approx(model.fc.weight.grad.max().item(), rel=1e-6)
    assert not series(watcher, path="", kind="param")
    assert not series(watcher, path="activation", kind="param")


def test_samples_and_outliers(watch: Any) -> None:
    model = nn.Linear(50, 50)
    watcher = watch(model, sample_n=100, reject_outlier_proportion=0.1)
    model(torch.randn(64, 50)).sum().backward()
    history = only(series(watcher, path="", kind="output"))
    assert (history.seen[-1], history.counts.sum(), history.rejected[-1]) == (3200, 90, 10)


def test_several_calls_of_one_module(watch: Any) -> None:
    model = TestModule(twice=True)
    watcher = watch(model)
    model(torch.randn(5, 20)).sum().backward()
    path = ["in:x", "activation#0", "fc#0", "activation#1", "out:0"]
    assert edges(structure(watcher)) == set(pairwise(path))
    first, second = (only(series(watcher, path="activation", kind="input", call=call)) for call in (0, 1))
    assert first.mean[-1] != second.mean[-1]


@pytest.mark.parametrize("option", [{}, {"delay_log_multibackward": True}, {"delay_log_multi_backward": True}])
def test_two_forwards_before_one_backward(watch: Any, option: dict[str, bool]) -> None:
    model = nn.Sequential(nn.Linear(20, 3))
    watcher = watch(model, **option)
    for _ in range(2):
        first, second = model(torch.randn(5, 20)), model(torch.randn(7, 20))
        (first.abs().sum() + second.abs().sum()).backward()
    seen = [only(series(watcher, path="0", kind="input_grad", call=call)) for call in (0, 1)]
    assert [list(history.seen) for history in seen] == [[5, 5], [7, 7]]
    assert len(series(watcher, path="0", kind="param_grad")["weight"].times) == 2


def test_control_flow_that_changes(watch: Any) -> None:
    class Either(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.module1, self.module2 = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.module1(x) if x.sum() > 0 else self.module2(x)

    model = Either()
    watcher = watch(model)
    for sign, expected in ((1, "module1#0"), (-1, "module2#0")):
        model(sign * torch.ones(2, 4)).sum().backward()
        assert modules(structure(watcher)) == [expected]


def test_lightning_epochs(watch: Any) -> None:
    class Lit(nn.Linear):
        current_epoch = 0

    model = Lit(4, 4)
    watcher = watch(model, time_log=torchexplorer.LIGHTNING_EPOCHS)
    for epoch in range(3):
        model.current_epoch = epoch
        model(torch.randn(2, 4)).sum().backward()
    assert list(only(series(watcher, path="", kind="output")).times) == [0, 1, 2]


def test_time_log(watch: Any) -> None:
    model = nn.Linear(4, 4)
    watcher = watch(model, log_freq=2, time_log=("seconds", lambda module, step: 0.5 * step))
    for _ in range(6):
        model(torch.randn(2, 4)).sum().backward()
    history = only(series(watcher, path="", kind="output"))
    assert list(history.times) == [0.0, 1.0, 2.0]
    assert list(history.steps) == [0, 2, 4]
