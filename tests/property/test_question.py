"""The canonical key of a question: one for its noisy numbers in any words, another for any other numbers."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.privacy.sensitivity import measure
from sfumato.release.question import question_key, scope_key
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse
from tests.property.tables import examples
from tests.property.wordings import Asked, questions, wordings

Stated = dict[str, object]

COLUMNS: Stated = {
    "days": {"type": "integer", "bounds": [0, 60]},
    "cost": {"type": "number", "bounds": [0, 1000]},
    "ward": {"type": "text", "categories": ["Heart", "Surgery", "Birth"]},
    "urgent": {"type": "boolean"},
    "country": {"type": "text"},
    "patient": {"type": "integer"},
}
PEOPLE: Stated = {"unit": "patient", "max_rows": 3}


def key(sql: str, columns: Stated | None = None, stated: Stated | None = None) -> str:
    schema = from_dict({"name": "stays", "columns": COLUMNS | (columns or {})} | (stated or {}))
    statement = parse(sql, schema)
    measurement = measure(statement, schema)
    return question_key(scope_key(statement, schema, measurement), statement, schema, measurement)


@pytest.mark.depth("wordings")
@examples("wordings")
@given(data=st.data(), stated=st.sampled_from(({}, PEOPLE)))
def test_one_question_has_one_key_in_all_words(data: st.DataObject, stated: Stated) -> None:
    asked = data.draw(questions())
    said = data.draw(wordings(asked))
    assert key(asked.sql(), stated=stated) == key(said, stated=stated), said


@pytest.mark.depth("wordings")
@examples("wordings")
@given(data=st.data(), stated=st.sampled_from(({}, PEOPLE)))
def test_different_numbers_rows_or_groups_have_different_keys(data: st.DataObject, stated: Stated) -> None:
    first, second = data.draw(questions()), data.draw(questions())
    same = (numbers(first), set(first.keys), first.where) == (numbers(second), set(second.keys), second.where)
    assert (key(first.sql(), stated=stated) == key(second.sql(), stated=stated)) == same


def numbers(asked: Asked) -> set[str]:
    """The noisy numbers of a question, by names of our own: a mean has its count beside it, a variance both."""
    mean = {"count of days", "days"}
    of = {"COUNT(days)": {"count of days"}, "AVG(days)": mean, "VAR_POP(days)": {*mean, "squares of days"}}
    return set().union(*(of.get(aggregate, {aggregate}) for aggregate in asked.aggregates))


BASE = Asked(("SUM(days)",), ("ward",), "days > 3")
DIFFERENT = {
    "as it is": key(BASE.sql()),
    "another column": key("SELECT ward, SUM(cost) FROM stays WHERE days > 3 GROUP BY ward"),
    "another aggregate": key("SELECT ward, MAX(days) FROM stays WHERE days > 3 GROUP BY ward"),
    "another quantile": key("SELECT ward, QUANTILE_CONT(days, 0.25) FROM stays WHERE days > 3 GROUP BY ward"),
    "a third quantile": key("SELECT ward, QUANTILE_CONT(days, 0.75) FROM stays WHERE days > 3 GROUP BY ward"),
    "another number": key("SELECT ward, SUM(days) FROM stays WHERE days > 4 GROUP BY ward"),
    "another comparison": key("SELECT ward, SUM(days) FROM stays WHERE days >= 3 GROUP BY ward"),
    "no WHERE": key("SELECT ward, SUM(days) FROM stays GROUP BY ward"),
    "no groups": key("SELECT SUM(days) FROM stays WHERE days > 3"),
    "one group by its WHERE": key("SELECT SUM(days) FROM stays WHERE days > 3 AND ward = 'Heart'"),
    "other groups": key("SELECT urgent, SUM(days) FROM stays WHERE days > 3 GROUP BY urgent"),
    "another number beside it": key("SELECT ward, SUM(days), COUNT(*) FROM stays WHERE days > 3 GROUP BY ward"),
    "other bounds": key(BASE.sql(), {"days": {"type": "integer", "bounds": [0, 61]}}),
    "other categories": key(BASE.sql(), {"ward": {"type": "text", "categories": ["Heart", "Surgery"]}}),
    "private keys": key(BASE.sql(), {"ward": {"type": "text", "keys": "private"}}),
    "other people": key(BASE.sql(), stated=PEOPLE),
    "other contribution bounds": key(BASE.sql(), stated=PEOPLE | {"max_rows": 4}),
    "another relation": key(BASE.sql(), stated={"relation": "replace"}),
    "another computation": key("SELECT ward, SUM(days * 1) FROM stays WHERE days > 3 GROUP BY ward"),
}


def test_whatever_matters_makes_another_key() -> None:
    alike = [pair for pair in combinations(DIFFERENT, 2) if DIFFERENT[pair[0]] == DIFFERENT[pair[1]]]
    assert not alike
