"""Levels as models have them, and random ones.

In: nothing. Out: levels. Owns no state.
"""

from collections.abc import Sequence

from hypothesis import strategies as st

from torchexplorer.layout import Box, Level

BOX = Box(90.0, 30.0)


def level(size: int, edges: Sequence[tuple[int, int]]) -> Level:
    """A level of equal boxes; box 0 is the input, the last one the output."""
    return Level((BOX,) * size, tuple(edges), (0,), (size - 1,))


def chain(size: int) -> list[tuple[int, int]]:
    return [(index, index + 1) for index in range(size - 1)]


RESIDUAL = level(8, [*chain(8), (0, 6)])
DOWNSAMPLED = Level((BOX,) * 10, (*chain(8), (0, 8), (8, 9), (9, 6)), (0,), (7,))
RESNET = level(12, chain(12))
UNET = level(12, [*chain(12), (1, 10), (2, 9), (3, 8), (4, 7)])
BRANCHES = level(11, [*((0, index) for index in range(1, 9)), *((index, 9) for index in range(1, 9)), (9, 10)])
ATTENTION = level(9, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (4, 5), (3, 5), (5, 6), (6, 7), (0, 7), (7, 8)])
RECURRENT = level(5, [*chain(5), (3, 1), (2, 2), (2, 2), (1, 2)])
LONE = level(9, [(0, 1), (1, 8)])
TWO_INPUTS = Level((BOX,) * 6, ((0, 2), (1, 3), (2, 4), (3, 4), (4, 5)), (0, 1), (5,))

TYPICAL = {
    "residual": RESIDUAL,
    "downsampled": DOWNSAMPLED,
    "resnet": RESNET,
    "unet": UNET,
    "branches": BRANCHES,
    "attention": ATTENTION,
    "recurrent": RECURRENT,
    "lone": LONE,
    "two inputs": TWO_INPUTS,
}

ODD = {
    "empty": Level((), ()),
    "one box": Level((BOX,), ()),
    "only a loop": Level((BOX,), ((0, 0),)),
    "input is output": Level((BOX,) * 2, ((0, 1), (1, 0)), (0,), (0,)),
    "only ends": Level((BOX,) * 4, (), (0, 1), (2, 3)),
    "edge into the input": Level((BOX,) * 3, ((1, 0), (2, 1), (2, 0)), (0,), (2,)),
    "between inputs": Level((BOX,) * 4, ((0, 1), (1, 0), (2, 3), (3, 2)), (0, 1), (2, 3)),
    "no ends": Level((BOX,) * 3, ((0, 1), (1, 2), (2, 0))),
    "twins": level(3, [(0, 1)] * 5 + [(1, 2)] * 2 + [(0, 2)] * 3),
    "points": Level((Box(0.0, 0.0),) * 4, ((0, 1), (1, 2), (2, 3), (0, 3), (1, 1)), (0,), (3,)),
    "sizes": Level(
        (Box(1000.0, 10.0), Box(3.0, 400.0), Box(20.0, 20.0), Box(0.5, 0.5)),
        ((0, 1), (0, 2), (1, 3), (2, 3)),
        (0,),
        (3,),
    ),
    "very wide": Level((Box(1e5, 30.0),) * 3, ((0, 1), (1, 2), (0, 2)), (0,), (2,)),
    "tall": level(400, chain(400)),
}

SIDES = st.one_of(st.sampled_from([30.0, 90.0]), st.floats(0, 300))


@st.composite
def random_levels(draw: st.DrawFn, *, acyclic: bool = False) -> Level:
    """Up to 12 boxes of any sizes, with edges, loops, twins and cycles as they come."""
    size = draw(st.integers(1, 12))
    indices = st.integers(0, size - 1)
    edges = draw(st.lists(st.tuples(indices, indices), max_size=24))
    if acyclic:
        edges = [(source, target) for source, target in edges if source < target]
    boxes = draw(st.lists(st.builds(Box, SIDES, SIDES), min_size=size, max_size=size))
    first, last = (tuple(draw(st.lists(indices, max_size=2, unique=True))) for _ in range(2))
    return Level(tuple(boxes), tuple(edges), first, last)
