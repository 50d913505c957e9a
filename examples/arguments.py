"""The arguments that all examples share, and how each of them ends.

In: the command line. Out: the number of steps, and options for `torchexplorer.watch`. Owns no state.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import torchexplorer


@dataclass(frozen=True)
class Arguments:
    """How long to train and where to show it."""

    steps: int
    log_freq: int
    backend: str
    folder: str
    stay: bool


def parse(description: str, *, steps: int) -> Arguments:
    """Read `--steps`, `--log-freq`, `--backend`, `--folder` and `--stay`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--steps", type=int, default=steps, help="training steps (default: %(default)s)")
    parser.add_argument("--log-freq", type=int, default=10, help="record every so many steps (default: %(default)s)")
    parser.add_argument("--backend", choices=["standalone", "none", "wandb"], default="standalone")
    parser.add_argument("--folder", default="./torchexplorer_standalone", help="data of the standalone page")
    parser.add_argument("--stay", action="store_true", help="keep the page open after training, until Enter is pressed")
    return Arguments(**vars(parser.parse_args()))


def finish(watcher: torchexplorer.Watcher, arguments: Arguments) -> None:
    """Say what was recorded, and keep the page open where that was asked for."""
    calls = len({(key.path, key.call) for key in watcher.histograms})
    print(f"recorded {len(watcher.histograms)} histograms of {calls} module calls")
    if arguments.stay:
        input("Press Enter to end. ")
