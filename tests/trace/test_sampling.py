"""Samples: every position is as likely, no generator moves, and every kind of tensor gives its values."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from torchexplorer import Key
from torchexplorer.trace.sampling import Sampler

SEEDS = 200


@pytest.mark.parametrize(("size", "sample_n"), [(50, 10), (97, 1), (64, 63)])
def test_positions_are_uniform(size: int, sample_n: int) -> None:
    """Chi-square over cells, and over pairs of neighbours; the limits are passed by chance once in 10,000."""
    drawn = np.zeros(size)
    for seed in range(SEEDS):
        values, seen = Sampler(sample_n, seed=seed).take(torch.arange(size)) or (torch.empty(0), 0)
        assert seen == size
        assert values.unique().numel() == sample_n
        drawn[values.numpy()] += 1
    expected = SEEDS * sample_n / size
    variance = expected * (1 - sample_n / size)  # draws without replacement
    statistic = float(((drawn - expected) ** 2 / variance).sum() * (size - 1) / size)
    freedom = size - 1
    limit = freedom * (1 - 2 / (9 * freedom) + 3.719 * np.sqrt(2 / (9 * freedom))) ** 3  # Wilson and Hilferty
    assert statistic < limit


def test_equal_sizes_get_equal_positions_and_no_generator_moves() -> None:
    states = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    sampler = Sampler(10)
    one, other = sampler.take(torch.arange(100)), sampler.take(torch.arange(100).reshape(10, 10).T)
    assert one is not None
    assert other is not None
    assert (one[0] // 10 + one[0] % 10 * 10).tolist() == other[0].tolist()
    assert torch.equal(states[0], torch.get_rng_state())
    assert states[1] == random.getstate()
    assert states[2] == np.random.get_state()[1].tolist()


def test_all_elements_are_those_of_numpy(watch: Any) -> None:
    """From the tensor through binning to the history, with nothing sampled and nothing rejected."""
    model = nn.Linear(7, 5)
    watcher = watch(model, sample_n=None, reject_outlier_proportion=0.0)
    inputs = [torch.randn(300, 7) * scale for scale in (1.0, 50.0, 1e-3)]
    for x in inputs:
        model(x).square().sum().backward()
    history = watcher.histograms[Key("", 0, "input", "input")]
    for row, x in enumerate(inputs):
        values = x.numpy().ravel().astype(np.float64)
        counts, _ = np.histogram(values, history.edges)
        assert history.counts[row].tolist() == counts.tolist()
        assert history.seen[row] == history.counts[row].sum() == values.size
        assert (history.min[row], history.max[row]) == (values.min(), values.max())
        assert history.mean[row] == pytest.approx(values.mean(), rel=1e-12)
        assert history.std[row] == pytest.approx(values.std(), rel=1e-12)


def quantized(x: Tensor) -> Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch moves quantization to another package
        return torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)


def nested(x: Tensor) -> Tensor:
    return torch.nested.nested_tensor([x[:1], x], layout=torch.jagged)


KINDS: dict[str, tuple[Callable[[Tensor], Tensor], int]] = {
    **{
        str(dtype).removeprefix("torch."): (lambda x, dtype=dtype: x.to(dtype), 12)  # type: ignore[misc]
        for dtype in (
            *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
            *(torch.uint16, torch.uint32, torch.uint64),
            *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128),
            *(getattr(torch, name) for name in ("float8_e4m3fn", "float8_e5m2") if hasattr(torch, name)),
        )
    },
    "sparse coo": (lambda x: x.to_sparse(), 11),
    "sparse csr": (lambda x: x.to_sparse_csr(), 11),
    "nested": (nested, 16),
    "quantized": (quantized, 12),
    "meta": (lambda x: x.to("meta"), 0),
    "empty": (lambda x: x[:0], 0),
    "0-d": (lambda x: x.sum(), 1),
    "expanded": (lambda x: x[:, :1].expand(3, 4), 12),
    "conjugate": (lambda x: (x + 1j).conj(), 12),
}


class Holds(nn.Module):
    """Gives out what it gets, and holds a parameter of the same kind where there can be one."""

    def __init__(self, value: Tensor) -> None:
        super().__init__()
        self.held = nn.Parameter(value, requires_grad=False)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, value: Tensor, x: Tensor) -> dict[str, Tensor]:
        return {"value": value, "y": x * self.scale}


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta", "ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_tensor(watch: Any, name: str) -> None:
    make, size = KINDS[name]
    value = make(torch.arange(12.0).reshape(3, 4))
    try:
        model = Holds(value)
    except (RuntimeError, NotImplementedError):
        model = Holds(torch.zeros(0))
    watcher = watch(model)
    model(value, torch.ones(2))["y"].sum().backward()
    found = {key.kind: history for key, history in watcher.histograms.items() if key.name in {"value", "held"}}
    expected = {"input", "output"} | ({"param"} if model.held.numel() else set())
    assert found.keys() == (set() if name == "meta" else {*expected, "param"})
    for kind, history in found.items():
        counted = history.counts.sum() + history.nan + history.posinf + history.neginf + history.rejected
        assert counted.tolist() == history.seen.tolist() == [size if kind != "param" or model.held.numel() else 0]
    values = [node for node in watcher.structure.nodes if node.kind == "input"]
    assert len(values) == 2
