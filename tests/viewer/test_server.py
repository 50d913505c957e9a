"""The server thread: its port, its events, and how quietly it ends."""

import json
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sources import ROOT
from tests.store.made import columns, record, writer
from torchexplorer.viewer import Library, PageServer, serve
from torchexplorer.viewer.audience import Audience
from torchexplorer.viewer.server import HOST


@pytest.fixture
def server(folder: Path) -> Iterator[PageServer]:
    server = PageServer(Library(folder), 0)
    yield server
    server.stop()
    server.stop()


def get(server: PageServer, path: str) -> Any:
    with urllib.request.urlopen(f"{server.url}{path}", timeout=10) as answer:
        return json.load(answer)


def test_it_serves(server: PageServer) -> None:
    assert [run["name"] for run in get(server, "/api/runs")] == ["run one"]
    assert server.url == f"http://127.0.0.1:{server.port}"


def test_a_stopped_server_lets_go_of_its_port(folder: Path) -> None:
    server = PageServer(Library(folder), 0)
    server.stop()
    assert not server.alive
    again = PageServer(Library(folder), server.port)
    assert again.port == server.port
    again.stop()


def test_a_taken_port(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        server = PageServer(Library(folder), port)
        assert server.port != port
        server.stop()


def test_one_server_for_all(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchexplorer.viewer.server._server", None)
    first, started = serve(folder, 0)
    record(tmp_path / "more" / "second.sqlite", range(1))
    second, again = serve(tmp_path / "more", 0)
    assert (started, again) == (True, False)
    assert second is first
    assert {run["name"] for run in get(first, "/api/runs")} == {"run one", "second"}
    first.stop()
    third, started = serve(folder, 0)
    assert started
    third.stop()


def test_events(server: PageServer, folder: Path) -> None:
    """An event at once, one for each new version, and none in between."""
    with urllib.request.urlopen(f"{server.url}/api/events?run=run%20one", timeout=20) as stream:
        first = event(stream)
        assert first["state"]["ended"]
        assert first["runs"] == ["run one"]
        store = writer(folder / "run one.sqlite")
        store.write(3, 3.0, "train", columns(3))
        second = event(stream)
        while second["state"]["steps"] != 4:
            second = event(stream)
        assert second["state"]["version"] > first["state"]["version"]
        store.close()
        record(folder / "other.sqlite", range(1))
        while "other" not in event(stream)["runs"]:
            pass


def event(stream: Any) -> Any:
    line = stream.readline().decode()
    while not line.startswith("data: "):
        line = stream.readline().decode()
    return json.loads(line.removeprefix("data: "))


def test_audience() -> None:
    audience = Audience()
    assert not audience.anyone
    with audience.looking("a"):
        audience.told("a", 2)
        audience.told("b", 9)
        assert audience.anyone
        assert audience.behind
        audience.fetched("a", 1)
        assert audience.behind
        audience.fetched("a", 2)
        assert not audience.behind
    assert not audience.anyone


LEAVES = """
import logging, sys
from pathlib import Path
logging.basicConfig(level=logging.DEBUG)
from torchexplorer.viewer import serve
server, _ = serve(Path(sys.argv[1]), 0)
print(server.port, flush=True)
sys.stdin.readline()
"""


def test_a_process_with_an_open_page_ends_quietly(folder: Path) -> None:
    """Within the moment for the last news, without a word, the user's logging untouched."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", LEAVES, str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        stream = urllib.request.urlopen(f"http://127.0.0.1:{port}/api/events?run=run%20one", timeout=20)
        event(stream)
        said, complained = process.communicate("\n", timeout=20)
        stream.close()
    finally:
        process.kill()
    assert process.returncode == 0
    assert said == ""
    assert [line for line in complained.splitlines() if "asyncio" not in line] == []


def test_no_thread_keeps_the_process(server: PageServer) -> None:
    ours = [thread for thread in threading.enumerate() if thread.name.startswith("torchexplorer")]
    assert ours
    assert all(thread.daemon for thread in ours)
