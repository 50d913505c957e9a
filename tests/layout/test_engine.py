"""The child process: whatever happens to it, a graph gets drawn, and nothing stays behind."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.layout.geometry import check
from tests.layout.levels import BRANCHES, RESIDUAL, TYPICAL, UNET, level
from tests.sources import ROOT
from torchexplorer.layout import dot, planner
from torchexplorer.layout.engine import CHILD, MOST_FAILED_STARTS, Engine
from torchexplorer.layout.planner import Planner
from torchexplorer.layout.ranks import rank

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc or stops a process")

LEVELS = [RESIDUAL, UNET, BRANCHES]
QUICK = {"start_limit": 5.0, "limit": 0.3, "total_limit": 3.0}

HANGING = "import time; print('ready', flush=True); time.sleep(60)"
SILENT = "import time; time.sleep(60)"
ENDING = "print('ready', flush=True)"
ABORTING = "import os, sys; print('ready', flush=True); sys.stdin.readline(); os.abort()"
BABBLING = "import sys; print('ready', flush=True)\nfor line in sys.stdin: print('[1, 2', flush=True)"
ECHOING = "import sys; print('ready', flush=True)\nfor line in sys.stdin: print(line, flush=True)"
UNASKED = "print('hello')"
NONSENSE = "import sys; print('ready', flush=True)\nfor line in sys.stdin:\n  while True: print('{}', flush=True)"
FAULTS = {
    "hanging": HANGING,
    "ending": ENDING,
    "aborting": ABORTING,
    "babbling": BABBLING,
    "echoing": ECHOING,
    "unasked": UNASKED,
    "nonsense": NONSENSE,
}


def check_layered(levels_planner: Planner) -> None:
    placements = levels_planner.place(LEVELS)
    levels_planner.close()
    assert [placement.engine for placement in placements] == ["layered"] * len(LEVELS)
    for one, placement in zip(LEVELS, placements, strict=True):
        check(one, placement)


def texts() -> list[str]:
    return [dot.write(one, rank(one), "ortho") for one in LEVELS]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_child(fault: str, tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text(FAULTS[fault])
    check_layered(Planner(lambda: Engine(child, **QUICK)))


def test_a_child_that_is_never_ready(tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text(SILENT)
    check_layered(Planner(lambda: Engine(child, start_limit=0.2, limit=0.2)))


def test_a_request_larger_than_a_pipe_to_a_child_that_does_not_read(tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text(HANGING)
    engine = Engine(child, **QUICK)
    assert engine.lay_out(["x" * 1_000_000]) == [None]
    engine.close()


@pytest.mark.parametrize("executable", ["", "/nonexistent/python", "/bin/cat", "/bin/true", str(ROOT)])
def test_an_odd_executable(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    check_layered(Planner())


def test_a_frozen_program_is_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    check_layered(Planner())


def test_without_pygraphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pygraphviz.py").write_text("raise ImportError('not installed')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    check_layered(Planner())


def test_without_path_and_without_pygraphviz_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    monkeypatch.setenv("PATH", "")
    one = Planner()
    assert one.place([RESIDUAL])[0].engine == "ortho"
    one.close()


def test_starting_is_given_up(tmp_path: Path) -> None:
    child, count = tmp_path / "child.py", tmp_path / "count"
    child.write_text(f"open({str(count)!r}, 'a').write('x')")
    engine = Engine(child, **QUICK)
    for _ in range(MOST_FAILED_STARTS + 3):
        assert engine.lay_out(["digraph {}"]) == [None]
    assert count.read_text() == "x" * MOST_FAILED_STARTS


def test_the_child_is_kept_and_started_again() -> None:
    engine = Engine()
    assert None not in engine.lay_out(texts())
    process = engine._process
    assert process is not None
    assert None not in engine.lay_out(texts())
    assert engine._process is process
    process.kill()
    process.wait()
    assert None not in engine.lay_out(texts())
    assert engine._process is not process
    engine.close()
    engine.close()


@linux
def test_a_stopped_child_is_replaced() -> None:
    engine = Engine(limit=0.5)
    assert None not in engine.lay_out(texts())
    assert engine._process is not None
    os.kill(engine._process.pid, signal.SIGSTOP)
    assert [answer is None for answer in engine.lay_out(texts())] == [True, False, False]
    engine.close()


def test_a_text_that_is_wrong_does_not_harm_the_others() -> None:
    engine = Engine()
    good, other, _ = texts()
    assert [answer is None for answer in engine.lay_out([good, "digraph {", "", other])] == [False, True, True, False]
    engine.close()


def test_the_child_ends_by_itself_when_a_text_takes_too_long() -> None:
    size = 120
    edges = [(source, target) for target in range(size) for source in range(target)]
    dense = level(size, edges)
    child = subprocess.Popen(
        [sys.executable, str(CHILD), "0.5"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    out, _ = child.communicate(json.dumps([dot.write(dense, rank(dense), "ortho")]).encode() + b"\n", timeout=60)
    assert out.split() == [b"ready"]
    assert child.returncode == 1


@linux
def test_no_file_descriptor_is_left_open(tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text(ENDING)

    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = opened()
    for engine in (Engine(), Engine(child, **QUICK)):
        for _ in range(3):
            engine.lay_out(texts())
            engine.close()
    assert opened() == before


@pytest.mark.parametrize("found", [None, [], {}, {"boxes": {}, "edges": {}}, {"boxes": {"0": [1]}, "edges": 3}, "x"])
def test_answers_that_make_no_sense(found: object) -> None:
    assert dot.read(RESIDUAL, found, "ortho") is None


def test_an_answer_with_a_route_away_from_its_box() -> None:
    engine = Engine()
    (found,) = engine.lay_out(texts()[:1])
    engine.close()
    assert dot.read(RESIDUAL, found, "ortho") is not None
    found["edges"]["3"][-1][0] += 200
    assert dot.read(RESIDUAL, found, "ortho") is None


def test_a_drawing_that_can_not_be_read_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "is_sound", lambda level, placement: placement.engine != "ortho")
    one = Planner()
    assert one.place([RESIDUAL])[0].engine == "polyline"
    one.close()


def test_what_is_known_is_not_asked_again_and_not_kept_for_ever() -> None:
    one = Planner(most_kept=2)
    first = one.place([RESIDUAL, UNET, RESIDUAL])
    assert first[0] is first[2]
    assert one.place([RESIDUAL])[0] is first[0]
    one.place([BRANCHES])
    assert list(one._known) == [RESIDUAL, BRANCHES]
    all_at_once = one.place([*TYPICAL.values()])
    assert len(all_at_once) == len(TYPICAL)
    assert len(one._known) == 2
    one.close()
