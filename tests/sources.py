"""The project's own files as the tests of its form see them: their paths, which are generated, and what they import.

In: nothing. Out: paths below the repository's root, and (line, module) pairs. Owns no state.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "torchexplorer"
_SKIPPED = {".git", ".venv", "node_modules", "__pycache__", "build", "dist", "wandb", "torchexplorer_standalone"}


def files(*suffixes: str, below: Path = ROOT) -> list[Path]:
    """Files with these suffixes that people wrote here: no hidden folders, no installed packages, nothing generated."""
    found = []
    for folder, names, here in os.walk(below):
        relative = Path(folder).relative_to(below)
        kept = (n for n in names if not n.startswith(".") and (n not in _SKIPPED or relative.parts))
        names[:] = sorted(n for n in kept if n not in {"node_modules", "__pycache__"})
        found += [Path(folder, name) for name in sorted(here) if name.endswith(suffixes)]
    return [path for path in found if not is_generated(path)]


def is_generated(path: Path) -> bool:
    """Generated and foreign files say so in their first line or in their name."""
    if path.name.endswith((".min.js", ".min.css")):
        return True
    with path.open(encoding="utf-8", errors="replace") as file:
        return "generated" in file.readline(300).lower()


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) for everything that a file of the package imports, those for type checking too.

    `from torchexplorer.graph import model` gives "torchexplorer.graph.model"; relative imports are made absolute.
    """
    package = (".".join(path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    if path.name != "__init__.py":
        package = package.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parts, *([base] if base else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
