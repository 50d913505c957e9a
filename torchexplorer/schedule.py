"""Which steps to record: schedules for `log_freq`.

In: numbers. Out: a function `step -> bool`. Owns no state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LARGEST_STEP = 10**15
"""Steps up to here are whole numbers as floating-point numbers, too."""


@dataclass(frozen=True, repr=False)
class _LogSpaced:
    """True for the steps of `log_spaced`. Can be pickled and copied."""

    first: int
    last: int
    per_decade: int
    steps: frozenset[int]

    def __call__(self, step: int) -> bool:
        return step in self.steps

    def __repr__(self) -> str:
        return f"log_spaced({self.first}, {self.last}, {self.per_decade})"


def log_spaced(first: int, last: int, per_decade: int) -> _LogSpaced:
    """A schedule that is dense early and sparse late: `watch(model, log_freq=log_spaced(1, 100_000, 10))`.

    True for the steps round(first * 10 ** (k / per_decade)), k = 0, 1, 2, ..., that are not above `last`. With
    first=0: for step 0 and those from first=1. log_spaced(1, 1000, 2) records steps 1, 3, 10, 32, 100, 316, 1000.
    Steps count from 0. Raises TypeError for other than whole numbers and ValueError for those out of range.
    """
    _whole("first", first, 0, LARGEST_STEP)
    _whole("last", last, first, LARGEST_STEP)
    _whole("per_decade", per_decade, 1, 1000)
    steps = {first}
    begin, k = max(first, 1), 0
    while (step := round(begin * 10 ** (k / per_decade))) <= last:
        steps.add(step)
        k += 1
    return _LogSpaced(first, last, per_decade, frozenset(steps))


def _whole(what: str, seen: Any, low: int, high: int) -> None:
    whole = isinstance(seen, int) and not isinstance(seen, bool)
    if not whole or not low <= seen <= high:
        text = f"log_spaced() can't use this {what}. Seen: {seen!r}. Give a whole number from {low} to {high}."
        raise (ValueError if whole else TypeError)(text)
