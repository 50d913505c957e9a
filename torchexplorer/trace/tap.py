"""A hook that belongs to one tracer and to nobody else.

In: a function to tell. Out: a callable for PyTorch's hook registries. Owns no state of the model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def silence(*event: Any) -> None:
    """What a copied hook does."""


class Tap:
    """Reports to one tracer; falls silent in deep copies and pickles of the model it hangs on."""

    __slots__ = ("tell",)

    def __init__(self, tell: Callable[..., Any]) -> None:
        self.tell = tell

    def __call__(self, *event: Any) -> Any:
        return self.tell(*event)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tap:
        return Tap(silence)

    def __copy__(self) -> Tap:
        return Tap(silence)

    def __reduce__(self) -> tuple[type[Tap], tuple[Callable[..., Any]]]:
        return Tap, (silence,)
