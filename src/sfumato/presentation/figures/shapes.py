"""The marks of a figure, drawn in a frame."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sfumato.presentation.figures import describe
from sfumato.presentation.figures.describe import FEW, spoken
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Bars, Limit, Line, Pin, Points, Range
from sfumato.presentation.figures.palette import SERIES
from sfumato.presentation.figures.svg_canvas import (
    BODY,
    HEADROOM,
    LEADING,
    SMALL,
    PlotFrame,
    Sheet,
    Spot,
    apart,
    long,
    wrap,
)


def ranges(sheet: Sheet, figure: Figure, frame: PlotFrame) -> None:
    """Draw a bar per candidate, with its sign and its value above it."""
    up, marks, names = figure.up, figure.of(Range), figure.candidates
    values = [up.say(mark.high) for mark in marks]
    column = (frame.right - frame.left) / len(marks)
    middles = [frame.left + (index + 0.5) * column for index in range(len(marks))]
    chosen = next((index for index, mark in enumerate(marks) if mark.mark == "chosen"), 0)
    widest = max(map(long, values))
    valued, signed = apart(middles, widest + 6, chosen), apart(middles, BODY, chosen)
    named = apart(middles, max(map(long, names)) + 10, chosen)
    limits = sorted((frame.y(up.at(limit.y)) for limit in figure.of(Limit)), reverse=True)
    hatch = sheet.hatching()
    for index, (mark, middle) in enumerate(zip(marks, middles, strict=True)):
        top, bold, wide = frame.y(up.at(mark.high)), mark.mark == "chosen", min(0.62 * column, 44)
        tall = max(frame.y(up.at(mark.low)) - top, 2)  # a gap of exactly 1 is still there to be seen
        fill, stroke = (hatch, "over") if mark.mark == "over" else (mark.mark, "")
        hint = spoken(figure, index)
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


def boxes(sheet: Sheet, figure: Figure, frame: PlotFrame) -> None:
    """Draw a box plot per place, their middles with numbers where all of them have room."""
    up, column = figure.up, (frame.right - frame.left) / len(figure.boxes)
    middles = [frame.left + (index + 0.5) * column for index in range(len(figure.boxes))]
    values = [up.say(box.median) for _, box in figure.boxes]
    wide = min(0.5 * column, 48)
    named = apart(middles, max(long(name, BODY) for name, _ in figure.boxes) + 10)
    valued = column - wide >= max(map(long, values)) + 8
    for index, ((name, box), middle) in enumerate(zip(figure.boxes, middles, strict=True)):
        low, lower, median, upper, high = (frame.y(up.at(number)) for number in box.five)
        sides = middle - wide / 2, middle + wide / 2
        sheet.rule((middle, low), (middle, high), "chosen", 1.5)
        for end in (low, high):
            sheet.rule((middle - wide / 4, end), (middle + wide / 4, end), "chosen", 1.5)
        size = {"x": sides[0], "y": upper, "width": wide, "height": max(lower - upper, 1), "stroke_width": 1.5}
        sheet.draw("rect", "paper", "chosen", describe.box(figure, index), **size)
        sheet.rule((sides[0], median), (sides[1], median), "chosen", 3)
        if valued:
            sheet.say(values[index], sides[1] + 4, median + 4, anchor="start")
        if index in named:
            sheet.say(name, middle, frame.bottom + 17, BODY)


def plane(sheet: Sheet, figure: Figure, frame: PlotFrame) -> None:
    """Draw bars, lines and points over a numeric axis."""
    across, up = figure.across, figure.up
    for bars in figure.of(Bars):
        _bars(sheet, figure, frame, bars)
        _whiskers(sheet, figure, frame, bars)
    for line, series in zip(figure.of(Line), SERIES, strict=False):
        course = " ".join(f"{frame.x(across.at(x)):.1f},{frame.y(up.at(y)):.1f}" for x, y in line.points)
        shape = sheet.draw("polyline", "", series.colour, line.label, points=course, stroke_width=2)
        shape.set("stroke-dasharray", series.dashes)
    for points, series in zip(figure.of(Points), SERIES, strict=False):
        for index, (x, y) in enumerate(points.points):
            spot, name = (frame.x(across.at(x)), frame.y(up.at(y))), points.names[index] if points.names else ""
            hint = " ".join(part for part in (name or points.label, f"{up.say(y)} at {across.say(x)}") if part)
            sheet.mark(spot, series, hint)
    ticks(sheet, figure, frame)


def names(sheet: Sheet, figure: Figure, frame: PlotFrame) -> None:
    """Write the names of points beside them, where they touch neither each other nor a point, a limit or a pin."""
    spots = [
        (frame.x(figure.across.at(x)), frame.y(figure.up.at(y)), name)
        for points in figure.of(Points)
        for (x, y), name in zip(points.points, points.names, strict=False)
    ]
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y, _ in spots]
    taken += [(frame.left, y - 2, frame.right, y + 2) for y in (frame.y(figure.up.at(m.y)) for m in figure.of(Limit))]
    taken += [(x - 2, frame.top, x + 2, frame.bottom) for x in (frame.x(figure.across.at(m.x)) for m in figure.of(Pin))]
    for x, y, name in spots:
        far = long(name)
        sides = x + 8, x - 8 - far, x - far / 2
        places = [(left, base) for left in sides for base in (y - 6, y + 4, y + 14, y - 10)]
        beyond = min(x - far / 2, frame.right + 8 - far), y - 20  # of a limit that is just above the point
        for left, base in (*places, beyond):
            room = (left, base - SMALL, left + far, base + 2)
            fits = frame.left <= left and left + far <= frame.right + 8
            inside = fits and frame.top <= base - SMALL and base < frame.bottom
            if inside and not any(_touch(room, other) for other in taken):
                taken.append(room)
                sheet.say(name, left, base, anchor="start")
                break


def ticks(sheet: Sheet, figure: Figure, frame: PlotFrame) -> None:
    """Draw the ticks of a numeric x axis, those that have room with their numbers."""
    across = figure.across
    places = [frame.x(across.at(tick)) for tick in across.ticks]
    for index in apart(places, 8 + max(long(across.say(tick)) for tick in across.ticks)):
        sheet.rule((places[index], frame.bottom), (places[index], frame.bottom + 4), "soft")
        sheet.say(across.say(across.ticks[index]), places[index], frame.bottom + 17, colour="soft")


def flags(figure: Figure, frame: PlotFrame) -> list[tuple[float, bool, list[str]]]:
    """Each pin from the left: its place, whether its words stand to the right of it, and the words in lines."""
    labels = []
    for pin in sorted(figure.of(Pin), key=lambda pin: pin.x):
        x = frame.x(figure.across.at(pin.x))
        right = x <= (frame.left + frame.right) / 2
        labels.append((x, right, wrap(pin.label, SMALL, max(frame.right - x, x - frame.left) - 8)))
    return labels


def pins(sheet: Sheet, figure: Figure, frame: PlotFrame) -> None:
    """Draw a vertical line per pin, with its words above the frame, each pin's below those of the one before."""
    hung = flags(figure, frame)
    base = frame.top - 8 - (SMALL + LEADING) * sum(len(lines) for *_, lines in hung)
    tops = []
    for x, _, lines in hung:
        sheet.rule((x, base), (x, frame.bottom), "ink", 1.5, "5 3")
        tops.append(base)
        base += (SMALL + LEADING) * len(lines)
    for (x, right, lines), top in zip(hung, tops, strict=True):
        for row, line in enumerate(lines):
            place = x + 6 if right else x - 6
            sheet.tag(line, place, top + SMALL + row * (SMALL + LEADING), anchor="start" if right else "end")


def _touch(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    """Whether two rectangles share a place."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _bars(sheet: Sheet, figure: Figure, frame: PlotFrame, bars: Bars) -> None:
    """Draw the bars of a histogram; where they are few, each carries its number."""
    standing = bars.standing
    sides = [(frame.x(figure.across.at(left)), frame.x(figure.across.at(right)) - 1) for left, right, _ in standing]
    spans: list[Spot] = []
    for (left, right), (*_, height) in zip(sides, standing, strict=True):
        far = long(figure.up.say(height))
        spans.append((left, left + far) if left + far <= frame.right else (right - far, right))
    clear = all(one[1] + 6 <= other[0] for one, other in pairwise(spans))
    for (left, right), span, (low, high, height) in zip(sides, spans, standing, strict=True):
        top = min(frame.y(figure.up.at(height)), frame.bottom - 2)  # the few who are most exposed must be seen
        off = f" ±{figure.up.say(bars.noise)}" if bars.noise else ""
        hint = f"{figure.across.say(low)} to {figure.across.say(high)}: {figure.up.say(height)}{off}"
        size = {"width": max(right - left, 1), "height": frame.bottom - top}
        sheet.draw("rect", "chosen", "", hint, x=left, y=top, **size)
        if clear and len(standing) <= FEW:
            start = span[0] == left
            sheet.say(figure.up.say(height), left if start else right, top - 4, anchor="start" if start else "end")


def _whiskers(sheet: Sheet, figure: Figure, frame: PlotFrame, bars: Bars) -> None:
    """Draw how far the truth may be from each bar."""
    for left, right, height in bars.bins if bars.noise else ():
        middle = frame.x(figure.across.at((left + right) / 2))
        low, high = (frame.y(figure.up.at(max(0, end))) for end in (height - bars.noise, height + bars.noise))
        sheet.rule((middle, low), (middle, high), "ink", 1.5)
