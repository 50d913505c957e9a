"""Traces a model of a family and compares it with the same model left alone.

In: a Family, a mode. Out: nothing, or a failed assertion. Owns no state.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.families.family import MODES, Family, Mode
from tests.families.full_hooks import Norms, by_full_hooks
from tests.families.run import Seen, made, run
from tests.trace.recorder import Records, tracing
from tests.zoo.harness import levels
from torchexplorer.graph import ModuleGraph, build_graph


def cases(families: Mapping[str, Family]) -> Any:
    """Parametrizes a test by `family` and `mode`."""
    return pytest.mark.parametrize(
        ("family", "mode"),
        [pytest.param(family, mode, id=f"{name}-{mode}") for name, family in families.items() for mode in MODES],
    )


def check(family: Family, mode: Mode) -> None:
    """Every call is seen and reached, nothing is changed, and gradients are those of full backward hooks."""
    model = made(family, mode)
    alone = run(family, mode, copy.deepcopy(model))
    counted = calls_by_plain_hooks(family, mode, copy.deepcopy(model))
    reference = None if mode == "no_grad" else copy.deepcopy(model)
    with tracing(model, sample_n=4000) as records:
        watched = run(family, mode, model)
    check_unchanged(alone, watched)
    calls = records[0].calls
    assert calls is not None
    graph = build_graph(calls[0])
    assert calls_in(graph) == counted, (calls_in(graph) - counted, counted - calls_in(graph))
    check_reached(graph, family.sourceless)
    if reference is not None:
        expected, hooked = by_full_hooks(family, mode, reference)
        for one, other in zip(hooked.outputs, alone.outputs, strict=True):
            torch.testing.assert_close(one, other, msg="out of place it is another model")
        check_gradients(expected, gradients_in(records), family)


def calls_by_plain_hooks(family: Family, mode: Mode, model: nn.Module) -> Counter[str]:
    """How often each module but the root ran."""
    calls: Counter[str] = Counter()

    def counting(path: str) -> Any:
        return lambda module, args, result: calls.update([path])

    for path, module in model.named_modules():
        if path:
            module.register_forward_hook(counting(path))
    run(family, mode, model)
    return calls


def calls_in(graph: ModuleGraph) -> Counter[str]:
    """How often each module stands in the graph."""
    return Counter(node.path for level in levels(graph).values() for node in level.nodes if node.kind == "module")


def check_unchanged(alone: Seen, watched: Seen) -> None:
    """Watching has changed nothing that can be seen, not by a bit."""
    assert watched.types == alone.types
    assert torch.equal(watched.generator, alone.generator)
    assert watched.gradients.keys() == alone.gradients.keys()
    pairs = [
        *((f"output {index}", *pair) for index, pair in enumerate(zip(watched.outputs, alone.outputs, strict=True))),
        *((f"gradient {name}", watched.gradients[name], alone.gradients[name]) for name in alone.gradients),
        *((f"buffer {name}", watched.buffers[name], alone.buffers[name]) for name in alone.buffers),
    ]
    changed = [name for name, one, other in pairs if not _same(one, other)]
    assert not changed, changed


def _same(one: Tensor, other: Tensor) -> bool:
    return one.dtype == other.dtype and torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))


def check_reached(graph: ModuleGraph, sourceless: Mapping[str, str]) -> None:
    """An edge leads to every module that takes a tensor and to every output, but for the nodes named in advance."""
    unreached = set(_unreached(graph))
    surprising = {name for name in unreached if not _named(name, sourceless)}
    reached = {pattern for pattern in sourceless if not any(fnmatchcase(name, pattern) for name in unreached)}
    assert not surprising | reached, (surprising, reached)


def _unreached(graph: ModuleGraph) -> Iterator[str]:
    for level in levels(graph).values():
        targets = {edge.target for edge in level.edges}
        for node in level.nodes:
            if node.key in targets:
                continue
            if node.kind == "module" and node.inputs:
                yield node.key
            elif node.kind == "output":
                yield f"{level.path}/{node.key}"


def _named(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def gradients_in(records: Records) -> Norms:
    """Gradient norms of inputs and outputs by (path, kind, name), one array for each call."""
    found: Norms = {}
    for record in records:
        for sample in record.samples:
            if sample.key.kind in ("input_grad", "output_grad"):
                key = (sample.key.path, sample.key.kind, sample.key.name)
                found.setdefault(key, []).append(sample.values)
    return found


def check_gradients(expected: Norms, seen: Norms, family: Family) -> None:
    """Each gradient that full backward hooks tell is told by us: the same norms, to 1e-5 of their length."""
    assert expected, "full backward hooks told nothing"
    wrong = []
    for key, norms in expected.items():
        name, found = " ".join(key), seen.get(key, [])
        if _named(name, family.totals):
            continue
        right = [] if _named(name, family.ungraded) else norms
        if not _match(found, right):
            wrong.append((name, [norm.shape for norm in right], [norm.shape for norm in found]))
    assert not wrong, wrong


def _match(found: Sequence[np.ndarray], right: Sequence[np.ndarray]) -> bool:
    """Whether each call's norms are there, in any order, and no others."""
    left = list(found)
    for norm in right:
        index = next((index for index, other in enumerate(left) if _close(other, norm)), None)
        if index is None:
            return False
        del left[index]
    return not left


def _close(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and bool(np.linalg.norm(one - other) <= 1e-5 * np.linalg.norm(other))
