"""Gradients of a call's inputs and outputs, each call's own share, read from autograd nodes.

In: the gradient edges of a call's inputs and outputs. Out: L2 norms per sample, told to a sink as backward runs.
State: hooks on nodes of the user's graph, which go when the graph goes; nothing is added to the graph.

The share of an input is what flows back through this call alone: the sum of the gradients that its consumers inside
the call send along the input's edge. The gradient of an output is the total that arrives at it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import GradientEdge, Node

Edge = tuple[Node, int]

sequence_number: Callable[[], int] = getattr(torch._C._autograd, "_get_sequence_nr", lambda: 0)
"""The number that the next autograd node of this thread will get."""


_MARK = "torchexplorer"


class Share:
    """The gradient of one input in one call: adds up what its consumers send and tells the sum.

    `expected` is the number of consumers; a backward pass that reaches only some of them tells the rest at its end.
    """

    __slots__ = ("_seen", "_tell", "_total", "expected")

    def __init__(self, tell: Callable[[Tensor], None]) -> None:
        self._tell = tell
        self._total: Tensor | None = None
        self._seen = 0
        self.expected = 0

    def add(self, grad: Tensor | None) -> bool:
        """One consumer's part. True while parts are missing."""
        self._seen += 1
        if grad is not None:
            grad = grad.detach()
            self._total = grad if self._total is None else self._total + grad
        if self._seen < self.expected:
            return True
        self.finish()
        return False

    def finish(self) -> None:
        """Tell what has come so far."""
        total, self._total, self._seen = self._total, None, 0
        if total is not None:
            self._tell(total)


def edge_of(tensor: Tensor) -> Edge | None:
    """The gradient edge of a tensor, None where it needs no gradient."""
    if not tensor.requires_grad:
        return None
    edge: GradientEdge = torch.autograd.graph.get_gradient_edge(tensor)
    return edge.node, edge.output_nr


def consumers(
    outputs: Iterable[Edge], inputs: Sequence[Edge], *, start: int, beyond: bool = False
) -> list[tuple[Edge, Node, int]]:
    """(input edge, node, k) for each node made since `start`, reached from `outputs`, whose k-th input has that edge.

    Iterative, visits a node once, and leaves the call neither by older nodes nor, unless `beyond`, through the inputs.
    """
    wanted = set(inputs)
    stack = [node for node, _ in outputs]
    seen: set[Node] = set()
    found: list[tuple[Edge, Node, int]] = []
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node._sequence_nr() < start:
            continue
        for k, edge in enumerate(node.next_functions):
            if edge[0] is None:
                continue
            if edge in wanted:
                found.append((edge, node, k))
                if not beyond:
                    continue
            if edge[0] not in seen:
                stack.append(edge[0])
    return found


def mark(tensor: Tensor, token: object, index: int) -> None:
    """Write on a tensor's autograd node that call `index` gave it out; the mark lives with the node."""
    edge = edge_of(tensor) if tensor.grad_fn is not None else None
    if edge is not None:
        marks: Any = edge[0].metadata
        marks[_MARK, id(token), edge[1]] = index


def behind(tensor: Tensor, token: object) -> list[int]:
    """The calls marked with `token` from which the autograd trace runs to a tensor, with no other mark between."""

    def known(edge: Edge) -> int | None:
        marks: Any = edge[0].metadata
        found: int | None = marks.get((_MARK, id(token), edge[1]))
        return found

    return sorted({index for edge in _walk_back(tensor, known) if (index := known(edge)) is not None})


def edges_behind(tensor: Tensor, known: Container[Edge]) -> list[Edge]:
    """The known edges from which the autograd trace runs to a tensor, with no other known edge between."""
    return _walk_back(tensor, lambda edge: True if edge in known else None)


def _walk_back(tensor: Tensor, known: Callable[[Edge], Any]) -> list[Edge]:
    """The first edges behind a tensor for which `known` is not None."""
    first = edge_of(tensor)
    found: list[Edge] = []
    stack: list[Any] = [] if first is None else [first]
    seen: set[Any] = set()
    while stack:
        edge = stack.pop()
        if edge in seen:
            continue
        seen.add(edge)
        if known(edge) is not None:
            found.append(edge)
        else:
            stack.extend(each for each in edge[0].next_functions if each[0] is not None)
    return found


def hook_share(share: Share, node: Node, k: int, guard: Any, pending: Callable[[Share, bool], None]) -> None:
    """Add the k-th gradient that `node` sends back to `share`, whenever backward runs through it."""
    share.expected += 1

    def consumed(grad_inputs: tuple[Tensor | None, ...], grad_outputs: Any) -> None:
        with guard, torch.no_grad():
            pending(share, share.add(grad_inputs[k]))

    node.register_hook(consumed)


def hook_output(edge: Edge, tell: Callable[[Tensor], None], guard: Any) -> None:
    """Tell the total gradient that arrives at an output's edge, whenever backward reaches it."""
    node, nr = edge

    def arrived(grads: tuple[Tensor | None, ...]) -> None:
        grad = grads[nr]
        if grad is not None:
            with guard, torch.no_grad():
                tell(grad.detach())

    node.register_prehook(arrived)
