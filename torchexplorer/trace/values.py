"""The tensors inside what a module receives and returns, each with a name.

In: any Python value. Out: (name, tensor) pairs in order. Owns no state but a cache of signatures; replaces nothing.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from torchexplorer.trace.records import Value

MAX_DEPTH = 8
MAX_TENSORS = 1000
_PLAIN = (str, bytes, int, float, complex, bool, type(None), type, ModuleType, nn.Module, torch.dtype, torch.device)
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_signatures: dict[Any, tuple[tuple[str, ...], str]] = {}

Named = list[tuple[str, Tensor]]


def named_outputs(result: Any) -> Named:
    """The tensors in a return value: "0" for a lone tensor, else their keys or indices, dotted where nested."""
    if isinstance(result, Tensor):
        return [("0", result)]
    return list(_take(_walk(result, "", 0)))


def named_inputs(module: nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Named:
    """The tensors in a call's arguments, named after the signature of `module.forward`."""
    names, rest = _parameters(module)
    found: list[tuple[str, Any]] = []
    for index, argument in enumerate(args):
        name = names[index] if index < len(names) else f"{rest}.{index - len(names)}" if rest else str(index)
        found.append((name, argument))
    found.extend(kwargs.items())
    if all(isinstance(argument, Tensor) for _, argument in found):
        return found
    return list(_take(pair for name, argument in found for pair in _walk(argument, name, 0)))


def describe(name: str, tensor: Tensor) -> Value:
    """What a tensor looks like: name, shape, dtype ("float32"), device."""
    try:
        shape: tuple[int | None, ...] | None = tuple(int(size) for size in tensor.shape)
    except Exception:  # nested tensors with ragged sizes, symbolic sizes
        shape = None
    return Value(name, shape, str(tensor.dtype).removeprefix("torch."), str(tensor.device))


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Tensors in what a function takes and gives: nested tuples, lists and dicts, nothing else."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for inside in value:
            if isinstance(inside, Tensor):
                yield inside
            elif isinstance(inside, (tuple, list, dict)):
                yield from tensors_in(inside)
    elif isinstance(value, dict):
        for inside in value.values():
            yield from tensors_in(inside)


def _parameters(module: nn.Module) -> tuple[tuple[str, ...], str]:
    """Names of the positional parameters of `forward`, and that of its *args ("" where it has none)."""
    forward = module.forward
    function = getattr(forward, "__func__", forward)
    try:
        known = _signatures.get(function)
    except TypeError:  # a forward that can't be hashed
        return (), ""
    if known is None:
        known = _read_signature(forward)
        if len(_signatures) > 10_000:
            _signatures.clear()
        _signatures[function] = known
    return known


def _read_signature(forward: Any) -> tuple[tuple[str, ...], str]:
    try:
        parameters = inspect.signature(forward).parameters.values()
    except (TypeError, ValueError):
        return (), ""
    names = tuple(parameter.name for parameter in parameters if parameter.kind in _POSITIONAL)
    rest = [parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.VAR_POSITIONAL]
    return names, rest[0] if rest else ""


def _take(pairs: Iterator[tuple[str, Tensor]]) -> Iterator[tuple[str, Tensor]]:
    """At most MAX_TENSORS of them."""
    for _, pair in zip(range(MAX_TENSORS), pairs, strict=False):
        yield pair


def _walk(value: Any, name: str, depth: int) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name or "0", value
    elif depth < MAX_DEPTH and not isinstance(value, _PLAIN):
        for part, inside in _parts(value, depth):
            yield from _walk(inside, f"{name}.{part}" if name else part, depth + 1)


def _parts(value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """Name and value of what a container holds; nothing for anything else."""
    if isinstance(value, PackedSequence):
        yield "data", value.data
    elif isinstance(value, Mapping):
        yield from ((str(key), inside) for key, inside in list(value.items()))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from zip(value._fields, value, strict=False)
    elif isinstance(value, (list, tuple)):
        yield from ((str(index), inside) for index, inside in enumerate(value))
    elif dataclasses.is_dataclass(value):
        yield from ((field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value))
    elif depth < 3 and hasattr(value, "__dict__"):
        # An object that wraps tensors. Lists inside it (caches, registries) are left out: what is used of them
        # is found where it is used.
        yield from ((key, inside) for key, inside in list(vars(value).items()) if not isinstance(inside, (list, tuple)))
