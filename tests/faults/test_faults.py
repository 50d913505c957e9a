"""A fault of ours on any floor: one warning, and the training ends as if nothing had been watched."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch

import torchexplorer
from tests.faults.training import run
from torchexplorer.viewer import server

REACHED = {
    "stats": {"Column", "HistoryBook.add", "Series", "advance"},
    "layout": {"Box", "Level", "Placement", "place"},
    "render": {"levels"},
    "backends": {"Snapshot", "NoBackend.publish", "NoBackend.close"},
    "backends.standalone": {"StandaloneBackend.publish", "StandaloneBackend.close", "RunWriter", "RunWriter.write"},
    "graph": {"build_graphs", "GraphUnion.add"},
    "trace.recording": {
        "Recording.open",
        "Recording.resume",
        "Recording.sample_parameters",
        "Frame",
        "named_inputs",
        "sequence_number",
    },
    "trace.capture": {"Capture.inputs", "Capture.outputs", "Capture.close", "grad_norms", "edge_of", "consumers"},
    "trace.tracer": {"gather_gradients", "gather_ratios", "named_outputs", "Running", "Capture", "Step.listen"},
    "trace.step": {"Step.record", "Step.is_over", "Step.finish_shares", "Gathered.bring"},
    "trace.updates": {"Updates.open", "Updates.remember"},
    "trace.flow": {"Flow.source", "Flow.enter", "Flow.put"},
    "trace.follow": {"FollowMode"},
}
"""What a training with a page goes through, by the floor or file that holds it."""

NOT_REACHED = {"stats.History", "stats.assemble", "stats.HistoryBook", "render.chart_spec", "render.explorer_rows"}
"""Public as well, but used where the page or the user asks for something, or before the training begins."""

ELSEWHERE = {"Backend", "BackendOptions", "TransportName", "make_backend", "Row"}
"""No functions, or called while `watch` is."""


CASES = [(place, name) for place, names in REACHED.items() for name in sorted(names)]


def break_it(monkeypatch: pytest.MonkeyPatch, place: str, name: str, raised: list[str]) -> None:
    """Make a function or method raise wherever the package holds it; what is to be closed is closed before."""

    def fail(*args: Any, **kwargs: Any) -> Any:
        raised.append(name)
        if method == "close":
            real(*args, **kwargs)
        raise ZeroDivisionError(f"injected into {name}")

    outer, _, method = name.partition(".")
    target = getattr(import_module(f"torchexplorer.{place}"), outer)
    real = getattr(target, method) if method else target
    if method:
        monkeypatch.setattr(target, method, fail)
        return
    modules = [module for name, module in sys.modules.items() if name.startswith("torchexplorer")]
    for module in modules:
        for known in [known for known, value in vars(module).items() if value is target]:
            monkeypatch.setattr(module, known, fail)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Faults are told as they are to users; the page is served for one test only."""
    monkeypatch.delenv("TORCHEXPLORER_ON_ERROR")
    monkeypatch.setattr(server, "_server", None)
    yield
    if server._server is not None:
        server._server.stop()


@pytest.fixture(scope="module")
def expected() -> list[torch.Tensor]:
    parameters, told = run(lambda model, optimizer: None)
    assert not told
    return list(parameters)


def options(place: str, name: str, folder: Path) -> dict[str, Any]:
    page = place in {"layout", "render", "backends.standalone"}
    backend = {"backend": "standalone", "standalone_dir": folder, "standalone_port": 0, "verbose": False}
    return {"log_freq": 7, **(backend if page else {"backend": "none"})}


@pytest.mark.parametrize(("place", "name"), CASES)
def test_a_fault(
    place: str, name: str, expected: list[torch.Tensor], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    raised: list[str] = []
    chosen = options(place, name, tmp_path)
    seen, told = run(
        lambda model, optimizer: torchexplorer.watch(model, optimizer=optimizer, **chosen),
        lambda: break_it(monkeypatch, place, name, raised),
    )
    assert raised, "this is not called any more; take it off the list"
    assert len(told) == 1
    assert f"ZeroDivisionError: injected into {name}" in told[0]
    assert "training goes on" in told[0]
    assert all(torch.equal(one, other) for one, other in zip(seen, expected, strict=True))


def test_each_public_name_is_on_a_list() -> None:
    for floor in ("layout", "stats", "render", "backends"):
        door = import_module(f"torchexplorer.{floor}")
        listed = {name.partition(".")[0] for name in REACHED[floor]}
        listed |= {name.partition(".")[2] for name in NOT_REACHED if name.startswith(f"{floor}.")}
        public = {name for name in door.__all__ if callable(getattr(door, name))}
        assert public <= listed | ELSEWHERE, floor


def test_without_a_fault_nothing_is_told(expected: list[torch.Tensor], tmp_path: Path) -> None:
    chosen = options("layout", "", tmp_path)
    seen, told = run(lambda model, optimizer: torchexplorer.watch(model, optimizer=optimizer, **chosen))
    assert not told
    assert all(torch.equal(one, other) for one, other in zip(seen, expected, strict=True))
