"""What may be done once before the first run: `setup`, and the time axis for Lightning.

In: nothing. Out: a higher soft limit of open files. Owns no state.
"""

from __future__ import annotations

from typing import Any

WANTED_FILES = 50_000


def setup() -> None:
    """Prepare the process for many uploads: call it once before `wandb.init()`. Optional.

    Raises the soft limit of open files to at most the hard limit, where the platform has one; never lowers it, never
    fails. Source: TorchExplorer's `setup()`, which does the same against "Too many open files".
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED_FILES if hard == resource.RLIM_INFINITY else min(WANTED_FILES, hard)
    for limit in (wanted, 10_240, 4_096):  # macOS refuses more than its own maximum
        if soft == resource.RLIM_INFINITY or soft >= limit:
            return
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
            return
        except (OSError, ValueError):
            continue


def _lightning_epoch(module: Any, step: int) -> float:
    """The epoch that a LightningModule is in. Raises AttributeError for other modules."""
    return float(module.current_epoch)


LIGHTNING_EPOCHS = ("epoch", _lightning_epoch)
"""A `time_log` for a LightningModule: `watch(module, time_log=torchexplorer.LIGHTNING_EPOCHS)`."""
