"""Programs that place a level and end, in one way or another: the child ends with them, and nothing is said."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.sources import ROOT

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc, kills or forks processes")


def run(code: str, *, limit: float = 60.0) -> str:
    """What a program prints that places a level, with warnings as errors."""
    lines = ["from torchexplorer.layout import Box, Level, place", "from torchexplorer.layout.planner import _PLANNER"]
    lines += ["levels = [Level((Box(9.0, 9.0),) * 2, ((0, 1),), (0,), (1,))]", code]
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", "\n".join(lines)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=limit,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0]
    except FileNotFoundError:
        return False


def ended(pid: int) -> bool:
    """Whether a process ends within some seconds."""
    for _ in range(100):
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False


@linux
def test_the_child_ends_with_the_interpreter() -> None:
    printed = run("print(place(levels)[0].engine, _PLANNER._engine._process.pid)").split()
    assert printed[0] == "ortho"
    assert not is_running(int(printed[1]))


@linux
def test_the_child_ends_when_this_process_is_killed() -> None:
    code = "place(levels); print(_PLANNER._engine._process.pid, flush=True); import os; os.kill(os.getpid(), 9)"
    with pytest.raises(subprocess.CalledProcessError) as failure:
        run(code)
    assert ended(int(failure.value.stdout))


def test_placing_while_the_interpreter_ends() -> None:
    assert run("import atexit; atexit.register(lambda: print(place(levels)[0].engine))").split() == ["ortho"]


@linux
def test_a_forked_process_has_its_own_child() -> None:
    code = """
import os, warnings
place(levels)
parents = _PLANNER._engine._process.pid
warnings.simplefilter("ignore")  # newer interpreters warn of forks beside threads
_PLANNER._lock.acquire()  # as if another thread were placing
forked = os.fork()
if not forked:
    assert _PLANNER._engine._process is None
    print(place([Level((Box(5.0, 5.0),) * 3, ((0, 1), (1, 2)))])[0].engine, flush=True)
    assert _PLANNER._engine._process.pid != parents
    _PLANNER.close()
    os._exit(0)
_PLANNER._lock.release()
assert os.waitpid(forked, 0)[1] == 0
assert _PLANNER._engine._process.pid == parents and _PLANNER._engine._process.poll() is None
print(place([Level((Box(5.0, 5.0),) * 3, ((0, 1), (0, 2)))])[0].engine)
"""
    assert run(code).split() == ["ortho", "ortho"]
