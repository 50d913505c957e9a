"""Which run a chart goes to: a late one, the next one, a given one, one that ends in mid-training, none."""

import os
from collections.abc import Callable
from typing import Any

import pytest

import torchexplorer
from tests.wandb.offline_log import read_log
from tests.wandb.test_offline import Begin, finished, meta_step, small, train

TOLD = "no run of Weights & Biases"


def test_a_late_run_is_picked_up(begin: Begin, capfd: pytest.CaptureFixture[str]) -> None:
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1)
    train(model, 2)
    watcher.flush()
    run = begin()
    train(model, 3)
    assert meta_step(finished(run)) == 4
    assert TOLD not in capfd.readouterr().err


def test_a_run_after_the_last_step_gets_the_chart(begin: Begin) -> None:
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1)
    train(model, 2)
    run = begin()
    watcher.remove()
    assert meta_step(finished(run)) == 1


def test_that_none_comes_is_told_once(capfd: pytest.CaptureFixture[str]) -> None:
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1)
    train(model, 20)
    watcher.remove()
    error = capfd.readouterr().err
    assert error.count(TOLD) == 1
    assert "wandb.init()" in error


def test_a_run_that_ends_in_mid_training_has_all_until_then(begin: Begin, capfd: pytest.CaptureFixture[str]) -> None:
    run = begin()
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1)
    train(model, 5)
    log = finished(run)
    train(model, 5)
    watcher.remove()
    assert meta_step(log) == 4
    assert not capfd.readouterr().err


def test_each_run_of_a_sweep_has_its_own_chart(begin: Begin) -> None:
    watchers, logs = [], []
    for steps in (3, 5):
        run = begin()
        model = small()
        watchers.append(torchexplorer.watch(model, log_freq=1))
        train(model, steps)
        log = finished(run)
        logs.append(log)
        assert {row["run"] for row in log.rows("explorer_chart_0")} == {run.id}
    assert [meta_step(log) for log in logs] == [2, 4]
    assert [set(log.charts) for log in logs] == [{"explorer_chart_0"}] * 2


def test_an_earlier_watch_writes_nothing_into_the_next_run(begin: Begin) -> None:
    first = begin()
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1)
    train(model, 3)
    first.finish()
    train(model, 1)
    watcher.flush()
    second = begin()
    watcher.remove()
    log = finished(second)
    assert not log.charts
    assert not log.history


def test_one_watch_goes_on_in_the_next_run(begin: Begin) -> None:
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1)
    for steps in (3, 6):
        run = begin()
        train(model, 3)
        assert meta_step(finished(run)) == steps - 1
    watcher.remove()


def test_a_run_that_is_given(begin: Begin) -> None:
    active = begin()
    given = begin(reinit="create_new")
    model = small()
    torchexplorer.watch(model, log_freq=1, run=given)
    train(model, 3)
    log = finished(given)
    assert meta_step(log) == 2
    assert not finished(active).charts


def test_the_name_that_was_given_is_in_the_rows(begin: Begin) -> None:
    run = begin()
    model = small()
    torchexplorer.watch(model, log_freq=1, run_name="mine")
    train(model, 1)
    assert {row["run"] for row in finished(run).rows("explorer_chart_0")} == {f"mine ({run.id})"}


def test_the_end_of_the_process_sends_the_newest(script: Callable[..., Any]) -> None:
    path = script(
        """
        model = small()
        torchexplorer.watch(model, log_freq=1, verbose=False)  # its exit handler is older than that of the run
        run = wandb.init(project="p", settings=quick)
        for step in range(7):
            train(model)
            if step == 0:
                time.sleep(2)  # the chart's entry goes out with the first table, which joins a row of the user's
            run.log({"loss": step})
        print(json.dumps(run.settings.sync_file))
        """
    )
    log = read_log(path)
    assert meta_step(log) == 6
    assert len(log.history) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_is_silent(script: Callable[..., Any]) -> None:
    path = script(
        """
        import warnings
        warnings.simplefilter("ignore")
        run = wandb.init(project="p", settings=quick)
        model = small()
        watcher = torchexplorer.watch(model, log_freq=1, verbose=False)
        train(model)
        child = os.fork()
        train(model)
        if child == 0:
            train(model)
            watcher.flush()
            watcher.remove()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(json.dumps(run.settings.sync_file))
        """
    )
    assert meta_step(read_log(path)) == 1
