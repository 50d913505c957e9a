"""Packages that only some features need, imported where they are used.

In: a package name and what it is for. Out: the module, or an ImportError that says what to do. Owns no state.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def need(package: str, purpose: str, *, install: str | None = None) -> Any:
    """Import `package`, which `purpose` needs. Raises ImportError that names the pip package to install."""
    try:
        return import_module(package)
    except ImportError as error:
        wanted = install or package.split(".")[0]
        raise ImportError(
            f"{purpose} needs the package {wanted!r}. Importing {package!r} failed: {error}. Run: pip install {wanted}"
        ) from error
