"""The floors of the package: who may import whom, what an import costs, and that each floor has a door."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sources import PACKAGE, ROOT, files, imports

FLOORS = ["trace", "graph", "stats", "layout", "render", "store", "viewer", "backends", "insight", "recorder", "watch"]
"""From the ground up: a floor may import from those before it."""

ROOFS = {"recorder", "watch"}
"""Two roofs beside each other; neither imports the other."""

ROOF_FILES = dict.fromkeys(["options", "schedule", "setup", "watcher", "worker"], "watch")
"""Files beside watch.py that belong to its roof."""

OUTSIDE = {"cli", "demo", "integrations", "__init__", "__main__"}
"""Stand above all floors; nothing in the package imports them."""

HEAVY = {"wandb", "starlette", "uvicorn", "pygraphviz", "vl_convert", "matplotlib", "pandas", "sklearn", "torchvision"}

DOORS = sorted(door for door in PACKAGE.iterdir() if door.is_dir() and list(door.glob("*.py")))


def floor_of(path: Path) -> str:
    return floor_named(path.relative_to(PACKAGE).with_suffix("").parts[0])


def floor_named(name: str) -> str:
    return ROOF_FILES.get(name, name)


def faults(path: Path) -> list[str]:
    """What this file imports and may not, as "file:line imports name"."""
    here = floor_of(path)
    if here in OUTSIDE:
        return []
    allowed = set(FLOORS[: FLOORS.index(here)]) - ROOFS if here in FLOORS else set()
    found = []
    for line, name in imports(path):
        root, _, rest = name.partition(".")
        target = floor_named(rest.partition(".")[0])
        if root == "torchexplorer" and target not in allowed | {here, "needs"}:
            found.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    return found


@pytest.mark.parametrize("path", files(".py", below=PACKAGE), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down_only(path: Path) -> None:
    assert floor_of(path) in {*FLOORS, *OUTSIDE, "needs"}, f"{path.relative_to(ROOT)} stands on no floor"
    assert not faults(path)


def test_an_import_that_goes_up_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = tmp_path / "torchexplorer" / "graph" / "model.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text("import os\nif os.sep:\n    from ..render import rows\nfrom . import codec\n")
    monkeypatch.setattr("tests.sources.ROOT", tmp_path)
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path / "torchexplorer")
    assert faults(wrong) == ["torchexplorer/graph/model.py:3 imports torchexplorer.render.rows"]


def test_import_loads_only_torch_and_numpy() -> None:
    """Against what torch and numpy load themselves, so that their dependencies do not count."""
    code = (
        "import sys, torch, numpy\nbefore = set(sys.modules)\nimport torchexplorer\nprint(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    tops = {name.partition(".")[0] for name in done.stdout.split()}
    ours_and_theirs = {"torchexplorer", "torch", "numpy"}
    assert not tops & HEAVY
    assert not tops - ours_and_theirs - sys.stdlib_module_names


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)
def test_each_floor_has_a_door(door: Path) -> None:
    tree = ast.parse((door / "__init__.py").read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), f"{door.name}/__init__.py has no docstring"
    names = [target.id for node in tree.body for target in _targets(node) if isinstance(target, ast.Name)]
    assert "__all__" in names, f"{door.name}/__init__.py has no __all__"


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []
