"""A budget per person: what is charged, what is stated, and what lies outside it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import BudgetExceeded, NoGuarantee, NoMechanism, PreferenceError, SchemaError
from sfumato.model.guarantee import Guarantee
from sfumato.model.person_budget import PersonBudget
from sfumato.presentation.certificate import certificate_text
from sfumato.schema.read import from_dict, parse_schema
from sfumato.schema.write import write

SCHEMA: dict[str, Any] = {
    "name": "stays",
    "budget_per_person": 1,
    "rule": {"attack_chance": 0.6},
    "columns": {
        "days": {"type": "integer", "bounds": [0, 10]},
        "ward": {"type": "text", "categories": ["a", "b"]},
        "town": {"type": "text", "keys": "private"},
    },
}
QUANTILES = "SELECT APPROX_QUANTILE(days, 0.5) FROM stays"
COUNT, SUM = "SELECT COUNT(*) FROM stays", "SELECT ward, SUM(days) FROM stays GROUP BY ward"


def table(rows: int = 20) -> pd.DataFrame:
    return pd.DataFrame({"days": range(rows), "ward": ["a", "b"] * (rows // 2), "town": ["x"] * rows})


def opened(version: str = "1", ledger: Any = ":memory:", **stated: Any) -> sf.Dataset:
    return sf.open(table(), SCHEMA | stated, ledger=ledger, version=version)


def test_the_first_release_is_charged_the_budget_and_the_others_nothing() -> None:
    """There is no limit on how many releases there are, whatever the budget of the dataset."""
    stays = opened(budget=1.5)
    releases = [stays.query(COUNT).release(epsilon=0.4, redraw=True) for _ in range(12)]
    assert [r.certificate.charged for r in releases] == [1.0, *[0.0] * 11]
    assert {r.certificate.epsilon for r in releases} == {0.4}
    assert stays.ledger.total.epsilon == 1.0
    assert "0.4-differential privacy" in str(releases[3])
    assert "about the people who are still included" in str(releases[3])
    assert "within epsilon 1" in certificate_text(releases[3].certificate)
    assert (releases[3].certificate.per_person, releases[3].certificate.per_person_delta) == (1.0, 0.0)


def test_the_budget_per_person_has_to_fit_in_the_budget() -> None:
    with pytest.raises(BudgetExceeded):
        opened(budget=0.9).query(COUNT).release(epsilon=0.1)


def test_what_is_not_a_sum_with_public_groups_is_charged_outside() -> None:
    """It adds to the budget per person, and is about everyone."""
    stays = opened()
    stays.query(COUNT).release(epsilon=0.5)
    assert stays.ledger.total.epsilon == 1.0
    outside = [
        stays.query("SELECT MEDIAN(days) FROM stays").release(epsilon=0.3),
        stays.query(QUANTILES).release(epsilon=0.25),
        stays.query("SELECT town, COUNT(*) FROM stays GROUP BY town").release(epsilon=0.2, delta=1e-6),
        stays.query(COUNT).release(epsilon=0.1, mechanism="truncated", delta=1e-6),
    ]
    assert all(release.certificate.per_person is None for release in outside)
    assert not any("still included" in str(release) for release in outside)
    assert [release.certificate.charged for release in outside] == [0.3, 0.25, 0.2, 0.1]
    stays.query(COUNT).exposure_histogram(epsilon=0.05)
    assert stays.ledger.total.epsilon == 1.9


def test_a_draw_about_everyone_answers_no_question_about_the_included() -> None:
    """The same count with the same noise, beside a median: it was drawn for everyone."""
    stays = opened()
    both = stays.query("SELECT COUNT(*), MEDIAN(days) FROM stays").release(epsilon=0.8)
    count = stays.query(COUNT).release(epsilon=0.4)
    assert (both.certificate.charged, count.certificate.charged) == (0.8, 1.0)


def test_asked_again_it_is_the_same_answer() -> None:
    stays = opened()
    first = stays.query(COUNT).release(epsilon=0.5)
    again = stays.query("SELECT COUNT(*) AS n FROM stays").release(epsilon=0.5)
    assert again.rows == first.rows
    assert (again.certificate.charged, again.certificate.per_person) == (0.0, 1.0)


@pytest.mark.parametrize("changed", ["data", "schema", "budget"])
def test_another_version_schema_or_budget_begins_another_filter(changed: str, tmp_path: Any) -> None:
    """Who lost what is computed from the rows and the schema as they are: elsewhere the whole budget counts again."""
    ledger = tmp_path / "stays.ledger"
    opened(ledger=ledger).query(COUNT).release(epsilon=0.5)
    stated: dict[str, Any] = {"schema": {"columns": SCHEMA["columns"] | {"more": {"type": "text"}}}}.get(changed, {})
    stated |= {"budget_per_person": 0.75} if changed == "budget" else {}
    frame = table().assign(more="m")
    other = sf.open(frame, SCHEMA | stated, ledger=ledger, version="2" if changed == "data" else "1")
    release = other.query(COUNT).release(epsilon=0.25)
    assert release.certificate.charged == (0.75 if changed == "budget" else 1.0)
    assert release.certificate.dataset_total == (1.75 if changed == "budget" else 2.0)


def test_a_delta_allows_gaussian_noise_and_is_charged_once() -> None:
    stays = opened(budget_per_person=3, budget_per_person_delta=1e-6)
    gaussian = stays.query(SUM).release(epsilon=0.5, mechanism="gaussian", delta=1e-9)
    laplace = stays.query(SUM).release(epsilon=0.5)
    assert (gaussian.certificate.charged, laplace.certificate.charged) == (3.0, 0.0)
    assert stays.ledger.total.delta == 1e-6
    assert "within epsilon 3 and delta 1e-06" in str(laplace)


def test_what_does_not_go_together_is_refused_from_public_facts() -> None:
    stays = opened()
    with pytest.raises(PreferenceError, match="exceeds budget_per_person"):
        stays.query(COUNT).release(epsilon=1.5)
    with pytest.raises(PreferenceError, match="budget_per_person_delta"):
        stays.query(COUNT).release(epsilon=0.5, mechanism="gaussian", delta=1e-6)
    with pytest.raises(PreferenceError, match="batch"):
        stays.batch([stays.query(COUNT).choose(sf.gap(1.2, worst_case=True))])
    assert stays.ledger.total.epsilon == 0.0


def test_a_budget_per_person_that_is_stated_after_a_look_leaves_no_guarantee(tmp_path: Any) -> None:
    """It decides whom answers are about, so it must not follow from what someone saw of them."""
    ledger, plain = tmp_path / "stays.ledger", {k: v for k, v in SCHEMA.items() if k != "budget_per_person"}
    looked = sf.open(table(), plain, ledger=ledger, version="1")
    looked.query(COUNT).plan(sf.gap(1.5, worst_case=True))
    looked.query(COUNT).risk()
    stays = opened(ledger=ledger)
    with pytest.raises(NoGuarantee):
        stays.query(COUNT).release(stays.query(COUNT).choose(sf.gap(1.5, worst_case=True)))
    declared = stays.query(COUNT).release(
        stays.query(COUNT).choose(sf.gap(1.5, worst_case=True)), preregistered="protocol, page 3"
    )
    assert declared.certificate.guarantee is Guarantee.DP


def test_privacy_loss_of_each_person_counts_the_budget_in_full() -> None:
    stays = opened()
    for epsilon in (0.5, 0.5, 0.5):
        stays.query(COUNT).release(epsilon=epsilon, redraw=True)
    totals = stays.per_person()
    assert totals.in_all.epsilon == 1.0
    assert totals.epsilon is not None
    assert (totals.epsilon.min, totals.epsilon.max) == (1.0, 1.0)


def test_post_hoc_risk_is_of_answers_about_everyone(tmp_path: Any) -> None:
    """Of a later answer it would count people whom the answer left out: a loss that they do not have."""
    stays = opened(ledger=tmp_path / "stays.ledger")
    first, second = (stays.query(COUNT).release(epsilon=0.6, redraw=True) for _ in range(2))
    assert first.posthoc_risk().people_count == 20
    with pytest.raises(NoMechanism, match="may leave people out who have used up their budget"):
        second.posthoc_risk()


def test_a_schema_states_it_and_is_written_as_it_was_read() -> None:
    schema = from_dict(SCHEMA | {"budget_per_person": 0.3, "budget_per_person_delta": 1e-6})
    assert schema.per_person == PersonBudget(Fraction(3, 10), Fraction(1, 10**6))
    assert parse_schema(write(schema)).per_person == schema.per_person


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"budget_per_person": -1}, "budget_per_person must be a number from 0 to 1,000"),
        ({"budget_per_person": 1, "budget_per_person_delta": 2}, "budget_per_person_delta must be a number from 0"),
        ({"budget_per_person": None, "budget_per_person_delta": 1e-6}, "needs budget_per_person"),
    ],
)
def test_a_wrong_statement_is_refused(stated: dict[str, Any], message: str) -> None:
    kept = {name: value for name, value in (SCHEMA | stated).items() if value is not None}
    with pytest.raises(SchemaError, match=message):
        from_dict(kept)
