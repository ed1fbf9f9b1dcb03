"""Budgets per calendar period, and totals of disjoint people, as releases are charged and certified."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import BadInput, BudgetExceeded, NoGuarantee, SchemaError
from sfumato.model.budget import BudgetLimit, budget_of
from sfumato.presentation import ledger_view
from sfumato.schema.read import from_dict, parse_schema
from sfumato.schema.write import write

PEOPLE = pd.DataFrame({"ward": ["a", "a", "b"], "days": [3, 40, 7]})
WARD = {"type": "text", "categories": ["a", "b", "c"]}
SCHEMA: dict[str, Any] = {"name": "stays", "columns": {"ward": WARD, "days": {"type": "integer", "bounds": [0, 60]}}}
COUNT = "SELECT COUNT(*) FROM stays"
MONTHLY = {"epsilon": 1, "per": "month"}
PRINTED = "What is released in several periods adds up: a budget per period is no promise about a longer time."


@dataclass
class Clock:
    """What the services take for now."""

    now: str = "2026-03-31T23:59:58+00:00"

    def at(self, moment: str) -> None:
        self.now = moment


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    services = local._services

    def with_clock() -> Any:
        return replace(services(), now=lambda: clock.now)

    monkeypatch.setattr(local, "_services", with_clock)
    return clock


def stays(ledger: Path, stated: object = (), **how: Any) -> sf.Dataset:
    schema = SCHEMA | dict(stated)  # type: ignore[call-overload]
    return sf.open(PEOPLE, schema, ledger=ledger, **{"version": "1"} | how)


def pay(dataset: sf.Dataset, epsilon: float, sql: str = COUNT) -> sf.Release:
    return dataset.query(sql).release(epsilon=epsilon, redraw=True)


# The noun


@pytest.mark.parametrize(
    ("one", "same", "words"),
    [
        ("1 per month", MONTHLY, "epsilon 1 per month"),
        ("3", 3, "epsilon 3"),
        ("0.5 per week, 12 in all", {"epsilon": 0.5, "per": "week", "in_all": 12}, "epsilon 12, epsilon 0.5 per week"),
        (
            "1 delta 1e-6 per year, 3 delta 1e-5 in all",
            {"epsilon": 1, "delta": 1e-6, "per": "year", "in_all": [3, 1e-5]},
            "epsilon 3, delta 1e-05, epsilon 1 per year, delta 1e-06 per year",
        ),
    ],
)
def test_a_budget_per_period_as_a_text_and_as_a_table(one: str, same: object, words: str) -> None:
    budget = budget_of(one)
    assert budget == budget_of(same)
    assert budget.words == words
    assert BudgetLimit.from_texts(budget.as_texts()) == budget
    schema = from_dict(SCHEMA | {"budget": same})
    assert parse_schema(write(schema)).budget == schema.budget == budget


@pytest.mark.parametrize(
    "wrong",
    [
        "1 per fortnight",
        "one per month",
        "1 month",
        "",
        "1 per month 2 in all",
        {"per": "month"},
        {"epsilon": 1, "every": "month"},
    ],
)
def test_what_is_no_budget(wrong: object) -> None:
    with pytest.raises(BadInput) as error:
        budget_of(wrong)
    assert error.value.hint


def test_of_two_budgets_each_limit_holds() -> None:
    both = budget_of("1 per month").strictest(budget_of("0.5 per month, 2 per year")).strictest(budget_of("9 in all"))
    assert both.words == "epsilon 9, epsilon 0.5 per month, epsilon 2 per year"


# Periods


def test_a_month_is_used_up_exactly_and_the_next_one_begins_anew(ledger_path: Path, clock: Clock) -> None:
    dataset = stays(ledger_path, {"budget": MONTHLY | {"in_all": 1.9}})
    pay(dataset, 0.5)
    release = pay(dataset, 0.5)
    assert release.certificate.period == "2026-03"
    assert (release.certificate.period_total, release.certificate.dataset_total) == (1.0, 1.0)
    with pytest.raises(BudgetExceeded) as error:
        pay(dataset, 1e-9)
    assert error.value.message == (
        "This needs epsilon 1e-09, and 0 of the budget of this month is left (1 of 1 used in 2026-03); "
        "nothing was drawn or charged"
    )
    assert "ask again from 2026-04-01 on, when the next month begins (UTC)" in error.value.hint
    clock.at("2026-04-01T02:00:00+02:00")  # midnight in UTC
    release = pay(dataset, 0.9)
    assert (release.certificate.period, release.certificate.period_total) == ("2026-04", 0.9)
    assert release.certificate.dataset_total == 1.9
    assert f"In 2026-04 alone: epsilon 0.9; attack success from that at most 72%. {PRINTED}" in str(release.certificate)
    with pytest.raises(BudgetExceeded, match=r"0 of the budget is left \(1\.9 of 1\.9 used\)"):
        pay(dataset, 0.1)
    shown = ledger_view.periods(local.records(ledger_path)[0])
    assert [line.split() for line in shown.splitlines()[2:4]] == [["2026-03", "2", "1"], ["2026-04", "1", "0.9"]]
    assert shown.endswith(PRINTED)


def test_a_delta_has_a_period_of_its_own(ledger_path: Path, clock: Clock) -> None:
    dataset = stays(ledger_path, budget="1 delta 1e-6 per day")
    query = dataset.query(COUNT)
    query.release(epsilon=0.1, mechanism="gaussian", delta=1e-6)
    with pytest.raises(BudgetExceeded, match=r"This needs delta 1e-06, and 0 of the budget of this day is left"):
        query.release(epsilon=0.1, mechanism="gaussian", delta=1e-6, redraw=True)
    clock.at("2026-04-01T00:00:00+00:00")
    query.release(epsilon=0.1, mechanism="gaussian", delta=1e-6, redraw=True)


def test_processes_do_not_exceed_a_period_together(ledger_path: Path, clock: Clock) -> None:
    handles = [stays(ledger_path, budget="0.5 per month") for _ in range(4)]

    def ask(dataset: sf.Dataset) -> int:
        try:
            pay(dataset, 0.2)
        except BudgetExceeded:
            return 0
        return 1

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(ask, handles)) == 2
    assert stays(ledger_path).ledger.total.epsilon == 0.4


def test_a_period_without_a_guarantee_has_no_total(ledger_path: Path, clock: Clock) -> None:
    dataset = stays(ledger_path, budget="20 per month")
    query = dataset.query(COUNT)
    query.risk()
    query.release(epsilon=0.2, allow_no_guarantee=True)
    certificate = query.release(epsilon=0.1, preregistered="in the protocol").certificate
    assert (certificate.period, certificate.period_total) == ("2026-03", None)
    assert "no total" in ledger_view.periods(local.records(ledger_path)[0])


# Disjoint people

DISJOINT = {"versions": "disjoint people"}


def test_cohorts_are_counted_in_parallel_only_where_it_was_declared(ledger_path: Path, clock: Clock) -> None:
    """And the certificate, the ledger and a refusal say so."""
    first = pay(stays(ledger_path, version="1"), 0.3)
    assert first.certificate.cohort is None
    one, two = (
        stays(ledger_path, DISJOINT | {"budget": 1}, version=cohort, cohort=cohort) for cohort in ("jan", "feb")
    )
    pay(one, 0.5)
    certificate = pay(two, 0.6).certificate
    assert certificate.dataset_total == 0.9, "0.3 for everyone, and the larger of two cohorts"
    assert certificate.cohort == "feb"
    assumed = "no person is in two of the 2 cohorts of the data that are counted so far, as the schema declares"
    assert assumed in certificate.assumed
    assert "Cohort:           feb" in str(certificate)
    with pytest.raises(BudgetExceeded, match=r"0\.1 of the budget is left \(0\.9 of 1 used\).*disjoint by cohort\."):
        pay(two, 0.2)
    pay(one, 0.2)
    shown = ledger_view.parallel(local.records(ledger_path)[0])
    assert "Charges on 2 cohorts (jan, feb) are counted in parallel" in shown
    assert shown.endswith("Without that, epsilon 1.6 is used.")
    withdrawn = stays(ledger_path, {"budget": 1.7}, version="3")
    with pytest.raises(BudgetExceeded, match=r"0\.1 of the budget is left \(1\.6 of 1\.7 used\)"):
        pay(withdrawn, 0.2)
    assert pay(withdrawn, 0.1).certificate.dataset_total == 1.7
    assert local.records(ledger_path)[0].total.epsilon == 1.7


def test_a_cohort_without_the_declaration_is_refused(ledger_path: Path) -> None:
    with pytest.raises(BadInput, match="does not declare that no person is in two cohorts"):
        stays(ledger_path, cohort="jan")
    with pytest.raises(BadInput, match="A cohort needs a name"):
        stays(ledger_path, DISJOINT, cohort=" ")


def test_a_look_at_one_cohort_taints_the_others(ledger_path: Path) -> None:
    stays(ledger_path, DISJOINT, version="1", cohort="jan").query(COUNT).risk()
    other = stays(ledger_path, DISJOINT, version="2", cohort="feb")
    with pytest.raises(NoGuarantee):
        pay(other, 0.1)


def test_wards_are_counted_in_parallel(ledger_path: Path) -> None:
    dataset = stays(ledger_path, {"partition": "WARD", "budget": 1})
    pay(dataset, 0.6, f"{COUNT} WHERE ward = 'a'")
    certificate = pay(dataset, 0.7, f"{COUNT} WHERE ward IN ('b', 'c') AND days > 3").certificate
    assert certificate.dataset_total == 0.7
    assert pay(dataset, 0.1).certificate.dataset_total == 0.8
    with pytest.raises(BudgetExceeded):
        pay(dataset, 0.3, f"{COUNT} WHERE ward = 'b'")
    assert pay(dataset, 0.3, f"{COUNT} WHERE ward = 'a'").certificate.dataset_total == 1.0
    assert (
        pay(
            stays(ledger_path, {"partition": "ward"}, version="2"), 0.1, f"{COUNT} WHERE ward = 'c'"
        ).certificate.dataset_total
        == 1.1
    )
    batch = dataset.batch(
        [f"{COUNT} WHERE ward = 'c'", f"{COUNT} WHERE ward = 'c' AND days > 9"], epsilon=0.1, index=[1, 1]
    )
    batch.release()
    assert dataset.ledger.total.epsilon == 1.1


def test_rows_of_people_have_one_ward_by_declaration(ledger_path: Path) -> None:
    schema = {"unit": "person", "max_rows": 2, "partition": "ward"}
    schema["columns"] = SCHEMA["columns"] | {"person": {"type": "text"}}
    people = PEOPLE.assign(person=["x", "y", "z"])
    dataset = sf.open(people, SCHEMA | schema, ledger=ledger_path, version="1")
    release = pay(dataset, 0.5, f"{COUNT} WHERE ward = 'a'")
    sentence = "all rows of one person in a version of the data have the same ward, as the schema declares"
    assert sentence in release.certificate.assumed


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_a_replaced_person_has_the_same_ward_as_before(ledger_path: Path, relation: str) -> None:
    """Someone who is replaced by a person of another ward is in the charges of both wards."""
    dataset = stays(ledger_path, {"partition": "ward", "relation": relation})
    assumed = pay(dataset, 0.5, f"{COUNT} WHERE ward = 'a'").certificate.assumed
    alike = "one row is replaced by another of the same ward: different values of ward are counted in parallel"
    assert (alike in assumed) == (relation == "replace")


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"versions": "other people"}, "versions must be"),
        ({"partition": "street"}, "partition must name a column"),
        ({"partition": "days", "columns": {"days": {"type": "number"}}}, "has no public values"),
    ],
)
def test_what_declares_nothing(stated: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        from_dict(SCHEMA | stated)


def test_a_schema_with_declarations_is_written_as_it_is_read() -> None:
    schema = from_dict(SCHEMA | DISJOINT | {"partition": "ward"})
    again = parse_schema(write(schema))
    assert (again.disjoint_versions, again.partition) == (True, "ward")
