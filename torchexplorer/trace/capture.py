"""What is taken of a call while it runs: samples of its tensors, and hooks for their gradients.

In: the named inputs and outputs of a call. Out: samples in the Step, gradient norms as backward runs. State: the
stand-ins of one recorded forward.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from torchexplorer.trace.frame import Frame
from torchexplorer.trace.guard import Guard
from torchexplorer.trace.parameters import gather_parameters
from torchexplorer.trace.records import Key, SeriesKind
from torchexplorer.trace.sampling import Sampler, grad_norms
from torchexplorer.trace.scale import unscaled
from torchexplorer.trace.shares import Edge, Share, consumers, edge_of, hook_output, hook_share, sequence_number
from torchexplorer.trace.stand_ins import StandIns
from torchexplorer.trace.step import Step
from torchexplorer.trace.values import Named


@dataclass(frozen=True)
class TraceOptions:
    """What is recorded: kinds of tensors, elements per tensor (None: all), classes without io gradients.

    Gradients are divided by the scale of `grad_scaler`.
    """

    log: frozenset[str]
    sample_n: int | None
    ignore_io_grad_classes: tuple[type, ...] = ()
    grad_scaler: Any = None


@dataclass(frozen=True)
class _Pass:
    """A call that handed a tensor on as it is: what flows back through later consumers is the call's."""

    edge: Edge
    start: int
    end: int
    share: Share


class Capture:
    """Takes samples and gradients of the calls of one recorded forward."""

    def __init__(self, step: Step, options: TraceOptions, *, sampler: Sampler, guard: Guard) -> None:
        self._step, self._options, self._sampler, self._guard = step, options, sampler, guard
        self.stand_ins = StandIns()
        self._passes: list[_Pass] = []
        self._views: dict[int, tuple[weakref.ref[Tensor], list[Key]]] = {}
        self._spoiled: set[Key] = set()

    @property
    def wants_gradients(self) -> bool:
        """Whether gradients of inputs and outputs are recorded at all."""
        return "io_grad" in self._options.log

    def inputs(self, frame: Frame, named: Named) -> None:
        """A call begins."""
        self._sample(named, frame.path, frame.call, "input")
        if not self._wants(frame):
            return
        for name, tensor in named:
            frame.wanted.append((name, weakref.ref(tensor), edge_of(tensor)))
            if torch.is_grad_enabled() and not tensor.requires_grad and tensor.is_floating_point():
                self.stand_ins.want(tensor)

    def outputs(self, frame: Frame, named: Named) -> None:
        """A call ends."""
        self._sample(named, frame.path, frame.call, "output")
        if self._wants(frame):
            self._watch_shares(frame, named)
            self._watch_totals(frame, named, frame.path, frame.call)
        frame.wanted.clear()

    def attached(self, frame: Frame, tensor: Tensor, path: str, call: int) -> None:
        """A tensor was attached by name."""
        self._sample([("tensor", tensor)], path, call, "output")
        if self._wants(frame):
            self._watch_totals(None, [("tensor", tensor)], path, call)

    def parameters(self, modules: Iterable[tuple[str, nn.Module]]) -> None:
        """Each module's own parameters as they are now."""
        if "params" in self._options.log:
            gather_parameters(modules, self._step, self._sampler)

    def view_written(self, frame: Frame, tensor: Tensor) -> None:
        """A view was changed in place: its old autograd node may get only a part of the gradient."""
        known = self._views.get(id(tensor))
        if known is not None and known[0]() is tensor:
            self._spoiled.update(known[1])
        frame.leak([id(tensor)])

    def close(self, outputs: Named) -> None:
        """The root's forward ends: find who used what calls had handed on, and let go of the user's graph."""
        edges = {edge for _, tensor in outputs if (edge := edge_of(tensor)) is not None}
        wanted = list({each.edge for each in self._passes})
        users = consumers(edges, wanted, start=0, beyond=True) if wanted else []
        for each in self._passes:
            mine = [(node, k) for edge, node, k in users if edge == each.edge]
            earlier = any(node._sequence_nr() < each.start for node, _ in mine)
            if not earlier:
                self._tell_total(each)
            elif each.edge not in edges:
                for node, k in mine:
                    if node._sequence_nr() >= each.end:
                        hook_share(each.share, node, k, self._guard, self._step.hold)
        self._passes.clear()
        self.stand_ins = StandIns()

    def _tell_total(self, each: _Pass) -> None:
        each.share.expected += 1
        hook_output(each.edge, lambda grad: self._step.hold(each.share, each.share.add(grad)), self._guard)

    def _wants(self, frame: Frame) -> bool:
        return self.wants_gradients and not isinstance(frame.module, self._options.ignore_io_grad_classes)

    def _watch_shares(self, frame: Frame, named: Named) -> None:
        """Hook the consumers of the call's inputs inside the call."""
        for _, tensor in named:
            frame.leaked.update(id(each) for each in self.stand_ins.hands_on(tensor))
        shares = self._shares(frame)
        if not shares:
            return
        outputs = [edge for _, tensor in named if (edge := edge_of(tensor)) is not None]
        for edge, node, k in consumers(outputs, list(shares), start=frame.start):
            for share in shares[edge]:
                hook_share(share, node, k, self._guard, self._step.hold)
        for edge in set(outputs) & set(shares):
            self._passes.extend(_Pass(edge, frame.start, sequence_number(), share) for share in shares[edge])

    def _shares(self, frame: Frame) -> dict[Edge, list[Share]]:
        """The shares to fill, by the edges along which the gradients of the call's inputs flow."""
        shares: dict[Edge, list[Share]] = {}
        for name, reference, edge in frame.wanted:
            tensor = reference()
            if tensor is not None and id(tensor) in frame.leaked:
                continue
            stand_ins = self.stand_ins.edges(tensor) if edge is None and tensor is not None else []
            share = Share(self._teller(Key(frame.path, frame.call, "input_grad", name, self._step.phase)))
            for each in [edge] if edge is not None else [(e.node, e.output_nr) for e in stand_ins]:
                shares.setdefault(each, []).append(share)
        return shares

    def _watch_totals(self, frame: Frame | None, named: Named, path: str, call: int) -> None:
        """Hook the gradients that arrive at the outputs of a call."""
        taken = {edge for _, _, edge in frame.wanted} if frame is not None else set()
        for name, tensor in named:
            edge = edge_of(tensor) if tensor.grad_fn is not None else None
            if edge is None:
                continue
            key = Key(path, call, "output_grad", name, self._step.phase)
            if frame is not None and edge in taken:
                self._passes.append(_Pass(edge, frame.start, sequence_number(), Share(self._teller(key))))
                continue
            hook_output(edge, self._teller(key), self._guard)
            if tensor._base is not None:
                self._views.setdefault(id(tensor), (weakref.ref(tensor), []))[1].append(key)

    def _teller(self, key: Key) -> Callable[[Tensor], None]:
        step, sampler, spoiled, scaler = self._step, self._sampler, self._spoiled, self._options.grad_scaler

        def tell(grad: Tensor) -> None:
            norms = None if step.closed or key in spoiled else sampler.take(grad_norms(grad))
            if norms is not None:
                step.gathered.add(key, unscaled(norms[0], scaler), norms[1])

        return tell

    def _sample(self, named: Named, path: str, call: int, kind: SeriesKind) -> None:
        if "io" not in self._options.log:
            return
        taken: dict[int, Any] = {}
        with torch.no_grad():
            for name, tensor in named:
                if id(tensor) not in taken:
                    taken[id(tensor)] = self._sampler.take(tensor)
                if taken[id(tensor)] is not None:
                    self._step.gathered.add(Key(path, call, kind, name, self._step.phase), *taken[id(tensor)])
