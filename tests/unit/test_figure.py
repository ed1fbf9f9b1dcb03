"""The same figures through both renderers, and the figures that are refused."""

import re
from collections.abc import Callable
from itertools import pairwise
from math import inf, nan
from xml.etree import ElementTree

import pytest

from sfumato.views.figure import (
    Axis,
    Bars,
    Box,
    Dots,
    Figure,
    Limit,
    Line,
    Mark,
    Pin,
    Points,
    Range,
    Span,
    Surface,
    number,
)
from sfumato.views.svg import svg
from sfumato.views.terminal import text

EPSILON = Axis("epsilon")
RATIO = Axis("the risk of the person most at risk over that of the one least at risk", "times")
GAP = Figure(
    "Risk gap",
    "bed-days by ward",
    EPSILON,
    RATIO,
    (
        Range(0.5, 1, 1.12),
        Range(0.75, 1, 1.19, "chosen"),
        Range(1, 1, 1.25, "over"),
        Range(5, 1, 2.24, "over", "over the ceiling"),
        Limit(1.2, "your limit 1.2×"),
    ),
    "The gap compares people in this dataset. It is not a probability.",
)
TAIL = Bars(tuple(i / 60 for i in range(61)), (812.0, 95.0, *[0.0] * 57, 1.0))
EXPOSURE = Figure("Exposure", "of everyone", Axis("exposure"), Axis("people"), (TAIL,))
ODDS = Figure("Odds", "in words", Axis(""), Axis(""), (Dots(32, 100, "not in"), Dots(68, 100, "in")))
CURVES = Figure(
    "Guesses",
    "by trust",
    Axis("noise", "people"),
    Axis("right guesses", "%"),
    (Line(((0, 90), (10, 40)), "low trust"), Line(((0, 70), (10, 30)), "high trust"), Limit(60, "tolerable")),
)
MEASURED = Figure(
    "Measured",
    "against theory",
    Axis("noise", "people"),
    Axis("right guesses", "%"),
    (
        Line(((0, 90), (10, 40)), "theory"),
        Points(((0, 88), (5, 66), (10, 39)), "first run", ("run a", "run b", "run c")),
        Points(((0, 81), (5, 61), (10, 31)), "second run"),
        Limit(70, "tolerable"),
        Pin(4, "chosen noise"),
    ),
)
BOXES = Figure(
    "Boxes",
    "of many draws",
    Axis("p"),
    Axis("error", "people"),
    (Box(10, 1, 2.5, 4, 6, 9, "p = 10"), Box(5, 0.5, 1, 2, 3, 8, "p = 5"), Limit(7, "at most 7")),
)
METHODS = Figure(
    "Methods",
    "every epsilon that will do",
    Axis("epsilon", scale="log"),
    Axis("method"),
    (
        Span("gap at most 1.2", 0, 0.75, "chosen", "for anybody"),
        Span("within 10", 0.23, inf),
        Span("belief at most 1 in 3", 0.1, 0.38, "over", "no guarantee"),
        Span("fixed", 1, 1),
        Pin(0.5, "your epsilon"),
    ),
)
SHARING = Figure(
    "Sharing",
    "by trust and sensitivity",
    Axis("trust", ticks=(1, 2, 3)),
    Axis("sensitivity"),
    (Surface((1, 2, 3), (1, 2), ((30, 20, 10), (61, 42, 23)), "at no noise", 40),),
    z=Axis("risk", "%"),
)
FIGURES = [GAP, EXPOSURE, ODDS, CURVES, MEASURED, BOXES, METHODS, SHARING]
SAID = {
    "Risk gap": ["0.5", "0.75", "1.12", "1.19", "1.25", "2.24", "✓ allowed", "● chosen", "✕ over", "ceiling"],
    "Exposure": ["0", "1", "people", "exposure"],
    "Odds": ["not in: 32 of 100", "in: 68 of 100"],
    "Measured": ["theory", "first run", "run b", "second run", "chosen noise", "noise (people)", "right guesses (%)"],
    "Boxes": ["p = 5", "p = 10", "2", "4", "error (people)"],
    "Methods": [
        "● gap at most 1.2",
        "up to 0.75",
        "for anybody",
        "✓ within 10",
        "from 0.23",
        "✕ belief",
        "0.1 to 0.38",
    ],
    "Sharing": ["at no noise", "risk (%)", "over the limit 40%", "61%", "42%", "23%", "trust", "sensitivity"],
    "Guesses": ["low trust", "high trust", "tolerable", "30%", "noise (people)", "right guesses (%)"],
}
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


def test_lines_differ_by_more_than_colour() -> None:
    dashes = [line.get("stroke-dasharray") for line in drawn(CURVES, "polyline")]
    assert len(set(dashes)) == 2


def test_scales() -> None:
    up = Figure("", "", EPSILON, Axis("gap", scale="log"), (Range(1, 1, 1000),)).up
    assert up.at(10) == pytest.approx(1 / 3)
    assert up.ticks == (1, 10, 100, 1000)
    assert GAP.up.ticks == (1, 1.5, 2)
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
