"""Floor backends: where recordings are shown."""

from torchexplorer.backends.memory import NoBackend
from torchexplorer.backends.protocol import Backend, BackendOptions, Snapshot, TransportName

__all__ = ["Backend", "BackendOptions", "NoBackend", "Snapshot", "TransportName", "make_backend"]


def make_backend(name: str, options: BackendOptions) -> Backend:
    """The backend of this name. What it needs is imported only now."""
    if name == "standalone":
        from torchexplorer.backends.standalone import StandaloneBackend

        return StandaloneBackend(options)
    if name == "wandb":
        from torchexplorer.backends.wandb_backend import WandbBackend

        return WandbBackend(options)
    return NoBackend()
