"""How wide a text is, without a font: widths of groups of characters.

In: text and a font size in px. Out: px. Owns no state; pure. Advances are those of Helvetica and Arial, which the chart
asks for; the chart shortens a label that turns out wider on a machine that has neither.
"""

from __future__ import annotations

from torchexplorer.graph import Node
from torchexplorer.layout import Box
from torchexplorer.render.names import Words

NAME_PX, CLASS_PX = 13, 11
PADDING, HEIGHT, NARROWEST, WIDEST = 16, 44, 84, 240
JOIN = Box(14, 14)
FOLD_ROOM = 1.25
"""Texts of a fold have more room than they need: its name ends with its number, which a small picture must not cut."""

_BOLD = {
    0.30: " ,./I\\ijl|!()-:;[]`ft'",
    0.40: '*r{}"',
    0.58: "+<=>^~z",
    0.61: "?FLTZbdghnopqu",
    0.70: "EPSVXY&ABCDHKNRU",
}
_BOLD |= {0.78: "GOQw", 0.90: "Mm%", 0.98: "W@"}
_PLAIN = {0.23: "'ijl|", 0.30: ' !,./:;I[\\]ft()-`r{}"', 0.42: "*^", 0.50: "Jcksvxyz", 0.58: "+<=>~", 0.61: "FTZ"}
_PLAIN |= {0.70: "&ABEKPSVXYCDHNRUw", 0.80: "GOQMm", 0.95: "%W@"}
_OTHER = 0.56  # digits and most small letters
_FOREIGN = 1.0  # beyond ASCII: as wide as an ideograph


def _advances(groups: dict[float, str]) -> dict[str, float]:
    return {character: width for width, characters in groups.items() for character in characters}


_TABLES = {True: _advances(_BOLD), False: _advances(_PLAIN)}


def text_width(text: str, px: float, *, bold: bool = False) -> float:
    """Width of one line of text in px, to within a few percent, rather too wide than too narrow."""
    table = _TABLES[bold]
    return px * sum(table.get(each, _OTHER if each.isascii() else _FOREIGN) for each in text)


def node_box(node: Node, words: Words) -> Box:
    """The box of a node with its name (bold) above its class; a dot for a join."""
    if node.kind == "join":
        return JOIN
    inside = max(text_width(words.name, NAME_PX, bold=True), text_width(words.label, CLASS_PX))
    inside *= FOLD_ROOM if node.kind == "fold" else 1
    return Box(round(min(max(inside + 2 * PADDING, NARROWEST), WIDEST)), HEIGHT)
