"""The same figures as Plotly dicts: every label and number is there, and every property is one that Plotly has."""

import json
from collections.abc import Iterator
from math import log1p

import plotly.graph_objects as go
import pytest

from sfumato.api.figure import Picture
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Bars, Box, Dots, Limit, Line, Pin, Points, Range, Span, Surface
from sfumato.presentation.figures.palette import PALETTE
from sfumato.presentation.figures.plotly import plotly
from sfumato.presentation.figures.scale import Axis
from tests.unit.pictures import CURVES, EPSILON, EXPOSURE, FIGURES, GAP, MEASURED, METHODS, ODDS, RATIO, SHARING

each = pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.title)


def flat(part: object) -> Iterator[object]:
    """Everything in it that is neither a dict nor a list."""
    if isinstance(part, dict | list):
        for each in part.values() if isinstance(part, dict) else part:
            yield from flat(each)
    else:
        yield part


def labels(figure: Figure) -> list[str]:
    """Every word that the marks carry."""
    marks = [mark for mark in figure.marks if not isinstance(mark, Bars | Dots)]
    names = [name for mark in figure.of(Points) for name in mark.names]
    notes = [mark.note for mark in figure.of(Span)] + [mark.words for mark in figure.of(Dots)]
    return [mark.label for mark in marks] + names + notes


def numbers(figure: Figure) -> set[float]:
    """Every number that the marks carry, the infinite apart."""
    found: set[float] = set()
    for mark in figure.marks:
        match mark:
            case Range(_, low, high):
                found |= {low, high}
            case Limit(y):
                found.add(y)
            case Pin(x):
                found.add(x)
            case Bars(edges, heights):
                found |= {*edges, *heights}
            case Line(points) | Points(points):
                found |= {number for point in points for number in point}
            case Box():
                found |= set(mark.five)
            case Span():
                found |= set(mark.ends)
            case Surface(xs, ys):
                found |= {*xs, *ys, *mark.flat, *mark.limits}
    return found


@each
@pytest.mark.parametrize("dark", [False, True])
def test_everything_is_there(figure: Figure, dark: bool) -> None:
    made = plotly(figure, dark)
    values = list(flat(made))
    said = " | ".join(value for value in values if isinstance(value, str))
    for words in [figure.title, figure.subtitle, figure.note, *labels(figure)]:
        assert words in said
    assert numbers(figure) <= {value for value in values if isinstance(value, float | int)}
    colours = {value for value in values if isinstance(value, str) and value.startswith("#")}
    assert colours <= {both[dark] for both in PALETTE.values()}
    assert json.loads(json.dumps(made, allow_nan=False)) == made


@each
def test_axes_are_titled_with_their_units(figure: Figure) -> None:
    layout = plotly(figure)["layout"]
    if figure is ODDS:
        assert not layout["xaxis"]["visible"]
        return
    axes = layout.get("scene", layout)
    shown = [axes[name]["title"]["text"] for name in ("xaxis", "yaxis", "zaxis") if name in axes]
    assert shown == [axis.name for axis in (figure.x, figure.y, figure.z) if axis is not None]


@each
def test_plotly_takes_it(figure: Figure) -> None:
    """Plotly's own classes refuse a property or a value that they do not know."""
    made = plotly(figure)
    taken = go.Figure(made)
    assert len(taken.data) == len(made["data"])
    assert taken.layout.title.text == figure.title


def test_series_differ_by_more_than_colour() -> None:
    lines = [trace["line"]["dash"] for trace in plotly(CURVES)["data"] if trace["name"] != "tolerable"]
    shapes = [trace["marker"]["symbol"] for trace in plotly(MEASURED)["data"] if "marker" in trace]
    assert len(set(lines)) == len(set(shapes)) == 2
    [bars] = [trace for trace in plotly(GAP)["data"] if trace["type"] == "bar"]
    assert bars["marker"]["pattern"]["shape"] == ["", "", "/", "/"]


def test_a_limit_goes_from_edge_to_edge_on_any_axis() -> None:
    *_, limit = plotly(GAP)["data"]
    assert (limit["x"], limit["y"], limit["name"]) == ([-0.5, 3.5], [1.2, 1.2], "your limit 1.2×")
    *_, pin = plotly(Figure("", "", EPSILON, RATIO, (Line(((0, 1), (4, 9))), Pin(3, "here"))))["data"]
    assert (pin["x"], pin["y"]) == ([3, 3], [1, 9])


def test_a_log_axis_is_told_in_powers_of_ten() -> None:
    axis = plotly(METHODS)["layout"]["xaxis"]
    assert axis["type"] == "log"
    assert axis["range"][0] == pytest.approx(-1.301, abs=1e-3)  # 0.05
    assert axis["ticktext"][0] == "0.05"


def test_a_scale_of_counts_keeps_its_numbers() -> None:
    """Plotly has no such scale: the places are bent, and the numbers are on the ticks and at each bar."""
    figure = Figure("", "", Axis("exposure"), Axis("people", scale="counts"), (Bars((0, 1, 2), (9, 0), noise=3.0),))
    [bars] = plotly(figure)["data"]
    assert bars["y"] == [log1p(9), 0]
    assert [heights for *_, heights in bars["customdata"]] == [9, 0]
    assert bars["error_y"]["array"] == [log1p(12) - log1p(9), log1p(3)]
    assert bars["error_y"]["arrayminus"] == [log1p(9) - log1p(6), 0]
    assert plotly(figure)["layout"]["yaxis"]["ticktext"] == ["0", "1", "10"]


def test_a_surface_has_its_limit_as_a_plane_that_shines_through() -> None:
    surface, limit = plotly(SHARING)["data"]
    assert surface["z"] == [[30, 20, 10], [61, 42, 23]]
    assert limit["z"] == [[40, 40, 40], [40, 40, 40]]
    assert limit["opacity"] < 0.5


def test_words_are_no_tags() -> None:
    nasty = "<a href='https://example.org'>x</a>\x1b"
    figure = Figure(
        nasty, nasty, Axis(nasty), Axis(nasty), (Points(((0, 1),), nasty, (nasty,)), Limit(2, nasty)), nasty
    )
    assert not [value for value in flat(plotly(figure)) if isinstance(value, str) and ("<" in value or "\x1b" in value)]


def test_a_notebook_gets_both() -> None:
    """Of the people neither, until `.show()` is called."""
    public, picture = Picture(EXPOSURE, of_the_people=False), Picture(EXPOSURE)
    assert picture.to_plotly() == plotly(EXPOSURE)
    assert public._repr_mimebundle_() == {"application/vnd.plotly.v1+json": plotly(EXPOSURE)}
    assert str(public._repr_svg_()).startswith("<svg")
    assert (picture._repr_mimebundle_(), picture._repr_svg_()) == ({}, None)
    assert "812" not in repr(picture)
