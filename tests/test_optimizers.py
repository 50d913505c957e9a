"""What is told of the optimizer's side: the loss scale taken out, and how far a step moves each parameter."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import torchexplorer
from torchexplorer import Key, Watcher
from torchexplorer.layout import place
from torchexplorer.render import explorer_rows, levels
from torchexplorer.trace.scale import unscaled
from torchexplorer.trace.updates import Updates


def small() -> nn.Sequential:
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))


def updates(watcher: Watcher) -> dict[tuple[str, str], list[float]]:
    """The recorded ratios, step by step, by path and name."""
    found = {key: history for key, history in watcher.histograms.items() if key.kind == "param_update"}
    return {(key.path, key.name): [float(value) for value in history.mean] for key, history in found.items()}


def test_gradients_are_without_the_loss_scale(watch: Any) -> None:
    def run(scaled: bool) -> Any:
        torch.manual_seed(0)
        model = small()
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12, growth_interval=1, enabled=scaled)
        watcher = watch(model, grad_scaler=scaler, sample_n=None)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(3):
            scaler.scale(model(torch.randn(5, 3)).square().mean()).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
        return watcher.histograms

    plain, scaled = run(False), run(True)
    gradients = [key for key in plain if key.kind.endswith("_grad")]
    assert {key.kind for key in gradients} == {"input_grad", "output_grad", "param_grad"}
    assert set(plain) == set(scaled)
    for key in gradients:  # powers of two go in and out without rounding
        np.testing.assert_array_equal(scaled[key].mean, plain[key].mean, str(key))
        np.testing.assert_array_equal(scaled[key].counts, plain[key].counts, str(key))


def test_without_the_scaler_gradients_stay_scaled(watch: Any) -> None:
    model = nn.Linear(3, 1)
    watcher = watch(model)
    (model(torch.ones(1, 3)).sum() * 1024).backward()
    assert watcher.histograms[Key("", 0, "param_grad", "weight")].mean.tolist() == [1024.0]


def test_small_half_gradients_do_not_vanish() -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16)
    assert unscaled(torch.ones(1), scaler) == 1  # no loss has been scaled yet
    scaler.scale(torch.ones(()))
    values = unscaled(torch.full((2,), 2.0**-20, dtype=torch.float16), scaler)
    assert values.dtype == torch.float32
    assert values.tolist() == [2.0**-36, 2.0**-36]
    assert unscaled(torch.ones(1, dtype=torch.float64), scaler).dtype == torch.float64


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.AdamW])
def test_the_ratio_of_update_to_weight(watch: Any, make: Any) -> None:
    model = small()
    optimizer = make(model.parameters(), 0.1)
    watcher = watch(model, optimizer=optimizer)
    expected: dict[tuple[str, str], list[float]] = {}
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 3)).sum().backward()
        before = {name: value.detach().clone() for name, value in model.named_parameters()}
        optimizer.step()
        for name, value in model.named_parameters():
            ratio = (value.detach() - before[name]).norm() / before[name].norm()
            path, _, own = name.rpartition(".")
            expected.setdefault((path, own), []).append(float(ratio))
    seen = updates(watcher)
    assert seen.keys() == expected.keys()
    for key, ratios in expected.items():
        assert seen[key] == pytest.approx(ratios, rel=1e-6)


def test_a_step_that_runs_forward_and_backward_itself(watch: Any) -> None:
    """As Lightning does with every optimizer."""
    model = nn.Linear(2, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), 0.5)
    watcher = watch(model, optimizer=[optimizer])

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss: torch.Tensor = model(torch.ones(1, 2)).sum()
        loss.backward()
        return loss

    expected = []
    for _ in range(3):
        before = model.weight.detach().clone()
        optimizer.step(closure)
        expected.append(float((model.weight.detach() - before).norm() / before.norm()))
    assert updates(watcher)["", "weight"] == pytest.approx(expected, rel=1e-6)


def test_what_gives_no_ratio(watch: Any) -> None:
    model = small()
    model[0].requires_grad_(False)
    nn.init.zeros_(model[2].bias)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watcher = watch(model, optimizer=optimizer)
    model(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    seen = updates(watcher)
    assert seen.keys() == {("2", "weight"), ("2", "bias")}
    assert watcher.histograms[Key("2", 0, "param_update", "bias")].posinf.tolist() == [1]  # from zero


def test_a_step_that_the_scaler_skips_gives_no_ratio(watch: Any) -> None:
    model = nn.Linear(2, 1)
    scaler = torch.amp.GradScaler("cpu")
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watcher = watch(model, optimizer=optimizer, grad_scaler=scaler)
    for factor in (1.0, float("inf"), 1.0):
        optimizer.zero_grad()
        scaler.scale(model(torch.ones(1, 2)).sum() * factor).backward()
        scaler.step(optimizer)
        scaler.update()
    assert watcher.histograms[Key("", 0, "param_update", "weight")].steps.tolist() == [0, 2]


def hooks(optimizer: torch.optim.Optimizer) -> int:
    return len(optimizer._optimizer_step_pre_hooks) + len(optimizer._optimizer_step_post_hooks)


def test_hooks_and_copies_are_there_only_while_a_recorded_step_is_open(watch: Any) -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watcher = watch(model, optimizer=optimizer, log_freq=2)
    counts = []
    for _ in range(4):
        model(torch.randn(5, 3)).sum().backward()
        optimizer.step()
        counts.append(hooks(optimizer))
    assert counts == [2, 0, 2, 0]
    model(torch.randn(5, 3)).sum().backward()
    kept = watcher._tracer._updates
    assert len(kept._before) == 4
    optimizer.step()
    assert not kept._before
    assert hooks(copy.deepcopy(optimizer)) == hooks(pickle.loads(pickle.dumps(optimizer))) == 0
    watcher.remove()
    assert hooks(optimizer) == 0


def test_an_optimizer_is_not_kept_alive(watch: Any) -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watch(model, optimizer=optimizer)
    gone = weakref.ref(optimizer)
    model(torch.randn(5, 3)).sum().backward()
    del optimizer
    gc.collect()
    assert gone() is None
    model(torch.randn(5, 3)).sum().backward()


@pytest.mark.parametrize("method", ["_copy", "_measure"])
def test_a_fault_in_an_optimizer_hook_ends_the_watch_alone(
    watch: Any, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def fail(*args: Any) -> None:
        raise ZeroDivisionError("ours")

    monkeypatch.delenv("TORCHEXPLORER_ON_ERROR")
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watcher = watch(model, optimizer=optimizer)
    optimizer.register_step_pre_hook(lambda *event: None)
    model(torch.randn(5, 3)).sum().backward()
    optimizer.register_step_pre_hook(lambda *event: None)  # after ours in the table
    optimizer.register_step_post_hook(lambda *event: None)
    model[0].weight.data.mul_(2)
    monkeypatch.setattr(Updates, method, fail)
    with pytest.warns(torchexplorer.WatchFailed, match="ours"):
        optimizer.step()
    optimizer.step()
    watcher.remove()
    assert hooks(optimizer) == 3


def test_a_ratio_has_a_line_among_the_parameters(watch: Any) -> None:
    model = small()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watcher = watch(model, optimizer=optimizer)
    model(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    histories, graph = watcher.histograms, watcher.structure
    rows = explorer_rows(graph, place(levels(graph)), histories, run="r", step=0, time=0.0, time_unit="step")
    (parameters,) = [row for row in rows if row["kind"] == "series" and row["uid"] == "0#@train"]
    assert "param\x1fvalue\x1fweight: update / weight" in str(parameters["texts"]).split("\x1e")


def test_wrong_arguments(watch: Any) -> None:
    with pytest.raises(TypeError, match=r"can't use this grad_scaler\. Seen: 3\. Give a torch\.amp\.GradScaler"):
        watch(nn.Linear(1, 1), grad_scaler=3)
    with pytest.raises(TypeError, match=r"can't use this optimizer\. Seen: 'adam'\. Give a torch\.optim\.Optimizer"):
        watch(nn.Linear(1, 1), optimizer="adam")
