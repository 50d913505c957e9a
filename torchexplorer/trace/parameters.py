"""Samples of parameters, of their gradients, and the ratios by which an optimizer changed them.

In: modules with their paths. Out: samples in a Step. Owns no state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from torchexplorer.trace.records import Key
from torchexplorer.trace.sampling import Sampler
from torchexplorer.trace.scale import unscaled
from torchexplorer.trace.step import Step

Modules = Iterable[tuple[str, nn.Module]]


def gather_parameters(modules: Modules, step: Step, sampler: Sampler) -> None:
    """Sample each module's own parameters as they are now."""
    for path, name, parameter in _own(modules):
        taken = sampler.take(parameter)
        if taken is not None:
            step.gathered.add(Key(path, 0, "param", name, step.phase), *taken)


def gather_gradients(modules: Modules, step: Step, sampler: Sampler, scaler: Any) -> None:
    """Sample the gradients of each module's own parameters as they are now, divided by the scale of `scaler`."""
    for path, name, parameter in _own(modules):
        taken = None if parameter.grad is None else sampler.take(parameter.grad)
        if taken is not None:
            key = Key(path, 0, "param_grad", name, step.phase)
            step.gathered.add(key, unscaled(taken[0], scaler), taken[1])


def gather_ratios(modules: Modules, step: Step, ratios: Mapping[int, Tensor]) -> None:
    """Keep the update-to-weight ratios (0-d) of parameters, found by the ids of these."""
    for path, name, parameter in _own(modules):
        ratio = ratios.get(id(parameter))
        if ratio is not None:
            step.gathered.add(Key(path, 0, "param_update", name, step.phase), ratio.reshape(1), 1)


def _own(modules: Modules) -> Iterator[tuple[str, str, Tensor]]:
    for path, module in modules:
        for name, parameter in module._parameters.items():
            if parameter is not None and not is_lazy(parameter):
                yield path, name, parameter
