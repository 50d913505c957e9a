"""Takes a few elements of a tensor, the same ones for every tensor of the same size.

In: tensors of any kind. Out: one-dimensional tensors on the same device, never more than `sample_n` elements.
State: a cache of indices, made by a generator of its own; the global generators are not touched. No call waits for
an accelerator.
"""

from __future__ import annotations

import random

import torch
from torch import Tensor

_FLOAT8 = tuple(getattr(torch, name) for name in dir(torch) if name.startswith("float8_"))
_CACHED_SIZES = 512


class Sampler:
    """Chooses at most `sample_n` positions of a tensor (None: all), without replacement and independent of values."""

    def __init__(self, sample_n: int | None, *, seed: int = 0) -> None:
        self._sample_n = sample_n
        self._seed = seed
        self._indices: dict[tuple[int, torch.device], Tensor] = {}

    def take(self, tensor: Tensor) -> tuple[Tensor, int] | None:
        """(elements, number of elements the tensor has), or None for a tensor without values (meta, fake).

        Shape: any -> (n,). Complex values become magnitudes, sparse tensors give their stored values, quantized ones
        are dequantized, distributed ones give their local shard.
        """
        whole = plain(tensor)
        if whole is None:
            return None
        if whole.is_complex():
            return self._pick(whole).abs(), whole.numel()
        return self._pick(whole), whole.numel()

    def _pick(self, tensor: Tensor) -> Tensor:
        size = tensor.numel()
        if tensor.dtype in _FLOAT8:
            return self._pick(tensor.view(torch.uint8)).view(tensor.dtype).float()
        if self._sample_n is None or size <= self._sample_n:
            return tensor.reshape(-1).clone()
        index = self._index(size, tensor.device)
        if tensor.is_contiguous():
            return tensor.view(-1).index_select(0, index)
        return tensor.take(index)

    def _index(self, size: int, device: torch.device) -> Tensor:
        known = self._indices.get((size, device))
        if known is None:
            if len(self._indices) >= _CACHED_SIZES:
                self._indices.clear()
            chosen = random.Random(f"{self._seed} {size}").sample(range(size), self._sample_n or 0)
            known = torch.tensor(sorted(chosen), dtype=torch.int64).to(device, non_blocking=True)
            self._indices[size, device] = known
        return known


def plain(tensor: Tensor) -> Tensor | None:
    """The values of a tensor of any kind as a dense strided tensor, detached; None where there are none."""
    tensor = tensor.detach()
    if hasattr(tensor, "to_local"):
        tensor = tensor.to_local()
    if tensor.is_meta or _is_fake(tensor):
        return None
    if tensor.is_nested:
        parts = [part.reshape(-1) for part in tensor.unbind()]
        return torch.cat(parts) if parts else None
    if tensor.layout is torch.sparse_coo:
        return tensor.coalesce().values()
    if tensor.layout is not torch.strided:
        return tensor.values() if "sparse" in str(tensor.layout) else tensor.to_dense()
    if tensor.is_quantized:
        return tensor.dequantize()
    return tensor


def _is_fake(tensor: Tensor) -> bool:
    functorch = getattr(torch._C, "_functorch", None)
    wrapped = functorch is not None and functorch.is_functorch_wrapped_tensor(tensor)
    return bool(wrapped) or type(tensor).__name__ in {"FakeTensor", "FunctionalTensor"}


def grad_norms(grad: Tensor) -> Tensor:
    """Length of each sample's gradient.

    Shape: (batch, ...) -> (batch,), float32 (float64 for double gradients). Unit: loss per unit of the activation.
    A 0-d gradient counts as a batch of one. Source: TorchExplorer's "grad norm".
    """
    if grad.is_nested:
        return torch.cat([grad_norms(part[None]) for part in grad.unbind()])
    if grad.dim() == 0:
        grad = grad.reshape(1)
    dtype = torch.float64 if grad.dtype in (torch.float64, torch.complex128) else torch.float32
    if grad.is_complex():
        grad = torch.view_as_real(grad.resolve_conj()).flatten(-2) if grad.dim() > 1 else grad.abs()
    if grad.dim() == 1:
        return grad.abs().to(dtype)
    norms: Tensor = torch.linalg.vector_norm(grad, dim=tuple(range(1, grad.dim())), dtype=dtype)
    return norms
