"""Floor viewer: a page on this machine that shows recordings, live or later. Reads nothing but the store."""

from torchexplorer.viewer.app import make_app
from torchexplorer.viewer.library import Library
from torchexplorer.viewer.server import PageServer, serve

__all__ = ["Library", "PageServer", "make_app", "serve"]
