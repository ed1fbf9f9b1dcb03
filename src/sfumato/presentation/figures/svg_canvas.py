"""Paper to draw a figure on, and how much room words take there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2s
from typing import Any, TypeAlias
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element, SubElement, tostring

from sfumato.presentation.figures.describe import describe
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.palette import PALETTE, Series
from sfumato.presentation.printable import plain

SMALL, BODY, LARGE = 11, 12, 15
MARGIN, LEADING, HEADROOM = 16, 4, 40

Spot: TypeAlias = tuple[float, float]

MARKERS = {  # outlines about the place they mark
    "circle": "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z",
    "square": "M-4,-4h8v8h-8z",
    "triangle-up": "M0,-5l5,9h-10z",
    "diamond": "M0,-5.5l5,5.5l-5,5.5l-5,-5.5z",
    "x": "M-4,-4l8,8m0,-8l-8,8",
    "triangle-down": "M0,5l5,-9h-10z",
    "cross": "M-5,0h10m-5,-5v10",
    "star": "M0,-6l1.5,4l4.2,0.2l-3.3,2.6l1.1,4l-3.5,-2.3l-3.5,2.3l1.1,-4l-3.3,-2.6l4.2,-0.2z",
}


def _style() -> str:
    """The style sheet of all figures, in light and in dark."""
    light, dark = (";".join(f"--sf-{name}:{both[i]}" for name, both in PALETTE.items()) for i in (0, 1))
    fills = (f".sfumato-figure .fill-{name}{{fill:var(--sf-{name})}}" for name in PALETTE)
    strokes = (f".sfumato-figure .stroke-{name}{{stroke:var(--sf-{name})}}" for name in PALETTE)
    themes = f".sfumato-figure{{{light}}}@media screen and (prefers-color-scheme:dark){{.sfumato-figure{{{dark}}}}}"
    return ".sfumato-figure{max-width:100%;height:auto}" + themes + "".join((*fills, *strokes))


STYLE = _style()  # also for a page that serves it from its own style sheet


@dataclass(frozen=True)
class PlotFrame:
    """The rectangle that marks are drawn in."""

    left: float
    top: float
    right: float
    bottom: float

    def x(self, part: float) -> float:
        """The pixel of a part of the width, from the left."""
        return self.left + part * (self.right - self.left)

    def y(self, part: float) -> float:
        """The pixel of a part of the height, from the bottom."""
        return self.bottom - part * (self.bottom - self.top)


class Sheet:
    """Paper that is written on from the top down."""

    def __init__(self, figure: Figure, width: int) -> None:
        # Named after its content and width: several can share a page, and the same one is always the same.
        self.name = "sf-" + blake2s(f"{width} {figure!r}".encode(errors="replace"), digest_size=6).hexdigest()
        self.width = width
        self.down: float = MARGIN - LEADING
        self.root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "class": "sfumato-figure"})
        self.root.set("role", "img")
        self.root.set("aria-labelledby", f"{self.name}-title {self.name}-desc")
        self.root.set("font-family", "system-ui, sans-serif")
        SubElement(self.root, "title", id=f"{self.name}-title").text = plain(figure.title)
        SubElement(self.root, "desc", id=f"{self.name}-desc").text = plain(describe(figure))
        SubElement(self.root, "style").text = STYLE
        self.draw("rect", fill="paper", width="100%", height="100%")

    def draw(self, tag: str, fill: str = "", stroke: str = "", hint: str = "", **rest: float | str) -> Element:
        """Draw a shape in colours of the palette, with a hint for the pointer."""
        shape = SubElement(self.root, tag)
        for use, name in (("fill", fill), ("stroke", stroke)):
            if name in PALETTE:
                shape.set("class", f"{shape.get('class', '')} {use}-{name}".strip())
            shape.set(use, PALETTE[name][0] if name in PALETTE else name or "transparent")
        for key, value in rest.items():
            shape.set(key.replace("_", "-"), value if isinstance(value, str) else f"{value:.5g}")
        if hint:
            SubElement(shape, "title").text = plain(hint)
        return shape

    def rule(self, start: Spot, end: Spot, colour: str, width: float = 1, dashes: str = "1 0") -> None:
        """Draw a straight line."""
        (x1, y1), (x2, y2) = start, end
        line = self.draw("line", "", colour, x1=x1, y1=y1, x2=x2, y2=y2, stroke_width=width)
        line.set("stroke-dasharray", dashes)

    def say(
        self,
        words: str,
        x: float,
        y: float,
        size: int = SMALL,
        colour: str = "ink",
        anchor: str = "middle",
        bold: bool = False,
    ) -> None:
        """Say something on one line with the baseline y."""
        weight = "600" if bold else "400"
        text = self.draw("text", colour, x=x, y=y, font_size=size, text_anchor=anchor, font_weight=weight)
        text.text = plain(words)

    def mark(self, spot: Spot, series: Series, hint: str = "") -> None:
        """Draw the marker of a series."""
        x, y = spot
        place = {"transform": f"translate({x:.1f} {y:.1f})", "d": MARKERS[series.shape]}
        self.draw("path", series.colour, series.colour, hint, stroke_width=1.8, **place)

    def tag(self, words: str, x: float, y: float, size: int = SMALL, anchor: str = "start", **look: Any) -> None:
        """Say something in front of what is drawn there."""
        room = long(words, size)
        left = x - room if anchor == "end" else x
        self.draw("rect", "paper", x=left - 2, y=y - size, width=room + 4, height=size + LEADING)
        self.say(words, x, y, size, anchor=anchor, **look)

    def name_axis(self, lines: Sequence[str], middle: float, bottom: float) -> None:
        """Write the name of the x axis below its numbers."""
        self.down = bottom + 22
        for line in lines:
            self.down += BODY + LEADING
            self.say(line, middle, self.down, BODY, "soft")

    def hatching(self) -> str:
        """Define the stripes of the bars that are over, and return the fill that refers to them."""
        size = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
        turned = size | {"patternTransform": "rotate(45)", "id": f"{self.name}-over"}
        stripe = {"width": "2.5", "height": "6", "class": "fill-over", "fill": PALETTE["over"][0]}
        SubElement(SubElement(self.root, "pattern", turned), "rect", stripe)
        return f"url(#{self.name}-over)"

    def fit(self, words: str, size: int) -> list[str]:
        """The words in lines that fit between the margins."""
        return wrap(words, size, self.width - 2 * MARGIN)

    def write(self, words: str, size: int = BODY, colour: str = "soft", bold: bool = False) -> None:
        """Write a paragraph below what is there."""
        for line in self.fit(words, size):
            self.down += size + LEADING
            self.say(line, MARGIN, self.down, size, colour, "start", bold)

    def finish(self, height: float) -> str:
        """The sheet as text, at least so high."""
        tall = round(max(height, self.down + MARGIN))
        self.root.set("viewBox", f"0 0 {self.width} {tall}")
        self.root.set("width", str(self.width))
        self.root.set("height", str(tall))
        return tostring(self.root, encoding="unicode")


def apart(places: Sequence[float], room: float, first: int = 0) -> list[int]:
    """Which of these places to label so that no two labels touch; the first is always among them."""
    kept: list[int] = []
    for index in (first, *range(len(places))):
        if all(abs(places[index] - places[other]) >= room for other in kept):
            kept.append(index)
    return kept


def long(words: str, size: int = SMALL) -> float:
    """About how many pixels the words take; the font is the reader's, so this errs on the wide side."""
    wide = sum(east_asian_width(sign) in "WF" for sign in words)
    return size * (0.62 * len(words) + 0.3 * sum(map(str.isupper, words)) + 0.4 * wide)


def wrap(words: str, size: int, width: float) -> list[str]:
    """The words in lines that fit the width."""
    lines: list[str] = []
    for word in plain(words).split():
        if lines and long(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for sign in word:  # by the letter, as a single word may be longer than a line
            if lines[-1] and long(lines[-1] + sign, size) > width:
                lines.append("")
            lines[-1] += sign
    return lines
