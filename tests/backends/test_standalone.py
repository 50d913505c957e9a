"""The standalone backend: names of runs, what it prints, and what it writes."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.render.made import small
from tests.sources import ROOT
from tests.store.made import WEIGHT, columns
from torchexplorer.backends import Backend, BackendOptions, Snapshot, make_backend
from torchexplorer.store import RunReader, WriteFailed

Make = Callable[..., Backend]


def snapshot(step: int, **more: Any) -> Snapshot:
    fields = {"run": "run", "time": float(step), "time_unit": "epoch", "phase": "train", "histories": {}}
    graph = small() if step == 0 else None
    return Snapshot(**{**fields, "step": step, "graph": graph, "columns": columns(step), **more})


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Standalone backends that are closed after the test, and the server with them."""
    from torchexplorer.viewer import server

    monkeypatch.setattr(server, "_server", None)
    made: list[Backend] = []

    def make(run: str = "run", **more: Any) -> Backend:
        given = {"model": "Net", "time_unit": "epoch", "directory": tmp_path, "port": 0, "verbose": False, **more}
        made.append(make_backend("standalone", BackendOptions(run=run, **given)))
        return made[-1]

    yield make
    for backend in made:
        backend.close()
    if server._server is not None:
        server._server.stop()


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.sqlite")}


def test_a_run(make: Make, tmp_path: Path) -> None:
    backend = make()
    assert not names(tmp_path)  # nothing recorded leaves nothing behind
    for step in range(3):
        backend.publish(snapshot(step))
    backend.close()
    backend.close()
    reader = RunReader(tmp_path / "run.sqlite")
    info = reader.info()
    assert (info.run, info.steps, info.config) == ("run", 3, {"model": "Net", "time_unit": "epoch"})
    assert info.ended is not None
    assert len(reader.placements()) == 2  # Net and its block
    assert list(reader.histories()[WEIGHT].steps) == [0, 1, 2]
    reader.close()


def test_two_watches_with_one_name(make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = make(), make(verbose=True)
    first.publish(snapshot(0))
    second.publish(snapshot(0))
    assert names(tmp_path) == {"run.sqlite", "run-2.sqlite"}
    assert "there is a run 'run' already; this one is 'run-2'" in capsys.readouterr().out


def test_a_fresh_start_does_not_overwrite(make: Make, tmp_path: Path) -> None:
    for _ in range(2):
        backend = make()
        backend.publish(snapshot(0))
        backend.close()
    assert names(tmp_path) == {"run.sqlite", "run-2.sqlite"}


def test_a_later_step_goes_on_with_the_run(make: Make, tmp_path: Path) -> None:
    for first in (0, 3):
        backend = make()
        for step in range(first, first + 5):
            backend.publish(snapshot(step))
        backend.close()
    assert names(tmp_path) == {"run.sqlite"}
    reader = RunReader(tmp_path / "run.sqlite")
    assert list(reader.histories()[WEIGHT].steps) == list(range(8))
    reader.close()


def test_a_file_of_another_kind_is_left_alone(make: Make, tmp_path: Path) -> None:
    (tmp_path / "run.sqlite").write_text("mine " * 100)
    make().publish(snapshot(0))
    assert (tmp_path / "run.sqlite").read_text() == "mine " * 100
    assert "run-2.sqlite" in names(tmp_path)


@pytest.mark.parametrize(
    "run", ["../up", "/etc/x", "a/b\\c:d*?", ".hidden", "x" * 300, "ÿ" * 300, "...", "con fluence"]
)
def test_names_stay_in_the_folder(make: Make, tmp_path: Path, run: str) -> None:
    make(run, directory=tmp_path / "in").publish(snapshot(0))
    (file,) = names(tmp_path / "in")
    assert not file.startswith(".")
    assert len(file.encode()) < 120
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    reader = RunReader(tmp_path / "in" / file)
    assert reader.info().run == run
    reader.close()


def test_it_says_where_the_page_is_once(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    make("a", verbose=True)
    make("b", verbose=True)
    said = capsys.readouterr().out
    assert said.startswith("torchexplorer: look inside Net at http://127.0.0.1:")
    assert said.count("\n") == 1
    assert "taken" not in said
    with urllib.request.urlopen(said.split()[-1], timeout=10) as page:
        assert b"<title>torchexplorer</title>" in page.read()


def test_a_taken_port(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        make(verbose=True, port=port)
    assert f"(port {port} is taken)" in capsys.readouterr().out


def test_silence(make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = make(), make()
    first.publish(snapshot(0))
    second.publish(snapshot(0))
    assert capsys.readouterr() == ("", "")


def test_without_a_page_it_still_records(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no ports here")

    monkeypatch.setattr("torchexplorer.backends.standalone.serve", fail)
    make().publish(snapshot(0))
    assert names(tmp_path) == {"run.sqlite"}
    assert "Seen: no ports here" in capsys.readouterr().err


def test_a_folder_that_can_not_be_written_to(make: Make, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WriteFailed, match=r"standalone_dir"):
        make(directory=tmp_path / "file").publish(snapshot(0))


def test_the_backend_none(capsys: pytest.CaptureFixture[str]) -> None:
    options = BackendOptions("run", "Net", "step", Path("nowhere"), 8080, True)
    backend = make_backend("none", options)
    backend.publish(snapshot(0))
    backend.close()
    assert capsys.readouterr() == ("", "")


TRAINS = """
import torch, torchexplorer
model = torch.nn.Linear(3, 2)
torchexplorer.watch(model, log_freq=1, backend="standalone", standalone_port=0, run_name="mine", verbose=False)
for _ in range(4):
    model(torch.randn(5, 3)).sum().backward()
"""


def test_a_script_ends_by_itself(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", TRAINS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (file,) = (tmp_path / "torchexplorer_standalone").iterdir()
    reader = RunReader(file)
    assert reader.info().steps == 4
    assert reader.info().ended is not None
    reader.close()
