"""What may be done once before the first run: `setup`, and the time axis for Lightning.

In: an entity of Weights & Biases, or nothing. Out: a higher soft limit of open files, a published chart. Owns no state.
"""

from __future__ import annotations

from typing import Any

from torchexplorer.backends.wandb_preset import publish_in_background

WANTED_FILES = 50_000


def setup(entity: str | None = None) -> None:
    """Prepare for Weights & Biases: call it once before `wandb.init()`.

    Publishes the chart for `entity` (None: the user's default one, where logged in and online) in the background, in
    at most 30 s. Raises the soft limit of open files to at most the hard limit, where the platform has one. Never
    lowers it, never waits, never fails. Source: TorchExplorer's `setup()`, against "Too many open files".
    """
    _raise_open_files()
    publish_in_background(entity)


def _raise_open_files() -> None:
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
