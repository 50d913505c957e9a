"""A folder with a short run in it, and a client of the app that shows it.

In: pytest's tmp_path. Out: fixtures. State: a library for each test, closed after it.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.store.made import record
from torchexplorer.viewer import Library, make_app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    record(tmp_path / "run one.sqlite", range(3))
    return tmp_path


@pytest.fixture
def library(folder: Path) -> Iterator[Library]:
    library = Library(folder)
    yield library
    library.close()


@pytest.fixture
def client(library: Library) -> "Client":
    return Client(make_app(library))


class Client:
    """Asks the app without a server."""

    def __init__(self, app: Any) -> None:
        self._transport = httpx.ASGITransport(app)

    def request(self, method: str, path: str, **more: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._transport, base_url="http://127.0.0.1:8080") as client:
                return await client.request(method, path, **more)

        return asyncio.run(ask())

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)
