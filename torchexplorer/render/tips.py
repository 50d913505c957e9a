"""What the tooltip of a node says, as pairs of a key and a value.

In: nodes. Out: packed pairs. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from torchexplorer.graph import Node
from torchexplorer.render import codec
from torchexplorer.trace.records import Value

UNKNOWN = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"


def tip(node: Node) -> Iterator[str]:
    """Packed (key, value) pairs: ports, parameter counts, then the facts of `extra_repr`."""
    if node.kind == "join":
        yield codec.fields(["", "Data from several places meet here (+, cat, *, ...)."])
    for side, values in (("in", node.inputs), ("out", node.outputs)):
        yield from (codec.fields([_port(side, value, node), _look(value)]) for value in values)
    if node.kind == "module":
        yield codec.fields(["parameters", _parameters(node)])
    yield from (codec.fields([key or UNKNOWN, value]) for key, value in node.facts)
    if node.kind == "fold":
        yield codec.fields(["parameters", f"{node.total_parameters:,} in total" if node.total_parameters else "none"])


def _port(side: str, value: Value, node: Node) -> str:
    return f"{side} {value.name}".strip() if node.kind == "module" else "shape"


def _look(value: Value) -> str:
    """Shape, type, and device where it is not the CPU."""
    shape = UNKNOWN if value.shape is None else TIMES.join(map(str, value.shape)) or "scalar"
    device = "" if value.device in {"", "cpu"} else value.device
    return " ".join(part for part in (shape, value.dtype.removeprefix("torch."), device) if part)


def _parameters(node: Node) -> str:
    if not node.total_parameters:
        return "none"
    own = f" ({node.own_parameters:,} its own)" if 0 < node.own_parameters < node.total_parameters else ""
    return f"{node.total_parameters:,}{own}"
