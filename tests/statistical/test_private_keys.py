"""Groups that nobody knows of, from outside: that of one person shows with probability delta at most.

Where the person is not in the data their group never shows, so this is all that delta allows.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa
import pytest

import sfumato
from sfumato.auditing.guesser import Numbers, Round
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from tests.depth import depth
from tests.statistical.audit import audit, laplace, least_rate, misfit, most_rate, said
from tests.statistical.bulk import draw_answer, draw_answers, more_groups
from tests.statistical.cases import EPSILON, SEED

pytestmark = pytest.mark.statistical

DELTA = 0.1  # large, so that what it allows is seen
GROUPS = 500
PERSONS = {"unit": "who", "max_rows": 3}

Record = Callable[[str, object], None]


def asked(sql: str, rows: Sequence[tuple[int, str]], **stated: Any) -> sfumato.Query:
    """A question about people (who, place), of whose places there is no public list."""
    table = pa.table({"who": [who for who, _ in rows], "place": pa.array([place for _, place in rows], pa.string())})
    columns = {"who": {"type": "integer"}, "place": {"type": "text", "keys": "private"}}
    return sfumato.open(table, {"name": "people", "columns": columns} | stated, ledger=":memory:").query(sql)


def shown(query: sfumato.Query, runs: int) -> Iterator[set[str]]:
    """The groups that each release shows."""
    for answer in islice(draw_answers(query, query.choose(stated_epsilon(EPSILON), delta=DELTA)), runs):
        yield {str(row[0]) for row in answer.rows}


COUNT = "SELECT place, COUNT(*) FROM people GROUP BY place"
BOTH = "SELECT place, COUNT(*), COUNT(DISTINCT who) FROM people GROUP BY place"
CASES: Mapping[str, tuple[str, dict[str, Any], int]] = {
    "a row": (COUNT, {}, 1),
    "a person with a row": (COUNT, PERSONS, 1),
    "a person with all the rows that count": (COUNT, PERSONS, 3),
    "a person with more rows than count": (BOTH, PERSONS, 9),
    "a person of whom one group counts": (BOTH, PERSONS | {"max_groups": 1}, 9),
    "a person who is replaced": (COUNT, {"relation": "replace"}, 1),
}


@pytest.mark.depth("threshold runs")
@pytest.mark.parametrize("case", CASES)
def test_a_group_of_one_person_shows_as_rarely_as_delta(case: str, record_property: Record) -> None:
    """Of people with one group each; those who might be in several have to be hidden in any of them."""
    sql, stated, rows = CASES[case]
    query = asked(sql, [(who, f"place {who}") for who in range(GROUPS) for _ in range(rows)], **stated)
    runs = math.ceil(depth("threshold runs") / GROUPS)
    seen, of = sum(map(len, shown(query, runs))), runs * GROUPS
    record_property("verdict", f"a group of one person showed {seen} times of {of}, delta {DELTA}")
    allowed = 1 - (1 - DELTA) ** (1 / stated.get("max_groups", stated.get("max_rows", 1)))
    if stated.get("relation") == "replace":
        allowed = DELTA / (1 + math.exp(EPSILON / 2))
    assert least_rate(seen, of) <= allowed
    assert most_rate(seen, of) >= 0.9 * allowed, "the threshold is higher than it needs to be"


@pytest.mark.depth("threshold runs")
def test_of_somebody_in_several_groups_any_shows_as_rarely() -> None:
    query = asked(COUNT, [(who, f"place {who} {i}") for who in range(GROUPS) for i in range(3)], **PERSONS)
    runs = math.ceil(depth("threshold runs") / GROUPS)
    seen = sum(len({place.rsplit(" ", 1)[0] for place in places}) for places in shown(query, runs))
    assert least_rate(seen, runs * GROUPS) <= DELTA
    assert most_rate(seen, runs * GROUPS) >= 0.9 * DELTA


@pytest.mark.depth("audit runs", seed=SEED)
def test_no_guesser_beats_epsilon_where_the_group_shows_anyway(record_property: Record) -> None:
    """Sixty others: the group shows, and its count has the noise that epsilon asks for."""
    coins, rounds = random.Random(SEED), list[Round]()
    present = {f"place {i:03}": coins.random() < 0.5 for i in range(200)}
    query = asked(COUNT, [(0, place) for place, there in present.items() for _ in range(60 + there)])
    choice = query.choose(stated_epsilon(EPSILON), delta=DELTA)
    release = query.release(choice)
    more, exact = more_groups(query._bound.totals(), present, coins, 4 * depth("audit runs") - 200)
    step, present = release.certificate.grid_step or (), present | more
    for answer in (release.answer, draw_answer(query._bound, choice, exact)):
        for row, numbers in zip(answer.rows, answer.numbers, strict=True):
            rounds.append(Round(present[str(row[0])], numbers, _figures(row), step))
    verdict = audit(rounds, EPSILON)
    record_property("verdict", said(verdict))
    assert verdict.holds, verdict
    noise = [round((r.numbers[0] - 60 - r.present) / r.steps[0]) for r in rounds]
    assert not (wrong := misfit(noise, 1 / EPSILON / rounds[0].steps[0], laplace)), wrong


def _figures(row: Sequence[object]) -> Numbers:
    return tuple(float(str(figure)) for figure in row[1:])


def test_groups_come_in_an_order_of_their_own() -> None:
    """Not in that of the data, which would tell who came first."""
    places = [f"place {i}" for i in range(50)]
    orders = [[(who, place) for place in some for who in range(100)] for some in (places, places[::-1])]
    forwards, backwards = ([row[0] for row in asked(COUNT, rows).release(epsilon=5, delta=0.1).rows] for rows in orders)
    assert forwards == backwards == sorted(places)
