"""The README says what is so: its snippets run, and its table of options is the signature of `watch`."""

import inspect
import re
from typing import Any

import pytest
import torch
from torch import nn

import torchexplorer
from tests.sources import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_structure_snippet_runs(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torchvision")
    (snippet,) = [each for each in SNIPPETS if "resnet18" in each]
    scope: dict[str, Any] = {}
    exec(snippet, scope)
    scope["watcher"].remove()
    assert "layer1.0.conv1#0 Conv2d" in capsys.readouterr().out


def test_the_attach_snippet_runs(watch: Any) -> None:
    (snippet,) = [each for each in SNIPPETS if "AttachModule" in each]
    scope: dict[str, Any] = {"torch": torch, "torchexplorer": torchexplorer}
    exec(snippet, scope)
    model = scope["AttachModule"]()
    watcher = watch(model)
    model(torch.randn(2, 10)).sum().backward()
    assert "intermediate" in {node.label for node in watcher.structure.nodes}


def test_the_numbers_snippet_runs(watch: Any) -> None:
    (snippet,) = [each for each in SNIPPETS if "watcher.histograms" in each]
    model = nn.Linear(4, 4)
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    exec(snippet, {"watcher": watcher})


def test_the_step_snippet_runs(watch: Any) -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Linear(4, 2), nn.Linear(2, 4)

        def encode(self, x: torch.Tensor) -> torch.Tensor:
            return self.first(x)

        def decode(self, x: torch.Tensor) -> torch.Tensor:
            return self.last(x).mean()

    (snippet,) = [each for each in SNIPPETS if "watcher.step()" in each]
    model = Model()
    watcher = watch(model)
    scope: dict[str, Any] = {"watcher": watcher, "model": model, "x": torch.randn(2, 4)}
    exec(snippet, scope)
    scope["loss"].backward()
    assert [node.key for node in watcher.structure.nodes if node.kind == "module"] == ["first#0", "last#0"]


def test_the_options_are_those_of_watch() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(.*?)` \|", README, re.MULTILINE)
    told = {name: default for name, default in rows if name in inspect.signature(torchexplorer.watch).parameters}
    for name, parameter in inspect.signature(torchexplorer.watch).parameters.items():
        if name == "model" or parameter.kind is parameter.VAR_KEYWORD:
            continue
        shown = told[name].replace('"', "'")
        assert name == "time_log" or shown == repr(parameter.default), name
