"""An answer as rows: each figure with its 90% interval, and its place on the axis of its column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias
from xml.etree.ElementTree import Element, SubElement, tostring

from sfumato.model.release import Answer, Interval
from sfumato.model.schema import Type
from sfumato.presentation.figures.palette import PALETTE
from sfumato.presentation.figures.scale import round_step
from sfumato.presentation.figures.svg_canvas import BODY, LARGE, MARGIN, SMALL, long, wrap
from sfumato.presentation.printable import plain
from sfumato.presentation.wording import release_sentences as of_release
from sfumato.presentation.wording.numbers import rounded_figure
from sfumato.presentation.wording.release_sentences import INTERVAL, MOSTLY

Estimate: TypeAlias = tuple[float, Interval | None]
_MUCH_WIDER, _WIDER = 4.0, 1.5  # than the intervals of the other groups, and than the axis that fits them
_ROW, _PLOT = 26, 300  # of a picture by itself, in pixels
_NARROWEST = 110  # pixels of a chart within a table
LONGEST = 40  # letters of a label in such a picture


@dataclass(frozen=True)
class Place:
    """A figure on its axis, in percent of the width. `at` is None beyond the axis; an interval may go on there."""

    at: float | None
    start: float
    end: float
    goes_below: bool
    goes_above: bool
    noisy: bool


@dataclass(frozen=True)
class AnswerChart:
    """One column of figures: their texts, their places, and the ticks of the axis with their places."""

    column: int
    name: str
    title: str
    labels: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]
    places: tuple[Place, ...]
    ticks: tuple[tuple[float, str], ...]

    @property
    def has_noisy(self) -> bool:
        return any(place.noisy for place in self.places)


def figure_columns(answer: Answer) -> list[int]:
    """The columns of numbers that noise was added to, where no figure is missing."""
    numeric = (Type.INTEGER, Type.NUMBER)
    ranged = [i for i, type_ in enumerate(answer.types) if answer.ranged[i] and type_ in numeric]
    return [i for i in ranged if all(row[i] is not None for row in answer.rows)]


def answer_charts(answer: Answer) -> list[AnswerChart]:
    """A chart for each column of figures, where there are rows to compare."""
    return [_chart(answer, column) for column in figure_columns(answer)] if len(answer.rows) > 1 else []


def row_labels(answer: Answer) -> tuple[str, ...]:
    """The groups of each row in one text."""
    keys = [i for i, ranged in enumerate(answer.ranged) if not ranged]
    return tuple(" · ".join(key_label(answer, row, i) for i in keys) for row in range(len(answer.rows)))


def key_label(answer: Answer, row: int, column: int) -> str:
    """A group key as text; of one that is rolled up, that it stands for all its values."""
    key = of_release.ALL if answer.is_rolled_up(row, column) else answer.rows[row][column]
    return "" if key is None else str(key)


def _title(answer: Answer, column: int) -> str:
    by = ", ".join(key for key, ranged in zip(answer.columns, answer.ranged, strict=True) if not ranged)
    return f"{answer.columns[column]} by {by}" if by else answer.columns[column]


def _chart(answer: Answer, column: int) -> AnswerChart:
    estimates: list[Estimate] = [
        (float(row[column]), None if answer.intervals is None else answer.intervals[i][column])  # type: ignore[arg-type]
        for i, row in enumerate(answer.rows)
    ]
    whole = answer.types[column] is Type.INTEGER
    uncounted = [bool(answer.behind) and answer.behind[i][column] == 0 for i in range(len(estimates))]
    wide = [one or other for one, other in zip(much_wider(estimates), uncounted, strict=True)]
    usable = [estimate for estimate, is_wide in zip(estimates, wide, strict=True) if not is_wide]
    low, high, step = _axis(usable or estimates, from_zero=whole)
    places = (
        place_on(estimate, low, high, noisy=is_wide or (whole and _drowned(estimate)))
        for estimate, is_wide in zip(estimates, wide, strict=True)
    )
    texts = (rounded_figure(row[column], interval) for row, (_, interval) in zip(answer.rows, estimates, strict=True))
    return AnswerChart(
        column,
        answer.columns[column],
        _title(answer, column),
        row_labels(answer),
        tuple((text, interval) for text, interval in texts),
        tuple(places),
        axis_ticks(low, high, step),
    )


def axis_ticks(low: float, high: float, step: float) -> tuple[tuple[float, str], ...]:
    """The place of each tick in percent, and its text where there is room for it."""
    ticks = [low + i * step for i in range(round((high - low) / step) + 1)]
    texts = [tick_text(tick, step) for tick in ticks]
    each = next(n for n in range(1, len(texts) + 1) if _apart(texts, n) or n > 4)
    return tuple(
        (round(100 * (tick - low) / (high - low), 2), text if i % each == 0 else "")
        for i, (tick, text) in enumerate(zip(ticks, texts, strict=True))
    )


def _apart(texts: Sequence[str], each: int) -> bool:
    """Whether every nth text has room on the narrowest chart: the first begins at its tick, the last ends there."""
    last, end = len(texts) - 1, -8.0
    for i in range(0, len(texts), each):
        start = _NARROWEST * i / (last or 1) - long(texts[i]) * (0 if i == 0 else 1 if i == last else 0.5)
        if start < end + 8:
            return False
        end = start + long(texts[i])
    return True


def much_wider(estimates: Sequence[Estimate]) -> list[bool]:
    """Whether the interval of each figure is much wider than the others, and than all that they span.

    >>> much_wider([(40.7, (40.5, 40.8)), (39.0, (38.8, 39.2)), (37.1, (35.3, 38.8)), (58.7, (35.1, 87.1))])
    [False, False, False, True]
    >>> much_wider([(42.4, (42.3, 42.5)), (36.4, (36.2, 36.6))]), much_wider([(5.0, None), (6.0, None)])
    ([False, False], [False, False])
    """
    widths = [0.0 if interval is None else interval[1] - interval[0] for _, interval in estimates]
    narrow: list[int] = []
    low, high = math.inf, -math.inf
    for i in sorted(range(len(estimates)), key=widths.__getitem__):
        value, interval = estimates[i]
        span = max(high, value) - min(low, value)
        if narrow and widths[i] > _MUCH_WIDER * median(widths[j] for j in narrow) and widths[i] > _WIDER * span:
            break
        narrow.append(i)
        low, high = min(low, *(interval or (value,))), max(high, *(interval or (value,)))
    return [i not in set(narrow) for i in range(len(estimates))]


def _drowned(estimate: Estimate) -> bool:
    """Whether the noise of a count or a sum is larger than the figure itself."""
    value, interval = estimate
    return interval is not None and max(value - interval[0], interval[1] - value) > abs(value)


def _axis(estimates: Sequence[Estimate], *, from_zero: bool) -> tuple[float, float, float]:
    """Both ends and the step: round numbers, with 0 among them where the figures are not far from it."""
    ends = [end for value, interval in estimates for end in (interval or (value,))]
    low, high = min(ends), max(ends)
    if from_zero and 0 < low <= high / 2:
        low = 0.0
    return round_axis(low, high)


def round_axis(low: float, high: float, steps: int = 5) -> tuple[float, float, float]:
    """Round numbers around two ends, and the step between ticks.

    >>> round_axis(34.8, 43.3), round_axis(0, 15056), round_axis(5, 5)
    ((34.0, 44.0, 2.0), (0.0, 20000.0, 5000.0), (5.0, 6.0, 0.2))
    """
    if math.isclose(low, high, rel_tol=1e-12):
        high = low + (abs(low) * 1e-3 if abs(low) > 1e3 else 1.0)
    step = round_step((high - low) / steps)
    start, end = (math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step)
    return start, end, step


def tick_text(tick: float, step: float) -> str:
    """A tick to the digits of its step, with k or M for thousands and millions.

    >>> tick_text(15000, 5000), tick_text(2.5, 0.5), tick_text(-3e6, 1e6), tick_text(0, 5000), tick_text(1200, 200)
    ('15k', '2.5', '−3M', '0', '1.2k')
    """
    for power, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if tick and step >= power / 10 and abs(tick) >= power:
            return tick_text(tick / power, step / power) + sign
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{tick + 0.0:,.{places}f}".replace("-", "−")


def place_on(estimate: Estimate, low: float, high: float, *, noisy: bool) -> Place:
    """A figure and its interval on an axis from `low` to `high`."""
    value, interval = estimate
    start, end = interval or (value, value)
    beyond = (high - low) * 1e-9

    def at(number: float) -> float:
        return round(100 * (min(max(number, low), high) - low) / (high - low), 2)

    inside = low - beyond <= value <= high + beyond
    return Place(at(value) if inside else None, at(start), at(end), start < low - beyond, end > high + beyond, noisy)


def picture(chart: AnswerChart) -> str:
    """The chart of one column by itself, as an SVG of light colours: to download, and for notebooks."""
    labels = [plain(label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…") for label in chart.labels]
    texts = [reading(*text, noisy=place.noisy) for text, place in zip(chart.texts, chart.places, strict=True)]
    left = MARGIN + max(long(label, BODY) for label in labels) + 16
    right = left + _PLOT + 16
    width = round(right + max(long(text, BODY) for text in texts) + MARGIN)
    heads, note = wrap(chart.title, LARGE, width - 2 * MARGIN), wrap(_note(chart), SMALL, width - 2 * MARGIN)
    top = MARGIN + len(heads) * (LARGE + 6) + 8
    bottom = top + len(labels) * _ROW
    height = bottom + 30 + len(note) * (SMALL + 5) + MARGIN
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}", "role": "img"})
    root.attrib |= {"width": str(width), "height": str(height), "font-family": "Inter, system-ui, sans-serif"}
    SubElement(root, "title").text = plain(chart.title)
    _shape(root, "rect", "paper", width=width, height=height)
    for i, line in enumerate(heads):
        _text(root, line, MARGIN, MARGIN + (i + 1) * (LARGE + 6) - 6, LARGE, weight="600")
    for percent, text in chart.ticks:
        x = left + _PLOT * percent / 100
        _shape(root, "line", stroke="grid", x1=x, y1=top, x2=x, y2=bottom)
        _text(root, text, x, bottom + 16, SMALL, "soft", "middle")
    for i, (label, text, place) in enumerate(zip(labels, texts, chart.places, strict=True)):
        y = top + (i + 0.5) * _ROW
        _text(root, label, MARGIN, y + 4, BODY)
        _text(root, text, right, y + 4, BODY, "soft" if place.noisy else "ink")
        _interval(root, place, left, y)
    for i, line in enumerate(note):
        _text(root, line, MARGIN, bottom + 30 + (i + 1) * (SMALL + 5), SMALL, "soft")
    return tostring(root, encoding="unicode")


def _note(chart: AnswerChart) -> str:
    covered = f"{of_release.NOISE_ONLY}." if any(ends for _, ends in chart.texts) else ""
    return f"{covered} {of_release.MOSTLY_NOISE}".strip() if chart.has_noisy else covered


def _interval(root: Element, place: Place, left: float, y: float) -> None:
    start, end = (left + _PLOT * percent / 100 for percent in (place.start, place.end))
    colour = "soft" if place.noisy else "chosen"
    line = _shape(root, "line", stroke=colour, x1=start, y1=y, x2=end, y2=y)
    line.attrib |= {"stroke-width": "2.5", "stroke-linecap": "round"}
    if place.noisy:
        line.set("stroke-dasharray", "1 4.5")
    for goes_on, x, tip in ((place.goes_below, left - 1, -5), (place.goes_above, left + _PLOT + 1, 5)):
        if goes_on:
            arrow = _shape(root, "path", stroke=colour, d=f"M{x:g},{y - 4:g}l{tip},4l{-tip},4")
            arrow.set("stroke-width", "2")
    if place.at is not None:
        dot = _shape(root, "circle", "paper" if place.noisy else colour, colour, cx=left + _PLOT * place.at / 100, cy=y)
        dot.attrib |= {"r": "4.5", "stroke-width": "2"}


def _shape(root: Element, tag: str, fill: str = "", stroke: str = "", **places: float | str) -> Element:
    shape = SubElement(root, tag, {name: v if isinstance(v, str) else f"{v:g}" for name, v in places.items()})
    shape.set("fill", PALETTE[fill][0] if fill else "transparent")
    if stroke:
        shape.set("stroke", PALETTE[stroke][0])
    return shape


def _text(
    root: Element,
    words: str,
    x: float,
    y: float,
    size: int,
    colour: str = "ink",
    anchor: str = "start",
    weight: str = "",
) -> None:
    text = _shape(root, "text", colour, x=x, y=y)
    text.attrib |= {"font-size": str(size), "text-anchor": anchor, **({"font-weight": weight} if weight else {})}
    text.text = words


def reading(text: str, interval: str, *, noisy: bool) -> str:
    """One figure in words, for those who do not see its place."""
    ends = f", {INTERVAL} {interval}" if interval else ""
    return f"{text}{ends}{f': {MOSTLY.lower()}' if noisy else ''}"
