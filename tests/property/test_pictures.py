"""Whatever finite numbers a figure holds, all three renderers draw it, inside their bounds."""

from __future__ import annotations

import json
from math import inf, isfinite
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Bars, Box, Limit, Line, Mark, Pin, Points, Span, Surface, Verdict
from sfumato.presentation.figures.plotly import plotly
from sfumato.presentation.figures.scale import Axis, Spacing
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import text
from tests.depth import depth

POSITIVE = st.floats(1e-9, 1e12)
ANY = st.one_of(st.just(0.0), POSITIVE, POSITIVE.map(lambda number: -number))
WORDS = st.text(max_size=30)
SPACINGS: tuple[Spacing, ...] = ("linear", "log")
SPACING = st.sampled_from(SPACINGS)
VERDICTS: tuple[Verdict, ...] = ("ok", "chosen", "over")


@st.composite
def planes(draw: st.DrawFn) -> Figure:
    """Lines, points, bars, limits and pins; all positive where an axis is logarithmic."""
    x, y = (Axis(draw(WORDS), draw(WORDS), draw(SPACING)) for _ in range(2))
    across, up = (POSITIVE if axis.scale == "log" else ANY for axis in (x, y))
    course = st.lists(st.tuples(across, up), min_size=2, max_size=5).map(tuple)
    marks: list[Mark] = [Points(points, draw(WORDS)) for points in draw(st.lists(course, min_size=1, max_size=2))]
    marks += [Line(points, draw(WORDS)) for points in draw(st.lists(course, max_size=2))]
    marks += [Limit(draw(up), draw(WORDS)) for _ in range(draw(st.integers(0, 2)))]
    marks += [Pin(draw(across), draw(WORDS)) for _ in range(draw(st.integers(0, 2)))]
    if y.scale == "linear":
        edges = draw(st.lists(across, min_size=2, max_size=4, unique=True).map(sorted))
        marks.append(Bars(tuple(edges), tuple(float(height) for height in range(len(edges) - 1)), noise=1.0))
    return Figure(draw(WORDS), draw(WORDS), x, y, tuple(marks), draw(WORDS))


@st.composite
def rows(draw: st.DrawFn) -> Figure:
    """Spans, some without an end, and pins."""
    x = Axis("epsilon", scale=draw(SPACING))
    marks: list[Mark] = []
    for _ in range(draw(st.integers(1, 4))):
        low, high = sorted((draw(st.one_of(st.just(0.0), POSITIVE)), draw(st.one_of(st.just(inf), POSITIVE))))
        marks.append(Span(draw(WORDS), low, high, draw(st.sampled_from(VERDICTS)), draw(WORDS)))
    marks += [Pin(draw(POSITIVE), draw(WORDS)) for _ in range(draw(st.integers(0, 3)))]
    return Figure("t", "", x, Axis("method"), tuple(marks))


@st.composite
def boxes(draw: st.DrawFn) -> Figure:
    places = draw(st.lists(ANY, min_size=1, max_size=5, unique=True))
    marks = []
    for at in places:
        low, lower, median, upper, high = sorted(draw(st.lists(ANY, min_size=5, max_size=5)))
        marks.append(Box(at, low, lower, median, upper, high, draw(WORDS)))
    return Figure("t", "", Axis("p"), Axis("error"), tuple(marks))


@st.composite
def surfaces(draw: st.DrawFn) -> Figure:
    xs, ys = (tuple(sorted(draw(st.lists(ANY, min_size=2, max_size=6, unique=True)))) for _ in range(2))
    heights = tuple(tuple(draw(ANY) for _ in xs) for _ in ys)
    surface = Surface(xs, ys, heights, draw(WORDS), draw(st.one_of(st.none(), ANY)))
    return Figure("t", "", Axis("trust"), Axis("sensitivity"), (surface,), z=Axis("risk"))


@settings(max_examples=depth("pictures"), deadline=None)
@given(st.one_of(planes(), rows(), boxes(), surfaces()), st.sampled_from((72, 100)))
def test_every_figure_is_drawn_by_all_three(figure: Figure, width: int) -> None:
    for element in ElementTree.fromstring(svg(figure)).iter():
        for name in ("x", "y", "x1", "x2", "y1", "y2", "width", "height"):
            value = element.get(name, "0").rstrip("%")
            assert isfinite(float(value))
            assert -1 <= float(value) <= 5000
    assert max(map(cell_len, text(figure, width).split("\n"))) <= width
    json.dumps(plotly(figure), allow_nan=False)
