"""The page in a real browser: it draws, grows, keeps what the user chose, and asks nothing of other machines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.render.made import placed, small
from tests.store.made import columns, record, writer
from torchexplorer.viewer import Library, PageServer

pytestmark = pytest.mark.browser
Open = Callable[..., Any]
STEP = "torchexplorerView.data('wandb').find(row => row.kind === 'meta').numbers"


@pytest.mark.parametrize("width", [1400, 500])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_draws(server: PageServer, visit: Open, tmp_path: Path, width: int, scheme: str) -> None:
    record(tmp_path / "digits.sqlite", range(4))
    seen = visit(server.url, width=width, color_scheme=scheme)
    seen.drawn()
    assert seen.page.title() == "digits - torchexplorer"
    assert seen.text("#run") == "digits"
    assert seen.text("#notice") == ""
    seen.wait("document.getElementById('state').textContent === 'run ended'")
    assert seen.page.evaluate("torchexplorerView.signal('theme')") == scheme
    box = seen.page.locator("#chart canvas").bounding_box()
    assert (box["width"], box["height"] + box["y"]) == (width, 800)
    assert seen.page.evaluate("document.documentElement.scrollWidth") == width
    assert seen.elsewhere == []
    assert seen.complaints == []


def test_it_waits_and_then_draws(server: PageServer, visit: Open, tmp_path: Path) -> None:
    seen = visit(server.url)
    seen.wait("document.getElementById('notice').textContent.startsWith('Waiting for the first recorded step.')")
    record(tmp_path / "run.sqlite", range(1))
    seen.drawn()
    assert seen.text("#notice") == ""
    assert seen.complaints == []


def test_it_grows_while_a_run_writes(server: PageServer, visit: Open, tmp_path: Path) -> None:
    """The same chart, with what the user opened still open."""
    store = writer(tmp_path / "run.sqlite")
    store.write(0, 0.0, "train", columns(0), small(), placed(small()))
    seen = visit(server.url)
    seen.drawn()
    assert seen.text("#state") == "live"
    first = seen.page.evaluate(STEP)
    seen.page.evaluate("() => { window.first = torchexplorerView; }")
    opened = seen.page.evaluate(
        """async () => {
            const view = torchexplorerView;
            const levels = view.data('levels').map(level => level.uid);
            const level = levels.find(uid => uid !== view.signal('here'));
            await view.signal('go', {...view.signal('go'), level}).runAsync();
            return view.signal('here');
        }"""
    )
    for step in range(1, 4):
        store.write(step, float(step), "train", columns(step))
    seen.wait(f"{STEP} !== {first!r}")
    assert seen.page.evaluate("torchexplorerView === window.first")
    assert seen.page.evaluate("torchexplorerView.signal('here')") == opened
    assert seen.page.evaluate("document.querySelectorAll('#chart canvas').length") == 1
    store.close()
    seen.wait("document.getElementById('state').textContent === 'run ended'")
    assert seen.elsewhere == []
    assert seen.complaints == []


def test_nothing_is_fetched_while_nothing_is_new(server: PageServer, visit: Open, tmp_path: Path) -> None:
    record(tmp_path / "run.sqlite", range(2))
    seen = visit(server.url)
    seen.drawn()
    asked: list[str] = []
    seen.page.on("request", lambda request: asked.append(request.url))
    seen.page.wait_for_timeout(1500)
    assert asked == []


def test_picking_a_run(server: PageServer, visit: Open, tmp_path: Path) -> None:
    """Names are text, whatever is in them."""
    odd = "<img src=x onerror=alert(1)>"
    record(tmp_path / "first.sqlite", range(2))
    record(tmp_path / f"{odd}.sqlite", range(3))
    seen = visit(server.url)
    seen.drawn()
    assert seen.page.input_value("#runs") == odd  # the newest
    assert seen.page.title() == f"{odd} - torchexplorer"
    seen.page.select_option("#runs", "first")
    seen.wait("torchexplorerView.data('wandb')[0].run === 'first'")
    assert seen.page.url.endswith("/?run=first")
    seen.page.reload()
    seen.drawn()
    assert seen.page.input_value("#runs") == "first"
    assert seen.page.evaluate("document.querySelectorAll('img').length") == 0
    assert seen.complaints == []


def test_a_newer_run_takes_over_from_an_ended_one(server: PageServer, visit: Open, tmp_path: Path) -> None:
    record(tmp_path / "old.sqlite", range(1))
    seen = visit(server.url)
    seen.drawn()
    record(tmp_path / "new.sqlite", range(1))
    seen.wait("torchexplorerView.data('wandb')[0].run === 'new'")


def test_the_theme_button(server: PageServer, visit: Open, tmp_path: Path) -> None:
    record(tmp_path / "run.sqlite", range(1))
    seen = visit(server.url)
    seen.drawn()
    themes = []
    for _ in range(3):
        seen.page.click("#theme")
        seen.page.wait_for_timeout(100)
        themes.append((seen.text("#theme"), seen.page.evaluate("torchexplorerView.signal('theme')")))
    assert themes == [("Light", "light"), ("Dark", "dark"), ("Auto", "light")]
    seen.page.click("#theme")
    seen.page.click("#theme")
    seen.page.reload()
    seen.drawn()
    assert seen.page.evaluate("torchexplorerView.signal('theme')") == "dark"


def test_the_chart_fills_the_window(server: PageServer, visit: Open, tmp_path: Path) -> None:
    record(tmp_path / "run.sqlite", range(1))
    seen = visit(server.url)
    seen.drawn()
    seen.page.set_viewport_size({"width": 900, "height": 500})
    seen.wait("document.querySelector('#chart canvas').getBoundingClientRect().width === 900")
    assert seen.page.locator("#chart canvas").bounding_box()["height"] == 460


def test_the_server_ends_and_comes_back(server: PageServer, visit: Open, tmp_path: Path) -> None:
    record(tmp_path / "run.sqlite", range(1))
    seen = visit(server.url)
    seen.drawn()
    server.stop()
    seen.wait("document.getElementById('state').textContent === 'not connected'")
    assert "torchexplorer serve" in seen.text("#notice")
    again = PageServer(Library(tmp_path), server.port)
    assert again.port == server.port
    seen.wait("document.getElementById('state').textContent === 'run ended'")
    assert seen.text("#notice") == ""
    again.stop()


def test_a_fault_is_shown(server: PageServer, visit: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("this graph is odd")

    monkeypatch.setattr("torchexplorer.viewer.library.explorer_rows", fail)
    record(tmp_path / "run.sqlite", range(1))
    seen = visit(server.url)
    seen.wait("document.getElementById('notice').textContent.includes('this graph is odd')")
