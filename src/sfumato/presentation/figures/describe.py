"""A figure in words, for those who do not see it."""

from __future__ import annotations

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import GLYPHS, Bars, Dots, Limit, Line, Pin, Points, Range, Span, Surface

FEW = 6  # so many bars, points or boxes are told one by one, and have room for their numbers


def describe(figure: Figure) -> str:
    """The picture in words, for those who do not see it."""
    parts = [figure.subtitle, *(spoken(figure, index) for index in range(len(figure.of(Range))))]
    parts += [box(figure, index) for index in range(len(figure.boxes))]
    parts += [f"{span.label}: {figure.interval(span)} {span.note}".rstrip() for span in figure.of(Span)]
    parts += [limit.label for limit in figure.of(Limit)]
    parts += [f"{pin.label} at {figure.across.say(pin.x)}" for pin in figure.of(Pin)]
    parts += [_bars(figure, bars) for bars in figure.of(Bars)]
    parts += [_course(figure, line) for line, _ in figure.series]
    parts += [_relief(figure, surface) for surface in figure.of(Surface)]
    parts += [array.words for array in figure.of(Dots)]
    return ". ".join(part.rstrip(".") for part in (*parts, figure.note) if part) + "."


def _course(figure: Figure, series: Line | Points) -> str:
    """A line by its two ends, points one by one where they are few."""
    places = [f"{figure.up.say(y)} at {figure.across.say(x)}" for x, y in series.points]
    if isinstance(series, Line) or len(places) > FEW:
        return f"{series.label or 'a line'}, from {places[0]} to {places[-1]}"
    names = series.names or ("",) * len(places)
    each = (f"{place} {name}".rstrip() for place, name in zip(places, names, strict=True))
    return f"{series.label or 'points'}: {', '.join(each)}"


def _relief(figure: Figure, surface: Surface) -> str:
    """A surface by its lowest and its highest place."""
    say, places = figure.deep.say, [(x, y) for y in surface.ys for x in surface.xs]
    low, high = (end(zip(surface.flat, places, strict=True)) for end in (min, max))
    ends = (
        f"{say(z)} at {figure.x.name} {figure.across.say(x)}, {figure.y.name} {figure.up.say(y)}"
        for z, (x, y) in (low, high)
    )
    over = sum(map(surface.over, surface.flat))
    limits = [f"{over} of {len(places)} places over {say(limit)}" for limit in surface.limits]
    return "; ".join([f"{surface.label or 'a surface'}, from {' to '.join(ends)}", *limits])


def heights(figure: Figure, surface: Surface) -> str:
    """What the heights of a surface measure, from where to where they go, and what the sign beside some means."""
    say, name = figure.deep.say, "" if figure.z is None else figure.z.name
    ends = f"{name}: {say(min(surface.flat))} to {say(max(surface.flat))}"
    limits = [f"{GLYPHS['over']} over the limit {say(limit)}" for limit in surface.limits]
    return "; ".join(part for part in (surface.label, ends, *limits) if part)


def box(figure: Figure, index: int) -> str:
    """One box in words."""
    name, mark = figure.boxes[index]
    low, lower, median, upper, high = map(figure.up.say, mark.five)
    return f"{name}: {low} to {high}, half of them {lower} to {upper}, the middle {median}"


def _bars(figure: Figure, bars: Bars) -> str:
    """A histogram in words: every bar where they are few, otherwise the tallest and the last one."""
    standing = bars.standing
    tallest = max(bars.bins, key=lambda each: each[2])
    each = [
        f"{figure.up.say(height)} from {figure.across.say(left)} to {figure.across.say(right)}"
        for left, right, height in (standing if 0 < len(standing) <= FEW else [tallest, bars.bins[-1]])
    ]
    if 0 < len(standing) <= FEW:
        return f"{len(bars.heights)} bars, all empty but for {', '.join(each)}"
    return f"{len(bars.heights)} bars, the tallest {each[0]}, the last {each[1]}"


def spoken(figure: Figure, index: int) -> str:
    """One range in words."""
    mark, say = figure.of(Range)[index], figure.up.say
    place = f"{figure.x.name} {figure.candidates[index]}"
    return f"{place}: {say(mark.low)} to {say(mark.high)} {figure.verdict(mark)}".rstrip()
