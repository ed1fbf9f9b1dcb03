"""Nobody, one person, everybody alike: a choice is then made in words, without figures that do not exist."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import Infeasible, SchemaError

AGGREGATES = [
    "COUNT(*)", "COUNT(v)", "COUNT(DISTINCT v)", "SUM(v)", "AVG(v)", "VAR_POP(v)", "VAR_SAMP(v)", "STDDEV_POP(v)",
    "STDDEV(v)", "MIN(v)", "MAX(v)", "MEDIAN(v)", "QUANTILE_CONT(v, 0.9)", "QUANTILE_DISC(v, 0.1)",
]  # fmt: skip
PEOPLE = pd.DataFrame({"who": [1, 2, 3, 4, 5], "v": [0.0, 2.0, 4.0, 6.0, 8.0], "ward": ["a", "a", "b", "b", "c"]})
ROWS: dict[str, Any] = {
    "name": "stays",
    "columns": {
        "who": {"type": "integer"},
        "v": {"type": "number", "bounds": [0, 10]},
        "ward": {"categories": ["a", "b"]},
    },
}
UNITS = {"a row": ROWS, "a column": ROWS | {"unit": "who", "max_rows": 2}}
NOBODY = "There is no one in the data, so nothing can be chosen by them; the worst case needs no data."
by_unit = pytest.mark.parametrize("schema", UNITS.values(), ids=UNITS)
NOISE: list[dict[str, Any]] = [{}, {"mechanism": "gaussian", "delta": 1e-6}]


def ask(table: pd.DataFrame, aggregate: str, rest: str = "", schema: dict[str, Any] = ROWS) -> sf.Query:
    return sf.open(table, schema, ledger=":memory:").query(f"SELECT {aggregate} FROM stays {rest}")


def ask_all(table: pd.DataFrame, rest: str = "", schema: dict[str, Any] = ROWS) -> dict[str, sf.Query]:
    """A query of each aggregate, all of one dataset: they only look, and a look changes no choice."""
    stays = sf.open(table, schema, ledger=":memory:")
    return {aggregate: stays.query(f"SELECT {aggregate} FROM stays {rest}") for aggregate in AGGREGATES}


def seen(query: sf.Query) -> tuple[float, float]:
    """Everything that can be shown of the people, none of which may fail; the smallest and the largest exposure."""
    profile = query.risk()
    assert profile.people_count == profile.people().num_rows
    assert "epsilon" in profile.text()
    exposure = profile.exposure
    assert exposure is not None
    assert profile.at(1.0).gap >= 1
    return exposure.min, exposure.max


@by_unit
def test_an_empty_table(schema: dict[str, Any]) -> None:
    for aggregate, query in ask_all(PEOPLE.iloc[:0], schema=schema).items():
        for noise in NOISE:
            choice = query.choose(sf.ratio(0.9), **noise)
            told = (choice.epsilon, choice.feasible, choice.unbounded, choice.why)
            assert told == (None, False, False, NOBODY), aggregate
        assert seen(query) == (0, 0), aggregate


@by_unit
def test_nobody_matches(schema: dict[str, Any]) -> None:
    for aggregate, query in ask_all(PEOPLE, "WHERE v > 100", schema).items():
        for noise in NOISE:
            choice = query.choose(sf.ratio(0.9), **noise)
            assert (choice.epsilon, choice.feasible, choice.unbounded) == (None, True, True), aggregate
            assert choice.why.startswith("Every epsilon meets ratio 0.9, of the people in the data"), aggregate
        assert seen(query) == (0, 0), aggregate


@by_unit
def test_one_person_is_as_exposed_as_anybody(schema: dict[str, Any]) -> None:
    for aggregate, query in ask_all(PEOPLE.iloc[2:3], schema=schema).items():
        assert query.choose(sf.ratio(1)).unbounded, aggregate
        low, high = seen(query)
        assert low == high, aggregate


@by_unit
def test_every_epsilon_meets_a_ratio_of_0(schema: dict[str, Any]) -> None:
    for aggregate, query in ask_all(PEOPLE, "GROUP BY ward", schema).items():
        for noise in NOISE:
            assert query.choose(sf.ratio(0), **noise).unbounded, aggregate


@pytest.mark.parametrize("aggregate", ["COUNT(*)", "COUNT(v)", "COUNT(DISTINCT v)", "SUM(v)", "AVG(v)", "MIN(v)"])
def test_no_epsilon_makes_different_people_alike(aggregate: str) -> None:
    choice = ask(PEOPLE, aggregate, "WHERE ward <> 'c'").choose(sf.ratio(1))
    assert (choice.epsilon, choice.feasible, choice.unbounded) == (None, False, False)
    assert choice.why == "No epsilon meets ratio 1, of the people in the data."


def test_values_that_are_all_missing() -> None:
    for aggregate, query in ask_all(PEOPLE.assign(v=None), "GROUP BY ward").items():
        assert seen(query)[0] == 0, f"{aggregate}: whoever is in no listed ward"
        assert {row[-1] for row in query.answer()} <= {None, 0, 2}, aggregate


@pytest.mark.parametrize("aggregate", AGGREGATES[:9])
@pytest.mark.parametrize("rows", [0, 1], ids=["nobody", "one person"])
def test_a_release_from_next_to_nobody(aggregate: str, rows: int) -> None:
    query = ask(PEOPLE.iloc[2 : 2 + rows], aggregate, "GROUP BY ward")
    release = query.release(epsilon=1.0)
    assert [len(row) for row in release.rows] == [1, 1]
    assert all(isinstance(figure, int | float) for (figure,) in release.rows)


@pytest.mark.parametrize("preference", [sf.ratio(1), sf.ratio(0)], ids=["infeasible", "unbounded"])
def test_a_choice_without_an_epsilon_is_not_released(preference: Any) -> None:
    query = ask(PEOPLE, "SUM(v)")
    with pytest.raises(Infeasible, match="gives no epsilon to release with"):
        query.release(query.choose(preference), allow_no_guarantee=True)


def test_whoever_is_alone_in_a_group_is_said_to_be() -> None:
    grouped = ask(PEOPLE[PEOPLE["ward"] != "b"], "ward, AVG(v)", "GROUP BY ward").risk()
    alone = ask(PEOPLE.iloc[[0, 2, 3]], "ward, AVG(v)", "GROUP BY ward").risk()
    assert (grouped.singletons, alone.singletons) == (0, 1)
    assert ask(PEOPLE.iloc[:1], "COUNT(*)").risk().singletons == 0  # a count exists without anybody


def test_the_odds_of_what_is_selected_hold_for_any_mechanism() -> None:
    """A median carries no Laplace noise: `e^eps / (1 + e^eps)`, whoever moves it and however little."""
    assert ask(PEOPLE, "MEDIAN(v)").risk().at(1.0).attack_chance == pytest.approx(0.7310585786)
    assert ask(PEOPLE, "COUNT(*)").risk().at(1.0).attack_chance == pytest.approx(0.6967346701)


def test_private_keys_cannot_be_invented_and_the_hint_does_not_ask_to_list_them() -> None:
    schema = {"name": "stays", "columns": {"ward": {"type": "text", "keys": "private"}}}
    query = sf.open(pd.DataFrame({"ward": ["x"]}), schema, ledger=":memory:").query(
        "SELECT ward, COUNT(*) FROM stays GROUP BY ward"
    )
    with pytest.raises(SchemaError) as refusal:
        query.rehearse()
    assert refusal.value.hint == "use `query.worst_case()`, which needs none, or like=PUBLIC."
