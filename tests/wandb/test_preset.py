"""The chart as a preset: published by `setup` and by the command, in a process of its own."""

import json
import time

import pytest

import torchexplorer
from tests.wandb.answers import ENTITY
from tests.wandb.server import Server
from tests.wandb.webapp import injected, lint
from torchexplorer.backends.wandb_preset import PublishFailed, preset_name, publish_chart, publish_in_background
from torchexplorer.cli import main
from torchexplorer.render import SCHEMA, chart_spec


@pytest.fixture
def online(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    return server


def test_the_name_is_that_of_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    name = preset_name()
    assert name.startswith(f"torchexplorer-v{SCHEMA}-")
    assert preset_name() == name
    monkeypatch.setattr("torchexplorer.backends.wandb_preset.chart_spec", lambda: {**chart_spec(), "height": 1})
    assert preset_name() != name


@pytest.mark.parametrize("public", [False, True])
def test_publishing(online: Server, public: bool) -> None:
    assert publish_chart("team", public=public) == f"team/{preset_name()}"
    (chart,) = online.answers.charts
    assert chart["entity"] == "team"
    assert chart["chartName"] == preset_name()
    assert chart["chartType"] == "vega2"
    assert chart["access"] == ("PUBLIC" if public else "PRIVATE")
    assert json.loads(chart["spec"]) == chart_spec()
    assert not online.answers.unknown


def test_one_that_is_there_is_fine(online: Server) -> None:
    online.statuses["CreateCustomChart"] = 409
    assert publish_chart(None) == f"{ENTITY}/{preset_name()}"


def test_one_that_is_refused_is_told(online: Server) -> None:
    online.statuses["CreateCustomChart"] = 403
    with pytest.raises(PublishFailed, match=r"could not be published for 'team'. Seen: .*played. Run `wandb login`"):
        publish_chart("team")


@pytest.mark.parametrize("fault", ["error", "hang"])
def test_a_server_that_fails_costs_no_more_than_the_limit(online: Server, fault: str) -> None:
    online.fault = fault
    begun = time.monotonic()
    with pytest.raises(PublishFailed, match="no answer within 4 s"):
        publish_chart("team", limit=4)
    assert time.monotonic() - begun < 15


def test_setup_publishes_in_the_background(online: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = time.monotonic()
    torchexplorer.setup(entity="team")
    assert time.monotonic() - begun < 0.5
    until = time.monotonic() + 30
    while not online.answers.charts and time.monotonic() < until:
        time.sleep(0.05)
    assert [chart["entity"] for chart in online.answers.charts] == ["team"]


def test_setup_stays_away_from_the_network_where_runs_are_offline() -> None:
    assert publish_in_background(None) is None
    torchexplorer.setup()


def test_setup_is_quiet_without_a_login(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: object, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**server.environment(), "HOME": str(tmp_path), "WANDB_API_KEY": ""}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("WANDB_API_KEY")
    thread = publish_in_background(None)
    assert thread is not None
    thread.join(30)
    assert not server.answers.charts
    assert not capfd.readouterr().err


def test_the_app_leaves_the_chart_as_it_is() -> None:
    spec = chart_spec()
    assert not lint(spec)
    changed = injected(spec, {})
    assert {key: value for key, value in changed.items() if key != "autosize"} == {
        key: value for key, value in spec.items() if key != "autosize"
    }


def test_the_command(online: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["publish-chart", "--entity", "team", "--public"]) == 0
    assert f"team/{preset_name()}" in capsys.readouterr().out
    online.statuses["CreateCustomChart"] = 403
    assert main(["publish-chart", "--entity", "team"]) == 1
    assert "could not be published" in capsys.readouterr().err
