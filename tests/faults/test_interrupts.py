"""What the user's side may do in the middle of a recorded step: interrupt it, fail, use threads, forbid warnings."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchexplorer
from tests.faults.training import Net, hooks, train
from torchexplorer import Key
from torchexplorer.stats import HistoryBook
from torchexplorer.trace.capture import Capture
from torchexplorer.worker import QUEUE_LENGTH, Worker


class Fragile(torch.autograd.Function):
    """Passes on what it gets; raises what it is told to, in its forward or in its backward."""

    raises: dict[str, type[BaseException]] = {}  # noqa: RUF012

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        Fragile.fail("forward")
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # type: ignore[override]
        Fragile.fail("backward")
        return grad

    @staticmethod
    def fail(where: str) -> None:
        if where in Fragile.raises:
            raise Fragile.raises.pop(where)


class Fails(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net, self.last = Net(), nn.Linear(6, 1)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.last(Fragile.apply(self.net(x)))
        return y


def sgd(model: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.SGD(model.parameters(), 0.05)


def interrupted_training(begin: Callable[[nn.Module], Any], where: str, kind: type[BaseException]) -> Any:
    torch.manual_seed(0)
    model = Fails()
    optimizer = sgd(model)
    watcher = begin(model)
    train(model, optimizer, 3)
    Fragile.raises = {where: kind}
    with pytest.raises(kind):
        train(model, optimizer, 3)
    assert not Fragile.raises
    train(model, optimizer, 3)
    return watcher, model


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("where", ["forward", "backward"])
def test_a_step_broken_off_by_the_user(watch: Any, where: str, kind: type[BaseException]) -> None:
    _, expected = interrupted_training(lambda model: None, where, kind)
    watcher, model = interrupted_training(watch, where, kind)
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), expected.parameters(), strict=True))
    found = watcher.histograms
    for kind_of in ("output", "output_grad", "param_grad"):
        steps = [history.steps.tolist() for key, history in found.items() if key.path == "last" and key.kind == kind_of]
        assert steps
        assert all({0, 1, 2, 4, 5, 6} <= set(each) for each in steps), kind_of
    assert [child.path for child in watcher.structure.nodes if child.kind == "module"] == ["net", "last"]
    watcher.remove()
    assert hooks(model) == 0


@pytest.mark.parametrize("place", ["inputs", "outputs", "close"])
def test_a_key_pressed_inside_our_code(watch: Any, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    model = Net()
    optimizer = sgd(model)
    watcher = watch(model)
    train(model, optimizer, 2)

    def press(*args: Any) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(Capture, place, press)
    with pytest.raises(KeyboardInterrupt):
        train(model, optimizer, 1)
    train(model, optimizer, 2)
    assert watcher.histograms[Key("first", 0, "output_grad", "0")].steps.tolist()[-2:] == [3, 4]
    watcher.remove()
    assert hooks(model) == 0


@pytest.mark.parametrize("install", ["register_forward_pre_hook", "register_forward_hook"])
def test_a_failing_hook_of_the_user(watch: Any, install: str) -> None:
    model = Net()
    optimizer = sgd(model)
    watcher = watch(model)

    def fail(*event: Any) -> None:
        raise LookupError("the user's")

    for module in (model, model.second):
        handle = getattr(module, install)(fail)
        with pytest.raises(LookupError, match="the user's"):
            train(model, optimizer, 1)
        handle.remove()
        train(model, optimizer, 1)
    assert watcher.histograms[Key("second", 1, "output_grad", "0")].steps.tolist() == [1, 3]


def test_a_failing_gradient_hook_of_the_user(watch: Any) -> None:
    model = Net()
    optimizer = sgd(model)
    watcher = watch(model)
    handle = model.first.weight.register_hook(lambda grad: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(model, optimizer, 1)
    handle.remove()
    train(model, optimizer, 2)
    assert watcher.histograms[Key("first", 0, "param_grad", "weight")].steps.tolist() == [1, 2]


def test_a_training_in_a_thread(watch: Any) -> None:
    def run(begin: Callable[[nn.Module], Any]) -> Any:
        torch.manual_seed(0)
        model = Net()
        watcher = begin(model)
        thread = threading.Thread(target=train, args=(model, sgd(model), 5))
        thread.start()
        thread.join()
        return watcher, list(model.parameters())

    _, expected = run(lambda model: None)
    watcher, seen = run(watch)
    assert all(torch.equal(one, other) for one, other in zip(seen, expected, strict=True))
    assert watcher.histograms[Key("second", 1, "output_grad", "0")].steps.tolist() == [0, 1, 2, 3, 4]


def test_remove_by_another_thread_in_the_middle_of_a_forward(watch: Any) -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(5, 5)

        def forward(self, x: Tensor) -> Tensor:
            thread = threading.Thread(target=watcher.remove)
            thread.start()
            thread.join()
            y: Tensor = self.layer(x)
            return y

    model = Model()
    watcher = watch(model)
    model(torch.randn(2, 5)).sum().backward()
    assert hooks(model) == 0
    assert not torch.overrides._get_current_function_mode_stack()
    watcher.remove()


def test_a_fault_while_the_training_waits_for_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHEXPLORER_ON_ERROR")
    model = Net()
    watcher = torchexplorer.watch(model, log_freq=1, backend="none")

    def fail_when_full(*args: Any) -> None:
        monkeypatch.setattr(Worker, "_work", lambda *args: None)
        waiting = watcher._worker._queue
        while waiting.qsize() < QUEUE_LENGTH:
            time.sleep(0.001)
        time.sleep(0.05)  # so that the training waits in the middle of handing over
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(Worker, "_work", fail_when_full)
    with pytest.warns(torchexplorer.WatchFailed, match="ours"):
        train(model, sgd(model), 50)
    watcher.remove()
    assert hooks(model) == 0


def test_warnings_as_errors_do_not_end_training(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.delenv("TORCHEXPLORER_ON_ERROR")
    model = Net()
    watcher = torchexplorer.watch(model, log_freq=1, backend="none", time_log=("epoch", lambda module, step: 1 / 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train(model, sgd(model), 2)
        monkeypatch.setattr(HistoryBook, "add", fail)
        train(model, sgd(model), 2)
        watcher.flush()
        train(model, sgd(model), 2)
        watcher.remove()
    told = capsys.readouterr().err
    assert told.count("The function of time_log failed") == 1
    assert told.count("torchexplorer failed and stopped watching") == 1
