"""Which runs there are, over several folders, files that change, and files that go."""

import json
from pathlib import Path

from tests.store.made import columns, record, writer
from torchexplorer.viewer import Library


def test_two_folders_with_one_name(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        record(tmp_path / name / "run.sqlite", range(2))
    library = Library(tmp_path / "a", tmp_path / "b", tmp_path / "missing")
    library.add(tmp_path / "a")
    assert set(library.listing()) == {"run", "b/run"}
    assert library.version("b/run") is not None
    assert {run["name"] for run in library.runs()} == {"run", "b/run"}
    library.close()


def test_state(folder: Path, library: Library) -> None:
    state = library.state("run one")
    assert state is not None
    assert (state["ended"], state["steps"], state["step"]) == (True, 3, 2)
    assert 0 <= state["age"] < 60
    assert library.state("none") is None
    store = writer(folder / "run one.sqlite")
    store.write(3, 3.0, "train", columns(3))
    running = library.state("run one")
    assert running is not None
    assert not running["ended"]
    assert running["version"] > state["version"]
    store.close()


def test_rows_are_made_once(library: Library) -> None:
    first, again = library.rows("run one"), library.rows("run one")
    assert first is not None
    assert again is not None
    assert first[1] is again[1]
    assert json.loads(first[1])["version"] == first[0]


def test_a_file_that_is_made_anew(folder: Path, library: Library) -> None:
    before = library.rows("run one")
    (folder / "run one.sqlite").unlink()
    assert library.rows("run one") is None
    record(folder / "run one.sqlite", range(9))
    after = library.state("run one")
    assert after is not None
    assert after["steps"] == 9
    assert before != library.rows("run one")


def test_only_a_few_files_stay_open(folder: Path, library: Library) -> None:
    for number in range(8):
        record(folder / f"{number}.sqlite", range(1))
        library.rows(f"{number}")
    assert len(library._books) == 4
    assert library.rows("0") is not None
