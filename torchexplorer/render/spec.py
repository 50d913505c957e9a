"""The chart.

In: nothing. Out: the Vega specification that vega/build.js wrote, data set "wandb" without values. Owns no state.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def chart_spec() -> dict[str, Any]:
    """A fresh copy of the chart's specification."""
    text = resources.files("torchexplorer.render").joinpath("chart.vg.json").read_text(encoding="utf-8")
    spec: dict[str, Any] = json.loads(text)
    return spec
