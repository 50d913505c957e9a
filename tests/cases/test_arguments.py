"""What modules take and give: containers, keywords, integers, None, and the very same objects."""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence

from tests.reading import dashed, edges, kinds, modules, node, series, structure

Pair = namedtuple("Pair", "hidden extra")


@dataclass
class Answer:
    logits: Tensor
    state: Tensor | None = None


class Bundle(OrderedDict):  # type: ignore[type-arg]
    """A dict with attribute access, as model libraries return it."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Shape(nn.Module):
    """A linear layer whose result goes through a function."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.layer, self.function = nn.Linear(4, 4), function

    def forward(self, x: Tensor) -> Any:
        return self.function(self.layer(x))


def test_a_list_of_tensors(watch: Any) -> None:
    class Branches(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

        def forward(self, xs: list[Tensor]) -> Tensor:
            assert type(xs) is list
            return sum(part(x) for part, x in zip(self.parts, xs, strict=True))

    model = Branches()
    watcher = watch(model)
    given = [torch.randn(3, 4, requires_grad=True), torch.randn(3, 4)]
    model(given).sum().backward()
    assert edges(structure(watcher)) == {
        ("in:xs.0", "parts.0#0"),
        ("in:xs.1", "parts.1#0"),
        ("parts.0#0", "out:0"),
        ("parts.1#0", "out:0"),
    }
    assert set(series(watcher, path="", kind="input")) == {"xs.0", "xs.1"}
    assert given[0].grad is not None
    assert given[1].grad is None


def test_keywords_only(watch: Any) -> None:
    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, *, q: Tensor, mask: Tensor | None = None, flag: str = "x") -> Tensor:
            return self.layer(q) * (1 if mask is None else mask)

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.attend = nn.Embedding(9, 4), Attention()

        def forward(self, *, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
            return self.attend(mask=attention_mask, q=self.embed(input_ids))

    model = Model()
    watcher = watch(model)
    model(input_ids=torch.randint(9, (2, 3)), attention_mask=torch.ones(2, 3, 1)).sum().backward()
    graph = structure(watcher)
    assert edges(graph) == {
        ("in:input_ids", "embed#0"),
        ("embed#0", "attend#0"),
        ("in:attention_mask", "attend#0"),
        ("attend#0", "out:0"),
    }
    assert ("in:input_ids", "embed#0") in dashed(graph)
    assert edges(graph["attend"]) == {("in:q", "attend.layer#0"), ("attend.layer#0", "out:0"), ("in:mask", "out:0")}
    assert set(series(watcher, path="attend", kind="input")) == {"q", "mask"}
    assert set(series(watcher, path="attend", kind="input_grad")) >= {"q"}


def test_results_in_a_dict_with_attributes(watch: Any) -> None:
    class Inner(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Bundle:
            hidden = self.layer(x)
            return Bundle(logits=hidden, hidden=(x, hidden * 2), loss=None)

    model = nn.Sequential(Inner())
    watcher = watch(model)
    result = model(torch.randn(2, 4))
    assert type(result) is Bundle
    assert result.loss is None
    (result.logits.sum() + result.hidden[1].sum()).backward()
    graph = structure(watcher)
    assert [value.name for value in node(graph, "0#0").outputs] == ["logits", "hidden.0", "hidden.1"]
    assert ("in:x", "out:hidden.0") in edges(graph["0"])
    assert {"logits", "hidden.1"} <= set(series(watcher, path="0", kind="output_grad"))


@pytest.mark.parametrize(
    ("function", "kind", "names"),
    [
        (lambda h: Pair(h, None), Pair, ["hidden"]),
        (lambda h: [h, h * 2], list, ["0", "1"]),
        (lambda h: (h,), tuple, ["0"]),
        (lambda h: Answer(h), Answer, ["logits"]),
        (lambda h: {"a": {"b": h}}, dict, ["a.b"]),
    ],
)
def test_results_keep_their_type(watch: Any, function: Any, kind: type, names: list[str]) -> None:
    model = Shape(function)
    watcher = watch(model)
    result = model(torch.randn(2, 4))
    assert type(result) is kind
    first = result.logits if kind is Answer else result["a"]["b"] if kind is dict else result[0]
    first.sum().backward()
    assert sorted(series(watcher, path="", kind="output")) == names
    assert series(watcher, path="", kind="output_grad")


def test_generators_are_left_alone(watch: Any) -> None:
    model = Shape(lambda h: (row for row in h))
    watch(model)
    assert sum(row.sum() for row in model(torch.randn(2, 4))).requires_grad


def test_packed_sequences(watch: Any) -> None:
    model = nn.LSTM(4, 4)
    watcher = watch(model)
    packed = pack_sequence([torch.randn(3, 4), torch.randn(2, 4)])
    result, _ = model(packed)
    assert isinstance(result, PackedSequence)
    result.data.sum().backward()
    found = series(watcher, path="", kind="input")
    assert [history.seen[-1] for name, history in found.items() if name.endswith("data")] == [20]


@pytest.mark.parametrize("needs_grad", [True, False])
def test_inputs_are_the_very_same_objects(watch: Any, needs_grad: bool) -> None:
    class Same(nn.Module):
        def forward(self, x: Tensor, y: Tensor) -> Tensor:
            self.same = x is given and y is parameter and y.is_leaf and type(y) is nn.Parameter
            return x + y

    given, parameter = torch.randn(3, requires_grad=needs_grad), nn.Parameter(torch.randn(3))
    model = Same()
    watcher = watch(model)
    model(given, parameter).sum().backward()
    assert model.same
    assert given.is_leaf
    assert (given.grad is not None) == given.requires_grad == needs_grad
    assert "input_grad" in kinds(watcher)


def test_integers_have_values_and_no_gradients(watch: Any) -> None:
    class Lookup(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(5, 4)

        def forward(self, ids: Tensor, mask: Tensor, image: Tensor) -> Tensor:
            assert (ids.dtype, mask.dtype, image.dtype) == (torch.long, torch.bool, torch.uint8)
            return (self.embed(ids) * mask[..., None]).sum() + image.float().mean()

    model = Lookup()
    watcher = watch(model)
    model(
        torch.randint(5, (2, 3)), torch.ones(2, 3, dtype=torch.bool), torch.full((2, 2), 7, dtype=torch.uint8)
    ).backward()
    found = series(watcher, path="", kind="input")
    assert set(found) == {"ids", "mask", "image"}
    assert found["image"].mean[-1] == 7
    assert not series(watcher, path="", kind="input_grad")
    assert not series(watcher, path="embed", kind="input_grad")
    assert node(structure(watcher), "embed#0").inputs[0].dtype == "int64"


def test_arguments_that_are_no_tensors(watch: Any) -> None:
    class Choosy(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(
            self, x: Tensor, flag: bool = False, y: Any = None, name: str = "", meta: Any = ()
        ) -> Tensor | None:
            return self.layer(x) if flag else None

    model = Choosy()
    watcher = watch(model)
    model(torch.randn(2, 4), True, None, "a", {"h": 3}).sum().backward()
    assert modules(structure(watcher)) == ["layer#0"]
    assert model(torch.randn(2, 4)) is None
    assert modules(structure(watcher)) == []
