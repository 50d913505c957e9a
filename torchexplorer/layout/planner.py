"""From levels to placements: which layout is tried first, and what is known already.

In: levels. Out: placements. Owns the placements of this process, the child process, and the lock on both.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Literal

from torchexplorer.layout import dot
from torchexplorer.layout.core import complete, core_of
from torchexplorer.layout.engine import Engine
from torchexplorer.layout.layered import layered
from torchexplorer.layout.level import Level, Placement
from torchexplorer.layout.ranks import Ranks, rank
from torchexplorer.layout.soundness import is_sound

SPLINES: tuple[Literal["ortho", "polyline"], ...] = ("ortho", "polyline")
MOST_KEPT = 512
# What Graphviz does in less than a second: measured, with chains, random, wide and dense levels of 50 to 2000 boxes.
MOST_BOXES = 2000
MOST_ORTHO_CROWDING = 25_000
MOST_POLYLINE_REACH = 2_500


class Planner:
    """Places levels, and remembers the latest `most_kept` of them."""

    def __init__(self, make_engine: Callable[[], Engine] = Engine, *, most_kept: int = MOST_KEPT) -> None:
        self._make_engine = make_engine
        self._engine = make_engine()
        self._most_kept = most_kept
        self._known: OrderedDict[Level, Placement] = OrderedDict()
        self._lock = Lock()

    def place(self, levels: Sequence[Level]) -> tuple[Placement, ...]:
        """A placement for each level. Equal levels are laid out once, and all in one request."""
        with self._lock:
            new = [level for level in dict.fromkeys(levels) if level not in self._known]
            placed = dict(zip(new, self._lay_out(new), strict=True))
            placements = tuple(placed.get(level) or self._known[level] for level in levels)
            for level, placement in zip(levels, placements, strict=True):
                self._known[level] = placement
                self._known.move_to_end(level)
            while len(self._known) > self._most_kept:
                self._known.popitem(last=False)
            return placements

    def close(self) -> None:
        """End the child process; it starts again when it is needed."""
        with self._lock:
            self._engine.close()

    def forked(self) -> None:
        """To be called in a forked process: nobody else holds the lock here, and the child is not ours."""
        self._lock = Lock()
        self._engine.abandon()
        self._engine = self._make_engine()

    def _lay_out(self, levels: Sequence[Level]) -> list[Placement]:
        cores = [core_of(level) for level in levels]
        ranks = [rank(core.level) for core in cores]
        trials = [worth_trying(core.level, rows) for core, rows in zip(cores, ranks, strict=True)]
        found: dict[int, Placement] = {}
        for splines in SPLINES:
            due = [index for index, worth in enumerate(trials) if index not in found and splines in worth]
            texts = [dot.write(cores[index].level, ranks[index], splines) for index in due]
            for index, answer in zip(due, self._engine.lay_out(texts), strict=True):
                placement = dot.read(cores[index].level, answer, splines)
                if placement is not None and is_sound(cores[index].level, placement):
                    found[index] = placement
        return [complete(core, found.get(index) or layered(core.level)) for index, core in enumerate(cores)]


def worth_trying(level: Level, ranks: Ranks) -> tuple[Literal["ortho", "polyline"], ...]:
    """Which of Graphviz's layouts take a reasonable time for this level.

    Square routes take time by the square of the edges that run side by side, other ones by the rows that edges pass.
    """
    reach = ranks.reach(level)
    if len(level.boxes) > MOST_BOXES:
        return ()
    crowding = sum(edges * edges for edges in reach)
    ortho, polyline = crowding <= MOST_ORTHO_CROWDING, sum(reach) <= MOST_POLYLINE_REACH
    return tuple(splines for splines, worth in zip(SPLINES, (ortho, polyline), strict=True) if worth)


_PLANNER = Planner()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_PLANNER.forked)


def place(levels: Sequence[Level]) -> tuple[Placement, ...]:
    """Place each level: by Graphviz with square routes, else with slanted ones, else in plain layers of our own.

    Never fails, however Graphviz ends or is missing. Equal levels get equal placements, which are remembered.
    """
    return _PLANNER.place(levels)
