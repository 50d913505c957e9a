"""The edges that a program must have, found by plain reasoning over sets.

In: a Program. Out: the edges of every level. State: the cells (tensors) of one run.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.random_models.programs import Call, Op, Program

Sources = dict[str, bool]
"""Where data come from inside one call, True where a gradient flows back there."""

Edges = dict[tuple[str, str], bool]


@dataclass(eq=False)
class Cell:
    """A tensor: does it carry a gradient, was it written to, and what each open call knows of it (innermost last)."""

    carries: bool
    known: list[Sources] = field(default_factory=list)
    written: list[bool] = field(default_factory=list)


class Oracle:
    """Runs a program over cells. `levels` maps (path, call) to the edges of that call."""

    def __init__(self) -> None:
        self.levels: dict[tuple[str, int], Edges] = {}
        self._calls: dict[str, int] = {}
        self._cells: list[Cell] = []

    def run(self, program: Program) -> None:
        """Run the root."""
        self._call(program, "", [self._new(True) for _ in range(program.inputs)], 0)

    def _new(self, carries: bool) -> Cell:
        cell = Cell(carries)
        self._cells.append(cell)
        return cell

    def _call(self, program: Program, path: str, inputs: list[Cell], depth: int) -> tuple[list[Cell], int]:
        number = self._calls.get(path, 0)
        self._calls[path] = number + 1
        edges: Edges = {}
        for cell in self._cells:
            cell.known.append({})
            cell.written.append(False)
        for index, cell in enumerate(inputs):
            cell.known[-1][f"in:values.{index}"] = cell.carries
        outputs = (
            self._leaf(program, inputs, depth) if program.leaf else self._body(program, path, inputs, depth, edges)
        )
        for index, cell in enumerate(outputs):
            name = f"k{index}" if program.form == "dict" and not program.leaf else str(index)
            _join(edges, cell.known[-1], f"out:{name}", cell.carries)
        if not program.leaf:
            self.levels[path, number] = edges
        return outputs, number

    def _leaf(self, program: Program, inputs: list[Cell], depth: int) -> list[Cell]:
        if program.leaf == "identity":
            return inputs
        return [self._made([], program.leaf == "linear", depth)]

    def _made(self, parts: list[Cell], carries: bool, depth: int) -> Cell:
        sources: Sources = {}
        for part in parts:
            for source, flag in part.known[-1].items():
                sources[source] = sources.get(source, False) or (flag and part.carries and carries)
        cell = self._new(carries)
        cell.known = [{} for _ in range(depth)] + [sources]
        cell.written = [False] * (depth + 1)
        return cell

    def _body(self, program: Program, path: str, inputs: list[Cell], depth: int, edges: Edges) -> list[Cell]:
        values = list(inputs)
        for statement in program.statements:
            if isinstance(statement, Call):
                values.extend(self._child(program, path, statement, values, depth, edges))
            else:
                self._operate(statement, values, depth)
        return [values[value] for value in program.outputs]

    def _child(
        self, program: Program, path: str, call: Call, values: list[Cell], depth: int, edges: Edges
    ) -> list[Cell]:
        child = f"{path}.c.{call.child}" if path else f"c.{call.child}"
        taken = [values[value] for value in call.values]
        key = f"{child}#{self._calls.get(child, 0)}"
        for cell in taken:
            _join(edges, cell.known[-1], key, cell.carries)
        outputs, _ = self._call(program.children[call.child], child, taken, depth + 1)
        for cell in self._cells:
            written = cell.written.pop()
            cell.known.pop()
            if any(cell is output for output in outputs) or written:
                cell.known[-1] = {key: cell.carries}
                cell.written[-1] = cell.written[-1] or written
        return outputs

    def _operate(self, op: Op, values: list[Cell], depth: int) -> None:
        taken = [values[value] for value in op.values]
        carries = op.name != "detach" and any(cell.carries for cell in taken)
        made = self._made(taken, carries, depth)
        if op.name != "write":
            values.append(made)
            return
        self._cells.remove(made)
        taken[0].known[-1], taken[0].carries, taken[0].written[-1] = made.known[-1], carries, True


def _join(edges: Edges, sources: Sources, target: str, carries: bool) -> None:
    for source, flag in sources.items():
        edges[source, target] = edges.get((source, target), False) or (flag and carries)
