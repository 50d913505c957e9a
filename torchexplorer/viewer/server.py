"""The server in this process: one for all watches, in a daemon thread, on 127.0.0.1 only.

In: folders of recordings and the port wanted. Out: the page's address. State: the one server of the process.
"""

from __future__ import annotations

import atexit
import os
import socket
import sys
import threading
import time as clock
from pathlib import Path
from typing import Any

from torchexplorer.needs import need
from torchexplorer.viewer.app import LOOK_EVERY, PURPOSE, make_app
from torchexplorer.viewer.audience import Audience
from torchexplorer.viewer.library import Library

HOST = "127.0.0.1"
PORTS_TRIED = 100
LAST_NEWS = 2.0
"""Seconds that the end of the process may wait for open pages to fetch what is newest."""

_lock = threading.Lock()
_server: PageServer | None = None


class PageServer:
    """Serves from its making on. Raises OSError where this machine has no port to listen on."""

    def __init__(self, library: Library, port: int) -> None:
        uvicorn = need("uvicorn", PURPOSE)
        self.library = library
        self._audience = Audience()
        self._pid = os.getpid()
        config = uvicorn.Config(make_app(library, self._audience), **_QUIET)
        self._uvicorn: Any = uvicorn.Server(config)
        self._socket = listen(port)
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._run, name="torchexplorer-page", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://{HOST}:{self.port}"

    @property
    def alive(self) -> bool:
        """False once stopped, and in a forked child."""
        return os.getpid() == self._pid and self._thread.is_alive()

    def last_news(self) -> None:
        """Give open pages a moment to fetch the newest; does not wait where none is open."""
        if not (self.alive and self._audience.anyone):
            return
        end = clock.monotonic() + LAST_NEWS
        clock.sleep(LOOK_EVERY + 0.1)
        while self.alive and self._audience.behind and clock.monotonic() < end:
            clock.sleep(0.05)

    def stop(self) -> None:
        """Let go of the port. May be called twice."""
        self._uvicorn.should_exit = True
        if self.alive:
            self._thread.join(timeout=5)

    def _run(self) -> None:
        try:
            self._uvicorn.run(sockets=[self._socket])
        finally:
            self._socket.close()
            self.library.close()


_QUIET: dict[str, Any] = {
    "log_config": None,
    "log_level": "critical",
    "access_log": False,
    "lifespan": "off",
    "ws": "none",
    "http": "h11",
    "loop": "asyncio",
    "server_header": False,
    "timeout_graceful_shutdown": 1,
}
"""uvicorn says nothing and leaves the user's logging alone; off the main thread it installs no signal handlers."""


def serve(folder: Path, port: int) -> tuple[PageServer, bool]:
    """The process's server, showing `folder` too, and whether it was started by this call."""
    global _server
    with _lock:
        if _server is not None and _server.alive:
            _server.library.add(folder)
            return _server, False
        _server = PageServer(Library(folder), port)
        atexit.register(_server.last_news)
        return _server, True


def listen(port: int) -> socket.socket:
    """A socket that listens on `port` or on the next free one, at once, so that the page can be opened at once.

    Raises OSError where this machine has no free port.
    """
    for candidate in range(port, min(port + PORTS_TRIED, 65536)):
        try:
            return _bound(candidate)
        except OSError:
            continue
    return _bound(0)


def _bound(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # so that a port served a minute ago is free; on Windows it means something else
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
        found.listen(128)
    except BaseException:
        found.close()
        raise
    return found
