"""Vega's JavaScript, served from this machine.

In: the installed vl-convert, which holds Vega. Out: one script that defines `vegaEmbed` (the names `vega` and
`vegaLite` of vl-convert's bundles are null in its version 1.9). State: a file in the user's
cache folder, made once for each version of vl-convert (about 1.5 s).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

MAKE = """
import sys, vl_convert
script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
sys.stdout.buffer.write(script.encode("utf-8"))
"""
"""Run in a process of its own: vl-convert brings a whole JavaScript engine, which the training process is spared."""

LEAST_BYTES = 100_000
"""A shorter bundle can't be whole."""


def vega_script() -> bytes:
    """The script. Raises RuntimeError where vl-convert is missing or fails."""
    path = cache_folder() / f"vega-{_version()}-{hashlib.sha256(MAKE.encode()).hexdigest()[:8]}.js"
    try:
        found = path.read_bytes()
    except OSError:
        found = b""
    if len(found) < LEAST_BYTES:
        found = _make()
        _keep(path, found)
    return found


def cache_folder() -> Path:
    """The user's folder for what can be made again, by the custom of the system."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "torchexplorer"


def _version() -> str:
    try:
        return metadata.version("vl-convert-python")
    except metadata.PackageNotFoundError as error:
        raise RuntimeError(
            "The standalone page needs the package 'vl-convert-python', which holds Vega. Seen: it is not installed. "
            "Run: pip install vl-convert-python"
        ) from error


def _make() -> bytes:
    try:
        done = subprocess.run([sys.executable, "-c", MAKE], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        seen = (getattr(error, "stderr", None) or str(error).encode()).decode("utf-8", "replace").strip()
        raise RuntimeError(
            f"Making Vega's script from vl-convert failed. Seen: {seen[-500:]}. "
            "Run: pip install --upgrade vl-convert-python"
        ) from error
    return done.stdout


def _keep(path: Path, script: bytes) -> None:
    """Atomically, so that another process never reads half of it. Without a place to write it is made each time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(script)
        os.replace(file.name, path)
    except OSError:
        return
