"""Each example runs to its end in a process of its own, with few steps and no server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sources import ROOT

EXAMPLES = sorted(path for path in (ROOT / "examples").glob("*.py") if path.stem != "arguments")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example(example: Path, tmp_path: Path) -> None:
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example), "--steps", "5", "--log-freq", "2", "--backend", "none"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "recorded" in done.stdout
