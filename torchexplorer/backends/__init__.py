"""Floor backends: where recordings are shown."""

from torchexplorer.backends.memory import NoBackend
from torchexplorer.backends.protocol import Backend, BackendOptions, Snapshot

__all__ = ["Backend", "BackendOptions", "NoBackend", "Snapshot", "make_backend"]


def make_backend(name: str, options: BackendOptions) -> Backend:
    """The backend of this name. What it needs is imported only now."""
    if name == "standalone":
        from torchexplorer.backends.standalone import StandaloneBackend

        return StandaloneBackend(options)
    if name == "none":
        return NoBackend()
    raise NotImplementedError(
        f"watch() can't use the backend {name!r} yet. Pass backend='standalone' for a page on this machine, or 'none'."
    )
