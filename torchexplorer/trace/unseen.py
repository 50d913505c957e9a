"""Tells once of a module that trains where none of its calls is seen.

In: a module whose calls were never seen. Out: a warning. State: whether it was told.
"""

from __future__ import annotations

from torch import nn

from torchexplorer.trace.guard import warn
from torchexplorer.trace.owners import first_trainable

UNSEEN = (
    "torchexplorer saw no call of the watched module. Seen: its parameters have gradients all the same. If it was "
    "compiled, watch the result: watch(torch.compile(model)). Call it as model(x), not as model.forward(x); where its "
    "own forward never runs, use `with watcher.step():`."
)


class Unseen:
    """Looks for training inside compiled code, or by other methods than the module's own call."""

    def __init__(self) -> None:
        self._told = False

    def check(self, root: nn.Module | None, *, compiled: bool) -> None:
        """Warn where `root`, of which no call was seen, trains. `compiled`: compiled code passed over our hook."""
        parameter = None if root is None or self._told else first_trainable(root)
        trains = parameter is not None and parameter.grad is not None
        if root is not None and not self._told and (compiled or trains):
            self._told = True
            warn(UNSEEN)
