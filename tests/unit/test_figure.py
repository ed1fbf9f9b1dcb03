"""The same figures in SVG and in a terminal, and the figures that are refused."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import inf, nan
from typing import Literal
from xml.etree import ElementTree

import pytest
from rich.cells import cell_len

from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import Bars, Box, Dots, Limit, Line, Mark, Pin, Points, Range, Span, Surface
from sfumato.presentation.figures.palette import SERIES
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import text
from sfumato.presentation.wording.numbers import number
from tests.unit.pictures import (
    BOXES,
    EPSILON,
    EXPOSURE,
    FIGURES,
    GAP,
    MEASURED,
    METHODS,
    ODDS,
    RATIO,
    SAID,
    SHARING,
    TAIL,
)

both = pytest.mark.parametrize("render", [svg, text], ids=["svg", "terminal"])
each = pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.title)


def drawn(figure: Figure, tag: str, width: int = 640, height: int = 360) -> list[ElementTree.Element]:
    """The shapes of one kind in the SVG."""
    root = ElementTree.fromstring(svg(figure, width, height))
    return list(root.iter("{http://www.w3.org/2000/svg}" + tag))


def visible(figure: Figure, render: Callable[[Figure], str]) -> str:
    """All the words that a reader sees, on one line."""
    if render is svg:
        return " ".join(element.text or "" for element in drawn(figure, "text"))
    return " ".join(render(figure).split())


@both
@each
def test_both_renderers_say_the_same(figure: Figure, render: Callable[[Figure], str]) -> None:
    seen = visible(figure, render)
    limits = [limit.label for limit in figure.of(Limit)]
    for words in [figure.title, figure.subtitle, figure.note, *limits, *SAID[figure.title]]:
        assert words in seen


@both
def test_a_unit_that_is_a_sign_follows_its_numbers(render: Callable[[Figure], str]) -> None:
    figure = Figure("Gap", "", EPSILON, Axis("gap", "×"), (Range(1, 1, 1.5),))
    assert "1.5×" in visible(figure, render)


@both
def test_values_on_a_narrow_axis_stay_apart(render: Callable[[Figure], str]) -> None:
    figure = Figure("Gap", "", EPSILON, RATIO, (Range(0.1, 1, 1.0012), Range(0.2, 1, 1.0019)))
    assert "1.0012" in visible(figure, render)
    assert "1.0019" in visible(figure, render)


@both
def test_candidates_that_are_close_keep_their_names_apart(render: Callable[[Figure], str]) -> None:
    figure = Figure("Gap", "", EPSILON, RATIO, (Range(1.0001, 1, 2), Range(1.0002, 1, 3)))
    assert "1.0001" in visible(figure, render)
    assert "1.0002" in visible(figure, render)


@both
def test_nothing_is_called_allowed_without_a_limit(render: Callable[[Figure], str]) -> None:
    figure = Figure("Gap", "", EPSILON, RATIO, (Range(1, 1, 2), Range(2, 1, 3, "chosen")))
    assert "● chosen" in visible(figure, render)
    assert "✓" not in render(figure)
    assert "allowed" not in render(figure)


@both
def test_words_cannot_break_out(render: Callable[[Figure], str]) -> None:
    nasty = "<script>alert('&')</script>\x1b[2J\x00"
    limit = Limit(2, nasty)
    figure = Figure(nasty, nasty, Axis(nasty), Axis(nasty), (Range(1, 1, 2, "ok", nasty), limit), nasty)
    assert "\x1b" not in render(figure)
    assert "<script>alert('&')</script>" in visible(figure, render)
    assert not drawn(figure, "script")
    assert drawn(figure, "title")[0].text == nasty.replace("\x1b", " ").replace("\x00", " ")


def test_control_characters_in_a_label_make_no_line_too_wide() -> None:
    """They are printed as spaces, and count as such."""
    boxes = (Box(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, "\x1f" * 9),)
    drawn = text(Figure("t", "s", Axis("x"), Axis("y"), boxes), 72)
    assert max(map(cell_len, drawn.split("\n"))) <= 72


@each
def test_svg_is_accessible_and_themed(figure: Figure) -> None:
    root = ElementTree.fromstring(svg(figure))
    title, description = drawn(figure, "title")[0], drawn(figure, "desc")[0]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text == figure.title
    assert figure.subtitle in (description.text or "")
    assert "prefers-color-scheme:dark" in (drawn(figure, "style")[0].text or "")


def test_description_tells_every_range() -> None:
    told = drawn(GAP, "desc")[0].text or ""
    assert "epsilon 0.75: 1 to 1.19 ● chosen" in told
    assert "epsilon 5: 1 to 2.24 ✕ over the ceiling" in told
    assert "your limit 1.2×" in told


def test_bars_are_as_tall_as_their_ranges_and_evenly_spaced() -> None:
    paper, *bars = [rect for rect in drawn(GAP, "rect") if rect.get("x") or rect.get("width") == "100%"]
    heights = [float(bar.attrib["height"]) for bar in bars]
    lefts = [float(bar.attrib["x"]) for bar in bars]
    assert paper.get("height") == "100%"
    assert [height / heights[-1] for height in heights] == pytest.approx(
        [0.12 / 1.24, 0.19 / 1.24, 0.25 / 1.24, 1], abs=1e-3
    )
    assert lefts[1] - lefts[0] == pytest.approx(lefts[3] - lefts[2], abs=0.1)


def test_only_bars_that_are_over_are_hatched_and_figures_can_share_a_page() -> None:
    names = set()
    for figure in (GAP, Figure("Another", "", EPSILON, RATIO, GAP.marks)):
        (pattern,) = drawn(figure, "pattern")
        fills = [rect.get("fill") for rect in drawn(figure, "rect")]
        assert fills.count(f"url(#{pattern.get('id')})") == 2
        names.add(pattern.get("id"))
    assert len(names) == 2


def test_no_limit_crosses_a_value() -> None:
    rule = next(line for line in drawn(GAP, "line") if line.get("stroke-width") == "1.5")
    labels = [label for label in drawn(GAP, "text") if label.text in ("✓", "●", "1.12", "1.19", "✕", "1.25")]
    assert len(labels) == 7
    for label in labels:
        assert not -11 < float(rule.attrib["y1"]) - float(label.attrib["y"]) < 3


@each
@pytest.mark.parametrize("size", [(640, 360), (320, 100)])
def test_svg_text_is_large_enough_and_inside(figure: Figure, size: tuple[int, int]) -> None:
    root = ElementTree.fromstring(svg(figure, *size))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    assert width == size[0]
    for element in drawn(figure, "text", *size):
        font = float(element.attrib["font-size"])
        long = 0.5 * font * len(element.text or "")
        start = float(element.attrib["x"]) - long * {"start": 0, "middle": 0.5, "end": 1}[element.attrib["text-anchor"]]
        assert font >= 11
        assert start >= 0
        assert start + long <= width
        assert font <= float(element.attrib["y"]) <= height


def test_many_candidates_keep_the_chosen_one_named() -> None:
    ranges = tuple(Range(i / 10, 1, 1 + i / 99, "chosen" if i == 37 else "ok") for i in range(1, 100))
    texts = drawn(Figure("Gap", "", EPSILON, RATIO, ranges), "text")
    assert "1.37" in {element.text for element in texts}
    (chosen,) = [element for element in texts if element.text == "3.7"]
    places = sorted(float(other.attrib["x"]) for other in texts if other.get("y") == chosen.get("y"))
    assert len(places) > 5
    assert min(right - left for left, right in pairwise(places)) > 3 * 12 * 0.6


@each
@pytest.mark.parametrize("width", [40, 72, 100])
def test_terminal_keeps_its_width_and_no_trailing_spaces(figure: Figure, width: int) -> None:
    lines = text(figure, width).split("\n")
    assert max(map(len, lines)) <= width
    assert all(line == line.rstrip() for line in lines)
    assert lines[-1]


@each
def test_colour_adds_nothing_but_colour(figure: Figure) -> None:
    coloured = text(figure, colour=True)
    bare = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).split("\n")]
    assert "\x1b[" in coloured
    assert "\n".join(bare) == text(figure)


def test_terminal_bars_grow_and_the_limit_is_a_column() -> None:
    rows = [line for line in text(GAP).split("\n") if re.search("[✓●✕]", line)]
    column = rows[0].index("│")
    assert [row[column] for row in rows] == ["│"] * 4
    assert [len(re.findall("[█▉▊▋▌▍▎▏▒]", row)) for row in rows] == sorted(
        len(re.findall("[█▉▊▋▌▍▎▏▒]", row)) for row in rows
    )
    assert [row[column + 1] for row in rows] == [" ", " ", "▒", "▒"]
    assert f"{' ' * column}└ your limit 1.2×" in text(GAP).split("\n")


def test_bars_say_how_far_they_may_be_off() -> None:
    """In words at each bar, and drawn as a line through each, an empty one too; the axis has room for it."""
    figure = Figure("t", "", Axis("exposure"), Axis("people"), (Bars((0.0, 0.5, 1.0), (40.0, 0.0), noise=12.0),))
    assert "40 ±12" in text(figure)
    assert "0 ±12" in text(figure)
    assert figure.up.high == 52
    assert "0 to 0.5: 40 ±12" in svg(figure)
    plain = Figure("t", "", Axis("exposure"), Axis("people"), (Bars((0.0, 0.5, 1.0), (40.0, 0.0)),))
    assert svg(figure).count('stroke-width="1.5"') == svg(plain).count('stroke-width="1.5"') + 2
    assert "±" not in text(plain) + svg(plain)


def test_terminal_histogram_folds_its_empty_middle() -> None:
    rows = [line for line in text(EXPOSURE).split("\n") if "–" in line]
    assert len(rows) == 4
    assert rows[0].endswith("812")
    assert re.fullmatch(r"0\.0333–0\.983 +0", rows[2].strip())
    assert "▏" in rows[3]


def test_terminal_dots_stand_in_rows_of_twenty() -> None:
    rows = [line for line in text(ODDS).split("\n") if "●" in line or "○" in line]
    assert {len(row.split()) for row in rows} == {20}
    assert "".join(rows).count("●") == 100
    assert "".join(rows[:5]).count("●") == 32


def test_svg_dots_are_discs_and_rings() -> None:
    fills = [circle.get("fill") for circle in drawn(ODDS, "circle")]
    assert len(fills) == 200
    assert fills[:100].count("transparent") == 68
    assert fills[100:].count("transparent") == 32


def test_a_rare_bar_is_still_seen() -> None:
    last = drawn(EXPOSURE, "rect")[-1]
    assert float(last.attrib["height"]) >= 2


def test_series_differ_by_more_than_colour() -> None:
    """As many as a figure takes: any two lines in their dashes, any two sets of points in their shape and glyph."""
    many = tuple(((0.0, float(at)), (1.0, float(at))) for at in range(len(SERIES)))
    lines = Figure("", "", EPSILON, RATIO, tuple(Line(points, f"line {at}") for at, points in enumerate(many)))
    sets = Figure("", "", EPSILON, RATIO, tuple(Points(points, f"set {at}") for at, points in enumerate(many)))
    assert len({line.get("stroke-dasharray") for line in drawn(lines, "polyline")}) == len(SERIES) == 8
    outlines = [path.attrib["d"] for path in drawn(sets, "path")]
    assert len(outlines) == 8 * 3  # two points, and one beside the label
    assert {outlines.count(each) for each in outlines} == {3}
    assert all(text(sets).count(series.glyph) == 2 for series in SERIES)


def test_a_named_point_is_named_once_and_a_pin_stands_among_the_points() -> None:
    rows = text(MEASURED).split("\n")
    for heading in ("theory", "first run", "second run"):
        places = [row.split()[0] for row in rows[rows.index(heading) + 1 :][:4] if row]
        assert "4" in places
        assert places.index("4") == places.index("0") + 1
    assert visible(MEASURED, svg).count("run b") == 1


def test_no_name_of_a_point_touches_a_point_a_limit_or_another_name() -> None:
    """Epsilons at the foot of a figure, just below its limit, the last one at its edge: all are named."""
    course = tuple((10.0**-at, 1 + 10.0**-at) for at in (0, 1, 1.3, 2, 2.3))
    names = tuple(f"name {at}" for at in range(5))
    figure = Figure("t", "", Axis("noise", scale="log"), RATIO, (Points(course, "", names), Limit(1.11, "limit")))
    [rule] = [float(line.attrib["y1"]) for line in drawn(figure, "line") if line.get("stroke-width") == "1.5"]
    rooms = []
    for label in drawn(figure, "text"):
        if label.text in names:
            x, base = float(label.attrib["x"]), float(label.attrib["y"])
            rooms.append((x, base - 11, x + 6 * 6.82, base + 2))
    assert len(rooms) == 5
    points = [re.findall(r"[\d.]+", path.attrib["transform"]) for path in drawn(figure, "path")]
    others = [(float(x) - 4, float(y) - 4, float(x) + 4, float(y) + 4) for x, y in points]
    for index, (left, top, right, bottom) in enumerate(rooms):
        assert bottom < rule or rule < top
        for one in (*others, *rooms[:index]):
            assert left >= one[2] or right <= one[0] or top >= one[3] or bottom <= one[1]


def test_boxes_stand_by_their_place_and_show_their_half() -> None:
    first, second = (row for row in text(BOXES).split("\n") if "p = " in row)
    assert [first.split()[2], second.split()[2]] == ["5", "10"]
    assert "0.5 to 8" in first
    assert [first.count("█"), second.count("█")] == [1, 1]
    assert second.count("▒") > first.count("▒")
    tops = [rect for rect in drawn(BOXES, "rect") if rect.find("{http://www.w3.org/2000/svg}title") is not None]
    tall = [float(rect.attrib["height"]) for rect in tops]
    assert tall[1] / tall[0] == pytest.approx(3.5 / 2, abs=0.01)


def test_a_span_reaches_the_edge_where_it_has_no_end() -> None:
    bars = [row for row in text(METHODS).split("\n") if re.search("[█▒▎▏]", row)]
    assert bars[0].startswith("  █")  # from 0 on a log axis
    assert bars[1].endswith("▶")
    assert "▒" in bars[2]
    assert [row.index("│") for row in bars] == [bars[0].index("│")] * 4
    ends = [[float(x) for x in re.findall(r"[MH](-?[\d.]+)", path.attrib["d"])] for path in drawn(METHODS, "path")]
    assert min(start for start, *_ in ends) == ends[0][0] == 20
    assert max(end for _, end, _ in ends) == ends[1][1] == 640 - 20 - 8  # the arrow's head
    assert ends[3][1] - ends[3][0] == 4


@pytest.mark.parametrize("spacing", ["log", "linear"])
def test_spans_without_any_end_are_drawn(spacing: Literal["log", "linear"]) -> None:
    figure = Figure("t", "", Axis("epsilon", scale=spacing), Axis("method"), (Span("anything", 0, inf),))
    assert "any" in visible(figure, svg)
    assert "▶" in text(figure)


def test_a_surface_is_a_table_with_a_sign_over_the_limit() -> None:
    rows = [row.split() for row in text(SHARING).split("\n")[-2:]]
    assert rows == [["2", "✕", "61%", "✕", "42%", "23%"], ["1", "30%", "20%", "10%"]]
    cells = [rect for rect in drawn(SHARING, "rect") if rect.get("fill-opacity")]
    shades = [float(cell.attrib["fill-opacity"]) for cell in cells]
    assert shades.index(max(shades)) == 3
    assert [words.text for words in drawn(SHARING, "text") if "✕6" in (words.text or "")] == ["✕61%"]


@pytest.mark.parametrize(("limit", "over"), [(20, 4), (61, 0), (-1, 6)])
def test_what_is_at_the_limit_is_not_over_it(limit: float, over: int) -> None:
    figure = replace(SHARING, marks=(replace(SHARING.of(Surface)[0], limit=limit),))
    assert text(figure).count("✕") == over + 1  # and once where it is explained
    assert f"{over} of 6 places over" in (drawn(figure, "desc")[0].text or "")
    assert not Surface((1, 2), (1, 2), ((0.3, -1), (0.3, -1)), limit=0.1 + 0.2).over(0.3)


def test_a_large_surface_still_fits() -> None:
    places = tuple(float(place) for place in range(40))
    heights = tuple(tuple(one * other for one in places) for other in places)
    figure = Figure("t", "", Axis("one"), Axis("other"), (Surface(places, places, heights),), z=Axis("both"))
    assert max(map(len, text(figure).split("\n"))) <= 72
    assert "1,521" in text(figure)
    assert len([rect for rect in drawn(figure, "rect") if rect.get("fill-opacity")]) == 1600


def test_scales() -> None:
    up = Figure("", "", EPSILON, Axis("gap", scale="log"), (Range(1, 1, 1000),)).up
    assert up.at(10) == pytest.approx(1 / 3)
    assert up.ticks == (1, 10, 100, 1000)
    assert GAP.up.ticks == (1, 1.5, 2)
    steep = Figure("", "", EPSILON, Axis("gap", scale="log"), (Range(1, 1.7, 900),)).up
    assert (steep.low, steep.ticks) == (1.7, (2, 5, 10, 20, 50, 100, 200, 500))
    assert Figure("", "", EPSILON, Axis("gap", ticks=(0, 4)), (Range(1, 1, 2),)).up.at(1) == 0.25


@pytest.mark.parametrize(
    ("value", "digits", "said"),
    [
        (1.19, 3, "1.19"),
        (0.75, 3, "0.75"),
        (100, 3, "100"),
        (24771.4, 3, "24,771"),
        (0, 3, "0"),
        (3e-7, 3, "3e-07"),
    ],
)
def test_numbers(value: float, digits: int, said: str) -> None:
    assert number(value, digits) == said


@pytest.mark.parametrize(
    "make",
    [
        lambda: Range(1, 2, 1),
        lambda: Range(nan, 1, 2),
        lambda: Range(1, 1, inf),
        lambda: Range(1, 1, 2, "fine"),  # type: ignore[arg-type]
        lambda: Limit(nan, ""),
        lambda: Bars((0, 1), (1, 2)),
        lambda: Bars((0,), ()),
        lambda: Bars((0, 0), (1,)),
        lambda: Bars((0, 1), (-1,)),
        lambda: Bars((0, 1), (1,), noise=-1),
        lambda: Bars((0, 1), (1,), noise=inf),
        lambda: Bars((0, inf), (1,)),
        lambda: Line(((0, 1),)),
        lambda: Line(((0, 1), (1, nan))),
        lambda: Dots(101, 100, ""),
        lambda: Dots(-1, 100, ""),
        lambda: Dots(0, 0, ""),
        lambda: Dots(1, 10**9, ""),
        lambda: Points(()),
        lambda: Points(((0, nan),)),
        lambda: Points(((0, 1), (1, 2)), names=("one",)),
        lambda: Box(1, 0, 2, 1, 3, 4),
        lambda: Box(1, 0, 1, 2, 3, inf),
        lambda: Span("", 2, 1),
        lambda: Span("", -inf, 1),
        lambda: Span("", inf, inf),
        lambda: Span("", 0, 1, "fine"),  # type: ignore[arg-type]
        lambda: Pin(inf, ""),
        lambda: Surface((1, 2), (1, 2), ((1, 2), (3,))),
        lambda: Surface((1, 2), (1, 2), ((1, 2),)),
        lambda: Surface((2, 1), (1, 2), ((1, 2), (3, 4))),
        lambda: Surface((1,), (1, 2), ((1,), (2,))),
        lambda: Surface((1, 2), (1, 2), ((1, 2), (3, nan))),
        lambda: Surface((1, 2), (1, 2), ((1, 2), (3, 4)), limit=inf),
        lambda: Axis("", ticks=(inf,)),
    ],
)
def test_wrong_marks_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        make()


@pytest.mark.parametrize(
    "marks",
    [
        (),
        (Limit(1, "alone"),),
        (Range(1, 1, 2), Range(1, 1, 3)),
        (Range(1, 1, 2), TAIL),
        (Dots(1, 2, ""), Limit(1, "")),
        (Pin(1, "alone"),),
        (Range(1, 1, 2), Pin(1, "")),
        (Span("", 1, 2), Limit(1, "")),
        (Box(1, 1, 2, 3, 4, 5), Box(1, 1, 2, 3, 4, 6)),
        (Box(1, 1, 2, 3, 4, 5), Pin(1, "")),
        (Surface((1, 2), (1, 2), ((1, 2), (3, 4))),),
        tuple(Points(((0, at),)) for at in range(9)),
    ],
)
def test_marks_that_do_not_belong_together_are_refused(marks: tuple[Mark, ...]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Figure("", "", EPSILON, RATIO, marks)


def test_a_log_axis_refuses_zero() -> None:
    with pytest.raises(ValueError, match="log axis"):
        Figure("", "", EPSILON, Axis("people", scale="log"), (TAIL,))
