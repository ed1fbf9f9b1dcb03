"""A picture, described: axes, units and marks. It knows nothing of privacy and nothing of pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.presentation.figures.marks import (
    GLYPHS,
    WORDS,
    AnyMark,
    Bars,
    Box,
    Dots,
    Limit,
    Line,
    Mark,
    Pin,
    Points,
    Range,
    Span,
    Surface,
)
from sfumato.presentation.figures.scale import Axis, Scale, above, below, require, scale
from sfumato.presentation.wording.numbers import number

MOST_SERIES = 8  # so many lines, or sets of points, differ by more than their colour
GROUPS: tuple[set[type[Mark]], ...] = (
    {Range, Limit},
    {Box, Limit},
    {Line, Points, Bars, Limit, Pin},
    {Span, Pin},
    {Surface},
    {Dots},
)


@dataclass(frozen=True)
class Figure:
    """A picture: ranges or boxes in columns, bars, lines and points in a plane, spans in rows, a surface, or dots."""

    title: str
    subtitle: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    note: str = ""
    z: Axis | None = None  # of a surface

    def __post_init__(self) -> None:
        kinds = {type(mark) for mark in self.marks}
        require(bool(kinds - {Limit, Pin}), "a figure needs more than limits and pins")
        require(any(kinds <= group for group in GROUPS), "these marks do not share a figure")
        require((self.z is not None) == bool(self.of(Surface)), "a surface, and nothing else, has a third axis")
        require(len(self.of(Surface)) <= 1, "one surface hides another")
        require(max(len(self.of(Line)), len(self.of(Points))) <= MOST_SERIES, f"at most {MOST_SERIES} series differ")
        for places in ([mark.x for mark in self.of(Range)], [mark.x for mark in self.of(Box)]):
            require(len(set(places)) == len(places), "two marks stand at the same place")
        for axis, values in ((self.x, self._across), (self.y, self._up), (self.z, self._deep)):
            least = min((*values, *axis.bounds), default=1) if axis is not None else 1
            spacing, label = ("linear", "") if axis is None else (axis.scale, axis.label)
            require(spacing != "log" or least > 0, f"the log axis {label!r} starts above 0")
            require(spacing != "counts" or least >= 0, f"the axis {label!r} of counts starts at 0")

    def of(self, kind: type[AnyMark]) -> tuple[AnyMark, ...]:
        """The marks of one kind, in order."""
        return tuple(mark for mark in self.marks if isinstance(mark, kind))

    def has(self, *kinds: type[Mark]) -> bool:
        """Whether a mark is of one of these kinds."""
        return any(isinstance(mark, kinds) for mark in self.marks)

    @property
    def series(self) -> tuple[tuple[Line | Points, int], ...]:
        """The lines, then the sets of points, each with its place among its kind."""
        lines, points = self.of(Line), self.of(Points)
        return (*zip(lines, range(len(lines)), strict=True), *zip(points, range(len(points)), strict=True))

    def verdict(self, mark: Range) -> str:
        """A range's sign and words; without a limit nothing was judged, so nothing is called allowed."""
        if mark.mark == "ok" and not mark.label and not self.of(Limit):
            return ""
        return f"{GLYPHS[mark.mark]} {mark.label or WORDS[mark.mark]}"

    def interval(self, span: Span) -> str:
        """From where to where a span goes, in words."""
        low, say = span.low, self.across.say
        if span.interval:
            return span.interval
        if span.high == math.inf:
            return f"from {say(low)}" if low > 0 else "any"
        if low == span.high:
            return say(low)
        return f"{say(low)} to {say(span.high)}" if low > 0 else f"up to {say(span.high)}"

    @property
    def candidates(self) -> tuple[str, ...]:
        """The names of the ranges' candidates, with as many digits as tell them apart."""
        return _names([mark.x for mark in self.of(Range)])

    @property
    def boxes(self) -> tuple[tuple[str, Box], ...]:
        """The boxes from left to right, each with the name of its place."""
        boxes = sorted(self.of(Box), key=lambda box: box.x)
        names = _names([box.x for box in boxes])
        return tuple((box.label or name, box) for name, box in zip(names, boxes, strict=True))

    @property
    def across(self) -> Scale:
        """The scale of the x axis."""
        return scale(self.x, self._across)

    @property
    def up(self) -> Scale:
        """The scale of the y axis."""
        return scale(self.y, self._up)

    @property
    def deep(self) -> Scale:
        """The scale of the third axis."""
        require(self.z is not None, "this figure has no third axis")
        return scale(self.z or self.y, self._deep)

    @property
    def _across(self) -> list[float]:
        edges = [edge for mark in self.of(Bars) for edge in mark.edges]
        points = [x for mark, _ in self.series for x, _ in mark.points]
        places = [mark.x for mark in self.marks if isinstance(mark, Range | Box | Pin)]
        return places + edges + points + self._spanned + [x for mark in self.of(Surface) for x in mark.xs]

    @property
    def _spanned(self) -> list[float]:
        """The ends of spans and pins, with room beyond them where a span goes on to the edge."""
        spans, log = self.of(Span), self.x.scale == "log"
        ends = [end for mark in spans for end in mark.ends if end > 0 or not log]
        known = [*ends, *(mark.x for mark in self.of(Pin))] or [1.0]
        if any(mark.high == math.inf for mark in spans):
            ends.append(above(max(known)) if max(known) > 0 else 1.0)
        if log and any(mark.low <= 0 for mark in spans):
            ends.append(below(min(known)))
        return ends

    @property
    def _up(self) -> list[float]:
        ends = [end for mark in self.of(Range) for end in (mark.low, mark.high)]
        ends += [end for mark in self.of(Box) for end in mark.five]
        heights = [height for mark in self.of(Bars) for height in (0, *mark.heights, max(mark.heights) + mark.noise)]
        points = [y for mark, _ in self.series for _, y in mark.points]
        rows = [y for mark in self.of(Surface) for y in mark.ys]
        return ends + [mark.y for mark in self.of(Limit)] + heights + points + rows

    @property
    def _deep(self) -> list[float]:
        return [height for mark in self.of(Surface) for height in (*mark.flat, *mark.limits)]


def _names(places: list[float]) -> tuple[str, ...]:
    """The places in words, with as many digits as tell them apart."""
    for digits in range(3, 17):
        names = tuple(number(place, digits) for place in places)
        if len(set(names)) == len(names):
            return names
    return tuple(map(str, places))
