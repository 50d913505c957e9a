"""A graph for drawing, in which what repeats is folded into one box that can be opened.

In: a ModuleGraph. Out: a ModuleGraph whose levels hold nodes of kind "fold". Owns no state; pure; iterative; linear.

Every edge is still there. Inside a fold, a node that data come from or go to is stood for by a node of kind "from" or
"to" (its `far`): the node itself where real calls are drawn, the box that holds it where ranges are. An edge of the
graph as it was is a way: from the source out of its folds, from box to box, and into the folds of the target. It is
differentiable where the whole way is; its share is the least on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from torchexplorer.graph.belonging import flow_of, inside
from torchexplorer.graph.likeness import Likeness
from torchexplorer.graph.model import Edge, ModuleGraph, Node
from torchexplorer.graph.parts import Box, all_boxes, boxes_of
from torchexplorer.graph.picture import Picture
from torchexplorer.graph.runs import FEWEST_CALLS, find_runs

Homes = Mapping[str, Box]
"""The innermost part that each node stands in, by node key; nodes outside of all parts have none."""


def fold(graph: ModuleGraph) -> ModuleGraph:
    """The same graph with each row of repeated calls or of equal blocks as one box. Folding twice is as once."""
    likeness = Likeness()
    folded: dict[int, ModuleGraph] = {}
    for level in reversed(_levels(graph)):
        likeness.add(level)
        folded[id(level)] = _fold_level(level, folded, likeness)
    return folded[id(graph)]


def _levels(graph: ModuleGraph) -> list[ModuleGraph]:
    """All graphs, each before those inside it."""
    found = [graph]
    for level in found:  # grows on the way
        found += [node.inner for node in level.nodes if node.inner is not None]
    return found


def _fold_level(level: ModuleGraph, folded: Mapping[int, ModuleGraph], likeness: Likeness) -> ModuleGraph:
    nodes = tuple(_with_inside(node, folded) for node in level.nodes)
    if any(new is not old for new, old in zip(nodes, level.nodes, strict=True)):
        opened = replace(level, nodes=nodes)
    else:
        opened = level
    calls = [node for node in level.nodes if node.kind == "module"]
    if level.part is not None or len(calls) < FEWEST_CALLS or any(node.kind == "fold" for node in level.nodes):
        return opened
    flow = flow_of(level, [call.key for call in calls])
    before = [flow.before(call.key) for call in calls]
    runs = find_runs([call.path for call in calls], [likeness.of(call) for call in calls], before)
    if not runs:
        return opened
    outer = [boxes_of(run, calls) for run in runs]
    homes = _homes(opened, outer, inside(flow, [(run.start, run.stop) for run in runs]))
    return _Folding(opened, homes).graph()


def _with_inside(node: Node, folded: Mapping[int, ModuleGraph]) -> Node:
    if node.inner is None or folded[id(node.inner)] is node.inner:
        return node
    return replace(node, inner=folded[id(node.inner)])


def _homes(level: ModuleGraph, outer: list[Box], places: Mapping[str, int]) -> Homes:
    """A parameter lives where all its uses are, if that is one part."""
    by_place = {place: box for each in outer for box in all_boxes(each) if not box.boxes for place in box.calls}
    homes = {key: by_place[place] for key, place in places.items()}
    uses: dict[str, set[Box | None]] = {node.key: set() for node in level.nodes if node.kind == "param"}
    for edge in level.drawn:
        if edge.source in uses:
            uses[edge.source].add(homes.get(edge.target))
    for key, boxes in uses.items():
        box = next(iter(boxes), None)
        if len(boxes) == 1 and box is not None:
            homes[key] = box
    return homes


class _Folding:
    """Spreads the nodes and edges of one level over its parts."""

    def __init__(self, level: ModuleGraph, homes: Homes) -> None:
        self._level, self._homes = level, homes
        self._nodes = {node.key: node for node in (*level.nodes, *level.joins)}
        self._ways = {key: box.way for key, box in homes.items()}
        self._pictures: dict[Box | None, Picture] = {None: Picture()}

    def graph(self) -> ModuleGraph:
        """The level with its folds."""
        for node in self._level.nodes:
            self._show(node)
        for join in self._level.joins:
            self._picture(self._homes.get(join.key)).joins.append(join)
        for edge in self._level.drawn:
            self._draw(edge)
        return self._closed()

    def _show(self, node: Node) -> None:
        self._picture(self._homes.get(node.key)).nodes.append(node)

    def _picture(self, box: Box | None) -> Picture:
        """The picture in a part; a part that is new is shown in the one around it."""
        for each in () if box is None else box.way:
            if each not in self._pictures:
                self._pictures[each] = Picture()
                around = each.way[-2] if len(each.way) > 1 else None
                self._pictures[around].nodes.append(each.node)
        return self._pictures[box]

    def _draw(self, edge: Edge) -> None:
        """From box to box in the innermost part that holds both ends, and on the way in on both sides."""
        source, target = self._ways.get(edge.source, ()), self._ways.get(edge.target, ())
        depth = len(source) if source is target else 0
        while depth < min(len(source), len(target)) and source[depth] is target[depth]:
            depth += 1
        source_end, target_end = _child(source, depth, edge.source), _child(target, depth, edge.target)
        self._pictures[source[depth - 1] if depth else None].draw(source_end, target_end, edge)
        for level in range(depth, len(source)):
            far = self._far(edge.target, target, depth, real=level == len(source) - 1)
            self._pictures[source[level]].draw_out(_child(source, level + 1, edge.source), far, edge)
        for level in range(depth, len(target)):
            far = self._far(edge.source, source, depth, real=level == len(target) - 1)
            self._pictures[target[level]].draw_in(far, _child(target, level + 1, edge.target), edge)

    def _far(self, key: str, way: tuple[Box, ...], depth: int, *, real: bool) -> Node:
        """What stands for a node seen from outside its parts; a join has no name, but its part has."""
        if len(way) <= depth:
            return self._nodes[key]
        if not real:
            return way[depth].node
        node = self._nodes[key]
        return replace(node, name=way[depth].node.name) if node.kind == "join" else node

    def _closed(self) -> ModuleGraph:
        """The pictures as graphs, the inner ones first."""
        graphs: dict[str, ModuleGraph] = {}
        for box, picture in reversed(self._pictures.items()):
            picture.nodes = [
                replace(node, inner=graphs[node.key]) if node.kind == "fold" else node for node in picture.nodes
            ]
            if box is None:
                return picture.graph(self._level)
            graphs[box.node.key] = replace(picture.graph(self._level), label=box.node.label, part=box.part)
        raise AssertionError("the level itself comes first, so it is closed last")


def _child(way: tuple[Box, ...], depth: int, key: str) -> str:
    """What is drawn for a node in the part at a depth of its way: a part in it, or the node itself."""
    return way[depth].node.key if depth < len(way) else key
