"""A hook that belongs to one tracer and to nobody else.

In: a function to tell. Out: a callable for PyTorch's hook registries. Owns no state of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn


def silence(*event: Any) -> None:
    """What a copied hook does."""


class Tap:
    """Reports to one tracer; falls silent in deep copies and pickles of the model it hangs on.

    In compiled code it only notes in `compiled` that it was passed over.
    """

    def __init__(self, tell: Callable[..., Any]) -> None:
        self.tell = tell
        self.compiled = False

    def __call__(self, *event: Any) -> Any:
        if torch.compiler.is_compiling():  # a constant for the compiler, which keeps the one assignment
            self.compiled = True
            return None
        return self.tell(*event)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tap:
        return Tap(silence)

    def __copy__(self) -> Tap:
        return Tap(silence)

    def __reduce__(self) -> tuple[type[Tap], tuple[Callable[..., Any]]]:
        return Tap, (silence,)


def hang(module: nn.Module, before: Tap, after: Tap) -> Callable[[], None]:
    """Call `before(module, args, kwargs)` and `after(module, args, kwargs, result)` around each call of a module.

    `after` is called after exceptions too. Returns what takes both off.
    """
    try:
        first = module.register_forward_pre_hook(before, with_kwargs=True)
    except RuntimeError:  # a ScriptModule refuses to register hooks, but calls those that it has
        return _hang_directly(module, before, after)
    second = module.register_forward_hook(after, with_kwargs=True, always_call=True)

    def take_off() -> None:
        first.remove()
        second.remove()

    return take_off


def _hang_directly(module: nn.Module, before: Tap, after: Tap) -> Callable[[], None]:
    key = id(before)
    entries: list[tuple[dict[int, Any], Any]] = [
        (module._forward_pre_hooks, before),
        (module._forward_pre_hooks_with_kwargs, True),
        (module._forward_hooks, after),
        (module._forward_hooks_with_kwargs, True),
        (module._forward_hooks_always_called, True),
    ]
    for registry, entry in entries:
        registry[key] = entry

    def take_off() -> None:
        for registry, _ in entries:
            registry.pop(key, None)

    return take_off
