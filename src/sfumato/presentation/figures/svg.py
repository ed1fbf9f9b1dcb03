"""A figure as a standalone SVG: accessible, light and dark, never by colour alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.presentation.figures import shapes
from sfumato.presentation.figures.describe import FEW
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.heatmap import heatmap
from sfumato.presentation.figures.marks import Bars, Box, Dots, Limit, Points, Range, Span, Surface
from sfumato.presentation.figures.palette import SERIES, Series
from sfumato.presentation.figures.strips import strips
from sfumato.presentation.figures.svg_canvas import (
    BODY,
    HEADROOM,
    LARGE,
    LEADING,
    MARGIN,
    SMALL,
    PlotFrame,
    Sheet,
    apart,
    long,
    wrap,
)

LIMIT = Series("ink", "1 0", "", "")


def svg(figure: Figure, width: int = 640, height: int = 360) -> str:
    """The figure as a standalone SVG, at least 320 wide; it grows taller where its words would not fit."""
    sheet = Sheet(figure, max(width, 320))
    sheet.write(figure.title, LARGE, "ink", bold=True)
    sheet.write(figure.subtitle)
    for array in figure.of(Dots):
        _dots(sheet, array)
    for surface in figure.of(Surface):
        heatmap(sheet, figure, surface, height)
    if figure.of(Span):
        strips(sheet, figure)
    if not figure.has(Dots, Surface, Span):
        _plot(sheet, figure, height)
    sheet.down += 6
    sheet.write(figure.note, SMALL)
    return sheet.finish(0 if figure.of(Span) else height)


@dataclass(frozen=True)
class Aside:
    """A label in the right margin, beside the end of a limit, a line or a set of points."""

    part: float
    lines: list[str]
    series: Series
    points: bool = False

    @property
    def height(self) -> int:
        """The room it takes."""
        return len(self.lines) * (SMALL + LEADING) + 2


def _plot(sheet: Sheet, figure: Figure, height: float) -> None:
    """Draw the axes, the marks between them and the words around them."""
    up, asides = figure.up, _asides(figure, sheet.width / 4)
    sheet.write(_legend(figure), colour="ink")
    sheet.down += 6
    sheet.write(figure.y.name, SMALL)
    top = sheet.down + (HEADROOM if figure.of(Range) else 12)
    top += SMALL if any(len(bars.standing) <= FEW for bars in figure.of(Bars)) else 0
    left = MARGIN + 8 + max(long(up.say(tick)) for tick in up.ticks)
    clear = 8 if figure.of(Points) else 0  # the last point must not touch the first label
    room = clear + max((38 + long(line) for aside in asides for line in aside.lines), default=8)
    right = sheet.width - MARGIN - room
    across, note = wrap(figure.x.name, BODY, right - left), sheet.fit(figure.note, SMALL)
    below = 28 + (BODY + LEADING) * len(across + note) + MARGIN
    pinned = shapes.flags(figure, PlotFrame(left, 0, right, 1))
    top += (SMALL + LEADING) * sum(len(lines) for *_, lines in pinned)
    bottom = top + max(120, height - top - below, sum(aside.height for aside in asides))
    frame = PlotFrame(left, top, right, bottom)

    heights = [frame.y(up.at(tick)) for tick in up.ticks]
    for index in apart(heights, SMALL + LEADING):
        sheet.rule((left, heights[index]), (right, heights[index]), "grid")
        sheet.say(up.say(up.ticks[index]), left - 8, heights[index] + 4, colour="soft", anchor="end")
    draw = shapes.ranges if figure.of(Range) else shapes.boxes if figure.of(Box) else shapes.plane
    draw(sheet, figure, frame)
    for y in (frame.y(up.at(limit.y)) for limit in figure.of(Limit)):
        sheet.rule((left, y), (right, y), "ink", 1.5)
    shapes.pins(sheet, figure, frame)
    shapes.names(sheet, figure, frame)
    sheet.rule((left, bottom), (right, bottom), "soft")
    _beside(sheet, frame, asides, right + clear)
    sheet.name_axis(across, frame.x(0.5), bottom)


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
    """The labels of limits, lines and points, each at the height where its mark ends, the highest first."""
    up = figure.up
    asides = [Aside(up.at(limit.y), wrap(limit.label, SMALL, width), LIMIT) for limit in figure.of(Limit)]
    for mark, index in figure.series:
        lines = wrap(mark.label, SMALL, width)
        asides.append(Aside(up.at(mark.points[-1][1]), lines, SERIES[index], isinstance(mark, Points)))
    return sorted((aside for aside in asides if aside.lines), key=lambda aside: -aside.part)


def _beside(sheet: Sheet, frame: PlotFrame, asides: Sequence[Aside], left: float) -> None:
    """Write the labels of the right margin, pushed apart where they would overlap."""
    free, needed = frame.top - 9, sum(aside.height for aside in asides)
    for aside in asides:
        top = min(max(frame.y(aside.part) - 9, free), frame.bottom + 9 - needed)
        free, needed = top + aside.height, needed - aside.height
        start, end = (left + 4, top + 9), (left + 30, top + 9)
        if aside.points:
            sheet.mark((left + 17, top + 9), aside.series)
        else:
            sheet.rule(start, end, aside.series.colour, 2, aside.series.dashes)
        for row, line in enumerate(aside.lines):
            sheet.say(line, left + 36, top + 13 + row * (SMALL + LEADING), anchor="start")


def _legend(figure: Figure) -> str:
    """What the signs mean; a range with words of its own is named after its candidate."""
    meanings: dict[str, list[str]] = {}
    for name, mark in zip(figure.candidates, figure.of(Range), strict=True):
        meanings.setdefault(figure.verdict(mark), []).extend([name] if mark.label else [])
    meanings.pop("", None)
    return "; ".join(sign + (": " + ", ".join(names) if names else "") for sign, names in meanings.items())
