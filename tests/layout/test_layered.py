"""Our own layout, by which any graph can be drawn."""

import pytest
from hypothesis import given

from tests.layout.geometry import check, is_square
from tests.layout.levels import BRANCHES, DOWNSAMPLED, ODD, RESIDUAL, TYPICAL, UNET, chain, level, random_levels
from torchexplorer.layout import Level, Placement
from torchexplorer.layout.core import complete, core_of
from torchexplorer.layout.layered import layered


def drawn(level: Level) -> Placement:
    core = core_of(level)
    return complete(core, layered(core.level))


@pytest.mark.parametrize("level", [*TYPICAL.values(), *ODD.values()], ids=[*TYPICAL, *ODD])
def test_named_levels(level: Level) -> None:
    placement = drawn(level)
    check(level, placement)
    assert is_square(placement)
    assert placement.engine == "layered"


@given(random_levels())
def test_any_level(level: Level) -> None:
    placement = drawn(level)
    check(level, placement)
    assert is_square(placement)


@given(random_levels(acyclic=True))
def test_edges_lead_downward(level: Level) -> None:
    placement = drawn(level)
    outputs = set(level.last) - set(level.first)
    for source, target in level.edges:
        if target not in level.first and source not in outputs:
            assert placement.centers[source][1] < placement.centers[target][1]


def test_a_residual_block_is_a_column_with_a_bracket() -> None:
    placement = drawn(RESIDUAL)
    assert {x for x, _ in placement.centers} == {45.0}
    assert [len(route) for route in placement.routes] == [2] * 7 + [4]
    assert placement.width < 90 + 20


def test_the_main_path_is_straight_beside_a_side_path() -> None:
    placement = drawn(DOWNSAMPLED)
    x = [center[0] for center in placement.centers]
    assert max(x[:8]) - min(x[:8]) < 1
    assert min(x[8:]) > max(x[:8])


def test_brackets_stand_in_each_other() -> None:
    outer = [max(x for x, _ in route) for route in drawn(UNET).routes[-4:]]
    assert outer == sorted(outer, reverse=True)
    assert len(set(outer)) == 4


def test_brackets_below_each_other_stand_in_line() -> None:
    skips = [(index, index + 6) for index in range(0, 54, 6)]
    placement = drawn(level(60, [*chain(60), *skips]))
    assert placement.width < 90 + 20


def test_many_lines_from_one_box_or_to_one_box_are_two_lines() -> None:
    size = 40
    fan = [(0, index) for index in range(2, size - 1)] + [(index, size - 1) for index in range(1, size - 2)]
    placement = drawn(level(size, [*chain(size), *fan]))
    check(level(size, [*chain(size), *fan]), placement)
    assert placement.width < 90 + 40
    ends = [
        route[-1] for (_, target), route in zip(fan, placement.routes[size - 1 :], strict=True) if target == size - 1
    ]
    assert len(set(ends)) == 1


def test_branches_stand_around_the_middle() -> None:
    placement = drawn(BRANCHES)
    x = [center[0] for center in placement.centers]
    assert x[0] == pytest.approx(placement.width / 2, abs=1)
    assert x[0] == pytest.approx(x[9], abs=1)
    assert len({y for _, y in placement.centers[1:9]}) == 1


def test_a_large_level() -> None:
    size = 2000
    skips = [(index, size - 1 - index) for index in range(0, size // 2 - 1, 7)]
    placement = drawn(level(size, [*chain(size), *skips, *((index, index - 5) for index in range(5, size, 50))]))
    assert len({x for x, _ in placement.centers}) == 1
