"""Brings what hooks gathered to the host, all at once.

In: (key, tensor, seen) triples. Out: Sample records. State: the triples not brought over yet, and the gradients of
inputs and outputs from earlier backward passes; owned by a Step.
"""

from __future__ import annotations

import threading
from collections import defaultdict

import numpy as np
import torch
from torch import Tensor

from torchexplorer.trace.records import Key, Sample

_NUMPY_KNOWS = {torch.float32, torch.float64, torch.float16}

MAX_PASSES = 64
"""Backward passes of one step whose values are joined; those of further passes are left out."""

_Triple = tuple[Key, np.ndarray, int]


class Gathered:
    """Samples that wait on their devices. Threads of the backward pass may add at the same time."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Key, Tensor, int]] = []
        self._passes: dict[Key, list[_Triple]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, key: Key, values: Tensor, seen: int) -> None:
        """Keep `values`, shape (n,), for `key`."""
        self._waiting.append((key, values, seen))

    def bring(self) -> tuple[Sample, ...]:
        """Everything gathered, on the host, joined per key; one copy per device and dtype.

        Gradients of inputs and outputs come with those of the step's earlier backward passes.
        """
        with self._lock:
            waiting, self._waiting = self._waiting, []
        groups: dict[tuple[torch.device, torch.dtype], list[int]] = defaultdict(list)
        for index, (_, values, _) in enumerate(waiting):
            groups[values.device, values.dtype].append(index)
        arrays: dict[int, np.ndarray] = {}
        for indices in groups.values():
            host = to_host(torch.cat([waiting[index][1] for index in indices]))
            ends = np.cumsum([waiting[index][1].numel() for index in indices])
            arrays.update(zip(indices, np.split(host, ends[:-1]), strict=True))
        return _joined(self._all_passes([(key, arrays[index], seen) for index, (key, _, seen) in enumerate(waiting)]))

    def _all_passes(self, fresh: list[_Triple]) -> list[_Triple]:
        found: list[_Triple] = []
        for triple in fresh:
            if triple[0].kind not in ("input_grad", "output_grad"):
                found.append(triple)
                continue
            passes = self._passes.setdefault(triple[0], [])
            if len(passes) < MAX_PASSES:
                found.extend([*passes, triple])
                passes.append(triple)
        return found


def to_host(values: Tensor) -> np.ndarray:
    """A tensor as a floating-point array. Integers become float64, which holds them exactly up to 2**53."""
    if values.dtype not in _NUMPY_KNOWS:
        values = values.double() if not values.is_floating_point() else values.float()
    return np.asarray(values.cpu().numpy())


def _joined(samples: list[_Triple]) -> tuple[Sample, ...]:
    """One Sample per key, with all of its values."""
    parts: dict[Key, list[np.ndarray]] = {}
    seen: dict[Key, int] = {}
    for key, values, count in samples:
        parts.setdefault(key, []).append(values)
        seen[key] = seen.get(key, 0) + count
    return tuple(
        Sample(key, arrays[0] if len(arrays) == 1 else np.concatenate(arrays), seen[key])
        for key, arrays in parts.items()
    )
