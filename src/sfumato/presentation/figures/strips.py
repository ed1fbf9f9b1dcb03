"""Spans as rows of horizontal bars, drawn over one axis."""

from __future__ import annotations

import math

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import GLYPHS, Span
from sfumato.presentation.figures.shapes import flags, pins, ticks
from sfumato.presentation.figures.svg_canvas import BODY, LEADING, MARGIN, SMALL, PlotFrame, Sheet, long, wrap

THICK = 12


def strips(sheet: Sheet, figure: Figure) -> None:
    """Draw a row per span from the top: its words, its interval at the right, and its bar below them."""
    sheet.down += 6
    left, right = MARGIN + 4.0, sheet.width - MARGIN - 4.0
    rows = [_Row(figure, span, right - left) for span in figure.of(Span)]
    head = (SMALL + LEADING) * sum(len(lines) for *_, lines in flags(figure, PlotFrame(left, 0, right, 1)))
    top = sheet.down + head + (8 if head else 0)
    bottom = top + sum(row.height for row in rows)
    frame = PlotFrame(left, top, right, bottom)
    for tick in map(figure.across.at, figure.across.ticks):
        sheet.rule((frame.x(tick), top), (frame.x(tick), bottom), "grid")
    hatch = sheet.hatching()
    downs = [top + sum(row.height for row in rows[:index]) for index in range(len(rows))]
    for row, down in zip(rows, downs, strict=True):
        row.draw(sheet, frame, down, hatch)
    pins(sheet, figure, frame)
    for row, down in zip(rows, downs, strict=True):
        row.write(sheet, frame, down)
    sheet.rule((left, bottom), (right, bottom), "soft")
    ticks(sheet, figure, frame)
    sheet.name_axis(wrap(figure.x.name, BODY, right - left), frame.x(0.5), bottom)


class _Row:
    """One span, laid out."""

    def __init__(self, figure: Figure, span: Span, width: float) -> None:
        self.span, self.across = span, figure.across
        self.interval = figure.interval(span)
        self.label = wrap(f"{GLYPHS[span.mark]} {span.label}", BODY, width - long(self.interval, BODY) - 12)
        self.note = wrap(span.note, SMALL, width)
        self.words = len(self.label) * (BODY + LEADING) + len(self.note) * (SMALL + LEADING)
        self.height = self.words + THICK + 14

    def write(self, sheet: Sheet, frame: PlotFrame, top: float) -> None:
        """The words, in front of the pins."""
        base, bold = top + BODY + 2, self.span.mark == "chosen"
        sheet.tag(self.interval, frame.right, base, BODY, anchor="end", bold=bold)
        for index, line in enumerate(self.label):
            sheet.tag(line, frame.left, base + index * (BODY + LEADING), BODY, bold=bold)
        base += len(self.label) * (BODY + LEADING) - 2
        for index, line in enumerate(self.note):
            sheet.tag(line, frame.left, base + index * (SMALL + LEADING), colour="soft")

    def draw(self, sheet: Sheet, frame: PlotFrame, top: float, hatch: str) -> None:
        """The bar below its words, with an arrow where it goes on beyond the edge; a single place is still seen."""
        low, high, y = self.span.low, self.span.high, top + self.words + 4
        start = frame.x(self.across.at(low)) if low > 0 or self.across.spacing != "log" else frame.left
        head = 8 if high == math.inf else 0
        end = frame.right - head if head else frame.x(self.across.at(high))
        start, end = (start, end) if end - start >= 4 else (start - 2, start + 2)
        tip = f"l{head},{THICK / 2:g}l{-head},{THICK / 2:g}" if head else f"v{THICK}"
        fill, stroke = (hatch, "over") if self.span.mark == "over" else (self.span.mark, "")
        outline = f"M{start:.1f},{y:.1f}H{end:.1f}{tip}H{start:.1f}z"
        sheet.draw("path", fill, stroke, f"{self.span.label}: {self.interval}", d=outline)
