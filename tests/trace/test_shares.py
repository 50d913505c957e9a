"""Gradients of inputs and outputs: each call's own share, equal to full backward hooks where those can run."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.trace.recorder import tracing
from torchexplorer.trace.sampling import grad_norms


class Skip(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.same, self.last = nn.Linear(4, 4), nn.Identity(), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.first(x)
        used_before = self.last(hidden)
        return used_before + 2 * self.same(hidden)


class Again(Skip):
    """The pass-through is not the last: one follows that lies between it and the output."""

    def __init__(self) -> None:
        super().__init__()
        self.later = nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.later(super().forward(x)) * 2
        return y


class Block(nn.Module):
    def __init__(self, *, inplace: bool = False) -> None:
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(inplace=inplace)
        self.inplace = inplace

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.conv(x))
        if self.inplace:
            y += x
        else:
            y = y + x
        return self.relu(y)


def blocks(*, inplace: bool = False) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 3, 1), Block(inplace=inplace), Block(inplace=inplace), nn.Flatten(), nn.Linear(192, 3)
    )


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), (3, 4)),
    "identity and dropout": (
        lambda: nn.Sequential(nn.Linear(4, 4), nn.Identity(), nn.Dropout(0.5), nn.Linear(4, 2)),
        (3, 4),
    ),
    "pass-through after an earlier use": (Skip, (2, 4)),
    "two of them in a row": (Again, (2, 4)),
    "residual blocks": (blocks, (2, 3, 8, 8)),
    "lstm": (lambda: nn.LSTM(4, 5, 2), (3, 2, 4)),
    "layer norm and gelu": (
        lambda: nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 6), nn.GELU(), nn.LayerNorm(6)),
        (4, 6),
    ),
    "nested": (
        lambda: nn.Sequential(nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.Tanh(), nn.Linear(4, 4)))),
        (3, 4),
    ),
    "pooling": (lambda: nn.Sequential(nn.Conv1d(2, 4, 3), nn.MaxPool1d(2), nn.Flatten(), nn.Linear(12, 1)), (2, 2, 8)),
}


def scalar(result: Any) -> Tensor:
    if isinstance(result, Tensor):
        return result.square().sum()
    return sum((scalar(each) for each in result), torch.zeros(()))


def by_full_backward_hooks(model: nn.Module, x: Tensor) -> dict[tuple[str, str], list[np.ndarray]]:
    found: dict[tuple[str, str], list[np.ndarray]] = {}

    def hook(path: str) -> Any:
        def keep(module: nn.Module, grad_input: Any, grad_output: Any) -> None:
            for kind, grads in (("input_grad", grad_input), ("output_grad", grad_output)):
                found.setdefault((path, kind), []).extend(
                    grad_norms(grad).numpy() for grad in grads if grad is not None
                )

        return keep

    for path, module in model.named_modules():
        module.register_full_backward_hook(hook(path))
    torch.manual_seed(1)
    scalar(model(x.clone().requires_grad_())).backward()
    return found


def by_us(model: nn.Module, x: Tensor) -> dict[tuple[str, str], list[np.ndarray]]:
    with tracing(model) as records:
        torch.manual_seed(1)
        scalar(model(x)).backward()
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    for key, values in records.samples().items():
        if key.kind.endswith("put_grad"):
            found.setdefault((key.path, key.kind), []).append(values)
    return found


@pytest.mark.parametrize("name", MODELS)
def test_equal_to_full_backward_hooks(name: str) -> None:
    make, shape = MODELS[name]
    torch.manual_seed(0)
    model, x = make(), torch.randn(shape)
    expected, seen = by_full_backward_hooks(copy.deepcopy(model), x), by_us(model, x)
    assert {key for key, norms in expected.items() if norms} <= set(seen)
    for key, norms in expected.items():
        for norm in norms:
            assert any(other.shape == norm.shape and np.allclose(other, norm, atol=1e-6) for other in seen[key]), key


def test_in_place_code_gives_the_gradients_of_the_same_code_without() -> None:
    torch.manual_seed(0)
    plain, x = blocks(), torch.randn(2, 3, 8, 8)
    inplace = blocks(inplace=True)
    inplace.load_state_dict(plain.state_dict())
    expected, seen = by_us(plain, x), by_us(inplace, x)
    assert expected.keys() == seen.keys()
    for key, norms in expected.items():
        for norm, other in zip(norms, seen[key], strict=True):
            np.testing.assert_allclose(other, norm, atol=1e-6)


def test_the_two_shares_of_a_residual_block_add_up_to_the_total() -> None:
    torch.manual_seed(0)
    block, x = Block(), torch.randn(1, 3, 4, 4, requires_grad=True)
    through_conv: list[Tensor] = []
    block.conv.register_full_backward_hook(lambda module, grad_input, grad_output: through_conv.append(grad_input[0]))
    reference = copy.deepcopy(block)
    scalar(reference(x)).backward()
    assert x.grad is not None
    total, skip = x.grad.clone(), x.grad - through_conv[0]
    with tracing(block) as records:
        scalar(block(x)).backward()
    norms = {key.path: values[0] for key, values in records.samples().items() if key.kind == "input_grad"}
    assert norms["conv"] == pytest.approx(float(through_conv[0].norm()), rel=1e-5)
    assert norms[""] == pytest.approx(float(total.norm()), rel=1e-5)
    assert float(skip.norm()) > 0


def test_an_input_used_where_its_gradient_cannot_be_followed_gets_none() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            y: Tensor = self.layer(x * 2) + x
            return y

    model = Model()
    with tracing(model) as records:
        scalar(model(torch.randn(2, 4))).backward()
    kinds = {(key.path, key.kind) for key in records.samples()}
    assert ("layer", "input_grad") in kinds
    assert ("", "input_grad") not in kinds


def test_an_input_handed_back_by_a_function_as_it_is_keeps_its_gradient() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            y: Tensor = self.layer(nn.functional.dropout(x.to(self.layer.weight.dtype).float(), training=False))
            return y

    model, x = Model(), torch.randn(2, 4)
    expected, seen = by_full_backward_hooks(copy.deepcopy(model), x), by_us(model, x)
    np.testing.assert_allclose(seen["", "input_grad"][0], expected["", "input_grad"][0], atol=1e-6)


def test_an_input_changed_in_place_by_such_a_function_gets_no_gradient() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            y: Tensor = self.layer(nn.functional.dropout(x, inplace=True))
            return y

    assert ("", "input_grad") not in by_us(Model(), torch.randn(2, 4))


def test_a_view_changed_in_place_gets_no_gradient_rather_than_a_wrong_one() -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.flat = nn.Linear(4, 4), nn.Flatten(0)

        def forward(self, x: Tensor) -> Tensor:
            y: Tensor = self.flat(self.layer(x))
            before = y.sum()
            y += 1
            return y.square().sum() + before

    model = Model()
    with tracing(model) as records:
        model(torch.randn(2, 4)).backward()
    assert ("flat", "output_grad") not in {(key.path, key.kind) for key in records.samples()}
    assert ("layer", "output_grad") in {(key.path, key.kind) for key in records.samples()}


def test_ignored_classes_get_no_io_gradients() -> None:
    model = blocks()
    with tracing(model, ignore=(Block,)) as records:
        scalar(model(torch.randn(2, 3, 8, 8))).backward()
    graded = {key.path for key in records.samples() if key.kind == "input_grad"}
    assert "1" not in graded
    assert "1.conv" in graded
