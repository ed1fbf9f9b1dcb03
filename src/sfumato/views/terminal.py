"""A figure in plain characters, for a terminal, a log or a letter."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from rich.cells import cell_len, set_cell_size
from rich.color import ColorSystem
from rich.style import Style

from sfumato.views.figure import Bars, Dots, Figure, Limit, Line, Range, Scale, plain

Shape: TypeAlias = Literal["solid", "shaded", "point", "nothing"]

STYLES = {"ok": "#009e73", "chosen": "bold #56b4e9", "over": "#d55e00", "title": "bold"}
EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
WIDTH = 72
NARROWEST = 40  # below this, lines that wrap are better than bars without room
MOST_POINTS = 20


@dataclass(frozen=True)
class Row:
    """One line of the picture: a name, what stands between 0 and 1, its value and its words."""

    name: str
    low: float
    high: float
    value: str
    words: str = ""
    style: str = "chosen"
    shape: Shape = "solid"

    def cells(self, space: int) -> str:
        """The shape in at most so many characters; the thinnest bar is still there to be seen."""
        start = min(int(self.low * space), space - 1)
        full, rest = divmod(max(1, round(self.high * space * 8) - start * 8), 8)
        match self.shape:
            case "solid":
                return " " * start + "█" * full + EIGHTHS[rest]
            case "shaded":
                return " " * start + "▒" * (full + (rest > 0))
            case "point":
                return " " * start + "●"
            case "nothing":
                return ""


def text(figure: Figure, width: int = WIDTH, colour: bool = False) -> str:
    """The figure in lines no wider than width, or than 40; colour adds ANSI styles and no meaning."""
    width = max(width, NARROWEST)
    lines = [_paint(line, "title", colour) for line in _wrap(figure.title, width)]
    lines += [*_wrap(figure.subtitle, width), ""]
    for array in figure.of(Dots):
        lines += [*_wrap(array.words, width), *_dots(array, colour), ""]
    if not figure.of(Dots):
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


def _blocks(figure: Figure) -> Iterator[tuple[str, list[Row]]]:
    """The rows of all ranges, then those of each histogram and each line, with a heading."""
    if figure.of(Range):
        yield "", list(_candidates(figure, figure.up))
    for bars in figure.of(Bars):
        yield "", list(_bins(bars, figure.across, figure.up))
    for line in figure.of(Line):
        yield line.label, list(_points(line, figure.across, figure.up))


def _candidates(figure: Figure, up: Scale) -> Iterator[Row]:
    """A row per range."""
    for name, mark in zip(figure.candidates, figure.of(Range), strict=True):
        low, high, value = up.at(mark.low), up.at(mark.high), up.say(mark.high)
        shape: Shape = "shaded" if mark.mark == "over" else "solid"
        yield Row(name, low, high, value, figure.verdict(mark), mark.mark, shape)


def _bins(bars: Bars, across: Scale, up: Scale) -> Iterator[Row]:
    """A row per bar; neighbouring empty ones share a row, so that a long tail stays short."""
    for empty, run in groupby(bars.bins, key=lambda bar: bar[2] == 0):
        bins = list(run)
        for left, right, height in [(bins[0][0], bins[-1][1], 0.0)] if empty else bins:
            shape: Shape = "nothing" if empty else "solid"
            name = f"{across.say(left)}–{across.say(right)}"
            off = f" ±{up.say(bars.noise)}" if bars.noise else ""
            yield Row(name, up.at(0), up.at(height), up.say(height) + off, shape=shape)


def _points(line: Line, across: Scale, up: Scale) -> Iterator[Row]:
    """A row per point, or for an even choice of them, the first and the last included."""
    last, most = len(line.points) - 1, MOST_POINTS - 1
    shown = range(last + 1) if last <= most else [index * last // most for index in range(most + 1)]
    for x, y in (line.points[index] for index in shown):
        yield Row(across.say(x), up.at(y), up.at(y), up.say(y), shape="point")


def _draw(rows: Sequence[Row], figure: Figure, width: int, colour: bool) -> Iterator[str]:
    """The rows in columns, the limits across them, and a ruler below."""
    up, limits = figure.up, sorted(figure.of(Limit), key=lambda limit: limit.y)
    names, values = max(len(row.name) for row in rows), max(len(row.value) for row in rows)
    words = min(max(cell_len(row.words) for row in rows), width // 3)
    space = max(width - names - values - words - 6, 1)
    columns = [min(int(up.at(limit.y) * space), space - 1) for limit in limits]
    for row in rows:
        cells = list(row.cells(space).ljust(space))
        for column in columns:
            cells[column] = "│"
        bar, style = "".join(cells), row.style
        yield (
            f"{row.name:>{names}}  {_paint(bar, style, colour)}  {row.value:>{values}}"
            f"  {_paint(_crop(row.words, words), style, colour)}"
        )
    indent = " " * (names + 2)
    for index in reversed(range(len(columns))):
        yield indent + _hang(limits[index], columns[: index + 1], width - len(indent))
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


def _hang(limit: Limit, columns: Sequence[int], width: int) -> str:
    """The label of the last of these limits below its column, on the side that has room."""
    *others, column = columns
    left, right = column - 1, width - column - 2
    line = "".join("│" if place in others else " " for place in range(column))
    if cell_len(limit.label) <= right or left <= right:
        return line + "└ " + _crop(limit.label, right)
    label = _crop(limit.label, left)
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
    return Style.parse(STYLES[style]).render(words, color_system=ColorSystem.EIGHT_BIT) if colour else words
