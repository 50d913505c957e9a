"""Boxes: as wide as their texts, within limits, in the order in which the rows number them."""

from tests.render.made import chain, module, small
from torchexplorer.graph import Edge, ModuleGraph, Node
from torchexplorer.layout import Box
from torchexplorer.render import levels
from torchexplorer.render.measure import NARROWEST, WIDEST, text_width


def test_one_level_for_each_container_in_pre_order() -> None:
    inner = chain("a.b", "B", module("a.b.c"))
    graph = chain("", "Net", module("a", inner=chain("a", "A", module("a.b", inner=inner))), module("d"))
    assert [len(level.boxes) for level in levels(graph)] == [4, 3, 3]
    assert levels(graph)[0].edges == ((0, 1), (1, 2), (2, 3))
    assert (levels(graph)[0].first, levels(graph)[0].last) == ((0,), (3,))


def test_boxes_are_as_wide_as_their_texts() -> None:
    short, long, longest = (levels(chain("", "Net", module(name)))[0].boxes[1] for name in ("fc", "a" * 20, "a" * 90))
    assert short.width == NARROWEST < long.width < longest.width == WIDEST


def test_joins_are_small_and_come_last() -> None:
    join = Node("join:0", "", 0, "join", "join")
    nodes = small().nodes
    graph = ModuleGraph("", 0, "Net", nodes=nodes, joins=(join,), drawn=(Edge("in:x", "join:0", True),))
    level = levels(graph)[0]
    assert level.boxes[-1] == Box(14, 14)
    assert level.edges == ((0, len(nodes)),)


def test_text_width_grows_with_size_weight_and_foreign_letters() -> None:
    assert text_width("conv1", 26) == 2 * text_width("conv1", 13)
    assert text_width("lll", 13) < text_width("WWW", 13)
    assert text_width("\u5377", 10) == 10


def test_a_deep_graph_does_no_harm() -> None:
    graph = chain("x" * 3, "Leaf")
    for depth in range(1500):
        graph = chain(f"l{depth}", "L", module(f"m{depth}", inner=graph))
    assert len(levels(graph)) == 1501


def test_folds_have_room_and_stand_ins_stand_at_the_ends() -> None:
    graph = chain("", "Net", *(module("cell", call=call) for call in range(9)))
    top, inside = levels(graph)
    assert top.boxes[1].width > levels(chain("", "Net", module("cell x 9")))[0].boxes[1].width
    assert (inside.first, inside.last) == ((0,), (10,))
