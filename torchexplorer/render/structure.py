"""The rows of the graph: one for each level, followed by one for each of its boxes.

In: a folded module graph and a placement for each of its levels. Out: rows. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from torchexplorer.graph import ModuleGraph, Node
from torchexplorer.layout import Box, Placement
from torchexplorer.render import codec
from torchexplorer.render.measure import NAME_PX, node_box, text_width
from torchexplorer.render.names import Calls, all_levels, count_calls, drawn_nodes, place_of, words_of
from torchexplorer.render.routes import curves
from torchexplorer.render.tips import tip


@dataclass(frozen=True, slots=True)
class Plot:
    """One level where it stands: the graph, those around it, and where its boxes are."""

    level: ModuleGraph
    around: tuple[ModuleGraph, ...]
    placement: Placement


def level_uid(level: ModuleGraph) -> str:
    """Names a level in the rows: a call, or a part of one."""
    return codec.clean(_call_uid(level) if level.part is None else f"{_call_uid(level)}:{level.part.key}")


def node_uid(node: Node, level: ModuleGraph) -> str:
    """Names a node in the rows; the same in whatever part of its call it is drawn."""
    around = _call_uid(level) if node.far is None else level_uid(level)
    return codec.clean(f"{around}/{node.key}")


def _call_uid(level: ModuleGraph) -> str:
    return f"{level.path}#{level.call}"


def plots(graph: ModuleGraph, placements: Sequence[Placement]) -> list[Plot]:
    """All levels with their placements. Raises ValueError where there is not one placement for each level."""
    found = list(all_levels(graph))
    if len(found) != len(placements):
        raise ValueError(
            f"Can't draw the graph: it has {len(found)} levels, got {len(placements)} placements. "
            "Pass place(levels(graph)) of the same graph."
        )
    return [Plot(level, around, place) for (level, around), place in zip(found, placements, strict=True)]


def structure_rows(graph: ModuleGraph, shown: Sequence[Plot], *, run: str) -> Iterator[list[codec.Row]]:
    """The rows of each level, a list for each."""
    calls = count_calls(graph)
    homes = _homes(plot.level for plot in shown)
    for plot in shown:
        rows = _node_rows(plot, calls, homes, root=graph.label, run=run)
        yield [_level_row(plot, calls, root=graph.label, run=run), *rows]


def _homes(levels: Iterable[ModuleGraph]) -> dict[str, str]:
    """The level that each node stands in, by uid."""
    return {
        node_uid(node, level): level_uid(level) for level in levels for node in drawn_nodes(level) if node.far is None
    }


def _level_row(plot: Plot, calls: Calls, *, root: str, run: str) -> codec.Row:
    level, placement = plot.level, plot.placement
    above = plot.around[-1] if plot.around else None
    name = _crumb(level, above, calls)
    head = codec.fields([name, level.label, place_of(level, calls, root=root)])
    trail = codec.fields(level_uid(each) for each in (*plot.around, level))
    name_width = text_width(name, NAME_PX, bold=True)
    facts = [placement.width, placement.height, name_width, len(drawn_nodes(level)), _start(level, placement)]
    return codec.row(
        "level",
        run,
        uid=level_uid(level),
        parent=level_uid(above) if above else "",
        texts=codec.groups([head, trail]),
        numbers=codec.groups([codec.pack_pixels(facts), *_edges(level, placement)]),
    )


def _start(level: ModuleGraph, placement: Placement) -> float:
    """Where the flow begins, from the left: the middle of the inputs, or the first box where there are none."""
    inputs = [x for node, (x, _) in zip(level.nodes, placement.centers, strict=False) if node.kind in {"input", "from"}]
    inputs = inputs or [x for x, _ in placement.centers[:1]] or [0.0]
    return sum(inputs) / len(inputs)


def _crumb(level: ModuleGraph, above: ModuleGraph | None, calls: Calls) -> str:
    """What the breadcrumb calls a level: the class for the root, else the name in the parent."""
    if level.part is not None:
        return level.part.name
    if above is None:
        return level.label
    own = level.path
    name = own[len(above.path) + 1 :] if above.path and own.startswith(f"{above.path}.") else own
    name = name or level.label
    return f"{name} #{level.call + 1}" if calls[own] > 1 else name


def _edges(level: ModuleGraph, placement: Placement) -> Iterator[str]:
    """Source, target, differentiable, then the line."""
    index = {node.key: number for number, node in enumerate(drawn_nodes(level))}
    for edge, route in zip(level.drawn, placement.routes, strict=True):
        ends = codec.pack([index[edge.source], index[edge.target], int(edge.differentiable)])
        yield codec.parts([ends, codec.pack_pixels(curves(route))])


def _node_rows(plot: Plot, calls: Calls, homes: Mapping[str, str], *, root: str, run: str) -> Iterator[codec.Row]:
    level = plot.level
    for index, node in enumerate(drawn_nodes(level)):
        words = words_of(node, level, calls, root=root)
        size = node_box(node, words)
        inner = homes.get(node_uid(node.far, level), "") if node.far else level_uid(node.inner) if node.inner else ""
        head = codec.fields([words.name, words.label, node.kind, words.title, *addresses(node), inner])
        yield codec.row(
            "node",
            run,
            uid=node_uid(node, level),
            parent=level_uid(level),
            texts=codec.groups([head, *tip(node)]),
            numbers=_place(index, plot.placement.centers[index], size),
        )


def _place(index: int, center: tuple[float, float], size: Box) -> str:
    return codec.pack_pixels([index, *center, size.width, size.height])


def addresses(node: Node) -> tuple[str, str, str]:
    """Where the node's series are: the row of its values, that of its parameters, and its one series if it has one."""
    values, parameters = codec.clean(f"{node.path}#{node.call}"), codec.clean(f"{node.path}#")
    if node.kind == "module":
        return values, parameters, ""
    if node.kind == "param":
        return "", parameters, f"param {node.name}"
    if node.kind == "attach":
        return values, "", ""
    return ("", "", "") if node.kind not in {"input", "output"} else (values, "", f"{node.kind} {node.name}")
