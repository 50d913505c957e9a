"""Which modules there are at the start of a recorded step, and which parameters and buffers are whose.

In: the watched module. Out: paths by module, owners by tensor. State: one snapshot, owned by a Recording; compares
by identity only, so that modules without `__hash__` or with an `__eq__` of their own do no harm.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping

from torch import Tensor, nn

from torchexplorer.trace.records import ModuleFacts

_HOLDERS = (nn.ParameterList, nn.ParameterDict)


def named_modules(root: nn.Module) -> list[tuple[str, nn.Module]]:
    """Every module below `root` once, with its first path, in the order of definition.

    Finds registered children, and modules in plain lists, tuples and dicts of a module's attributes ("blocks[0]").
    """
    seen: set[int] = set()
    found: list[tuple[str, nn.Module]] = []
    todo: list[tuple[str, nn.Module]] = [("", root)]
    while todo:
        path, module = todo.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        found.append((path, module))
        inside = [*_registered(module), *_in_plain_containers(module)]
        todo.extend((f"{path}.{name}" if path else name, child) for name, child in reversed(inside))
    return found


def _registered(module: nn.Module) -> list[tuple[str, nn.Module]]:
    return [(name, child) for name, child in module._modules.items() if isinstance(child, nn.Module)]


def _in_plain_containers(module: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    for name, value in list(vars(module).items()):
        if name.startswith("_") or not isinstance(value, (list, tuple, dict)):
            continue
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        yield from ((f"{name}[{key}]", child) for key, child in items if isinstance(child, nn.Module))


def first_trainable(root: nn.Module) -> Tensor | None:
    """The first parameter below `root` that needs a gradient."""
    for _, module in named_modules(root):
        for parameter in module._parameters.values():
            if parameter is not None and parameter.requires_grad:
                return parameter
    return None


class Owners:
    """Paths of modules and names of tensors, as they were when the step began."""

    def __init__(self, root: nn.Module) -> None:
        self.modules = named_modules(root)
        self.paths = {id(module): path for path, module in self.modules}
        self._owners: dict[int, list[tuple[nn.Module, str, str]]] = {}
        self._tensors: list[Tensor] = []
        for path, module in self.modules:
            for name, tensor in [*module._parameters.items(), *module._buffers.items()]:
                if tensor is not None:
                    self._tensors.append(tensor)
                    self._owners.setdefault(id(tensor), []).append((module, path, name))

    def path(self, module: nn.Module) -> str | None:
        """The path of a module, or None for one that was not there."""
        return self.paths.get(id(module))

    def owner(self, tensor: Tensor) -> tuple[str, str] | None:
        """(path, name) of the first module that holds this parameter or buffer."""
        owners = self._owners.get(id(tensor))
        return None if owners is None else owners[0][1:]

    def owns(self, module: nn.Module, tensor: Tensor) -> bool:
        """True where the tensor is the module's own: in itself or in a ParameterList or ParameterDict of its."""
        path = self.paths.get(id(module))
        for owner, place, _ in self._owners.get(id(tensor), ()):
            if owner is module or (isinstance(owner, _HOLDERS) and place.rpartition(".")[0] == path):
                return True
        return False


class Facts:
    """Class names, `extra_repr` and parameter counts of modules, read once for each module."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[nn.Module], ModuleFacts]] = {}

    def of(self, module: nn.Module) -> ModuleFacts:
        """The facts of a module, as first seen."""
        known = self._known.get(id(module))
        if known is not None and known[0]() is module:
            return known[1]
        facts = _read_facts(module)
        self._known[id(module)] = (weakref.ref(module), facts)
        return facts


def _read_facts(module: nn.Module) -> ModuleFacts:
    try:
        extra = str(module.extra_repr())
    except Exception:  # the user's code
        extra = ""
    own = sum(_count(parameter) for parameter in module._parameters.values() if parameter is not None)
    counts: dict[int, int] = {}
    for _, inner in named_modules(module) if module._modules else [("", module)]:
        counts.update((id(p), _count(p)) for p in inner._parameters.values() if p is not None)
    label = getattr(module, "original_name", None) or type(module).__name__
    return ModuleFacts(str(label), extra, own, sum(counts.values()))


def _count(parameter: Tensor) -> int:
    try:
        return int(parameter.numel())
    except Exception:  # a lazy parameter that is not there yet
        return 0
