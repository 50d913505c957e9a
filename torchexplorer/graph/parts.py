"""The parts that a run folds into: one box for all of it, in it boxes for ranges, in those the calls.

In: a level's calls and its runs. Out: Parts, nested, empty yet. Owns no state; pure; linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from torchexplorer.graph.model import Node, Part
from torchexplorer.graph.runs import Run

RANGE = 50
MOST_FLAT = 60
"""A part of more units than this opens in ranges of RANGE units, of RANGE ranges, and so on."""


@dataclass(eq=False, slots=True)
class Box:
    """One part: what it is called, where it lies, and the units (first, after the last) of its run that it holds.

    `node` is its box without an inside. `way` leads to it from the outermost part, itself last.
    """

    node: Node
    run: Run
    units: tuple[int, int]
    way: tuple[Box, ...] = ()
    boxes: list[Box] = field(default_factory=list)

    @property
    def part(self) -> Part:
        """How the graph inside is addressed."""
        return Part(self.node.key, self.node.name)

    @property
    def calls(self) -> range:
        """The places of its calls."""
        first, stop = self.units
        return range(self.run.start + first * self.run.size, self.run.start + stop * self.run.size)


def boxes_of(run: Run, calls: Sequence[Node]) -> Box:
    """The parts of a run of these calls of a level, the outermost one with all others inside."""
    outer = _box(run, calls, (0, run.units), None)
    todo = [outer]
    while todo:
        box = todo.pop()
        first, stop = box.units
        if stop - first > MOST_FLAT:
            size = _range_size(stop - first)
            spans = [(begin, min(begin + size, stop)) for begin in range(first, stop, size)]
            box.boxes = [_box(run, calls, span, box) for span in spans]
            todo += box.boxes
    return outer


def all_boxes(outer: Box) -> Iterator[Box]:
    """A part and all inside it, from the outside in."""
    todo = [outer]
    while todo:
        box = todo.pop()
        yield box
        todo += reversed(box.boxes)


def _range_size(units: int) -> int:
    size = RANGE
    while units > size * MOST_FLAT:
        size *= RANGE
    return size


def _box(run: Run, calls: Sequence[Node], units: tuple[int, int], around: Box | None) -> Box:
    box = Box(Node("", "", 0, "", "fold"), run, units)
    held = [calls[place] for place in box.calls]
    key = f"fold:{calls[run.start].key}"
    if around is not None:
        key = f"{key}@{units[0]}:{_range_size(around.units[1] - around.units[0])}"
    box.node = Node(
        key=key,
        path=held[0].path,
        call=held[0].call,
        label=", ".join(dict.fromkeys(call.label for call in held[: run.size])),
        kind="fold",
        name=_whole_name(run, held) if around is None else _range_name(run, held),
        facts=_facts(held),
        total_parameters=sum({call.path: call.total_parameters for call in held}.values()),
        share=max(call.share for call in held),
    )
    box.way = (*(around.way if around else ()), box)
    return box


def _facts(held: Sequence[Node]) -> tuple[tuple[str, str], ...]:
    classes = ", ".join(dict.fromkeys(call.label for call in held))
    modules = len({call.path for call in held})
    return (("calls", f"{len(held):,} of {classes}"), ("modules", f"{modules:,}"))


def _whole_name(run: Run, held: Sequence[Node]) -> str:
    """ "cell x 2000" for calls of one module, "layers.0-23 x 24" for a row of blocks."""
    if run.same:
        names = ", ".join(dict.fromkeys(call.name or call.label for call in held[: run.size]))
    else:
        names = _between(held[0].name, held[-1].name)
    return f"{names} x {run.units}"


def _range_name(run: Run, held: Sequence[Node]) -> str:
    """Calls are counted from 1, as in the names of the calls; blocks are named by the first and the last."""
    if run.same:
        return f"calls {held[0].call + 1}-{held[-1].call + 1}"
    return _between(held[0].name, held[-1].name)


def _between(first: str, last: str) -> str:
    """ "layers.0" and "layers.23" make "layers.0-23"."""
    same = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    shared = re.sub(r"\d+$", "", first[:same])
    numbers = [text.removeprefix(shared)[:1].isdigit() for text in (first, last)]
    return f"{first}-{last.removeprefix(shared)}" if all(numbers) else f"{first} ... {last}"
