"""Gradient norms of every module's inputs and outputs as PyTorch's full backward hooks give them.

In: a Family, a mode, a copy of its model. Out: norms by (path, kind, name), one array for each call. Owns no state.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from tests.families.family import Family, Mode
from tests.families.run import Seen, run
from torchexplorer.trace.sampling import grad_norms

Series = tuple[str, str, str]
Norms = dict[Series, list[np.ndarray]]

OUT_OF_PLACE = {Tensor.add_: Tensor.add, Tensor.mul_: Tensor.mul}


class OutOfPlace(TorchFunctionMode):
    """Runs `y += x` and `relu(y, inplace=True)` out of place: full backward hooks refuse changed tensors.

    `y += x` comes here as `add_`. A part of a tensor (`y[1:] += x`) must stay what it is, a change of the whole.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = {name: value for name, value in (kwargs or {}).items() if name != "inplace"}
        if func in OUT_OF_PLACE and (args[0]._base is None or args[0]._base.shape == args[0].shape):
            func = OUT_OF_PLACE[func]
        return func(*args, **kwargs)


class Reference:
    """Hooks of one module. A tensor that comes in under several names has one gradient, the sum of theirs."""

    def __init__(self, path: str, module: nn.Module, norms: Norms) -> None:
        self.path, self.norms = path, norms
        self.names = _argument_names(module)
        self.twins: list[list[int]] = []
        self.floats: list[bool] = []
        self.outputs: tuple[str, ...] | None = None
        module.register_forward_pre_hook(self.begins)
        module.register_forward_hook(self.ended)
        module.register_full_backward_hook(self.arrived)

    def begins(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        self.twins = [[other for other, value in enumerate(args) if value is each] for each in args]
        self.floats = [isinstance(each, Tensor) and each.is_floating_point() for each in args]

    def ended(self, module: nn.Module, args: tuple[Any, ...], result: Any) -> None:
        self.outputs = ("0",) if isinstance(result, Tensor) else getattr(result, "_fields", None)

    def arrived(self, module: nn.Module, grad_inputs: Any, grad_outputs: Any) -> None:
        for index, grad in enumerate(grad_inputs):
            if grad is not None and self.floats[index]:
                self.keep("input_grad", self.names[index], [grad_inputs[twin] for twin in self.twins[index]])
        for index, grad in enumerate(grad_outputs):
            if grad is not None:
                self.keep("output_grad", self.outputs[index] if self.outputs else str(index), [grad])

    def keep(self, kind: str, name: str, grads: Sequence[Tensor | None]) -> None:
        there = [grad for grad in grads if grad is not None]
        total = sum(there[1:], there[0])
        self.norms.setdefault((self.path, kind, name), []).append(grad_norms(total).numpy())


def _argument_names(module: nn.Module) -> list[str]:
    parameters = inspect.signature(module.forward).parameters.values()
    rest = next((each.name for each in parameters if each.kind is each.VAR_POSITIONAL), "")
    names = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    return names + [f"{rest}.{index}" for index in range(100)]


def by_full_hooks(family: Family, mode: Mode, model: nn.Module) -> tuple[Norms, Seen]:
    """What full backward hooks on all modules tell, and what the run out of place gave."""
    norms: Norms = {}
    for path, module in model.named_modules():
        if hasattr(module, "inplace"):
            module.inplace = False
        Reference(path, module, norms)
    with OutOfPlace(), warnings.catch_warnings():
        # torch, where no input needs a gradient, and where a module gives out no tensor or tuple: no hook fires there
        warnings.filterwarnings("ignore", "Full backward hook is firing")
        warnings.filterwarnings("ignore", "For backward hooks to be called")
        seen = run(family, mode, model, graded_inputs=True)
    return norms, seen
