"""A figure in plain characters, for a terminal, a log or a letter."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from rich.cells import cell_len, set_cell_size

from sfumato.presentation.figures.describe import heights
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import GLYPHS, Bars, Box, Dots, Limit, Line, Pin, Points, Range, Span, Surface
from sfumato.presentation.figures.palette import SERIES
from sfumato.presentation.figures.scale import Scale
from sfumato.presentation.printable import plain
from sfumato.presentation.table import table

Shape: TypeAlias = Literal["solid", "shaded", "point", "box", "rule", "nothing"]

STYLES = {"ok": "#009e73", "chosen": "bold #56b4e9", "over": "#d55e00", "title": "bold"}
EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
WIDTH = 72
NARROWEST = 40  # below this, lines that wrap are better than bars without room
MOST_POINTS = 20
MOST_ROWS = 12


@dataclass(frozen=True)
class TextRow:
    """One line of the picture: a name, what stands between 0 and 1, its value and its words."""

    name: str
    low: float
    high: float
    value: str
    words: str = ""
    style: str = "chosen"
    shape: Shape = "solid"
    glyph: str = "●"
    half: tuple[float, float, float] = (0, 0, 0)  # the sides and the middle of a box

    def cells(self, space: int) -> str:
        """The shape in this space; the thinnest bar is still visible."""
        start = min(int(self.low * space), space - 1)
        full, rest = divmod(max(1, round(self.high * space * 8) - start * 8), 8)
        match self.shape:
            case "solid":
                return " " * start + "█" * full + EIGHTHS[rest]
            case "shaded":
                return " " * start + "▒" * (full + (rest > 0))
            case "point":
                return " " * start + self.glyph
            case "box":
                return self._box(space, start)
            case "rule":
                words = _crop(f"┄┄ {self.words} ", space)
                return words + "┄" * (space - cell_len(words))
            case "nothing":
                return ""

    def _box(self, space: int, start: int) -> str:
        """Whiskers, the half in the middle, and a stroke at its middle."""
        lower, median, upper, end = (min(int(part * space), space - 1) for part in (*self.half, self.high))
        cells = [" "] * start + ["─"] * (end - start + 1)
        cells[lower : upper + 1] = "▒" * (upper - lower + 1)
        cells[median] = "█"
        return "".join(cells)


def text(figure: Figure, width: int = WIDTH, colour: bool = False) -> str:
    """The figure in lines no wider than width, or than 40; colour adds ANSI styles and no meaning."""
    width = max(width, NARROWEST)
    lines = [_paint(line, "title", colour) for line in _wrap(figure.title, width)]
    lines += [*_wrap(figure.subtitle, width), ""]
    for array in figure.of(Dots):
        lines += [*_wrap(array.words, width), *_dots(array, colour), ""]
    for surface in figure.of(Surface):
        lines += [*_relief(figure, surface, width), ""]
    if figure.of(Span):
        lines += [*_wrap(f"{figure.x.name}, for each {figure.y.name}", width), "", *_spans(figure, width, colour), ""]
    if not figure.has(Dots, Surface, Span):
        lines += [*_wrap(f"{figure.y.name}, for each {figure.x.name}", width), ""]
        for heading, rows in _blocks(figure):
            lines += [*_wrap(heading, width), *_draw(rows, figure, width, colour), ""]
    return "\n".join(line.rstrip() for line in [*lines, *_wrap(figure.note, width)]).rstrip()


def paragraph(words: str, width: int = WIDTH) -> str:
    """Words in lines as wide as a figure's."""
    return "\n".join(_wrap(words, width))


def _dots(array: Dots, colour: bool) -> Iterator[str]:
    """Rows of twenty dots, the filled ones first."""
    dots = "●" * array.filled + "○" * (array.total - array.filled)
    for start in range(0, array.total, 20):
        yield _paint(" ".join(dots[start : start + 20]), "chosen", colour)


def _blocks(figure: Figure) -> Iterator[tuple[str, list[TextRow]]]:
    """The rows of all ranges or boxes, then those of each histogram and each series, with a heading."""
    if figure.of(Range):
        yield "", list(_candidates(figure, figure.up))
    if figure.of(Box):
        yield "", list(_boxes(figure, figure.up))
    for bars in figure.of(Bars):
        yield "", _pinned(figure, _bins(bars, figure.across, figure.up), [left for left, *_ in bars.bins])
    for series, index in figure.series:
        places = [series.points[at][0] for at in _even(len(series.points), MOST_POINTS)]
        yield series.label, _pinned(figure, _points(figure, series, index), places)


def _candidates(figure: Figure, up: Scale) -> Iterator[TextRow]:
    """A row per range."""
    for name, mark in zip(figure.candidates, figure.of(Range), strict=True):
        low, high, value = up.at(mark.low), up.at(mark.high), up.say(mark.high)
        shape: Shape = "shaded" if mark.mark == "over" else "solid"
        yield TextRow(name, low, high, value, figure.verdict(mark), mark.mark, shape)


def _bins(bars: Bars, across: Scale, up: Scale) -> Iterator[TextRow]:
    """A row per bar; neighbouring empty ones share a row, so that a long tail stays short."""
    for empty, run in groupby(bars.bins, key=lambda bar: bar[2] == 0):
        bins = list(run)
        for left, right, height in [(bins[0][0], bins[-1][1], 0.0)] if empty else bins:
            shape: Shape = "nothing" if empty else "solid"
            name = f"{across.say(left)}–{across.say(right)}"
            off = f" ±{up.say(bars.noise)}" if bars.noise else ""
            yield TextRow(name, up.at(0), up.at(height), up.say(height) + off, shape=shape)


def _points(figure: Figure, series: Line | Points, index: int) -> Iterator[TextRow]:
    """A row per point, or for an even choice of them; of points with the marker of their series and their name."""
    across, up = figure.across, figure.up
    glyph = SERIES[index].glyph if isinstance(series, Points) else "●"
    names = series.names if isinstance(series, Points) else ()
    for at in _even(len(series.points), MOST_POINTS):
        x, y = series.points[at]
        name = names[at] if names else ""
        yield TextRow(across.say(x), up.at(y), up.at(y), up.say(y), name, shape="point", glyph=glyph)


def _boxes(figure: Figure, up: Scale) -> Iterator[TextRow]:
    """A row per box, with its middle as the value."""
    for name, box in figure.boxes:
        low, lower, median, upper, high = map(up.at, box.five)
        ends = f"{up.say(box.low)} to {up.say(box.high)}"
        yield TextRow(name, low, high, up.say(box.median), ends, shape="box", half=(lower, median, upper))


def _pinned(figure: Figure, rows: Iterable[TextRow], places: Sequence[float]) -> list[TextRow]:
    """The rows, whose places are these, with a rule for each pin before the first place beyond it."""
    lines = list(rows)
    for pin in sorted(figure.of(Pin), key=lambda pin: -pin.x):
        at = next((index for index, place in enumerate(places) if place > pin.x), len(lines))
        lines.insert(min(at, len(lines)), TextRow(figure.across.say(pin.x), 0, 0, "", pin.label, "title", "rule"))
    return lines


def _even(count: int, most: int) -> Sequence[int]:
    """All of so many, or an even choice of them, the first and the last included."""
    last, steps = count - 1, most - 1
    return range(count) if last <= steps else [index * last // steps for index in range(most)]


def _spans(figure: Figure, width: int, colour: bool) -> Iterator[str]:
    """Of each span its words and below them its bar, then the pins and the ruler."""
    across, space = figure.across, width - 4
    places = sorted(figure.of(Pin), key=lambda pin: pin.x)
    columns = [min(int(across.at(pin.x) * space), space - 1) for pin in places]
    for span in figure.of(Span):
        words = f"{GLYPHS[span.mark]} {span.label}: {figure.interval(span)}"
        yield from (_paint(line, span.mark, colour) for line in _wrap(words, width))
        yield from (f"  {line}" for line in _wrap(span.note, width - 2))
        low = across.at(span.low) if span.low > 0 or across.spacing != "log" else 0.0
        high = 1.0 if span.high == math.inf else across.at(span.high)
        bar = TextRow("", low, high, "", shape="shaded" if span.mark == "over" else "solid").cells(space)
        cells = list(bar[:space].ljust(space))
        for column in columns:
            cells[column] = "│"
        yield "  " + _paint("".join(cells), span.mark, colour) + ("▶" if span.high == math.inf else "")
    for index in reversed(range(len(places))):
        yield "  " + _hang(places[index].label, columns[: index + 1], width - 2)
    yield "  " + _ruler(across, space)


def _relief(figure: Figure, surface: Surface, width: int) -> Iterator[str]:
    """A surface as a table of as many heights as have room, the first row at the bottom."""
    yield from _wrap(heights(figure, surface), width)
    yield from _wrap(f"across: {figure.x.name}; down: {figure.y.name}", width)
    yield ""
    rows = _even(len(surface.ys), MOST_ROWS)
    for most in range(len(surface.xs), 1, -1):
        columns = _even(len(surface.xs), most)
        head = ["", *(figure.across.say(surface.xs[at]) for at in columns)]
        body = [
            [figure.up.say(surface.ys[row]), *(_height(figure, surface, surface.heights[row][at]) for at in columns)]
            for row in reversed(rows)
        ]
        lines = table(head, body).split("\n")
        if most == 2 or max(map(cell_len, lines)) <= width:
            yield from lines
            return


def _height(figure: Figure, surface: Surface, height: float) -> str:
    return f"{GLYPHS['over'] + ' ' if surface.over(height) else ''}{figure.deep.say(height)}"


def _draw(rows: Sequence[TextRow], figure: Figure, width: int, colour: bool) -> Iterator[str]:
    """The rows in columns, the limits across them, and a ruler below."""
    up, limits = figure.up, sorted(figure.of(Limit), key=lambda limit: limit.y)
    names, values = min(max(cell_len(plain(row.name)) for row in rows), width // 3), max(len(row.value) for row in rows)
    words = min(max(cell_len(plain(row.words)) for row in rows if row.shape != "rule"), width // 3)
    space = max(width - names - values - words - 6, 1)
    columns = [min(int(up.at(limit.y) * space), space - 1) for limit in limits]
    for row in rows:
        cells = list(row.cells(space))
        cells += " " * (space - len(cells) if row.shape != "rule" else 0)
        for column in columns if len(cells) == space else ():
            if cells[column] != "●" and (row.shape != "rule" or cells[column] == "┄"):  # none crosses a point or words
                cells[column] = "│"
        bar, style, name = "".join(cells), row.style, _crop(row.name, names)
        yield (
            f"{' ' * (names - cell_len(name))}{name}  {_paint(bar, style, colour)}  {row.value:>{values}}"
            f"  {_paint(_crop(row.words if row.shape != 'rule' else '', words), style, colour)}"
        )
    indent = " " * (names + 2)
    for index in reversed(range(len(columns))):
        yield indent + _hang(limits[index].label, columns[: index + 1], width - len(indent))
    yield indent + _ruler(up, space)


def _ruler(up: Scale, space: int) -> str:
    """The two ends of the scale; of counts also the tenfold steps between them, where they do not touch."""
    low, high = up.say(up.low), up.say(up.high)
    line = f"{low}{high:>{max(space - len(low), len(high) + 1)}}"
    for tick in up.ticks if up.spacing == "counts" else ():
        name, start = up.say(tick), int(up.at(tick) * space)
        if not line[max(0, start - 1) : start + len(name) + 1].strip():
            line = line[:start] + name + line[start + len(name) :]
    return line


def _hang(label: str, columns: Sequence[int], width: int) -> str:
    """The label of the last of these columns below it, on the side that has room."""
    *others, column = columns
    left, right = column - 1, width - column - 2
    line = "".join("│" if place in others else " " for place in range(column))
    if cell_len(plain(label)) <= right or left <= right:
        return line + "└ " + _crop(label, right)
    label = _crop(label, left)
    return line[: left - cell_len(label)] + label + " ┘"


def _crop(words: str, width: int) -> str:
    """The words, cut with an ellipsis where they are too long."""
    words = plain(words)
    return words if cell_len(words) <= width else set_cell_size(words, width - 1).rstrip() + "…"


def _wrap(words: str, width: int) -> list[str]:
    """The words in lines that fit; signs two cells wide are met by half the width."""
    words = plain(words)
    return textwrap.wrap(words, width if cell_len(words) <= len(words) else width // 2)


def _paint(words: str, style: str, colour: bool) -> str:
    """The words in a style of ours, if there is colour; 256 colours, as not every terminal has more."""
    if not colour:
        return words
    from rich.color import ColorSystem
    from rich.style import Style

    return Style.parse(STYLES[style]).render(words, color_system=ColorSystem.EIGHT_BIT)
