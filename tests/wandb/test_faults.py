"""A server that is away, answers 500 or does not answer: training goes on, and no step waits."""

from collections.abc import Callable
from typing import Any

import pytest

CODE = """
from tests.wandb.server import Server
with Server() as server:
    os.environ.update(server.environment())
    run = wandb.init(project="p", settings=quick)
    model = small()
    watcher = torchexplorer.watch(model, log_freq=1, verbose=False, wandb_transport={transport!r}, wandb_interval=0.05)
    for step in range(40):
        train(model)
        run.log({{"loss": step}})
    server.fault = {fault!r}
    steps, logs = [], []
    until = time.monotonic() + 2.5
    while time.monotonic() < until:
        begun = time.perf_counter()
        train(model)
        between = time.perf_counter()
        run.log({{"loss": 1}})
        steps.append(between - begun)
        logs.append(time.perf_counter() - between)
    begun = time.perf_counter()
    watcher.remove()
    print(json.dumps([len(steps), max(steps), max(logs), time.perf_counter() - begun]), flush=True)
    os._exit(0)
"""


@pytest.mark.parametrize(
    ("transport", "fault"), [("log", "outage"), ("log", "error"), ("log", "hang"), ("file", "hang")]
)
def test_no_step_waits(script: Callable[..., Any], transport: str, fault: str) -> None:
    steps, worst_step, worst_log, remove = script(CODE.format(transport=transport, fault=fault))
    assert steps > 40
    assert worst_step < 1
    assert worst_log < 1
    assert remove < 2
