"""Which steps are recorded: numbers, functions, `log_spaced`, and the schedule of `eval()` calls."""

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn

from torchexplorer import Watcher, log_spaced


def recorded(schedule: Any, upto: int) -> list[int]:
    return [step for step in range(upto + 1) if schedule(step)]


def test_log_spaced_is_its_formula() -> None:
    assert recorded(log_spaced(1, 1000, 2), 2000) == [1, 3, 10, 32, 100, 316, 1000]
    assert recorded(log_spaced(0, 100, 1), 2000) == [0, 1, 10, 100]
    assert recorded(log_spaced(5, 60, 1), 2000) == [5, 50]
    assert recorded(log_spaced(7, 7, 3), 20) == [7]
    assert recorded(log_spaced(0, 0, 3), 20) == [0]


def test_a_schedule_can_be_copied_and_read() -> None:
    schedule = log_spaced(1, 10**12, 50)
    assert copy.deepcopy(schedule) == pickle.loads(pickle.dumps(schedule)) == schedule
    assert repr(schedule) == "log_spaced(1, 1000000000000, 50)"


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ((-1, 10, 1), ValueError, "this first. Seen: -1. Give a whole number from 0 to"),
        ((10, 5, 1), ValueError, "this last. Seen: 5. Give a whole number from 10 to"),
        ((1, 10, 0), ValueError, "this per_decade. Seen: 0. Give a whole number from 1 to 1000."),
        ((1.0, 10, 1), TypeError, "this first. Seen: 1.0. Give"),
        ((1, "10", 1), TypeError, "this last. Seen: '10'. Give"),
        ((1, 10, True), TypeError, "this per_decade. Seen: True. Give"),
    ],
)
def test_wrong_numbers(arguments: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        log_spaced(*arguments)
    assert text in str(caught.value)
    assert str(caught.value).startswith("log_spaced() can't use")


def steps_of(watcher: Watcher, phase: str) -> list[int]:
    found = {tuple(history.steps) for key, history in watcher.histograms.items() if key.phase == phase}
    return sorted({int(step) for steps in found for step in steps})


def train_and_evaluate(model: nn.Module, times: int) -> None:
    for _ in range(times):
        model.train()
        model(torch.randn(2, 3)).sum().backward()
        model.eval()
        with torch.no_grad():
            model(torch.randn(2, 3))


@pytest.mark.parametrize(
    ("options", "train", "evaluation"),
    [
        ({"log_freq": 3}, [0, 3, 6], [0, 3, 6]),
        ({"log_freq": 3, "eval_log_freq": 2}, [0, 3, 6], [0, 2, 4, 6]),
        ({"log_freq": log_spaced(1, 100, 2)}, [1, 3], [1, 3]),
        ({"log_freq": 100, "eval_log_freq": lambda step: step > 4}, [0], [5, 6]),
        ({"eval_log_freq": lambda step: False}, [0, 1, 2, 3, 4, 5, 6], []),
    ],
)
def test_each_phase_has_its_schedule(watch: Any, options: Any, train: list[int], evaluation: list[int]) -> None:
    model = nn.Linear(3, 1)
    watcher = watch(model, **options)
    train_and_evaluate(model, 7)
    assert steps_of(watcher, "train") == train
    assert steps_of(watcher, "eval") == evaluation


@pytest.mark.parametrize("name", ["log_freq", "eval_log_freq"])
def test_a_wrong_schedule(watch: Any, name: str) -> None:
    with pytest.raises(
        ValueError, match=rf"watch\(\) can't use this {name}\. Seen: 0\. Give a whole number of at least 1"
    ):
        watch(nn.Linear(1, 1), **{name: 0})
