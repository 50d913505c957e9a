"""The command line: help that teaches, the demo, and serving a folder."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.sources import ROOT
from tests.store.made import record
from torchexplorer.cli import main
from torchexplorer.store import RunReader

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--help"], ["serve", "--help"]])
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "torchexplorer" in said
    assert "%(" not in said


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "required"),
        (["demo", "--steps", "0"], "at least 1"),
        (["demo", "--port", "70000"], "0 to 65535"),
        (["serve", "nowhere"], "Seen: nowhere"),
    ],
)
def test_wrong_arguments(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


def test_demo(tmp_path: Path) -> None:
    """It learns, says what it recorded, and ends."""
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "error",
            "-m",
            "torchexplorer.cli",
            "demo",
            "--steps",
            "60",
            "--no-serve",
            "--port",
            "0",
        ],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    accuracy = re.search(r"Held-out accuracy ([\d.]+)%", done.stdout)
    assert accuracy is not None
    assert float(accuracy[1]) > 85
    (file,) = (tmp_path / "torchexplorer_standalone").glob("*.sqlite")
    assert str(file) in done.stdout
    reader = RunReader(file)
    info = reader.info()
    assert info.ended is not None
    assert info.steps >= 6
    graph = reader.graph()
    assert graph is not None
    assert graph.label == "DigitNet"
    reader.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent as SIGINT")
def test_serve(tmp_path: Path) -> None:
    record(tmp_path / "run.sqlite", range(2))
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "torchexplorer.cli", "serve", str(tmp_path), "--port", "0"],
        env=ENVIRONMENT,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert url is not None
        with urllib.request.urlopen(f"{url[0]}/api/runs", timeout=10) as answer:
            assert b'"run"' in answer.read()
        process.send_signal(signal.SIGINT)
        _, complained = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, complained) == (0, "")
