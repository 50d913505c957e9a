"""Finds the Tracer that follows a module already.

In: a module. Out: its Tracer or None. Owns no state: what a module is followed by stands in its hooks alone.
"""

from __future__ import annotations

from torch import nn

from torchexplorer.trace.tap import Tap
from torchexplorer.trace.tracer import Tracer


def find_tracer(root: nn.Module) -> Tracer | None:
    """The Tracer that follows this module, if any."""
    for hook in root._forward_pre_hooks.values():
        owner = getattr(hook.tell, "__self__", None) if isinstance(hook, Tap) else None
        if isinstance(owner, Tracer):
            return owner
    return None
