"""The budget over time: what remains, when it would be used up, and the picture of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import combinations
from xml.etree import ElementTree

import pytest

from sfumato.ledger.entry import NANO, Draft, Entry, Event, seal
from sfumato.ledger.hash_chain import GENESIS
from sfumato.ledger.spending import Spending, spending
from sfumato.presentation.figures.budget import budget_chart
from sfumato.presentation.figures.svg_canvas import long
from sfumato.presentation.wording import ledger_sentences as of_ledger

FIRST = datetime(2026, 6, 1, tzinfo=UTC)


def past(*charges: float, days: float = 10, budget: float | None = 15.0, more: int = 0) -> Spending:
    """A charge every so many days, and today at the end of the last such span."""
    entries: list[Entry] = []
    previous = GENESIS
    for number, charge in enumerate(charges, 1):
        at = (FIRST + timedelta(days=days * (number - 1))).isoformat()
        for event, epsilon in ((Event.PLANNED, 0), (Event.RESERVED, round(charge * NANO))):
            entries.append(seal(len(entries) + 1, Draft(event, "t", "ann", at, nano_epsilon=epsilon), previous))
            previous = entries[-1].digest
    total = sum(round(charge * NANO) for charge in charges) + more
    return spending(entries, total, budget, FIRST + timedelta(days=days * len(charges)))


def test_what_is_left_at_this_rate() -> None:
    line = past(*[0.1] * 30)
    assert (line.spent, line.remaining, line.days) == (3.0, 12.0, 300.0)
    assert [point.number for point in line.points[:2]] == [2, 4]
    assert line.used_up == line.now + timedelta(days=1200)
    assert "epsilon 3 in 300 days" in of_ledger.projection(line)
    assert "July 2030" in of_ledger.projection(line)
    assert of_ledger.lasts(line) == "Jul 2030"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (past(0.1, budget=None), "No budget is set"),
        (past(15.0), "The budget is used up"),
        (past(), "Nothing has been charged yet"),
        (past(0.1, days=1), "at least 7 days"),
        (past(0.1, 0.1, more=1), "other datasets of the population"),
        (past(1e-6, days=30), "more than 100 years"),
    ],
)
def test_without_a_rate_it_says_why(line: Spending, sentence: str) -> None:
    assert sentence in of_ledger.projection(line)
    assert line.used_up is None


def test_by_name_with_the_rest_last() -> None:
    line = past(0.1, 0.2, 0.3, 0.1)
    assert line.by({2: "ann", 4: "bo", 8: "ann"}, "none") == {"ann": 0.2, "bo": 0.2, "none": 0.3}
    many = past(*[0.1] * 12)
    assert many.by({point.number: f"ann {point.number}" for point in many.points}, "none")["5 others"] == 0.5


@pytest.mark.parametrize("size", [(1166, 280), (720, 250), (336, 240)])
@pytest.mark.parametrize(
    "line",
    [
        past(0.2),
        past(0.2, days=0.0001),
        past(*[0.1] * 140, days=0.5),
        past(*[0.03] * 400, days=3),
        past(*[0.1] * 145, days=2),
        past(*[0.2] * 20, budget=None),
        past(0.001, budget=1000.0, days=400),
        past(*[1e5] * 3, budget=None, days=800),
    ],
)
def test_labels_are_horizontal_inside_and_apart(line: Spending, size: tuple[int, int]) -> None:
    root = ElementTree.fromstring(budget_chart(line, *size))
    texts = [each for each in root.iter() if each.tag.endswith("text")]
    rooms = []
    for text in texts:
        x, y, words = float(text.get("x", "")), float(text.get("y", "")), text.text or ""
        wide = 0.8 * long(words, 12)  # which errs on the wide side
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[text.get("text-anchor", "start")]
        rooms.append((words, left, y - 11, left + wide, y + 2))
    assert all(left >= 0 and top >= 0 and right <= size[0] and low <= size[1] for _, left, top, right, low in rooms)
    touching = [
        (one[0], two[0])
        for one, two in combinations(rooms, 2)
        if one[1] < two[3] and two[1] < one[3] and one[2] < two[4] and two[2] < one[4]
    ]
    assert touching == []
    assert "rotate" not in ElementTree.tostring(root, encoding="unicode")
    points = [each for each in root.iter() if each.get("class") == "cand"]
    places = {(each.get("cx"), each.get("cy")) for each in points}
    assert len(points) == len(places) <= len(line.points)
    assert len(points) == len(line.points) or len(line.points) > 100


def test_many_charges_are_a_small_picture() -> None:
    assert len(budget_chart(past(*[0.001] * 5000, days=0.1), 336, 240)) < 60_000


def test_the_first_day_is_at_the_end_of_the_axis_and_has_a_day_before_it() -> None:
    root = ElementTree.fromstring(budget_chart(past(0.2, 0.3, days=0.01), 1100, 240))
    [today] = [each for each in root.iter() if each.get("class") == "req"]
    assert float(today.get("cx", "")) > 0.8 * 1100
    assert {"31 May", "1 Jun"} <= {each.text for each in root.iter() if each.tag.endswith("text")}


def test_without_a_charge_there_is_no_picture() -> None:
    assert budget_chart(past(), 336, 240) == ""
