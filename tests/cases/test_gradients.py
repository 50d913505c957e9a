"""Gradients of inputs, outputs and parameters: in-place code, several forwards or backwards, scaling, checkpoints."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from tests.reading import dashed, edges, modules, node, only, series, solid, structure


class Block(nn.Module):
    """A residual block; `inplace` chooses how it adds and activates."""

    def __init__(self, *, inplace: bool) -> None:
        super().__init__()
        self.conv, self.relu, self.inplace = nn.Conv2d(3, 3, 3, padding=1), nn.ReLU(inplace=inplace), inplace

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x)
        if self.inplace:
            y += x
        else:
            y = y + x
        return self.relu(y)


def blocks(*, inplace: bool) -> nn.Sequential:
    torch.manual_seed(1)
    return nn.Sequential(Block(inplace=inplace), nn.Conv2d(3, 3, 1), nn.ReLU(inplace=inplace), Block(inplace=inplace))


@pytest.mark.parametrize("needs_grad", [True, False])
def test_in_place_code_has_the_gradients_of_its_plain_twin(watch: Any, needs_grad: bool) -> None:
    model, twin, plain = blocks(inplace=True), blocks(inplace=True), blocks(inplace=False)
    norms: dict[str, tuple[float, float]] = {}

    def note(name: str) -> Any:
        def hook(module: nn.Module, grad_input: Any, grad_output: Any) -> None:
            lengths = grad_input[0].flatten(1).norm(dim=1)
            norms[name] = lengths.min().item(), lengths.max().item()

        return hook

    for name, module in plain.named_modules():
        module.register_full_backward_hook(note(name))
    watcher = watch(model, sample_n=None, reject_outlier_proportion=0.0)
    x = torch.randn(2, 3, 8, 8, requires_grad=needs_grad)
    (model(x) ** 2).sum().backward()
    (twin(x) ** 2).sum().backward()
    (plain(x.detach().requires_grad_()) ** 2).sum().backward()
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(ours.grad, theirs.grad)
    for name in norms:
        history = only(series(watcher, path=name, kind="input_grad"))
        assert (history.min[-1], history.max[-1]) == pytest.approx(norms[name], rel=1e-4), name


def test_evaluation_between_forwards(watch: Any) -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
    watcher = watch(model)
    first, second = model(torch.randn(2, 4)), model(torch.randn(5, 4))
    model.eval()
    with torch.no_grad():
        model(torch.randn(7, 4))
    model.train()
    (first.sum() + 3 * second.sum()).backward()
    seen = [only(series(watcher, path="0", kind="input", call=call)).seen[-1] for call in (0, 1)]
    assert seen == [8, 20]
    assert only(series(watcher, path="0", kind="input", phase="eval")).seen[-1] == 28
    gradients = [only(series(watcher, path="", kind="output_grad", call=call)) for call in (0, 1)]
    assert [(history.seen[-1], history.mean[-1]) for history in gradients] == [(2, 1.0), (5, 3.0)]
    assert not series(watcher, path="", kind="output_grad", phase="eval")


def test_straight_through_and_codes(watch: Any) -> None:
    class Quantizer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.code = nn.Embedding(6, 4)

        def forward(self, z: Tensor) -> tuple[Tensor, Tensor]:
            index = torch.cdist(z, self.code.weight).argmin(1)
            return z + (self.code(index) - z).detach(), index

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encode, self.quantize, self.decode = nn.Linear(4, 4), Quantizer(), nn.Linear(4, 4)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            z, index = self.quantize(self.encode(x))
            return self.decode(z), index

    model = Model()
    watcher = watch(model)
    model(torch.randn(5, 4))[0].sum().backward()
    graph = structure(watcher)
    through = {("in:x", "encode#0"), ("encode#0", "quantize#0"), ("quantize#0", "decode#0"), ("decode#0", "out:0")}
    assert solid(graph) == through
    assert dashed(graph) == {("quantize#0", "out:1")}
    inner = graph["quantize"]
    assert solid(inner) == {("in:z", "out:0")}
    assert dashed(inner) >= {("in:z", "quantize.code#0"), ("quantize.code#0", "out:0"), ("in:z", "out:1")}


def test_scaled_and_clipped_parameter_gradients(watch: Any) -> None:
    """Recorded is what backward left, with the loss scale in it; the scale is divided out by who knows it."""
    model = nn.Linear(4, 1)
    watcher = watch(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scale = 65536.0
    (model(torch.randn(8, 4)).mean() * scale).backward()
    for parameter in model.parameters():
        parameter.grad /= scale
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    found = series(watcher, path="", kind="param_grad")
    assert set(found) == {"weight", "bias"}
    assert found["bias"].max[-1] == scale


def test_adversarial_training(watch: Any) -> None:
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    first, second = watch(generator), watch(critic)
    for _ in range(3):
        fake = generator(torch.randn(2, 4))
        critic.zero_grad()
        (critic(fake.detach()).mean() - critic(torch.randn(2, 4)).mean()).backward()
        generator.zero_grad()
        (-critic(fake).mean()).backward()
    for watcher in (first, second):
        for kind in ("input", "output", "output_grad"):
            assert series(watcher, path="", kind=kind), kind
        assert set(series(watcher, path="", kind="param_grad")) == {"weight", "bias"}
    assert len(only(series(first, path="", kind="output_grad")).times) == 3


def test_accumulated_gradients(watch: Any) -> None:
    model = nn.Linear(4, 1)
    watcher = watch(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(6):
        (model(torch.ones(2, 4)).mean() / 3).backward()
        if step % 3 == 2:
            optimizer.step()
            optimizer.zero_grad()
    assert len(only(series(watcher, path="", kind="output_grad")).times) == 6
    bias = series(watcher, path="", kind="param_grad")["bias"]
    assert bias.max[-1] == pytest.approx(1.0)


def test_one_step_is_enough_for_parameter_gradients(watch: Any) -> None:
    model = nn.Linear(4, 2)
    watcher = watch(model)
    model(torch.randn(3, 4)).sum().backward()
    found = series(watcher, path="", kind="param_grad")
    assert set(found) == {"weight", "bias"}
    assert found["bias"].mean[-1] == 3


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad")
def test_recomputation_is_no_call(watch: Any, reentrant: bool) -> None:
    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU())

        def forward(self, x: Tensor) -> Tensor:
            return checkpoint(self.b, self.a(x), use_reentrant=reentrant).sum()

    model, twin = Checkpointed(), Checkpointed()
    twin.load_state_dict(model.state_dict())
    watcher = watch(model)
    for _ in range(2):
        x = torch.randn(2, 4)
        model(x).backward()
        twin(x).backward()
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(ours.grad, theirs.grad)
    graph = structure(watcher)
    assert modules(graph) == ["a#0", "b#0"]
    assert edges(graph) == {("in:x", "a#0"), ("a#0", "b#0"), ("b#0", "out:0")}
    assert modules(graph["b"]) == ["b.0#0", "b.1#0"]
    assert len(only(series(watcher, path="b.0", kind="input")).times) == 2
    assert not series(watcher, path="b.0", kind="input", call=1)


def test_sparse_gradients(watch: Any) -> None:
    model = nn.Sequential(nn.Embedding(9, 4, sparse=True), nn.Linear(4, 1))
    watcher = watch(model)
    for _ in range(2):
        model(torch.randint(9, (2, 3))).sum().backward()
    assert model[0].weight.grad.is_sparse
    assert len(series(watcher, path="0", kind="param_grad")["weight"].times) == 2


def test_copies_of_a_step_do_not_mix(watch: Any) -> None:
    """A twin trained beside the watched model leaves the records alone."""
    model = nn.Sequential(nn.Linear(4, 4))
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    twin = copy.deepcopy(model)
    for _ in range(3):
        twin(torch.randn(2, 4)).sum().backward()
    assert len(only(series(watcher, path="0", kind="output_grad")).times) == 1
    assert node(structure(watcher), "0#0").label == "Linear"
