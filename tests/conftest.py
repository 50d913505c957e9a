"""What holds for every test: nothing of ours is left behind, our faults are loud, wandb writes only below tmp_path.

In: nothing. Out: the autouse fixture `leave_no_trace`, and `watch`, which watches in memory and stops after the test.
"""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.modules import module as torch_module

GLOBAL_HOOKS = [name for name in vars(torch_module) if name.startswith("_global_") and name.endswith("_hooks")]


@pytest.fixture(autouse=True)
def leave_no_trace(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Seeds the generators, then checks that the test left torch's global state as it found it."""
    monkeypatch.setenv("TORCHEXPLORER_ON_ERROR", "raise")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "false")
    for name in ("WANDB_DIR", "WANDB_DATA_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    before = traces()
    yield
    after = traces()
    assert after == before, "this test left traces in torch's global state"


def traces() -> dict[str, Any]:
    """The global state of torch that a watcher could disturb."""
    return {
        "global module hooks": {name: len(getattr(torch_module, name)) for name in GLOBAL_HOOKS},
        "torch function modes": len(torch.overrides._get_current_function_mode_stack()),
        "default dtype": torch.get_default_dtype(),
        "gradients enabled": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
    }


@pytest.fixture
def watch() -> Iterator[Callable[..., Any]]:
    """`torchexplorer.watch` with every step recorded and kept in memory; removed after the test."""
    import torchexplorer

    watchers: list[Any] = []

    def begin(model: torch.nn.Module, **options: Any) -> Any:
        watchers.append(torchexplorer.watch(model, **{"log_freq": 1, "backend": "none", **options}))
        return watchers[-1]

    yield begin
    for watcher in watchers:
        watcher.remove()
