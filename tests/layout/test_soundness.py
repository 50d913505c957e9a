"""What is believed of Graphviz's answers, and what is not."""

from dataclasses import replace

import pytest

from tests.layout.levels import RESIDUAL
from torchexplorer.layout import Box, Level, Placement
from torchexplorer.layout.core import core_of
from torchexplorer.layout.dot import read
from torchexplorer.layout.layered import layered
from torchexplorer.layout.level import Point
from torchexplorer.layout.soundness import is_sound

SOUND = layered(core_of(RESIDUAL).level)


def moved(box: int, x: float, y: float) -> Placement:
    """The sound drawing with one box elsewhere."""
    centers = list(SOUND.centers)
    centers[box] = (centers[box][0] + x, centers[box][1] + y)
    return replace(SOUND, centers=tuple(centers))


def test_a_sound_drawing() -> None:
    assert is_sound(RESIDUAL, SOUND)


@pytest.mark.parametrize(
    ("box", "x", "y"),
    [(3, 0.0, 40.0), (0, 300.0, 500.0), (7, 300.0, -300.0), (3, 40.0, 0.0), (4, 60.0, 0.0)],
    ids=["on another box", "input at the bottom", "output at the top", "in the way of a bracket", "on a bracket"],
)
def test_faults(box: int, x: float, y: float) -> None:
    assert not is_sound(RESIDUAL, moved(box, x, y))


def test_a_slanted_line_through_a_corner() -> None:
    level = Level((Box(10.0, 10.0),) * 3, ((0, 1),))
    for x, sound in ((30.0, False), (60.0, True)):
        centers: tuple[Point, ...] = ((5.0, 5.0), (95.0, 95.0), (x, 30.0))
        slanted = Placement(100.0, 100.0, centers, (((10.0, 10.0), (90.0, 90.0)),), "polyline")
        assert is_sound(level, slanted) is sound


def test_boxes_without_lines() -> None:
    level = Level((Box(10.0, 10.0),) * 2, ())
    assert is_sound(level, Placement(30.0, 10.0, ((5.0, 5.0), (25.0, 5.0)), (), "ortho"))
    assert not is_sound(level, Placement(12.0, 10.0, ((5.0, 5.0), (7.0, 5.0)), (), "ortho"))
    assert is_sound(Level((), ()), Placement(0.0, 0.0, (), (), "ortho"))


@pytest.mark.parametrize(
    ("ends", "route"),
    [
        (((5.0, 10.2), (5.0, 29.0)), ((5.0, 10.0), (5.0, 30.0))),
        (((5.0, 9.5), (5.0, 31.0)), ((5.0, 10.0), (5.0, 30.0))),
        (((9.5, 5.0), (20.0, 5.0), (20.0, 35.0), (9.0, 35.0)), ((10.0, 5.0), (20.0, 5.0), (20.0, 35.0), (10.0, 35.0))),
        (((0.5, 5.0), (-9.0, 5.0), (-9.0, 35.0), (-1.0, 35.0)), ((9.0, 5.0), (0.0, 5.0), (0.0, 35.0), (9.0, 35.0))),
    ],
    ids=["outside", "inside", "inside at the right", "at the left"],
)
def test_ends_are_moved_onto_borders(ends: tuple[Point, ...], route: tuple[Point, ...]) -> None:
    level = Level((Box(10.0, 10.0),) * 2, ((0, 1),))
    placement = read(
        level, {"boxes": {"0": [5, 5], "1": [5, 35]}, "edges": {"0": [list(end) for end in ends]}}, "ortho"
    )
    assert placement is not None
    assert placement.routes == (route,)


@pytest.mark.parametrize("points", [[], [[5, 10]], [[5, 10], [5, 20]]], ids=["none", "one", "too short"])
def test_routes_that_are_not_complete(points: list[list[int]]) -> None:
    level = Level((Box(10.0, 10.0),) * 2, ((0, 1),))
    assert read(level, {"boxes": {"0": [5, 5], "1": [5, 35]}, "edges": {"0": points}}, "ortho") is None
