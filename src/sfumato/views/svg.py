"""A figure as a standalone SVG: accessible, light and dark, never by colour alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2s
from itertools import cycle, pairwise
from typing import TypeAlias
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element, SubElement, tostring

from sfumato.views.figure import Bars, Dots, Figure, Limit, Line, Range, plain

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
STROKES = (("chosen", "1 0"), ("over", "7 4"), ("ok", "2 3"), ("other", "9 3 2 3"))  # of lines, in turn
SMALL, BODY, LARGE = 11, 12, 15
MARGIN, LEADING, HEADROOM = 16, 4, 40
FEW = 6  # so many bars have room for their numbers, and are told one by one

Spot: TypeAlias = tuple[float, float]


def _style() -> str:
    """The style sheet of all figures, in light and in dark."""
    light, dark = (";".join(f"--sf-{name}:{both[i]}" for name, both in PALETTE.items()) for i in (0, 1))
    fills = (f".sfumato-figure .fill-{name}{{fill:var(--sf-{name})}}" for name in PALETTE)
    strokes = (f".sfumato-figure .stroke-{name}{{stroke:var(--sf-{name})}}" for name in PALETTE)
    themes = f".sfumato-figure{{{light}}}@media screen and (prefers-color-scheme:dark){{.sfumato-figure{{{dark}}}}}"
    return ".sfumato-figure{max-width:100%;height:auto}" + themes + "".join((*fills, *strokes))


STYLE = _style()  # also for a page that serves it from its own style sheet


def svg(figure: Figure, width: int = 640, height: int = 360) -> str:
    """The figure as a standalone SVG, at least 320 wide; it grows taller where its words would not fit."""
    sheet = Sheet(figure, max(width, 320))
    sheet.write(figure.title, LARGE, "ink", bold=True)
    sheet.write(figure.subtitle)
    for array in figure.of(Dots):
        _dots(sheet, array)
    if not figure.of(Dots):
        _plot(sheet, figure, height)
    sheet.down += 6
    sheet.write(figure.note, SMALL)
    return sheet.finish(height)


@dataclass(frozen=True)
class Frame:
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


@dataclass(frozen=True)
class Aside:
    """A label in the right margin, beside the end of a limit or a line."""

    part: float
    lines: list[str]
    colour: str
    dashes: str

    @property
    def height(self) -> int:
        """The room it takes."""
        return len(self.lines) * (SMALL + LEADING) + 2


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
        SubElement(self.root, "desc", id=f"{self.name}-desc").text = plain(_describe(figure))
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

    def hatching(self) -> str:
        """Define the stripes of the bars that are over, and return the fill that refers to them."""
        size = {"width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
        turned = size | {"patternTransform": "rotate(45)", "id": f"{self.name}-over"}
        stripe = {"width": "2.5", "height": "6", "class": "fill-over", "fill": PALETTE["over"][0]}
        SubElement(SubElement(self.root, "pattern", turned), "rect", stripe)
        return f"url(#{self.name}-over)"

    def fit(self, words: str, size: int) -> list[str]:
        """The words in lines that fit between the margins."""
        return _wrap(words, size, self.width - 2 * MARGIN)

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


def _plot(sheet: Sheet, figure: Figure, height: float) -> None:
    """Draw the axes, the marks between them and the words around them."""
    up, asides = figure.up, _asides(figure, sheet.width / 4)
    sheet.write(_legend(figure), colour="ink")
    sheet.down += 6
    sheet.write(figure.y.name, SMALL)
    top = sheet.down + (HEADROOM if figure.of(Range) else 12)
    top += SMALL if any(len(_standing(bars)) <= FEW for bars in figure.of(Bars)) else 0
    left = MARGIN + 8 + max(_long(up.say(tick)) for tick in up.ticks)
    room = max((28 + _long(line) for aside in asides for line in aside.lines), default=8)
    right = sheet.width - MARGIN - room
    across, note = _wrap(figure.x.name, BODY, right - left), sheet.fit(figure.note, SMALL)
    below = 28 + (BODY + LEADING) * len(across + note) + MARGIN
    bottom = top + max(120, height - top - below, sum(aside.height for aside in asides))
    frame = Frame(left, top, right, bottom)

    heights = [frame.y(up.at(tick)) for tick in up.ticks]
    for index in _apart(heights, SMALL + LEADING):
        sheet.rule((left, heights[index]), (right, heights[index]), "grid")
        sheet.say(up.say(up.ticks[index]), left - 8, heights[index] + 4, colour="soft", anchor="end")
    draw = _ranges if figure.of(Range) else _plane
    draw(sheet, figure, frame)
    for y in (frame.y(up.at(limit.y)) for limit in figure.of(Limit)):
        sheet.rule((left, y), (right, y), "ink", 1.5)
    sheet.rule((left, bottom), (right, bottom), "soft")
    _beside(sheet, frame, asides)
    sheet.down = bottom + 22
    for line in across:
        sheet.down += BODY + LEADING
        sheet.say(line, frame.x(0.5), sheet.down, BODY, "soft")


def _ranges(sheet: Sheet, figure: Figure, frame: Frame) -> None:
    """Draw a bar per candidate, with its sign and its value above it."""
    up, ranges, names = figure.up, figure.of(Range), figure.candidates
    values = [up.say(mark.high) for mark in ranges]
    column = (frame.right - frame.left) / len(ranges)
    middles = [frame.left + (index + 0.5) * column for index in range(len(ranges))]
    chosen = next((index for index, mark in enumerate(ranges) if mark.mark == "chosen"), 0)
    widest = max(map(_long, values))
    valued, signed = _apart(middles, widest + 6, chosen), _apart(middles, BODY, chosen)
    named = _apart(middles, max(map(_long, names)) + 10, chosen)
    limits = sorted((frame.y(up.at(limit.y)) for limit in figure.of(Limit)), reverse=True)
    hatch = sheet.hatching()
    for index, (mark, middle) in enumerate(zip(ranges, middles, strict=True)):
        top, bold, wide = frame.y(up.at(mark.high)), mark.mark == "chosen", min(0.62 * column, 44)
        tall = max(frame.y(up.at(mark.low)) - top, 2)  # a gap of exactly 1 is still there to be seen
        fill, stroke = (hatch, "over") if mark.mark == "over" else (mark.mark, "")
        hint = _spoken(figure, index)
        sheet.draw("rect", fill, stroke, hint, x=middle - wide / 2, y=top, width=wide, height=tall)
        base = _clear(top - 5, limits)
        if index in signed and (verdict := figure.verdict(mark)):
            sheet.say(verdict[0], middle, base, BODY, bold=True)
        if index in valued:  # above its sign, or above every bar where columns are too narrow for it
            above = base - 14 if widest <= column else frame.top - HEADROOM + 18
            sheet.say(values[index], middle, above, bold=bold)
        if index in named:
            sheet.say(names[index], middle, frame.bottom + 17, BODY, bold=bold)


def _clear(base: float, limits: Sequence[float]) -> float:
    """The baseline for a sign and a value, moved up where a limit would cross them."""
    for limit in limits:
        if base - 26 < limit < base + 4:
            base = limit - 5
    return base


def _plane(sheet: Sheet, figure: Figure, frame: Frame) -> None:
    """Draw bars and lines over a numeric axis."""
    across, up = figure.across, figure.up
    for bars in figure.of(Bars):
        _bars(sheet, figure, frame, bars)
        _whiskers(sheet, figure, frame, bars)
    for line, (colour, dashes) in zip(figure.of(Line), cycle(STROKES), strict=False):
        points = " ".join(f"{frame.x(across.at(x)):.1f},{frame.y(up.at(y)):.1f}" for x, y in line.points)
        sheet.draw("polyline", "", colour, line.label, points=points, stroke_width=2, stroke_dasharray=dashes)
    places = [frame.x(across.at(tick)) for tick in across.ticks]
    for index in _apart(places, 8 + max(_long(across.say(tick)) for tick in across.ticks)):
        sheet.rule((places[index], frame.bottom), (places[index], frame.bottom + 4), "soft")
        sheet.say(across.say(across.ticks[index]), places[index], frame.bottom + 17, colour="soft")


def _bars(sheet: Sheet, figure: Figure, frame: Frame, bars: Bars) -> None:
    """Draw the bars of a histogram; where they are few, each carries its number."""
    standing = _standing(bars)
    sides = [(frame.x(figure.across.at(left)), frame.x(figure.across.at(right)) - 1) for left, right, _ in standing]
    spans: list[Spot] = []
    for (left, right), (*_, height) in zip(sides, standing, strict=True):
        long = _long(figure.up.say(height))
        spans.append((left, left + long) if left + long <= frame.right else (right - long, right))
    apart = all(one[1] + 6 <= other[0] for one, other in pairwise(spans))
    for (left, right), span, (low, high, height) in zip(sides, spans, standing, strict=True):
        top = min(frame.y(figure.up.at(height)), frame.bottom - 2)  # the few who are most exposed must be seen
        off = f" ±{figure.up.say(bars.noise)}" if bars.noise else ""
        hint = f"{figure.across.say(low)} to {figure.across.say(high)}: {figure.up.say(height)}{off}"
        size = {"width": max(right - left, 1), "height": frame.bottom - top}
        sheet.draw("rect", "chosen", "", hint, x=left, y=top, **size)
        if apart and len(standing) <= FEW:
            start = span[0] == left
            sheet.say(figure.up.say(height), left if start else right, top - 4, anchor="start" if start else "end")


def _whiskers(sheet: Sheet, figure: Figure, frame: Frame, bars: Bars) -> None:
    """Draw how far the truth may be from each bar."""
    for left, right, height in bars.bins if bars.noise else ():
        middle = frame.x(figure.across.at((left + right) / 2))
        low, high = (frame.y(figure.up.at(max(0, end))) for end in (height - bars.noise, height + bars.noise))
        sheet.rule((middle, low), (middle, high), "ink", 1.5)


def _standing(bars: Bars) -> list[tuple[float, float, float]]:
    """The bars that are higher than nothing."""
    return [each for each in bars.bins if each[2]]


def _dots(sheet: Sheet, array: Dots) -> None:
    """Draw odds as rows of twenty: discs for the filled, rings for the others."""
    sheet.down += 10
    sheet.write(array.words, 13, "ink")
    pitch = min(18, (sheet.width - 2 * MARGIN) / 20)
    top = sheet.down + 8
    for index in range(array.total):
        row, column = divmod(index, 20)
        x, y = MARGIN + (column + 0.5) * pitch, top + (row + 0.5) * pitch
        sheet.draw("circle", "chosen" if index < array.filled else "", "chosen", cx=x, cy=y, r=pitch * 0.34)
    sheet.down = top + math.ceil(array.total / 20) * pitch


def _asides(figure: Figure, width: float) -> list[Aside]:
    """The labels of limits and lines, each at the height where its mark ends, the highest first."""
    up, lines = figure.up, zip(figure.of(Line), cycle(STROKES), strict=False)
    labels = [(limit.label, limit.y, "ink", "1 0") for limit in figure.of(Limit)]
    labels += [(line.label, line.points[-1][1], *stroke) for line, stroke in lines]
    asides = [Aside(up.at(y), _wrap(label, SMALL, width), *stroke) for label, y, *stroke in labels if label]
    return sorted(asides, key=lambda aside: -aside.part)


def _beside(sheet: Sheet, frame: Frame, asides: Sequence[Aside]) -> None:
    """Write the labels of the right margin, pushed apart where they would overlap."""
    free, needed = frame.top - 9, sum(aside.height for aside in asides)
    for aside in asides:
        top = min(max(frame.y(aside.part) - 9, free), frame.bottom + 9 - needed)
        free, needed = top + aside.height, needed - aside.height
        start, end = (frame.right + 4, top + 9), (frame.right + 20, top + 9)
        sheet.rule(start, end, aside.colour, 2, aside.dashes)
        for row, line in enumerate(aside.lines):
            sheet.say(line, frame.right + 26, top + 13 + row * (SMALL + LEADING), anchor="start")


def _legend(figure: Figure) -> str:
    """What the signs mean; a range with words of its own is named after its candidate."""
    meanings: dict[str, list[str]] = {}
    for name, mark in zip(figure.candidates, figure.of(Range), strict=True):
        meanings.setdefault(figure.verdict(mark), []).extend([name] if mark.label else [])
    meanings.pop("", None)
    return "; ".join(sign + (": " + ", ".join(names) if names else "") for sign, names in meanings.items())


def _describe(figure: Figure) -> str:
    """The picture in words, for those who do not see it."""
    parts = [figure.subtitle, *(_spoken(figure, index) for index in range(len(figure.of(Range))))]
    parts += [limit.label for limit in figure.of(Limit)]
    for bars in figure.of(Bars):
        parts.append(_told(figure, bars))
    for line in figure.of(Line):
        ends = [f"{figure.up.say(y)} at {figure.across.say(x)}" for x, y in line.points]
        parts.append(f"{line.label or 'a line'}, from {ends[0]} to {ends[-1]}")
    parts += [array.words for array in figure.of(Dots)]
    return ". ".join(part.rstrip(".") for part in (*parts, figure.note) if part) + "."


def _told(figure: Figure, bars: Bars) -> str:
    """A histogram in words: every bar where they are few, otherwise the tallest and the last one."""
    standing = _standing(bars)
    tallest = max(bars.bins, key=lambda each: each[2])
    each = [
        f"{figure.up.say(height)} from {figure.across.say(left)} to {figure.across.say(right)}"
        for left, right, height in (standing if 0 < len(standing) <= FEW else [tallest, bars.bins[-1]])
    ]
    if 0 < len(standing) <= FEW:
        return f"{len(bars.heights)} bars, all empty but for {', '.join(each)}"
    return f"{len(bars.heights)} bars, the tallest {each[0]}, the last {each[1]}"


def _spoken(figure: Figure, index: int) -> str:
    """One range in words."""
    mark, say = figure.of(Range)[index], figure.up.say
    place = f"{figure.x.name} {figure.candidates[index]}"
    return f"{place}: {say(mark.low)} to {say(mark.high)} {figure.verdict(mark)}".rstrip()


def _apart(places: Sequence[float], room: float, first: int = 0) -> list[int]:
    """Which of these places to label so that no two labels touch; the first is always among them."""
    kept: list[int] = []
    for index in (first, *range(len(places))):
        if all(abs(places[index] - places[other]) >= room for other in kept):
            kept.append(index)
    return kept


def _long(words: str, size: int = SMALL) -> float:
    """About how many pixels the words take; the font is the reader's, so this errs on the wide side."""
    wide = sum(east_asian_width(sign) in "WF" for sign in words)
    return size * (0.62 * len(words) + 0.3 * sum(map(str.isupper, words)) + 0.4 * wide)


def _wrap(words: str, size: int, width: float) -> list[str]:
    """The words in lines that fit the width."""
    lines: list[str] = []
    for word in plain(words).split():
        if lines and _long(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for sign in word:  # by the letter, as a single word may be longer than a line
            if lines[-1] and _long(lines[-1] + sign, size) > width:
                lines.append("")
            lines[-1] += sign
    return lines
