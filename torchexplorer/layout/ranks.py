"""Which box stands in which row, and which edges are the main path.

In: a level. Out: ranks. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torchexplorer.layout.level import Level

MAIN_WEIGHT = 20


@dataclass(frozen=True, slots=True)
class Ranks:
    """`of` gives each box its row, counted from the top; `weights` tell how straight each edge should be.

    Edges of the longest paths, the main ones, weigh more than those that skip boxes.
    """

    of: tuple[int, ...]
    weights: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return max(self.of, default=-1) + 1

    def reach(self, level: Level) -> list[int]:
        """How many edges run between row r and row r + 1, for each r."""
        change = [0] * (self.rows + 1)
        for source, target in level.edges:
            top, bottom = sorted((self.of[source], self.of[target]))
            change[top] += 1
            change[bottom] -= 1
        running, total = [], 0
        for step in change[:-1]:
            total += step
            running.append(total)
        return running


def rank(level: Level) -> Ranks:
    """Rows by the longest path from the top, weights by whether an edge is on a longest path.

    Edges that close a cycle, or that lead to an input or from an output, do not count.
    """
    size, first = len(level.boxes), set(level.first)
    last = set(level.last) - first
    free = [(source, target) for source, target in level.edges if target not in first and source not in last]
    order, forward = _acyclic(size, free, [*level.first, *range(size)])
    below: list[list[int]] = [[] for _ in range(size)]
    above: list[list[int]] = [[] for _ in range(size)]
    for source, target in forward:
        below[source].append(target)
        above[target].append(source)
    depth = _longest(order, above)
    height = _longest(order[::-1], below)
    longest = max((depth[source] + 1 + height[target] for source, target in forward), default=0)
    main = {edge for edge in forward if depth[edge[0]] + 1 + height[edge[1]] == longest}
    rows = _longest(order, above, [int(bool(first) and index not in first) for index in range(size)])
    for index in reversed(order):
        if below[index] and not above[index] and index not in first:  # a parameter stands just above what uses it
            rows[index] = min(rows[target] for target in below[index]) - 1
    bottom = max(rows, default=0) + 1
    rows = [bottom if index in last else row for index, row in enumerate(rows)]
    number = {row: count for count, row in enumerate(sorted(set(rows)))}
    return Ranks(tuple(number[row] for row in rows), tuple(MAIN_WEIGHT if edge in main else 1 for edge in level.edges))


def _acyclic(
    size: int, edges: Sequence[tuple[int, int]], starts: Sequence[int]
) -> tuple[list[int], list[tuple[int, int]]]:
    """An order of the boxes, and the edges that lead forward in it: all but those that close a cycle."""
    targets: list[list[int]] = [[] for _ in range(size)]
    for source, target in edges:
        targets[source].append(target)
    roots = set(range(size)) - {target for _, target in edges}
    left: list[int] = []
    entered = [False] * size
    for start in sorted(starts, key=lambda index: index not in roots):
        path = [] if entered[start] else [(start, iter(targets[start]))]
        entered[start] = True
        while path:
            index, rest = path[-1]
            following = next((target for target in rest if not entered[target]), None)
            if following is None:
                left.append(index)
                path.pop()
            else:
                entered[following] = True
                path.append((following, iter(targets[following])))
    order = left[::-1]
    place = {index: number for number, index in enumerate(order)}
    return order, [(source, target) for source, target in edges if place[source] < place[target]]


def _longest(order: Sequence[int], before: Sequence[Sequence[int]], least: Sequence[int] | None = None) -> list[int]:
    """Edges of the longest path that leads to each box; or at least so many, where `least` says so."""
    length = [0] * len(order) if least is None else list(least)
    for index in order:
        length[index] = max([length[index], *(length[other] + 1 for other in before[index])])
    return length
