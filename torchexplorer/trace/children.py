"""Notices calls of a module's children while its own forward never runs (`model.encode(x)`, `training_step`).

In: the watched module. Out: `begin(child, args, kwargs)` and `end(child, result)`. State: hooks on the direct
children, which come off for good at the first call of the module itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torch import nn

from torchexplorer.trace.tap import Tap, hang

_HOLDERS = (nn.ModuleList, nn.ModuleDict)


class Children:
    """The hooks on the children of one module."""

    def __init__(
        self,
        root: nn.Module,
        begin: Callable[[nn.Module, tuple[Any, ...], dict[str, Any]], None],
        end: Callable[[nn.Module, Any], None],
    ) -> None:
        before = Tap(begin)
        after = Tap(lambda child, args, kwargs, result: end(child, result))
        self._take_off = [hang(child, before, after) for child in direct_children(root)]

    def remove(self) -> None:
        """Take the hooks off. May be called often."""
        while self._take_off:
            self._take_off.pop()()


def direct_children(root: nn.Module) -> Iterator[nn.Module]:
    """The modules that `root` itself would call: its children, and those in its ModuleLists and ModuleDicts."""
    for child in root._modules.values():
        if isinstance(child, _HOLDERS):
            yield from direct_children(child)
        elif child is not None:
            yield child
