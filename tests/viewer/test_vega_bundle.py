"""Vega's script: made once, kept, made again where the kept one is broken, and where nothing can be kept."""

import os
import sys
from pathlib import Path

import pytest

from torchexplorer.viewer import vega_bundle


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return vega_bundle.cache_folder()


def test_made_once(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = vega_bundle.vega_script()
    assert b"window.vegaEmbed=" in script
    (kept,) = cache.iterdir()
    assert kept.read_bytes() == script
    monkeypatch.setattr(vega_bundle, "_make", lambda: pytest.fail("made again"))
    assert vega_bundle.vega_script() == script


def test_a_broken_one_is_made_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega_bundle, "_make", lambda: b"x" * 200_000)
    vega_bundle.vega_script()
    (kept,) = cache.iterdir()
    kept.write_bytes(b"half")
    assert len(vega_bundle.vega_script()) == 200_000
    assert len(kept.read_bytes()) == 200_000


def test_without_a_place_to_keep_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text("a file where the folder would be")
    monkeypatch.setattr(vega_bundle, "_make", lambda: b"y" * 200_000)
    assert len(vega_bundle.vega_script()) == 200_000


def test_a_fault_of_vl_convert(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega_bundle, "MAKE", "import sys; sys.exit('no engine')")
    with pytest.raises(RuntimeError, match=r"failed\. Seen: no engine\. Run: pip install"):
        vega_bundle.vega_script()
    assert not cache.exists() or not os.listdir(cache)


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_the_folder_of_each_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", system)
    assert vega_bundle.cache_folder().is_relative_to(tmp_path)
    assert vega_bundle.cache_folder().name == "torchexplorer"
