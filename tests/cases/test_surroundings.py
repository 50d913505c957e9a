"""Where models run: threads, torch.compile, a disabled wandb, a machine without Graphviz, the newest torch."""

import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch._dynamo.utils import counters

from tests.reading import modules, only, series, structure
from tests.sources import ROOT


def test_the_installed_torch(watch: Any) -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(72, 3))
    watcher = watch(model)
    for _ in range(3):
        model(torch.randn(4, 1, 8, 8)).sum().backward()
    assert modules(structure(watcher)) == [f"{index}#0" for index in range(5)]
    assert list(only(series(watcher, path="4", kind="output_grad")).steps) == [0, 1, 2]


def test_a_disabled_wandb_does_no_harm(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "disabled")
    model = nn.Linear(4, 4)
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    assert series(watcher, path="", kind="input")


def test_threads(watch: Any) -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    watcher = watch(model)
    errors: list[BaseException] = []

    def run() -> None:
        try:
            model(torch.randn(2, 4)).sum().backward()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert modules(structure(watcher)) == ["0#0", "1#0"]
    assert only(series(watcher, path="0", kind="input")).seen[0] == 8


ORDERS = ["watch, then compile", "compile, then watch", "run compiled, then watch", "watch the compiled"]


def compiled_and_watched(order: str, watch: Any, model: nn.Module, x: torch.Tensor) -> tuple[nn.Module, Any]:
    """The compiled model and its watcher, made in this order."""
    if order == "watch, then compile":
        watcher = watch(model)
        return torch.compile(model, backend="eager"), watcher
    compiled = torch.compile(model, backend="eager")
    if order == "run compiled, then watch":
        compiled(x)
    return compiled, watch(compiled if order == "watch the compiled" else model)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_compiled_models(watch: Any, order: str) -> None:
    """The numbers stay, nothing of ours is compiled, and what cannot be recorded is said."""
    torch.compiler.reset()
    counters.clear()
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    x = torch.randn(2, 4)
    expected = model(x).detach()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        compiled, watcher = compiled_and_watched(order, lambda each: watch(each, log_freq=2), model, x)
        for _ in range(4):
            result = compiled(x)
            assert torch.allclose(result, expected)
            result.sum().backward()
        watcher.flush()
    texts = [str(each.message) for each in said]
    assert not [text for text in texts if "Dynamo does not know" in text], "our hooks were compiled"
    assert counters["stats"]["unique_graphs"] <= 2, "the user's model was split or compiled anew"
    kinds = {key.kind for key in watcher.histograms}
    assert "output_grad" in kinds or any("torchexplorer" in text for text in texts), "not recorded, and not said why"
    if order == "watch the compiled":
        assert "output_grad" in kinds
        assert counters["stats"]["unique_graphs"] == 1


WITHOUT_GRAPHVIZ = """
import os, sys
sys.modules["pygraphviz"] = None
os.environ["PATH"] = ""
import torch, torchexplorer
from torch import nn
from torch._dynamo.utils import counters
model = nn.Sequential(nn.Linear(4, 4))
watcher = torchexplorer.watch(model, log_freq=1, backend="none")
model(torch.randn(2, 4)).sum().backward()
assert watcher.structure[""].nodes
print("done")
"""


def test_recording_needs_no_graphviz(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{WITHOUT_GRAPHVIZ}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "done"
