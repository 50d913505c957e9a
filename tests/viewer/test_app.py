"""What the server answers, and to whom."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.sources import PACKAGE
from tests.store.made import columns, record, writer

FILES = {"/": "html", "/page.css": "css", "/page.js": "javascript", "/chart.js": "javascript", "/api/spec": "json"}


@pytest.mark.parametrize("path", FILES)
def test_the_files_of_the_page(client: Any, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert FILES[path] in answer.headers["content-type"]
    again = client.get(path, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304
    assert not again.content


def test_every_file_that_the_page_names_is_served(client: Any) -> None:
    page = client.get("/").text
    named = re.findall(r'(?:src|href)="([\w.]+)"', page)
    for script in (PACKAGE / "viewer").glob("*.js"):
        named += re.findall(r'from "\./([\w.]+)"', script.read_text(encoding="utf-8"))
    assert {"page.css", "page.js", "vega.js", "chart.js", "theme.js"} <= set(named)
    assert all(client.get(f"/{name}").status_code == 200 for name in named)
    assert "<title>torchexplorer</title>" in page
    assert 'rel="icon"' in page


def test_nothing_from_elsewhere_is_named() -> None:
    """The one address in the page's own files is the name space of the SVG icon."""
    for path in (PACKAGE / "viewer").glob("page.*"):
        found = set(re.findall(r"https?://[^'\"\s)]+", path.read_text(encoding="utf-8")))
        assert found <= {"http://www.w3.org/2000/svg"}


def test_headers(client: Any) -> None:
    for path in ("/", "/api/runs", "/api/rows?run=none", "/nowhere"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]", "[::1]:8080"])
def test_hosts_of_this_machine(client: Any, host: str) -> None:
    assert client.get("/api/runs", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.test", "127.0.0.1.evil.test", "localhost.evil.test:8080", "127.0.0.1:8080@evil.test", "::1", "", "0.0.0.0"],
)
def test_other_hosts(client: Any, host: str) -> None:
    answer = client.get("/api/runs", headers={"Host": host})
    assert answer.status_code == 403
    assert "Seen: Host" in answer.text
    assert "run one" not in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_only_reading(client: Any, method: str) -> None:
    assert client.request(method, "/api/runs").status_code == 405


def test_runs(client: Any, folder: Path) -> None:
    record(folder / "later.sqlite", range(5))
    (folder / "broken.sqlite").write_text("no recording " * 100)
    later, first, broken = client.get("/api/runs").json()
    assert (later["name"], later["steps"], later["step"], later["ended"], later["model"]) == (
        "later",
        5,
        4,
        True,
        "Net",
    )
    assert first["name"] == "run one"
    assert broken["name"] == "broken"
    assert "failed. Seen" in broken["error"]


def test_rows(client: Any, folder: Path) -> None:
    answer = client.get("/api/rows", params={"run": "run one"})
    found = answer.json()
    assert found["rows"][0]["kind"] == "meta"
    assert {row["run"] for row in found["rows"]} == {"run one"}
    assert client.get("/api/rows?run=run one", headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
    store = writer(folder / "run one.sqlite")
    store.write(3, 3.0, "train", columns(3))
    store.close()
    changed = client.get("/api/rows?run=run one", headers={"If-None-Match": answer.headers["etag"]})
    assert changed.status_code == 200
    assert changed.json()["version"] > found["version"]


@pytest.mark.parametrize(
    "name", ["", "none", "../secret", "/etc/passwd", "run one.sqlite", "%2e%2e/secret", "a/../run one"]
)
def test_no_name_leads_outside(client: Any, folder: Path, name: str) -> None:
    """Also where a recording lies just outside of the folder."""
    record(folder.parent / "secret.sqlite", range(1))
    answer = client.get("/api/rows", params={"run": name})
    assert answer.status_code == 404
    assert "There is no run" in answer.json()["error"]


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/app.py", "/%2e%2e/app.py", "//etc/passwd", "/page.html"])
def test_no_path_leads_to_files(client: Any, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_run_without_a_graph_yet(client: Any, folder: Path) -> None:
    writer(folder / "new.sqlite").close()
    assert client.get("/api/rows?run=new").json()["rows"] == []


def test_a_fault_is_told(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("this graph is odd")

    monkeypatch.setattr("torchexplorer.viewer.library.explorer_rows", fail)
    answer = client.get("/api/rows?run=run one")
    assert answer.status_code == 500
    assert answer.json()["error"] == "Drawing the run 'run one' failed. Seen: ValueError: this graph is odd"
