"""The rows of folds: boxes that open, in which the calls keep their names and their series."""

from tests.render.made import chain, histories, module
from tests.render.test_rows import named, of_kind, rows_of, texts
from torchexplorer.graph import ModuleGraph
from torchexplorer.trace.records import Key

DOT = "\N{MIDDLE DOT}"


def loop(times: int) -> ModuleGraph:
    return chain("", "Net", module("stem"), *(module("cell", call=call, total_parameters=6) for call in range(times)))


def test_a_fold_is_a_box_that_opens_and_has_no_series_of_its_own() -> None:
    rows = rows_of(loop(200))
    fold = named(rows, "cell x 200")
    assert fold["uid"] == "#0/fold:cell#0"
    assert texts(fold) == [
        ["cell x 200", "Linear", "fold", f"Net {DOT} cell x 200", "", "", "", "#0:fold:cell#0"],
        ["calls", "200 of Linear"],
        ["modules", "1"],
        ["parameters", "6 in total"],
    ]
    levels = {str(row["uid"]): row for row in of_kind(rows, "level")}
    inner = levels["#0:fold:cell#0@50:50"]
    assert inner["parent"] == "#0:fold:cell#0"
    assert texts(inner) == [
        ["calls 51-100", "Linear", f"Net {DOT} calls 51-100"],
        ["#0", "#0:fold:cell#0", "#0:fold:cell#0@50:50"],
    ]


def test_calls_in_a_fold_keep_their_uids_and_their_series() -> None:
    keys = [Key("cell", call, "output", "0") for call in range(200)]
    for times in (7, 200):
        rows = rows_of(loop(times), histories(*keys[:times]))
        call = named(rows, "cell #7")
        assert call["uid"] == "#0/cell#6"
        assert texts(call)[0][2:7] == ["module", f"cell (call 7 of {times})", "cell#6", "cell#", ""]
        assert [row["uid"] for row in of_kind(rows, "series")] == [f"cell#{call}@train" for call in range(times)]


def test_what_stands_for_a_node_outside_opens_the_level_it_is_in() -> None:
    rows = rows_of(loop(200))
    inside = [row for row in of_kind(rows, "node") if row["parent"] == "#0:fold:cell#0@50:50"]
    first, last = texts(inside[0])[0], texts(inside[-1])[0]
    assert first == ["cell #50", "from Linear", "from", "cell (call 50 of 200)", "", "", "", "#0:fold:cell#0@0:50"]
    assert last == ["cell #101", "to Linear", "to", "cell (call 101 of 200)", "", "", "", "#0:fold:cell#0@100:50"]
    assert inside[0]["uid"] == "#0:fold:cell#0@50:50/from:cell#49"
    outermost = [row for row in of_kind(rows, "node") if row["parent"] == "#0:fold:cell#0"]
    assert texts(outermost[0])[0][:3] == ["stem", "from Linear", "from"]
    assert texts(outermost[0])[0][-1] == "#0"


def test_uids_in_folds_are_unique() -> None:
    uids = [(row["kind"], row["uid"]) for row in rows_of(loop(200))]
    assert len(set(uids)) == len(uids)


def test_histograms_of_the_outer_levels_go_before_the_insides_of_blocks() -> None:
    inside = [chain(f"b{n}", "B", module(f"b{n}.fc"), module(f"b{n}.act", "ReLU")) for n in range(40)]
    graph = chain("", "Net", *(module(f"b{n}", "B", inner=inner) for n, inner in enumerate(inside)))
    keys = [Key(path, 0, "output", "0") for n in range(40) for path in (f"b{n}", f"b{n}.fc", f"b{n}.act")]
    rows = rows_of(graph, histories(*keys), max_rows=180)
    assert len(rows) <= 180
    shown = {str(row["uid"]) for row in of_kind(rows, "series")}
    assert shown >= {f"b{n}#0@train" for n in range(40)}
    assert 42 < len(of_kind(rows, "node")) < 40 * 4
