"""`sf.belief`: from a public universe to an epsilon; what is refused; and who is missing, as a look."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import PreferenceError
from sfumato.model.facts import Cell
from sfumato.model.measurement import NumberKind
from sfumato.schema.read import from_dict

STUDENTS = pd.DataFrame(
    {"name": ["Chris", "Kelly", "Pat", "Terry"], "school_year": [1, 2, 3, 4], "absence_days": [1, 2, 3, 10]}
)  # Table 1
SCHEMA: dict[str, object] = {
    "name": "students",
    "columns": {
        "name": {"type": "text"},
        "school_year": {"type": "integer", "bounds": [1, 4]},
        "absence_days": {"type": "integer", "bounds": [0, 10]},
    },
}
SUM, AVG = "SELECT SUM(absence_days) FROM students", "SELECT AVG(absence_days) FROM students"
ANSWERS = [6, 13, 14, 15]  # the sum without each of them


def students(ledger: Path | str = ":memory:", **schema: object) -> sf.Dataset:
    """The data: all but Terry."""
    return sf.open(STUDENTS[:3], SCHEMA | schema, ledger=ledger, version="1")


# The answer is that of Bayes' rule over tables that are literally without somebody

VISITS = pd.DataFrame(
    {
        "patient": [1, 1, 2, 3, 3, 3, 4, 5, 6, 6],
        "ward": ["a", "a", "b", "a", "b", "b", "a", "b", "c", None],
        "days": [3, 40, 7, None, 3, 60, 12, 7, 5, 2],
        "cost": [0.1, 0.9, 0.35, 0.5, 0.5, None, 0.75, 0.35, 0.2, 0.2],
    }
)
COLUMNS = {
    "patient": {"type": "integer"},
    "ward": {"categories": ["a", "b"]},
    "days": {"type": "integer", "bounds": [0, 50]},
    "cost": {"type": "number", "bounds": [0, 1]},
}
ROW = from_dict({"name": "visits", "columns": COLUMNS})
PATIENT = from_dict({"name": "visits", "unit": "patient", "max_rows": 2, "columns": COLUMNS})
REPLACE = from_dict({"name": "visits", "relation": "replace", "columns": COLUMNS})
QUERIES = [
    "SELECT COUNT(*) FROM visits WHERE days > 5",
    "SELECT SUM(days) FROM visits",
    "SELECT SUM(cost) FROM visits WHERE ward = 'a'",
    "SELECT AVG(days) FROM visits",
    "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "SELECT ward, AVG(cost) FROM visits GROUP BY ward",
    "SELECT VAR_POP(cost), COUNT(*) FROM visits",
]


def without_each(schema: object) -> list[sf.Dataset]:
    """Every world: the visits without one person."""
    unit = schema.unit.column  # type: ignore[attr-defined]
    people = [VISITS.index != i for i in VISITS.index] if unit is None else [VISITS[unit] != p for p in range(1, 7)]
    return [sf.open(VISITS[kept], schema, ledger=":memory:") for kept in people]  # type: ignore[arg-type]


def literally(datasets: list[sf.Dataset], sql: str) -> list[dict[tuple[Cell, int], float]]:
    """The noisy numbers of every world, in units of their sensitivity over their share."""
    found = []
    for dataset in datasets:
        query = dataset.query(sql)
        numbers = query.measurement.numbers
        cells = query._bound.totals().cells.items()
        found.append(
            {
                (cell, i): float(numbers[i].share) * steps / numbers[i].steps
                for cell, total in cells
                for i, steps in enumerate(total)
            }
        )
    return found


@pytest.mark.parametrize("schema", [ROW, PATIENT, REPLACE], ids=["rows", "patients", "replaced"])
def test_no_world_is_believed_more_than_asked_for(schema: object) -> None:
    """At the epsilon that is chosen the largest belief is rho itself, by Bayes' rule at the worst output."""
    data = sf.open(VISITS[2:], schema, ledger=":memory:")  # type: ignore[arg-type]
    datasets = without_each(schema)
    for sql in QUERIES:
        choice = data.query(sql).choose(sf.belief(0.4, worlds=VISITS), epsilon_max=1000)
        worlds = literally(datasets, sql)
        far = [[sum(abs(v[key] - w[key]) for key in v) for w in worlds] for v in worlds]
        epsilon = 1e6 if choice.epsilon is None else choice.epsilon
        risk = max(1 / math.fsum(math.exp(-epsilon * d) for d in row) for row in far)
        assert choice.guarantee.value == "dp", sql
        assert choice.unbounded == (choice.epsilon is None), sql
        assert (risk <= 0.4) if choice.unbounded else (risk == pytest.approx(0.4, abs=1e-9)), sql


def test_the_students_of_table_1() -> None:
    """Their mean is drawn as a centred sum and a count; the count is the same in every world."""
    epsilon = students().query(AVG).choose(sf.belief(1 / 3, worlds=STUDENTS)).epsilon
    assert epsilon is not None
    far = [abs(a - b) / 5 / 2 for a in (1, 2, 3, 10) for b in (1, 2, 3, 10)]  # half of epsilon is the sum's
    beliefs = [1 / sum(math.exp(-epsilon * d) for d in far[i : i + 4]) for i in (0, 4, 8, 12)]
    assert max(beliefs) == beliefs[3] == pytest.approx(1 / 3, abs=1e-12)  # Terry is told apart most easily


def test_answers_say_the_same_as_the_universe() -> None:
    query = students().query(SUM)
    by_table = query.choose(sf.belief(1 / 3, worlds=STUDENTS)).epsilon
    assert query.choose(sf.belief(1 / 3, worlds=ANSWERS)).epsilon == pytest.approx(by_table, abs=1e-12)
    assert query.choose(sf.belief(1 / 3, worlds=pa.Table.from_pandas(STUDENTS))).epsilon == by_table


def test_the_upper_bound_is_stricter() -> None:
    query = students().query(SUM)
    exact = query.choose(sf.belief(1 / 3, worlds=ANSWERS)).epsilon
    bound = query.choose(sf.belief(1 / 3, worlds=ANSWERS, bound=True)).epsilon
    assert bound == pytest.approx(10 / 9 * math.log(3 / 2), abs=1e-9)
    assert exact is not None
    assert bound is not None
    assert bound < exact


def test_a_prior_that_is_not_uniform_asks_for_less() -> None:
    query = students().query(SUM)
    uniform = query.choose(sf.belief(0.8, worlds=ANSWERS)).epsilon
    sure = query.choose(sf.belief(0.8, worlds=ANSWERS, prior=[0.7, 0.1, 0.1, 0.1])).epsilon
    assert sure is not None
    assert uniform is not None
    assert sure < uniform
    weights = [0.7, *(0.1 * math.exp(-sure * (answer - 6) / 10) for answer in ANSWERS[1:])]
    assert 0.7 / sum(weights) == pytest.approx(0.8, abs=1e-12)


def test_a_file_of_answers_with_priors(tmp_path: Path) -> None:
    path = tmp_path / "worlds.csv"
    path.write_text("answer,prior\n6,0.7\n13,0.1\n14,0.1\n15,0.1\n", "utf-8")
    query = students().query(SUM)
    listed = query.choose(sf.belief(0.8, worlds=ANSWERS, prior=[0.7, 0.1, 0.1, 0.1])).epsilon
    assert query.choose(sf.belief(0.8, worlds=path)).epsilon == listed


def test_several_missing() -> None:
    """Two of four are missing: six worlds."""
    epsilon = students().query(SUM).choose(sf.belief(0.3, worlds=STUDENTS, missing=2)).epsilon
    assert epsilon is not None
    gone = [3, 4, 5, 11, 12, 13]
    risk = max(1 / sum(math.exp(-epsilon * abs(a - b) / 10) for b in gone) for a in gone)
    assert risk == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize(("relation", "steps"), [("add-remove", 2), ("replace", 1)])
def test_a_median_counts_in_full(relation: str, steps: int) -> None:
    """It is selected by its rank, not added noise to: two worlds differ by two steps of its epsilon, or by one."""
    query = students(relation=relation).query("SELECT MEDIAN(absence_days) FROM students")
    epsilon = query.choose(sf.belief(1 / 3, worlds=STUDENTS)).epsilon
    assert epsilon == pytest.approx(math.log(3 / 2) / steps, abs=1e-9)


def test_whoever_the_query_leaves_out_is_told_apart_from_nobody() -> None:
    """All but Terry are left out: without any of them the answer is the same, and of three worlds that are alike none
    is ever believed by more than a third; Terry's is.
    """
    query = students().query("SELECT MEDIAN(absence_days) FROM students WHERE school_year = 4")
    epsilon = query.choose(sf.belief(1 / 2, worlds=STUDENTS)).epsilon
    assert epsilon == pytest.approx(math.log(3), abs=1e-9)


def test_where_all_worlds_have_one_answer_every_epsilon_will_do() -> None:
    choice = students().query("SELECT COUNT(*) FROM students").choose(sf.belief(1 / 3, worlds=STUDENTS))
    assert (choice.epsilon, choice.feasible, choice.unbounded) == (None, True, True)
    assert choice.why.startswith("Every epsilon meets belief 0.3333")


def test_a_priority_allows_more() -> None:
    query = students().query(SUM)
    once = query.choose(sf.belief(1 / 3, worlds=ANSWERS)).epsilon
    twice = query.choose(sf.weighted(sf.belief(1 / 3, worlds=ANSWERS), 2)).epsilon
    assert once is not None
    assert twice == 2 * once


# The record


def test_the_certificate_says_what_is_assumed_and_asking_again_is_recognised(tmp_path: Path) -> None:
    universe = tmp_path / "universe.csv"
    STUDENTS.to_csv(universe, index=False)
    query = students(tmp_path / "students.ledger").query(SUM)
    release = query.release(query.choose(sf.belief(1 / 3, worlds=universe)))
    said = "the universe of 4 people in universe.csv is public; one of them is missing, each equally likely"
    assert said in release.certificate.assumed
    assert release.certificate.guarantee.value == "dp"
    redraw = query.release(query.choose(sf.belief(1 / 3, worlds=str(universe))))
    assert redraw.rows == release.rows
    assert query.dataset.ledger.total.releases == 1
    STUDENTS.assign(absence_days=[1, 2, 3, 9]).to_csv(universe, index=False)  # another universe, another request
    query.release(query.choose(sf.belief(1 / 3, worlds=universe)))
    assert query.dataset.ledger.total.releases == 2


def test_it_goes_into_a_rule_where_its_worlds_are_listed() -> None:
    data = students(rule={"belief": 0.3333333333333333, "worlds": ANSWERS})
    release = data.query(SUM).release()
    assert release.certificate.decided_by == "policy"
    assert release.certificate.epsilon == students().query(SUM).choose(sf.belief(1 / 3, worlds=ANSWERS)).epsilon


# What is refused, in one sentence, with nothing charged

REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no worlds": (lambda: sf.belief(0.5), "needs the possible worlds"),
    "a certainty": (lambda: sf.belief(1, worlds=ANSWERS), "must be between 0 and 1"),
    "one world": (lambda: sf.belief(0.5, worlds=[3]), "at least two possible worlds, not 1"),
    "what is believed already": (lambda: sf.belief(0.25, worlds=ANSWERS), "must be above 0.25, not 0.25"),
    "less than the prior": (
        lambda: sf.belief(0.5, worlds=[1, 2], prior=[0.6, 0.4]),
        "must be above 0.6, not 0.5: an attacker believes that much before any answer",
    ),
    "too few priors": (lambda: sf.belief(0.5, worlds=ANSWERS, prior=[0.5, 0.5]), "4 worlds and 2 priors"),
    "priors that do not add up": (lambda: sf.belief(0.9, worlds=[1, 2], prior=[0.5, 0.4]), "add up to 1"),
    "a prior below 0": (lambda: sf.belief(0.9, worlds=[1, 2], prior=[1.5, -0.5]), "above 0"),
    "a prior of a table": (lambda: sf.belief(0.5, worlds=STUDENTS, prior=[1]), "prior needs the answers"),
    "nobody missing": (lambda: sf.belief(0.5, worlds=STUDENTS, missing=0), "whole number from 1"),
    "missing answers": (lambda: sf.belief(0.5, worlds=ANSWERS, missing=2), "missing needs a universe"),
    "no number": (lambda: sf.belief(0.5, worlds=["x", "y"]), "must be a finite number"),
}


@pytest.mark.parametrize(("state", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_belief_is_refused(state: Callable[[], object], said: str) -> None:
    with pytest.raises(PreferenceError, match=said):
        state()


def test_what_bounds_no_belief_is_refused_before_anything_is_read() -> None:
    data = students()
    for sql, how, said in (
        (AVG, {"worlds": ANSWERS}, "one noisy figure"),
        ("SELECT MEDIAN(absence_days) FROM students", {"worlds": ANSWERS}, "one noisy figure"),
        (SUM, {"worlds": STUDENTS[:1]}, "fewer than two possible worlds"),
        (SUM, {"worlds": STUDENTS[:2]}, "must be above 0.5"),
        (SUM, {"worlds": "nowhere.csv"}, "nowhere.csv"),
    ):
        with pytest.raises(sf.SfumatoError, match=said):
            data.query(sql).choose(sf.belief(1 / 3, **how))
    with pytest.raises(PreferenceError, match=r"a delta .* bounds no belief\. Hint: use mechanism='laplace'"):
        data.query(SUM).choose(sf.belief(1 / 3, worlds=ANSWERS), mechanism="gaussian", delta=1e-6)
    from_data = sf.open(STUDENTS[:3], SCHEMA, ledger=":memory:", bounds_from_data=True)
    with pytest.raises(PreferenceError, match="needs the bounds of the schema"):
        from_data.query(SUM).choose(sf.belief(1 / 3, worlds=ANSWERS))
    assert not data.ledger.known.looked_before(10**9)


def test_private_keys_bound_no_belief() -> None:
    """A group that shows tells that somebody is in it."""
    columns = SCHEMA["columns"] | {"name": {"keys": "private"}}  # type: ignore[operator]
    query = students(columns=columns).query("SELECT name, COUNT(*) FROM students GROUP BY name")
    with pytest.raises(PreferenceError, match="bounds no belief"):
        query.choose(sf.belief(1 / 3, worlds=STUDENTS), delta=1e-6)
    with pytest.raises(PreferenceError, match="bounds no belief"):
        query.beliefs()
    assert not query.dataset.ledger.known.looked_before(10**9)


def test_the_data_itself_is_no_public_universe() -> None:
    data = sf.open(STUDENTS, SCHEMA, ledger=":memory:")
    with pytest.raises(PreferenceError, match="the confidential data itself, and must be public"):
        data.query(SUM).choose(sf.belief(1 / 3, worlds=STUDENTS))


def test_a_file_in_a_rule_is_refused() -> None:
    with pytest.raises(PreferenceError, match="a file could change after the rule"):
        students(rule={"belief": 0.5, "worlds": "universe.csv"})


def test_too_many_worlds_to_compare_are_refused() -> None:
    many = pd.DataFrame({"x": [i / 5000 for i in range(2500)]})
    schema = {"name": "t", "columns": {"x": {"type": "number", "bounds": [0, 1]}}}
    data = sf.open(many[1:], schema, ledger=":memory:")
    with pytest.raises(PreferenceError, match="more than 2,000 possible worlds"):
        data.query("SELECT VAR_POP(x) FROM t").choose(sf.belief(0.1, worlds=many))
    assert data.query("SELECT AVG(x) FROM t").choose(sf.belief(0.1, worlds=many)).epsilon  # one number tells them apart
    with pytest.raises(PreferenceError, match="too many ways for 2"):
        data.query("SELECT AVG(x) FROM t").choose(sf.belief(0.1, worlds=many, missing=2))


# Who is missing: a look


def test_who_is_missing() -> None:
    query = sf.open(STUDENTS, SCHEMA, ledger=":memory:").query(SUM)
    beliefs = query.beliefs(candidates=[0.5, 2])
    assert query.dataset.ledger.known.looked_before(10**9)
    row = beliefs.at(2)
    far = [9, 8, 7, 0]
    assert row.risk == pytest.approx(1 / sum(math.exp(-2 * d / 10) for d in far))
    assert row.risk < row.bound == pytest.approx(1 / (1 + 3 * math.exp(-2 * 9 / 10)))
    assert row.average is not None
    assert 1 / 4 < row.average < row.risk
    assert (row.person, row.alike) == (4, 1)
    assert beliefs.limit == 1
    assert [shown.epsilon for shown in query.beliefs(0.5).candidates] == [0.5]


def test_somebody_who_is_suspected() -> None:
    """By Bayes' rule at the worst output, for whoever of the four it is."""
    query = sf.open(STUDENTS, SCHEMA, ledger=":memory:").query(SUM)
    days, p = (1, 2, 3, 10), 0.7
    others = [[math.exp(-2 * abs(a - b) / 10) for j, b in enumerate(days) if j != i] for i, a in enumerate(days)]
    literally = max(p / (p + (1 - p) / 3 * sum(row)) for row in others)
    beliefs = query.beliefs(2, prior=p)
    row = beliefs.at(2)
    assert row.risk == pytest.approx(literally)
    assert beliefs.prior < row.risk < row.bound == pytest.approx(p / (p + (1 - p) * math.exp(-2 * 9 / 10)))
    assert (row.person, row.average, beliefs.limit) == (4, None, 1)
    assert "suspects one of them at 0.7" in " ".join(beliefs.text().split())
    with pytest.raises(PreferenceError, match="prior must be between 0 and 1, not 1"):
        query.beliefs(prior=1)


def test_what_is_shown_of_it_is_for_the_controller() -> None:
    query = sf.open(STUDENTS, SCHEMA, ledger=":memory:").query(AVG)
    beliefs = query.beliefs()
    text, page = beliefs.text(), beliefs._html()
    assert "Beliefs about who is missing" in text
    assert "Controller only" in text
    assert "Controller only" in page
    assert "<svg" in page
    assert repr(beliefs) == "<Beliefs. Beliefs about who is missing It is confidential: call .show()>"
    assert repr(beliefs.at(1)) == "<BeliefAt: confidential>"
    assert "largest belief" in str(beliefs.plot().figure)
    assert beliefs.plot()._repr_svg_() is None
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(beliefs)
    said = json.loads(json.dumps(beliefs.as_dict(), default=str))
    assert set(said) == {"people", "prior", "limit", "upper_bound", "candidates"}
    assert "<svg" in query.beliefs(1.0)._html()  # the line goes on beyond the one epsilon asked for


def test_a_count_tells_apart_who_is_counted() -> None:
    query = sf.open(STUDENTS, SCHEMA, ledger=":memory:").query("SELECT COUNT(*) FROM students WHERE school_year = 1")
    beliefs = query.beliefs()
    assert beliefs.at(1).person == 1
    assert beliefs.limit == 1
    everybody = sf.open(STUDENTS, SCHEMA, ledger=":memory:").query("SELECT COUNT(*) FROM students").beliefs()
    assert everybody.limit == everybody.at(10).risk == 1 / 4
    assert everybody.at(10).alike == 4
    assert "No epsilon raises the belief above 0.25" in everybody.text()


def test_what_is_selected_by_its_rank_is_an_upper_bound() -> None:
    query = sf.open(STUDENTS, SCHEMA, ledger=":memory:").query("SELECT MEDIAN(absence_days) FROM students")
    assert query.measurement.numbers[0].kind is NumberKind.SELECTION
    beliefs = query.beliefs()
    assert beliefs.at(1).risk == pytest.approx(1 / (1 + 3 * math.exp(-2)))
    assert beliefs.at(1).average is None
    assert "the belief may be smaller" in " ".join(beliefs.text().split())


def test_of_one_person_or_none_there_is_nothing_to_find_out() -> None:
    """They are certain before; and no error tells how many there are."""
    for few in (STUDENTS[:1], STUDENTS[:0]):
        beliefs = sf.open(few, SCHEMA, ledger=":memory:").query(SUM).beliefs()
        assert beliefs.prior == beliefs.at(1).risk == beliefs.at(1).bound == 1


def test_of_too_many_to_compare_the_upper_bound_is_shown() -> None:
    """A bound on what is shown where there are fewer: also here no error tells how many there are."""
    many = pd.DataFrame({"x": [i / 5000 for i in range(2500)]})
    schema = {"name": "t", "columns": {"x": {"type": "number", "bounds": [0, 1]}}}
    query = sf.open(many, schema, ledger=":memory:").query("SELECT VAR_POP(x) FROM t")
    row = query.beliefs().at(1)
    assert row.risk == row.bound == pytest.approx(1 / (1 + 2499 * math.exp(-2)), rel=1e-2)
    assert query.beliefs().text().count("–") >= 10
