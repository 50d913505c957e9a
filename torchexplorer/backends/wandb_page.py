"""The explorer as one page that needs nothing else.

In: rows. Out: HTML with Vega, the chart and the rows inside. Owns no state.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from torchexplorer.render import Row, chart_spec
from torchexplorer.viewer.vega_bundle import vega_script

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>torchexplorer</title>
<style>html, body, #chart { margin: 0; height: 100%; overflow: hidden }</style>
</head>
<body>
<div id="chart"></div>
<script>@vega@</script>
<script type="application/json" id="spec">@spec@</script>
<script type="application/json" id="rows">@rows@</script>
<script type="module">
@code@
const read = (id) => JSON.parse(document.getElementById(id).textContent);
await new Chart(document.getElementById("chart"), read("spec")).show(read("rows"));
</script>
</body>
</html>
"""


def page(rows: Sequence[Row]) -> str:
    """The page that shows these rows. Raises RuntimeError where Vega can't be had."""
    code = resources.files("torchexplorer.viewer").joinpath("chart.js").read_text(encoding="utf-8")
    text = PAGE
    for name, content in (
        ("vega", vega_script().decode("utf-8").replace("</script", "<\\/script")),
        ("spec", _json(chart_spec())),
        ("rows", _json(rows)),
        ("code", code),
    ):
        before, after = text.split(f"@{name}@", 1)
        text = before + content + after
    return text


def _json(value: Any) -> str:
    """JSON that can stand in a page."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
