"""The door: every level gets a drawing that can be read, from Graphviz where it can be had."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings

from tests.layout.geometry import check, is_square
from tests.layout.levels import BOX, BRANCHES, DOWNSAMPLED, ODD, RESIDUAL, TYPICAL, UNET, chain, level, random_levels
from torchexplorer.layout import Box, Level, place
from torchexplorer.layout.planner import worth_trying
from torchexplorer.layout.ranks import rank


@pytest.mark.parametrize("level", TYPICAL.values(), ids=TYPICAL)
def test_typical_levels_have_square_routes(level: Level) -> None:
    (placement,) = place([level])
    check(level, placement)
    assert placement.engine == "ortho"
    assert is_square(placement)


@pytest.mark.parametrize("level", ODD.values(), ids=ODD)
def test_odd_levels(level: Level) -> None:
    (placement,) = place([level])
    check(level, placement)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(random_levels())
def test_any_level(level: Level) -> None:
    (placement,) = place([level])
    check(level, placement)


def test_a_residual_block_is_a_column_with_a_bracket() -> None:
    (placement,) = place([RESIDUAL])
    xs = [x for x, _ in placement.centers]
    assert max(xs) - min(xs) < 0.02
    assert [len(route) for route in placement.routes] == [2] * 7 + [4]
    assert placement.width < 90 + 40


@pytest.mark.parametrize("level", [DOWNSAMPLED, UNET])
def test_the_main_path_is_straight(level: Level) -> None:
    (placement,) = place([level])
    main = [placement.centers[index][0] for index in range(8)]
    assert max(main) - min(main) < 0.02


def test_branches_stand_around_the_middle() -> None:
    (placement,) = place([BRANCHES])
    assert placement.centers[0][0] == pytest.approx(placement.width / 2, abs=60)
    assert len({y for _, y in placement.centers[1:9]}) == 1


def test_lone_boxes_stand_between_the_ends() -> None:
    ends = level(40, [])
    (placement,) = place([ends])
    check(ends, placement)
    assert placement.width < 1000
    assert placement.height < 1000


def test_many_levels_in_their_order() -> None:
    levels = [*TYPICAL.values(), *ODD.values(), *TYPICAL.values()]
    placements = place(levels)
    assert [len(placement.centers) for placement in placements] == [len(level.boxes) for level in levels]
    assert placements[: len(TYPICAL)] == placements[-len(TYPICAL) :]


def test_nothing_to_place() -> None:
    assert place([]) == ()


def test_the_same_level_is_drawn_the_same() -> None:
    again = pickle.loads(pickle.dumps(UNET))
    assert place([UNET]) == place([again])


def test_many_threads() -> None:
    levels = [level(size, chain(size)) for size in range(2, 14)]
    with ThreadPoolExecutor(6) as pool:
        placements = list(pool.map(lambda one: place([one])[0], levels * 2))
    assert [len(placement.centers) for placement in placements] == [*range(2, 14)] * 2


def test_the_first_attempt_depends_on_the_size() -> None:
    def tried(size: int, edges: list[tuple[int, int]]) -> tuple[str, ...]:
        one = level(size, edges)
        return worth_trying(one, rank(one))

    assert tried(2000, chain(2000)) == ("ortho", "polyline")
    assert tried(2001, chain(2001)) == ()
    fan = [(0, index) for index in range(1, 499)] + [(index, 499) for index in range(1, 499)]
    assert tried(500, fan) == ("polyline",)
    assert tried(60, [(source, target) for target in range(60) for source in range(target)]) == ()
    skips = [(index, index + 6) for index in range(0, 1990, 6)]
    assert tried(2000, [*chain(2000), *skips]) == ("ortho",)


@pytest.mark.parametrize(("width", "height"), [(-1.0, 5.0), (5.0, float("nan")), (float("inf"), 5.0), (1e9, 1.0)])
def test_sizes_that_can_not_be(width: float, height: float) -> None:
    with pytest.raises(ValueError, match=r"Can't place a box of .* px\. Give it sides from 0 to 100000 px"):
        Box(width, height)


@pytest.mark.parametrize("wrong", [{"edges": ((0, 2),)}, {"first": (-1,)}, {"last": (7,)}])
def test_indices_that_can_not_be(wrong: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match=r"level of 2 boxes: edges, first or last name box -?\d\. Name boxes by"):
        Level(**{"boxes": (BOX,) * 2, "edges": (), **wrong})
