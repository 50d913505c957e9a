"""The one place that packs texts and numbers into cells; vega/src/codec.js is the one place that unpacks them.

In: texts and numbers. Out: cells and rows. Owns no state; pure. See docs/rows.md for the schema.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

Row = dict[str, str | float | int | None]

SCHEMA = 1
"""Raised whenever a chart that reads the rows of before could not read these."""

COLUMNS = ("kind", "run", "uid", "parent", "texts", "numbers")

FIELD, GROUP = "\x1f", "\x1e"  # the unit and the record separator of ASCII
_CLEAN = str.maketrans({FIELD: " ", GROUP: " "})


def row(kind: str, run: str, *, uid: str, parent: str, texts: str, numbers: str) -> Row:
    """One row of the table; texts and numbers are packed cells."""
    return dict(zip(COLUMNS, (kind, clean(run), uid, parent, texts, numbers), strict=True))


def clean(text: str) -> str:
    """The text without the two characters that the codec keeps for itself."""
    return text.translate(_CLEAN)


def fields(texts: Iterable[str]) -> str:
    """Texts side by side in one group."""
    return FIELD.join(clean(text) for text in texts)


def groups(packed: Iterable[str]) -> str:
    """Packed groups one after the other in one cell."""
    return GROUP.join(packed)


def parts(packed: Iterable[str]) -> str:
    """Lists of packed numbers side by side in one group."""
    return FIELD.join(packed)


def pack(values: Iterable[float], *, digits: int = 4) -> str:
    """Numbers in one list, four significant digits each where nothing else is said."""
    return " ".join(number(value, digits=digits) for value in values)


def pack_counts(values: Sequence[int]) -> str:
    """Whole numbers in one list: zero is written as nothing, and the list is empty where all are zero."""
    return " ".join(str(value) if value else "" for value in values) if any(values) else ""


def pack_pixels(values: Iterable[float]) -> str:
    """Positions in one list, to a tenth of a pixel."""
    return " ".join(f"{value:.1f}".removesuffix(".0") for value in values)


def number(value: float, *, digits: int = 4) -> str:
    """A number as short as its significant digits allow; whole numbers exactly; nothing for NaN and infinities."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.{digits}g}" if math.isfinite(value) else ""
