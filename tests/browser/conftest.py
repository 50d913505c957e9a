"""Chromium, and a page whose every request to another machine is stopped and noted.

In: an installed Chromium or Playwright's own. Out: fixtures. State: one browser for each file of tests.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from torchexplorer.viewer import Library, PageServer

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    server = PageServer(Library(tmp_path), 0)
    yield server
    server.stop()


@dataclass(eq=False)
class Visit:
    """A page, what it asked of other machines, and what it complained of."""

    page: Any
    elsewhere: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def text(self, what: str) -> str:
        found: str = self.page.inner_text(what)
        return found

    def wait(self, condition: str) -> None:
        """Until this JavaScript is true."""
        self.page.wait_for_function(condition, timeout=20_000)

    def drawn(self) -> None:
        """Until the chart is there with rows in it."""
        self.page.wait_for_selector("#chart canvas", timeout=20_000)
        self.wait("window.torchexplorerView && torchexplorerView.data('wandb').length > 0")


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visit]]:
    """Open an address: `visit(url, width=1400, height=800, color_scheme="light")`."""
    contexts: list[Any] = []

    def go(url: str, *, width: int = 1400, height: int = 800, color_scheme: str = "light") -> Visit:
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=color_scheme)
        contexts.append(context)
        seen = Visit(context.new_page())

        def pass_or_stop(route: Any) -> None:
            if route.request.url.startswith(("http://127.0.0.1:", "data:")):
                route.continue_()
            else:
                seen.elsewhere.append(route.request.url)
                route.abort()

        seen.page.route("**/*", pass_or_stop)
        seen.page.on("console", lambda said: seen.complaints.append(said.text) if said.type != "log" else None)
        seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        seen.page.goto(url)
        return seen

    yield go
    for context in contexts:
        context.close()
