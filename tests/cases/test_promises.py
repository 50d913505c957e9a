"""The three promises: watching changes nothing, never ends a run, and costs next to nothing between recorded steps."""

import copy
import gc
import io
import os
import pickle
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from tests.reading import only, series

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def hooks(model: nn.Module) -> int:
    return sum(len(getattr(module, name)) for module in model.modules() for name in HOOKS)


def layers() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())


def train(model: nn.Module, steps: int = 1) -> None:
    for _ in range(steps):
        model(torch.randn(6, 4)).sum().backward()


def test_copies_and_pickles_are_not_watched(watch: Any) -> None:
    model = layers()
    watcher = watch(model)
    train(model)
    stream = io.BytesIO()
    torch.save(model, stream)
    stream.seek(0)
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(stream, weights_only=False)]
    for each in copies:
        train(each, 2)
    assert len(only(series(watcher, path="0", kind="input")).times) == 1
    train(model)
    assert len(only(series(watcher, path="0", kind="input")).times) == 2


def test_saving_warns_of_nothing(watch: Any) -> None:
    model = layers()
    watch(model)
    train(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.save(model.state_dict(), io.BytesIO())
        torch.save(list(model.parameters()), io.BytesIO())
        copy.deepcopy(list(model.parameters()))


def test_watching_twice_replaces_the_first_watch(watch: Any) -> None:
    model = layers()
    watch(model)
    before = hooks(model)
    second = watch(model)
    assert hooks(model) == before
    train(model)
    assert series(second, path="0", kind="input")


def test_remove_restores_the_model(watch: Any) -> None:
    model = layers()
    before = [set(vars(module)) for module in model.modules()]
    for _ in range(2):
        watcher = watch(model)
        train(model)
        watcher.remove()
        watcher.remove()
        assert hooks(model) == 0
        assert [set(vars(module)) for module in model.modules()] == before
    assert series(watcher, path="0", kind="input")


def test_names_and_state_stay(watch: Any) -> None:
    def names(model: nn.Module) -> list[list[str]]:
        parts = (model.named_parameters, model.named_buffers, model.named_modules)
        attributes = [sorted(vars(module)) for module in model.modules()]
        return [list(model.state_dict()), *([name for name, _ in part()] for part in parts), *attributes]

    model = layers()
    before = names(model)
    watch(model)
    assert names(model) == before
    train(model)
    assert names(model) == before
    layers().load_state_dict(model.state_dict())


def test_averaged_models(watch: Any) -> None:
    model = layers()
    watch(model)
    average = torch.optim.swa_utils.AveragedModel(model)
    for _ in range(2):
        train(model)
        average.update_parameters(model)
        train(copy.deepcopy(model))


def test_no_graph_is_kept(watch: Any) -> None:
    model = layers()
    watch(model)
    unused = model(torch.randn(6, 4))
    reference = weakref.ref(unused)
    del unused
    train(model)
    gc.collect()
    assert reference() is None


def test_a_model_that_goes_away_is_freed(watch: Any) -> None:
    import torchexplorer

    model = layers()
    torchexplorer.watch(model, log_freq=1, backend="none").flush()
    train(model)
    reference = weakref.ref(model[0])
    del model
    gc.collect()
    assert reference() is None


def test_training_is_the_same_bit_for_bit(watch: Any) -> None:
    def run(begin: Callable[[nn.Module], Any]) -> tuple[list[torch.Tensor], torch.Tensor]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
        begin(model)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        losses = []
        for _ in range(4):
            optimizer.zero_grad()
            losses.append(model(torch.randn(600, 4)).sum())
            losses[-1].backward()
            optimizer.step()
        gradients = [parameter.grad for parameter in model.parameters()]
        return [*losses, *gradients, *model.state_dict().values()], torch.get_rng_state()

    plain, watched = run(lambda model: None), run(watch)
    assert all(torch.equal(ours, theirs) for ours, theirs in zip(watched[0], plain[0], strict=True))
    assert torch.equal(watched[1], plain[1])


def test_between_recorded_steps_there_is_one_watched_module(watch: Any) -> None:
    model = nn.Sequential(*[nn.Linear(8, 8) for _ in range(50)])
    watch(model, log_freq=1000)
    seen: list[int] = []
    model[0].register_forward_hook(lambda *_: seen.append(hooks(model) - hooks_of(model)))
    for _ in range(3):
        model(torch.randn(2, 8)).sum().backward()
    first, *later = seen
    assert first >= 50
    assert later == [1, 1]  # the test's own hook


def hooks_of(module: nn.Module) -> int:
    return sum(len(getattr(module, name)) for name in HOOKS)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_files_and_limits_stay_as_they_were(watch: Any) -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = len(os.listdir("/proc/self/fd"))
    model = layers()
    watcher = watch(model)
    train(model, 40)
    watcher.flush()
    assert len(os.listdir("/proc/self/fd")) - before < 20
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == limits
