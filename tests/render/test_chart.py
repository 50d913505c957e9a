"""The chart as it is shipped: what Weights & Biases asks of it, and that it draws the rows."""

from typing import Any

import pytest

from tests.render.made import histories, small
from tests.render.test_rows import FC, rows_of
from torchexplorer.render import chart_spec
from torchexplorer.render.rows import explorer_rows


def leaves(value: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, f"{path}/{key}")]
    if isinstance(value, list):
        return [leaf for index, inner in enumerate(value) for leaf in leaves(inner, f"{path}/{index}")]
    return [(path, value)]


def test_what_weights_and_biases_would_change_is_not_in_it() -> None:
    spec = chart_spec()
    assert "/vega/v5" in spec["$schema"]
    assert [path for path, leaf in leaves(spec) if leaf is None] == []
    assert [path for path, leaf in leaves(spec) if isinstance(leaf, str) and "${" in leaf] == []
    assert next(data for data in spec["data"] if data["name"] == "wandb") == {"name": "wandb"}
    assert spec["autosize"] == {"type": "fit", "contains": "padding"}


def test_each_call_gives_a_copy() -> None:
    chart_spec()["data"].clear()
    assert chart_spec()["data"]


def svg(rows: list[Any], **signals: object) -> str:
    vl_convert = pytest.importorskip("vl_convert")
    spec = chart_spec()
    spec["data"][0]["values"] = rows
    for signal in spec["signals"]:
        if signal["name"] in signals:
            signal["value"] = signals[signal["name"]]
    return str(vl_convert.vega_to_svg(spec))


def test_it_draws_the_rows() -> None:
    text = svg(rows_of(small(), histories(*FC)), column_0="#0/fc#0")
    for word in ("block", "fc", "Linear", "Inputs", "Parameters", "weight", "gradient norm"):
        assert f">{word}<" in text


def test_it_opens_what_is_inside() -> None:
    text = svg(rows_of(small()), go={"level": "block#0", "uid": "", "own": False, "x": 0, "y": 0, "at": 0})
    assert ">conv<" in text
    assert ">fc<" not in text


def test_it_waits_for_data() -> None:
    assert ">Waiting for data<" in svg([])


def test_rows_of_another_schema_are_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchexplorer.render.codec.SCHEMA", 99)
    text = svg(rows_of(small()))
    assert "newer torchexplorer (format 99)" in text
    assert ">block<" not in text


def test_door() -> None:
    assert explorer_rows.__module__ == "torchexplorer.render.rows"
