"""Where calls repeat: the same few modules again and again, or a row of equal blocks.

In: for each call, in order, numbers that tell what it is, and where its data come from. Out: runs. Owns no state; pure;
linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FEWEST_CALLS, FEWEST_BLOCKS = 8, 16
LONGEST_UNIT = 8


@dataclass(frozen=True, slots=True)
class Run:
    """`units` equal units of `size` calls each, from call number `start` on.

    `same` where the units are calls of the same modules, not of modules that are alike.
    """

    start: int
    units: int
    size: int
    same: bool

    @property
    def stop(self) -> int:
        """The call after the last."""
        return self.start + self.units * self.size


def find_runs(paths: Sequence[str], likes: Sequence[int], before: Sequence[Sequence[int]]) -> list[Run]:
    """Runs that do not overlap, in order; small units first.

    `paths` names the module of each call, `likes` is equal where calls look alike, `before` lists the calls whose data
    a call gets. Blocks fold where all get data from the block before (a chain) or none does (side by side).
    """
    same = [_matches(paths, size) for size in range(1, LONGEST_UNIT + 1)]
    alike = [_matches(likes, size) for size in range(1, LONGEST_UNIT + 1)]
    runs: list[Run] = []
    at = 0
    while at < len(paths):
        run = _first(at, same, same=True, fewest=FEWEST_CALLS)
        if run is None and (run := _first(at, alike, same=False, fewest=FEWEST_BLOCKS)) is not None:
            uniform = _uniform(run, before)
            if uniform < FEWEST_BLOCKS:
                at += (uniform - 1) * run.size  # the last block may begin another run
                continue
            run = Run(run.start, uniform, run.size, same=False)
        if run is not None:
            runs.append(run)
        at = run.stop if run is not None else at + 1
    return runs


def _matches(marks: Sequence[object], size: int) -> list[int]:
    """For each place how many marks from there on are equal to the one `size` later, without a break."""
    found = [0] * (len(marks) + 1)
    for at in range(len(marks) - size - 1, -1, -1):
        found[at] = found[at + 1] + 1 if marks[at] == marks[at + size] else 0
    return found


def _first(at: int, matches: Sequence[Sequence[int]], *, same: bool, fewest: int) -> Run | None:
    """The run with the smallest units that begins at a place."""
    for size, found in enumerate(matches, 1):
        units = found[at] // size + 1
        if units >= fewest:
            return Run(at, units, size, same)
    return None


def _uniform(run: Run, before: Sequence[Sequence[int]]) -> int:
    """How many units from the first on are all joined to the one before, or all not; at least two."""
    kind: bool | None = None
    for unit in range(1, run.units):
        start = run.start + unit * run.size
        joined = any(start - run.size <= call < start for at in range(start, start + run.size) for call in before[at])
        if kind is None:
            kind = joined
        if joined != kind:
            return unit
    return run.units
