"""The rows: their form, their limits, and that they tell all that the graph and the histories hold."""

import json

import numpy as np
import pytest

from tests.render.made import chain, histories, history, module, placed, small, value
from torchexplorer.graph import Edge, ModuleGraph, Node
from torchexplorer.render import COLUMNS, SCHEMA, Row, explorer_rows
from torchexplorer.render.codec import FIELD, GROUP
from torchexplorer.render.tips import TIMES, UNKNOWN
from torchexplorer.stats import History
from torchexplorer.trace.records import Key

FC = [Key("fc", 0, "input", "x"), Key("fc", 0, "input_grad", "x"), Key("fc", 0, "param", "weight")]


def rows_of(graph: ModuleGraph, found: dict[Key, History] | None = None, **options: object) -> list[Row]:
    facts = {"run": "run-1", "step": 7, "time": 7.0, "time_unit": "step", **options}
    return explorer_rows(graph, placed(graph), found or {}, **facts)  # type: ignore[arg-type]


def of_kind(rows: list[Row], kind: str) -> list[Row]:
    return [row for row in rows if row["kind"] == kind]


def texts(row: Row) -> list[list[str]]:
    return [group.split(FIELD) for group in str(row["texts"]).split(GROUP)]


def numbers(row: Row) -> list[list[str]]:
    return [group.split(FIELD) for group in str(row["numbers"]).split(GROUP)]


def named(rows: list[Row], name: str) -> Row:
    return next(row for row in of_kind(rows, "node") if texts(row)[0][0] == name)


def test_every_row_has_the_columns_and_text_only() -> None:
    rows = rows_of(small(), histories(*FC))
    assert {tuple(row) for row in rows} == {COLUMNS}
    assert all(isinstance(cell, str) for row in rows for cell in row.values())
    assert not {"id", "name", "color", "_defaultColorIndex", "index"} & set(COLUMNS)
    assert {row["run"] for row in rows} == {"run-1"}


def test_uids_are_unique() -> None:
    uids = [(row["kind"], row["uid"]) for row in rows_of(small(), histories(*FC))]
    assert len(set(uids)) == len(uids)


def test_the_meta_row_comes_first() -> None:
    meta = rows_of(small(), histories(*FC))[0]
    assert meta["kind"] == "meta"
    assert meta["uid"] == "#0"
    assert texts(meta) == [["step", "Net"], ["train"]]
    assert meta["numbers"] == f"{SCHEMA} 7 7 2 0 2 0"


def test_levels_and_nodes() -> None:
    rows = rows_of(small())
    root, block = of_kind(rows, "level")
    assert [root["uid"], root["parent"], block["uid"], block["parent"]] == ["#0", "", "block#0", "#0"]
    assert texts(block) == [["block", "Block", "block"], ["#0", "block#0"]]
    assert texts(named(rows, "block"))[0] == ["block", "Block", "module", "block", "block#0", "block#", "", "block#0"]
    assert texts(named(rows, "fc"))[0][-1] == ""
    assert texts(named(rows, "x"))[0] == ["x", "input", "input", "Net · x", "#0", "", "input x", ""]
    assert texts(named(rows, "fc"))[1:] == [
        ["in x", f"2{TIMES}3 float32"],
        ["out 0", f"2{TIMES}3 float32"],
        ["parameters", "none"],
    ]


def test_edges_name_their_ends_and_have_round_corners() -> None:
    edge = numbers(of_kind(rows_of(small()), "level")[0])[2]
    assert edge[0] == "1 2 1"
    points = list(map(float, edge[1].split()))
    assert points[:2] == [200, 124]
    assert points[-2:] == [230, 182]
    assert (len(points) - 2) % 4 == 0


def test_calls_are_numbered_where_there_are_several() -> None:
    rows = rows_of(chain("", "Net", module("relu", "ReLU"), module("relu", "ReLU", call=1)))
    assert texts(named(rows, "relu #1"))[0][3] == "relu (call 1 of 2)"
    assert texts(named(rows, "relu #2"))[0][4] == "relu#1"


def test_shapes_that_are_not_known_are_a_dash() -> None:
    unknown = module("fc", inputs=(value("a", None),), outputs=(value("0", ()),), facts=(("", "3"), ("bias", "True")))
    rows = rows_of(chain("", "Net", unknown))
    pairs = [" ".join(pair) for pair in texts(named(rows, "fc"))[1:]]
    dash = UNKNOWN
    assert pairs == [f"in a {dash} float32", "out 0 scalar float32", "parameters none", f"{dash} 3", "bias True"]


def test_joins_are_drawn_as_nodes() -> None:
    join = Node("join:0", "", 0, "join", "join")
    net = chain("", "Net", module("fc"))
    net = ModuleGraph("", 0, "Net", nodes=net.nodes, joins=(join,), drawn=(Edge("in:x", "join:0", False),))
    level, *_ = of_kind(rows := rows_of(net), "level")
    assert numbers(level)[1][0] == "0 3 0"
    assert texts(named(rows, "join"))[0][4:] == ["", "", "", ""]


def test_separators_in_names_do_no_harm() -> None:
    rows = rows_of(chain("", f"N{GROUP}et", module(f"a{FIELD}b", f"C{GROUP}d")))
    assert texts(named(rows, "a b"))[0][:2] == ["a b", "C d"]


def test_series_hold_the_range_that_has_data() -> None:
    values, parameters = of_kind(rows_of(small(), histories(*FC)), "series")
    assert [values["uid"], parameters["uid"]] == ["fc#0@train", "fc#@train"]
    assert texts(values) == [["input", "value", "x"], ["input", "grad", "x"]]
    assert numbers(values)[0] == [
        "0 0 2 2 -1 1 0.75",
        "0 1",
        "1 3 1 3",
        "4 4",
        "",
        "",
        "",
        "",
        "0.25 0.25",
        "0.25 0.25",
    ]
    assert numbers(parameters)[0][0].startswith("2 0 ")


def test_numbers_that_no_bin_holds_are_told() -> None:
    broken = history(nan=np.array([0, 4]), rejected=np.array([2, 0]), mean=np.array([0.0, 1 / 3]))
    (row,) = of_kind(rows_of(small(), {FC[0]: broken}), "series")
    assert numbers(row)[0][3:] == ["6 8", " 4", "", "", "2 ", "0 0.3333", "0.25 0.25"]


def test_a_history_without_finite_numbers_has_one_empty_bin() -> None:
    nothing = history(1, counts=np.zeros((1, 4), dtype=np.int64), nan=np.array([5]))
    (row,) = of_kind(rows_of(small(), {FC[0]: nothing}), "series")
    assert numbers(row)[0][:4] == ["0 0 1 1 -2 1 0", "0", "", "5"]
    assert numbers(row)[0][-2:] == ["", ""]


def test_neighbours_merge_where_columns_are_too_many() -> None:
    wild = history(5, mean=np.array([0.0, 2.0, 1.0, 1.0, 1.0]), std=np.zeros(5))
    (row,) = of_kind(rows_of(small(), {FC[0]: wild}, max_columns=3), "series")
    _, times, counts, totals, *_, mean, std = numbers(row)[0]
    assert times == "1 3 4"
    assert counts == "2 6 2 6 1 3"
    assert totals == "8 8 4"
    assert (mean, std) == ("1 1 1", "1 0 0")


def test_series_of_eval_are_told_apart() -> None:
    found = histories(FC[0], Key("fc", 0, "input", "x", "eval"))
    rows = rows_of(small(), found)
    assert [row["parent"] for row in of_kind(rows, "series")] == ["train", "eval"]
    assert texts(rows[0])[1] == ["train", "eval"]


def test_too_many_rows_leave_out_the_deepest_level() -> None:
    rows = rows_of(small(), histories(*FC), max_rows=6)
    assert len(rows) == 6
    assert [row["uid"] for row in of_kind(rows, "level")] == ["#0"]
    assert rows[0]["numbers"] == f"{SCHEMA} 7 7 1 1 0 2"


def wide(n: int) -> tuple[ModuleGraph, dict[Key, History]]:
    keys = [Key(f"fc{i}", 0, kind, "x") for i in range(n) for kind in ("input", "output", "param")]  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 90, (64, 30))
    found = dict.fromkeys(keys, history(64, 30, counts=counts))
    return chain("", "Net", *(module(f"fc{i}") for i in range(n))), found


@pytest.mark.parametrize("limit", [300_000, 1_000_000])
def test_histories_get_as_many_columns_as_there_is_room_for(limit: int) -> None:
    graph, found = wide(40)
    rows = rows_of(graph, found, max_bytes=limit)
    size = len(json.dumps(rows))
    assert 0.4 * limit < size <= 1.1 * limit
    assert str(rows[0]["numbers"]).endswith(" 80 0")


def test_bins_merge_where_fewer_columns_are_not_enough() -> None:
    graph, found = wide(40)
    rows = rows_of(graph, found, max_bytes=80_000)
    assert {numbers(row)[0][0].split()[2:4][1] for row in of_kind(rows, "series")} == {"15"}
    assert str(rows[0]["numbers"]).endswith(" 80 0")


def test_histograms_are_left_out_where_fewer_columns_do_not_help() -> None:
    graph, found = wide(40)
    rows = rows_of(graph, found, max_bytes=9_000)
    assert not str(rows[0]["numbers"]).endswith(" 0")
    assert of_kind(rows, "series")


def test_the_same_input_gives_the_same_rows() -> None:
    graph, found = wide(3)
    assert rows_of(graph, found) == rows_of(graph, found)


def test_a_graph_and_placements_that_do_not_belong_together() -> None:
    with pytest.raises(ValueError, match=r"2 levels, got 1 placements. Pass place\(levels\(graph\)\)"):
        explorer_rows(small(), placed(small())[:1], {}, run="r", step=0, time=0, time_unit="step")
