"""What the graph shows: fan-out, sources without inputs, odd names, modules bypassed, opaque or never called."""

import time
import warnings
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import torchexplorer
from tests.reading import dashed, edges, modules, node, of_two_runs, series, solid, structure
from torchexplorer.graph import digest

ODD_NAMES = [
    "output",
    "input",
    "weight",
    "module",
    "Input 0",
    "Output 0",
    'a:b "q" <b>',
    "ü\\n",
    "back\\slash",
    "{r|s}",
]
ODD_CLASSES = ["a:b", 'q"q', "back\\slash", "<b>x</b>", "{r|s}", "x" * 300, "模型", "new\nline"]


def test_evaluation_is_recorded_in_its_own_phase(watch: Any) -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1)).eval()
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    assert modules(structure(watcher)) == ["0#0", "1#0", "2#0"]
    assert {key.phase for key in watcher.histograms} == {"eval"}


def test_fan_out_sources_and_pass_through(watch: Any) -> None:
    class Query(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.query = nn.Parameter(torch.randn(1, 4))

        def forward(self) -> Tensor:
            return self.query

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.q, self.i, self.d = Query(), nn.Identity(), nn.Dropout(0.0)
            self.a, self.unused = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            h = self.d(self.i(x))
            return self.a(h) + self.a(h) + self.q(), h

    model = Model()
    watcher = watch(model)
    model(torch.randn(2, 4))[0].sum().backward()
    graph = structure(watcher)
    assert sorted(modules(graph)) == ["a#0", "a#1", "d#0", "i#0", "q#0"]
    assert edges(graph) == {
        ("in:x", "i#0"),
        ("i#0", "d#0"),
        ("d#0", "a#0"),
        ("d#0", "a#1"),
        ("a#0", "out:0"),
        ("a#1", "out:0"),
        ("q#0", "out:0"),
        ("d#0", "out:1"),
    }
    assert node(graph, "q#0").inputs == ()


def test_a_bypassed_child_does_not_break_the_graph(watch: Any) -> None:
    class Bypass(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b, self.c = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.c(nn.functional.linear(self.b.forward(self.a(x)), self.a.weight))

    model = Bypass()
    watcher = watch(model)
    model.a(torch.randn(2, 4))  # a child on its own, before
    model(torch.randn(2, 4)).sum().backward()
    graph = structure(watcher)
    assert modules(graph) == ["a#0", "c#0"]
    assert {("in:x", "a#0"), ("a#0", "c#0"), ("c#0", "out:0")} <= solid(graph)
    shown = {(node.path, node.outputs[0].name) for node in graph.nodes if node.kind == "param"}
    assert {("b", "weight"), ("a", "weight")} <= shown
    model.forward(torch.randn(2, 4)).sum().backward()  # the root itself is bypassed
    assert modules(structure(watcher))


def test_user_names_do_not_collide_with_ours(watch: Any) -> None:
    class Names(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for name in ODD_NAMES:
                self.add_module(name, nn.Linear(4, 4))

        def forward(self, x: Tensor) -> Tensor:
            for child in self.children():
                x = child(x)
            return x

    model = Names()
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    graph = structure(watcher)
    chain = ["in:x", *(f"{name}#0" for name in ODD_NAMES), "out:0"]
    assert edges(graph) == solid(graph) == set(pairwise(chain))
    assert len({each.key for each in graph.nodes}) == len(graph.nodes) == len(ODD_NAMES) + 2
    for name in ODD_NAMES:
        assert set(series(watcher, path=name, kind="param")) == {"weight", "bias"}


def test_class_names_may_be_any_text(watch: Any) -> None:
    model = nn.Sequential(*[type(name, (nn.Linear,), {})(4, 4) for name in ODD_CLASSES])
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    graph = structure(watcher)
    assert [each.label for each in graph.nodes if each.kind == "module"] == ODD_CLASSES


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_scripted_children_are_opaque_leaves(watch: Any) -> None:
    class Mixed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.s = nn.Linear(4, 4), torch.jit.script(nn.Sequential(nn.Linear(4, 4)))

        def forward(self, x: Tensor) -> Tensor:
            return self.s(self.a(x))

    model = Mixed()
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    graph = structure(watcher)
    assert edges(graph) == {("in:x", "a#0"), ("a#0", "s#0"), ("s#0", "out:0")}
    assert node(graph, "s#0").inner is None


def test_attach_in_a_shared_module_and_before_watch(watch: Any) -> None:
    class Tapped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            h = self.layer(x) * 2
            assert torchexplorer.attach(h, self, "middle") is h
            return h + 1

    shared = Tapped()
    model = nn.Sequential(shared, nn.ReLU(), shared)
    assert model(torch.randn(2, 4)).shape == (2, 4)  # nobody watches yet
    names, keys = [name for name, _ in model.named_modules()], list(model.state_dict())
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    assert [name for name, _ in model.named_modules()] == names
    assert list(model.state_dict()) == keys
    for call in (0, 1):
        inner = node(structure(watcher), f"0#{call}").inner
        assert inner is not None
        attached = [each for each in inner.nodes if each.kind == "attach"]
        assert [each.label for each in attached] == ["middle"]
        assert ("0.layer#" + str(call), attached[0].key) in solid(inner)
        assert series(watcher, path="0.middle", kind="output", call=call)


def test_modules_that_are_equal_or_refuse_to_be_compared(watch: Any) -> None:
    class Equal(nn.Linear):
        __hash__ = nn.Module.__hash__

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

    class Refuses(nn.Linear):
        __hash__ = nn.Module.__hash__

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("modules are not to be compared")

    for kind in (Equal, Refuses):
        model = nn.Sequential(kind(4, 4), kind(4, 4))
        watcher = watch(model)
        model(torch.randn(2, 4)).sum().backward()
        assert edges(structure(watcher)) == {("in:input", "0#0"), ("0#0", "1#0"), ("1#0", "out:0")}


def test_unhashable_modules_go_on_training(watch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch itself can't list the parameters of such a module, but it can run it."""

    class NoHash(nn.Linear):
        __hash__ = None  # type: ignore[assignment]

    monkeypatch.setenv("TORCHEXPLORER_ON_ERROR", "warn")
    model = NoHash(4, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        watch(model)
        model(torch.randn(2, 4)).sum().backward()
    assert model.weight.grad is not None


def test_two_runs_of_one_model_have_the_same_structure(watch: Any) -> None:
    found = of_two_runs(watch, lambda watcher: digest(structure(watcher)))
    assert found[0] == found[1]


def test_data_without_a_gradient_is_dashed(watch: Any) -> None:
    class Forgotten(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x: Tensor) -> Tensor:
            return self.b(self.a(x).detach())

    model = Forgotten()
    watcher = watch(model)
    model(torch.randn(2, 4)).sum().backward()
    assert dashed(structure(watcher)) == {("a#0", "b#0")}


def test_a_long_chain_is_quick(watch: Any) -> None:
    model = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.ReLU()) for _ in range(500)])
    watcher = watch(model)
    start = time.perf_counter()
    model(torch.randn(2, 2)).sum().backward()
    watcher.flush()
    assert time.perf_counter() - start < 20
    graph = structure(watcher)
    assert len(modules(graph)) == 500
    assert len(edges(graph)) == 501
