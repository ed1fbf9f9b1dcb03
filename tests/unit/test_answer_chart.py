"""An answer as rows of dots and intervals: for few groups and many, on an axis that fits those that can be used."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from sfumato.model.release import Answer
from sfumato.model.schema import Type
from sfumato.presentation.answer_chart import AnswerChart, answer_charts, picture

SVG = "{http://www.w3.org/2000/svg}"


def of(
    figures: list[tuple[float, float, float]],
    type_: Type = Type.NUMBER,
    *,
    ranged: bool = True,
    counts: tuple[int, ...] = (),
) -> AnswerChart:
    rows = tuple((f"group <{i}>", value) for i, (value, _, _) in enumerate(figures))
    intervals = tuple((None, (low, high)) for _, low, high in figures) if ranged else None
    columns, types = ("<kind>", "hours"), (Type.TEXT, type_)
    behind = tuple((None, count) for count in counts)
    spread = ((0.0,),) * len(rows)
    (chart,) = answer_charts(Answer(columns, rows, intervals, spread, types, (False, True), behind=behind))
    return chart


@pytest.mark.parametrize("groups", [2, 16, 300])
def test_every_row_has_its_place_between_the_ends_of_its_interval(groups: int) -> None:
    chart = of([(10 + i % 7, 9 + i % 7, 12 + i % 7) for i in range(groups)])
    assert len(chart.places) == len(chart.texts) == len(chart.labels) == groups
    for place in chart.places:
        assert place.at is not None
        assert 0 <= place.start <= place.at <= place.end <= 100
        assert (place.noisy, place.goes_below, place.goes_above) == (False, False, False)
    assert [at for at, _ in chart.ticks] == sorted({at for at, _ in chart.ticks})
    assert (chart.ticks[0][0], chart.ticks[-1][0]) == (0, 100)
    drawn = ElementTree.fromstring(picture(chart))
    assert len(drawn.findall(f"{SVG}circle")) == groups
    wide, high = float(drawn.attrib["width"]), float(drawn.attrib["height"])
    for shape in drawn.iter(f"{SVG}circle"):
        assert 0 < float(shape.attrib["cx"]) < wide
        assert 0 < float(shape.attrib["cy"]) < high
    lines = [float(text.attrib["y"]) for text in drawn.iter(f"{SVG}text") if (text.text or "").startswith("group")]
    assert all(below - above >= 20 for above, below in pairwise(lines)), "no two labels meet"


def test_an_interval_that_is_much_wider_goes_beyond_the_axis_of_the_others() -> None:
    chart = of([(40.7, 40.5, 40.8), (39.0, 38.8, 39.2), (37.1, 35.3, 38.8), (58.7, 35.1, 87.1)])
    assert [place.noisy for place in chart.places] == [False, False, False, True]
    last = chart.places[-1]
    assert (last.at, last.goes_below, last.goes_above) == (None, False, True)
    assert chart.ticks[0][1] == "34"
    assert "mostly noise" in picture(chart)


def test_a_count_that_its_noise_exceeds_is_mostly_noise() -> None:
    chart = of([(13_858, 13_823, 13_893), (28, 0, 63), (50, 15, 85)], Type.INTEGER)
    assert [place.noisy for place in chart.places] == [False, True, False]
    assert chart.ticks[0][1] == "0", "counts begin at 0"


def test_an_average_of_no_one_is_mostly_noise() -> None:
    averages = [(42.0, 24, 58), (65.1, 55.7, 75.7), (50.0, 25, 100)]
    assert [place.noisy for place in of(averages).places] == [False, False, False]
    assert [place.noisy for place in of(averages, counts=(49, 82, 0)).places] == [False, False, True]
    assert [place.noisy for place in of(averages, counts=(0, 0, 0)).places] == [True, True, True]


def test_where_noise_is_withheld_there_are_dots_and_no_intervals() -> None:
    chart = of([(3.5, 0, 0), (4.5, 0, 0)], ranged=False)
    assert all(place.start == place.end == place.at and not place.noisy for place in chart.places)
    assert "90% interval" not in picture(chart)


def test_one_row_has_no_chart() -> None:
    answer = Answer(("n",), ((5,),), (((3.0, 7.0),),), ((5.0,),), (Type.INTEGER,), (True,))
    assert answer_charts(answer) == []
