"""The colours of all pictures, and what sets one series apart from another: never colour alone."""

from __future__ import annotations

from dataclasses import dataclass

# Okabe and Ito's colours, for light paper and dark. The light one is also written on every element:
# not every reader knows CSS, and a page may forbid inline styles.
PALETTE = {
    "paper": ("#ffffff", "#15181c"),
    "ink": ("#1a1a1a", "#f0f0f0"),
    "soft": ("#595959", "#b4b8bd"),
    "grid": ("#e2e2e2", "#33383e"),
    "ok": ("#009e73", "#009e73"),
    "chosen": ("#0072b2", "#56b4e9"),
    "over": ("#d55e00", "#e8701a"),
    "other": ("#cc79a7", "#cc79a7"),
}


@dataclass(frozen=True)
class Series:
    """How one line, or one set of points, looks; any two differ in their dashes and in their shape."""

    colour: str
    dashes: str
    shape: str
    glyph: str


SERIES = (
    Series("chosen", "1 0", "circle", "●"),
    Series("over", "7 4", "square", "■"),
    Series("ok", "2 3", "triangle-up", "▲"),
    Series("other", "9 3 2 3", "diamond", "◆"),
    Series("chosen", "16 4", "x", "×"),
    Series("over", "12 3 2 3 2 3", "triangle-down", "▼"),
    Series("ok", "4 2", "cross", "+"),
    Series("other", "1 6", "star", "*"),
)
