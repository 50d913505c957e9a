"""Lets a gradient reach inputs that need none, without the user's code ever seeing a tensor that is not its own.

In: the inputs of open calls, and each function about to run. Out: arguments for that one function, and the autograd
edges whose consumers carry the inputs' gradients. State: wanted inputs and edges of one recorded forward.

A stand-in shares its tensor's storage and takes its place only inside a function whose result needs a gradient anyway
(`linear(x, weight)`), so no result, flag or identity that the user can see is another than without it. Views of a
wanted input are stood in for by the same views of its stand-in. Where an input is used in any other way that a
gradient could flow through, its share would be incomplete: it is "leaked", and nothing is told of it rather than a
wrong number.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import GradientEdge, get_gradient_edge

from torchexplorer.trace.functions import CUTS, JOINT, JOINT_IN_PLACE, MAY_RETURN_SAME, NO_FLOW, VIEWS
from torchexplorer.trace.values import tensors_in

View = Callable[[Tensor], Tensor]


class _StandIn(torch.autograd.Function):
    """The same values, as a tensor that needs a gradient; what arrives there goes no further."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, anchor: Tensor) -> Tensor:
        return tensor.detach()

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return None, None


class _Wanted:
    """A tensor that may be stood in for; `of` and `view` say how it comes from another such tensor."""

    __slots__ = ("edges", "of", "ref", "view")

    def __init__(self, tensor: Tensor, of: _Wanted | None = None, view: View | None = None) -> None:
        self.ref = weakref.ref(tensor)
        self.edges: list[GradientEdge] = []
        self.of, self.view = of, view

    def line(self) -> Iterator[_Wanted]:
        """This tensor and those that it is a view of."""
        wanted: _Wanted | None = self
        while wanted is not None:
            yield wanted
            wanted = wanted.of


class StandIns:
    """Wanted inputs and the stand-ins made for them."""

    def __init__(self) -> None:
        self._anchor = torch.zeros((), requires_grad=True)
        self._wanted: dict[int, _Wanted] = {}

    def want(self, tensor: Tensor) -> None:
        """Ask for the gradient of a floating-point input that needs none by itself."""
        plain = type(tensor) is Tensor and tensor.layout is torch.strided and not tensor.is_meta
        if plain and not torch._C._functorch.is_functorch_wrapped_tensor(tensor) and self._find(tensor) is None:
            self._wanted[id(tensor)] = _Wanted(tensor)

    def edges(self, tensor: Tensor) -> list[GradientEdge]:
        """Where gradients of this input arrive: one edge for each function that used it."""
        wanted = self._find(tensor)
        return [] if wanted is None else wanted.edges

    def adapt(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments to run `func` with."""
        if not self._wanted or not self._may_stand_in(func, args, kwargs):
            return args
        made: dict[int, Tensor] = {}
        kept = args[:1] if func.__name__ in JOINT_IN_PLACE else ()
        return (*kept, *(self._replace(argument, made) for argument in args[len(kept) :]))

    def note(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> list[Tensor]:
        """After `func` ran on the user's own arguments: remember views. Returns the wanted inputs that leaked."""
        if not self._wanted:
            return []
        used = [
            wanted
            for tensor in tensors_in((args, tuple(kwargs.values())))
            if (wanted := self._find(tensor)) is not None
        ]
        if not used:
            return []
        name = getattr(func, "__name__", "")
        carries = any(tensor.is_floating_point() or tensor.is_complex() for tensor in tensors_in(result))
        if not carries or name in CUTS or name in NO_FLOW:
            return []
        if name in MAY_RETURN_SAME and result is args[0] and not kwargs.get("inplace"):
            return []
        if name in VIEWS and self._find(args[0]) is used[0] and len(used) == 1:
            self._remember_views(func, args, kwargs, result, used[0])
            return []
        leaked = [each.ref() for wanted in used for each in wanted.line()]
        return [tensor for tensor in leaked if tensor is not None]

    def hands_on(self, tensor: Tensor) -> list[Tensor]:
        """The wanted inputs that this tensor, given out as it is, is or is a view of."""
        wanted = self._find(tensor)
        line = [] if wanted is None else [each.ref() for each in wanted.line()]
        return [each for each in line if each is not None]

    def _may_stand_in(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        if saving_is_watched() or torch._C._functorch.peek_interpreter_stack() is not None:
            return False  # checkpointing compares what is saved with what it saves again; transforms refuse functions
        name = getattr(func, "__name__", "")
        if name in JOINT_IN_PLACE and isinstance(args[0], Tensor) and args[0].requires_grad:
            return torch.is_grad_enabled() and any(self._find(tensor) is not None for tensor in tensors_in(args[1:]))
        if name not in JOINT or not torch.is_grad_enabled() or kwargs.get("out") is not None:
            return False
        tensors = list(tensors_in(args))
        if not any(self._find(tensor) is not None for tensor in tensors):
            return False
        return any(tensor.requires_grad for tensor in [*tensors, *tensors_in(tuple(kwargs.values()))])

    def _remember_views(self, func: Any, args: Any, kwargs: dict[str, Any], result: Any, of: _Wanted) -> None:
        def view(index: int | None) -> View:
            def apply(stand_in: Tensor) -> Tensor:
                viewed: Any = func(stand_in, *args[1:], **kwargs)
                chosen: Tensor = viewed if index is None else viewed[index]
                return chosen

            return apply

        parts = [(None, result)] if isinstance(result, Tensor) else list(enumerate(result))
        for index, part in parts:
            if self._find(part) is None and not part.requires_grad:
                self._wanted[id(part)] = _Wanted(part, of, view(index))

    def _replace(self, argument: Any, made: dict[int, Tensor]) -> Any:
        """One stand-in for one object, so that `query is key` stays true inside the function."""
        if isinstance(argument, Tensor):
            wanted = self._find(argument)
            if wanted is None:
                return argument
            if id(argument) not in made:
                made[id(argument)] = self._make(wanted, argument)
            return made[id(argument)]
        if type(argument) in (list, tuple):
            return type(argument)(self._replace(inside, made) for inside in argument)
        return argument

    def _make(self, wanted: _Wanted, tensor: Tensor) -> Tensor:
        source = None if wanted.of is None else wanted.of.ref()
        if wanted.of is None or wanted.view is None or source is None:
            stand_in: Tensor = _StandIn.apply(tensor, self._anchor)
        else:
            stand_in = wanted.view(self._make(wanted.of, source))
        wanted.edges.append(get_gradient_edge(stand_in))
        return stand_in

    def _find(self, tensor: Tensor) -> _Wanted | None:
        wanted = self._wanted.get(id(tensor))
        return wanted if wanted is not None and wanted.ref() is tensor and not tensor.requires_grad else None


def saving_is_watched() -> bool:
    """Whether hooks for saved tensors are active, as inside non-reentrant checkpointing."""
    top = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", None)
    return top is not None and top(False) is not None
