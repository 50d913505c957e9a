"""The form of the code: hard rules fail, the aims for sizes are reported as warnings at the end of the run."""

import ast
import json
import re
import statistics
import warnings
from pathlib import Path

import pytest

from tests.sources import PACKAGE, ROOT, files

FILE_LINES = 250
FUNCTION_LINES = 50
MEDIAN_FUNCTION_LINES = 12
WRITTEN = (".py", ".js", ".mjs", ".css", ".html", ".md", ".toml", ".cfg", ".sh")
EM_DASH = "\N{EM DASH}"


class OverTheAim(UserWarning):
    """A file or function is longer than the design aims for."""


def functions(path: Path) -> list[tuple[str, int]]:
    """(name, lines) of each function in a Python file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [(node.name, (node.end_lineno or node.lineno) - node.lineno + 1) for node in found]


def over_the_aim() -> list[str]:
    """Each file or function that is too long, in one line."""
    found = []
    for path in files(".py", ".js", ".mjs", ".css", ".html"):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        name = path.relative_to(ROOT)
        if lines > FILE_LINES:
            found.append(f"{name} has {lines} lines, the aim is {FILE_LINES}")
        if path.suffix == ".py":
            long = [(function, size) for function, size in functions(path) if size > FUNCTION_LINES]
            found += [f"{name}: {function}() has {size} lines, the aim is {FUNCTION_LINES}" for function, size in long]
    median = statistics.median(size for path in files(".py", below=PACKAGE) for _, size in functions(path))
    if median >= MEDIAN_FUNCTION_LINES:
        found.append(f"the median function of the package has {median} lines, the aim is under {MEDIAN_FUNCTION_LINES}")
    return found


@pytest.mark.filterwarnings("default::tests.test_style.OverTheAim")
def test_sizes_are_reported() -> None:
    for line in over_the_aim():
        warnings.warn(line, OverTheAim, stacklevel=1)


def test_no_file_is_named_utils() -> None:
    names = {"utils", "util", "helpers", "misc", "common"}
    assert not [path.relative_to(ROOT) for path in files(".py", ".js", ".mjs") if path.stem in names]


@pytest.mark.parametrize("path", files(".py"), ids=lambda path: str(path.relative_to(ROOT)))
def test_each_file_has_a_card(path: Path) -> None:
    card = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert card, "a card at the head of each file says what goes in, what comes out, which state it owns"
    assert card.splitlines()[0].endswith((".", ":", "?")), "the first line of a card is a sentence"


def test_no_em_dash() -> None:
    found = []
    for path in files(*WRITTEN):
        lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        found += [f"{path.relative_to(ROOT)}:{number}" for number, line in lines if EM_DASH in line]
    assert not found


def test_no_issue_numbers_or_machine_paths_in_code() -> None:
    forbidden = re.compile(r"github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+|/home/\w+/|/work/(main|shared)")
    own = Path(__file__)
    found = []
    for path in files(*WRITTEN):
        if path != own:
            lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            found += [f"{path.relative_to(ROOT)}:{number}" for number, line in lines if forbidden.search(line)]
    assert not found


def test_the_lock_file_names_no_registry() -> None:
    lock = ROOT / "vega" / "package-lock.json"
    if lock.exists():
        packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
        assert not [name for name, package in packages.items() if "resolved" in package]
