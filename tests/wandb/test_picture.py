"""What the web app would draw, in Chromium with the Vega it has: the same picture as the page that stands alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import torchexplorer
from tests.browser.conftest import chromium  # noqa: F401
from tests.sources import ROOT
from tests.wandb.test_offline import Begin, finished, small, train
from tests.wandb.webapp import injected, rows_of
from torchexplorer.render import COLUMNS, chart_spec

pytestmark = pytest.mark.browser
VEGA = ROOT / "vega" / "node_modules" / "vega-5" / "build" / "vega.min.js"
SIZE = {"width": 900, "height": 600}
DRAW = """async ([spec, rows]) => {
    const view = new vega.View(vega.parse(spec), {renderer: "canvas", container: "#chart", logLevel: vega.Error});
    view.width(900).height(600);
    await view.runAsync();
    await view.setState({data: {wandb: rows}}).runAsync();
}"""


@pytest.fixture
def panel(chromium: Any) -> Iterator[Any]:  # noqa: F811
    page = chromium.new_page(viewport=SIZE)
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    page.close()


@pytest.mark.skipif(not VEGA.exists(), reason="needs `npm ci` in vega/")
@pytest.mark.parametrize("runs", [1, 2])
def test_the_panel_shows_what_the_page_shows(begin: Begin, panel: Any, tmp_path: Path, runs: int) -> None:
    tables = []
    for _ in range(runs):
        run = begin()
        model = small()
        watcher = torchexplorer.watch(model, log_freq=1, verbose=False)
        train(model, 3)
        log = finished(run)
        watcher.remove()
        tables.append({"id": run.id, "name": run.id, "color": "#123456", "table": log.table("explorer_chart_0")})
    panel.set_content("<style>body { margin: 0 }</style><div id='chart'></div>")
    panel.add_script_tag(path=VEGA)
    panel.evaluate(DRAW, [injected(chart_spec(), dict(zip(COLUMNS, COLUMNS, strict=True))), rows_of(tables)])
    theirs = panel.screenshot()
    from torchexplorer.backends.wandb_page import page

    path = tmp_path / "page.html"
    path.write_text(
        page([dict(zip(COLUMNS, row, strict=True)) for row in tables[0]["table"]["data"]]), encoding="utf-8"
    )
    panel.goto(path.as_uri())
    panel.wait_for_function("window.torchexplorerView && torchexplorerView.data('wandb').length > 0")
    ours = panel.screenshot()
    (tmp_path / "ours.png").write_bytes(ours)
    (tmp_path / "theirs.png").write_bytes(theirs)
    assert not panel.complaints
    assert len(ours) > 10_000, "the picture is empty"
    assert ours == theirs
