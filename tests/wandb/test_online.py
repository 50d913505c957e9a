"""Against a stand-in for the server: what is asked, what is uploaded, and that a run can be resumed."""

import re
from collections.abc import Callable
from typing import Any

from tests.wandb.server import Server
from tests.wandb.webapp import rows_of
from torchexplorer.backends.wandb_preset import preset_name

TRAIN = """
run = wandb.init(project="p", settings=quick)
model = small()
watcher = torchexplorer.watch(model, log_freq=1, verbose=False, wandb_transport={transport!r})
for step in range({steps}):
    train(model)
    run.log({{"loss": step}})
    if step == 0:
        time.sleep(1)
run.finish()
print(json.dumps(run.id))
"""


def test_500_steps_are_two_uploads(script: Callable[..., Any], server: Server) -> None:
    name = script(TRAIN.format(transport="log", steps=500), server)
    run = server.answers.runs[name]
    assert run.complete
    assert [row["loss"] for row in run.history] == list(range(500))
    assert len(server.tables(name)) == 2
    assert [each["state"] for each in server.answers.artifacts] == ["COMMITTED"] * 2
    assert server.operations["ArtifactType"] == 2
    assert not server.answers.unknown
    (entry,) = run.charts.values()
    assert entry["panel_config"]["panelDefId"] == f"stub-entity/{preset_name()}"
    shown = server.tables(name)[run.summary["explorer_chart_0_table"]["path"]]
    assert shown["data"][0][5].split(" ")[1] == "499"
    assert {row[1] for row in shown["data"]} == {f"run {name} ({name})"}


def test_files_need_no_artifact(script: Callable[..., Any], server: Server) -> None:
    name = script(TRAIN.format(transport="file", steps=50), server)
    assert not server.answers.artifacts
    assert not [each for each in server.operations if "Artifact" in each]
    assert len(server.tables(name)) == 2
    assert server.answers.runs[name].summary["explorer_chart_0_table"]["path"] in server.tables(name)
    assert len(server.answers.runs[name].history) == 50


def test_rows_of_two_runs_tell_their_run(script: Callable[..., Any], server: Server) -> None:
    runs = []
    for _ in range(2):
        name = script(TRAIN.format(transport="log", steps=2), server)
        run = server.answers.runs[name]
        table = server.tables(name)[run.summary["explorer_chart_0_table"]["path"]]
        runs.append({"id": run.id, "name": f"run {name}", "color": "#123456", "table": table})
    rows = rows_of(runs)
    assert len(rows) == sum(len(run["table"]["data"]) for run in runs)
    assert all(row["run"].startswith(row["name"]) for row in rows)
    assert len({row["run"] for row in rows}) == 2
    assert not re.search(r"\bnan\b", str(rows), re.IGNORECASE)


def test_resume_goes_on_with_the_chart(script: Callable[..., Any], server: Server) -> None:
    code = """
    run = wandb.init(project="p", settings=quick, id="again", resume="allow")
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1, verbose=False)
    if os.path.exists("state.pt"):
        watcher.load_state_dict(torch.load("state.pt", weights_only=False))
    for step in range(5):
        train(model)
        if step == 0:
            time.sleep(1)
        run.log({"loss": step})
    torch.save(watcher.state_dict(), "state.pt")
    run.finish()
    print(json.dumps(run.id))
    """
    for times in (1, 2):
        name = script(code, server)
        run = server.answers.runs[name]
        assert [row["_step"] for row in run.history] == list(range(5 * times))
        assert list(run.charts) == ["explorer_chart_0"]
        table = server.tables(name)[run.summary["explorer_chart_0_table"]["path"]]
        assert table["data"][0][5].split(" ")[1] == str(5 * times - 1)
        series = next(row for row in table["data"] if row[0] == "series")
        assert series[5].split("\\x1f")[1 if "\\x1f" in series[5] else 0]
        assert f"{5 * times - 1}" in series[5]
