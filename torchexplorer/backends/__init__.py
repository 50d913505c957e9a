"""Floor backends: where recordings are shown."""

from torchexplorer.backends.memory import NoBackend
from torchexplorer.backends.protocol import Backend, BackendOptions, Snapshot

__all__ = ["Backend", "BackendOptions", "NoBackend", "Snapshot", "make_backend"]


def make_backend(name: str, options: BackendOptions) -> Backend:
    """The backend of this name."""
    return NoBackend()
