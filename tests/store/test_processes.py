"""A reader beside a writer in another process, and a writer that is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sources import ROOT
from tests.store.made import WEIGHT, writer
from torchexplorer.store import RunInUse, RunReader, UnreadableRun

WRITE = """
import sys
from pathlib import Path
from tests.store.made import columns, writer, small, placed
store = writer(Path(sys.argv[1]))
for step in range(int(sys.argv[2])):
    graph = small() if step == 0 else None
    store.write(step, float(step), "train", columns(step), graph, placed(graph) if graph else None)
    print(step, flush=True)
store.close()
"""


@contextmanager
def writing(path: Path, steps: int) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(path), str(steps)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]


def opened(path: Path) -> RunReader:
    """A reader, as soon as there is something to read."""
    end = time.monotonic() + 30
    while True:
        try:
            return RunReader(path)
        except UnreadableRun:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def test_a_reader_beside_a_writer(tmp_path: Path) -> None:
    """Nothing fails on either side; what is seen only grows, and steps are whole."""
    path = tmp_path / "run.sqlite"
    seen = [0]
    with writing(path, 200) as process:
        reader = opened(path)
        versions = [reader.version()]
        while process.poll() is None:
            versions.append(reader.version())
            histories = reader.histories()
            if histories:
                assert len({len(history.steps) for history in histories.values()}) == 1
                seen.append(int(histories[WEIGHT].steps[-1]))
                assert reader.graph() is not None
        assert process.returncode == 0
    assert versions == sorted(versions)
    assert seen == sorted(seen)
    assert len(set(seen)) > 5
    assert reader.info().steps == 200
    assert reader.info().ended is not None
    reader.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_writer_keeps_what_it_committed(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with writing(path, 100_000) as process:
        assert process.stdout is not None
        for _ in range(30):
            said = int(process.stdout.readline())
        with pytest.raises(RunInUse):
            writer(path)
        os.kill(process.pid, signal.SIGKILL)
        said = max([said, *map(int, process.stdout.read().split())])
    reader = RunReader(path)
    info = reader.info()
    assert info.steps >= said + 1
    assert info.ended is None
    assert reader.histories(max_columns=None)[WEIGHT].steps.tolist() == list(range(info.steps))
    reader.close()
    writer(path).close()  # the run can be gone on with
