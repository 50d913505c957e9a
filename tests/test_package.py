"""What is shipped: the wheel and the source archive hold the chart, the page and the typing mark, nothing else."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import torchexplorer
from tests.sources import PACKAGE, ROOT

SHIPPED = ["py.typed", "*.json", "*.html", "*.js", "*.css"]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True, capture_output=True
    )
    return folder


def test_the_wheel_holds_all_of_the_package(archives: Path) -> None:
    (wheel,) = archives.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {path.relative_to(ROOT).as_posix() for suffix in ["*.py", *SHIPPED] for path in PACKAGE.rglob(suffix)}
    assert "torchexplorer/py.typed" in names
    assert not wanted - names
    assert not [name for name in names if not name.startswith(("torchexplorer/", "torchexplorer-"))]


def test_the_source_archive_holds_no_installed_packages(archives: Path) -> None:
    (archive,) = archives.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = file.getnames()
    assert not [name for name in names if "node_modules" in name or ".venv" in name]
    assert any(name.endswith("/tests/test_package.py") for name in names)


def test_one_version() -> None:
    assert f'version = "{torchexplorer.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"## [{torchexplorer.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
