"""torchexplorer: look inside a PyTorch network while it trains.

One line, `torchexplorer.watch(model)`, records the module graph of the real forward pass, and the distributions of
every input, output, parameter and gradient over time.
"""

from torchexplorer.schedule import log_spaced
from torchexplorer.setup import LIGHTNING_EPOCHS, setup
from torchexplorer.trace import Key, WatchFailed, attach
from torchexplorer.watch import watch
from torchexplorer.watcher import Watcher

__version__ = "2.0.0"

__all__ = [
    "LIGHTNING_EPOCHS",
    "Key",
    "WatchFailed",
    "Watcher",
    "__version__",
    "attach",
    "log_spaced",
    "setup",
    "watch",
]
