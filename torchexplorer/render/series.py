"""The rows of the histograms: one for all values of a call, one for all parameters of a module.

In: histories by key. Out: rows. Owns no state; pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from torchexplorer.render import codec
from torchexplorer.render.window import Detail, Window, window
from torchexplorer.stats import History
from torchexplorer.trace.records import Key

Subjects = dict[tuple[str, str], list[Key]]
"""Keys by the row they share: its uid and its phase."""

_SECTIONS = {"input": 0, "output": 1, "param": 2}
_GRADIENT = "_grad"
_UPDATE = "param_update"


def subjects(keys: Sequence[Key]) -> Subjects:
    """The rows to write, in the order of first appearance."""
    found: Subjects = {}
    for key in keys:
        parameter = key.kind.startswith("param")
        address = codec.clean(f"{key.path}#" if parameter else f"{key.path}#{key.call}")
        found.setdefault((f"{address}@{key.phase}", key.phase), []).append(key)
    return found


def series_rows(found: Subjects, histories: Mapping[Key, History], *, run: str, detail: Detail) -> Iterator[codec.Row]:
    """One row for each subject."""
    for (uid, phase), keys in found.items():
        lines: dict[tuple[str, str], int] = {}
        texts, numbers = [], []
        for key in keys:
            base, name = _line(key)
            line = lines.setdefault((base, name), len(lines))
            texts.append(codec.fields([base, "grad" if key.kind.endswith(_GRADIENT) else "value", name]))
            numbers.append(_packed(window(histories[key], detail), section=_SECTIONS[base], line=line))
        yield codec.row("series", run, uid=uid, parent=phase, texts=codec.groups(texts), numbers=codec.groups(numbers))


def _line(key: Key) -> tuple[str, str]:
    """The section that a series stands in, and what its line there is called; the changes have lines of their own."""
    if key.kind == _UPDATE:
        return "param", f"{key.name}: update / weight"
    return key.kind.removesuffix(_GRADIENT), key.name


def _packed(shown: Window, *, section: int, line: int) -> str:
    columns, bins = shown.counts.shape
    shape = f"{section} {line} {columns} {bins} {codec.number(shown.low, digits=8)}"
    return codec.parts(
        [
            f"{shape} {codec.number(shown.width, digits=8)} {codec.number(shown.peak)}",
            codec.pack(shown.times.tolist(), digits=9),
            codec.pack_counts(shown.counts.ravel().tolist()),
            codec.pack_counts(shown.totals.tolist()),
            *(codec.pack_counts(each.tolist()) for each in (shown.nan, shown.posinf, shown.neginf, shown.rejected)),
            codec.pack(shown.mean.tolist()),
            codec.pack(shown.std.tolist()),
        ]
    )
