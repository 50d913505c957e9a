"""Splits what `extra_repr` says into pairs.

In: text such as "3, 64, kernel_size=(7, 7), bias=False". Out: (key, value) pairs. Owns no state; pure.
"""

from __future__ import annotations

_OPEN, _CLOSE = "([{", ")]}"


def split_facts(text: str) -> tuple[tuple[str, str], ...]:
    """Pairs from an `extra_repr`: split at commas outside brackets and quotes, then at the first "=".

    A part without "=" has an empty key. Source: TorchExplorer's tooltips, which split at every comma.
    """
    pairs: list[tuple[str, str]] = []
    for part in _parts(text):
        key, equals, value = part.partition("=")
        named = equals and key.strip().replace("_", "").isalnum()
        pairs.append((key.strip(), value.strip()) if named else ("", part))
    return tuple(pairs)


def _parts(text: str) -> list[str]:
    parts: list[str] = []
    depth, quote, start = 0, "", 0
    for index, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth = max(0, depth - 1)
        elif character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]
