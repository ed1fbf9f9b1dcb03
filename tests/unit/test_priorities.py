"""Several queries: priorities that scale a preference, and the papers' rule of epsilons larger than all before."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.risk import WORST_CASE
from sfumato.privacy.preferences.preference import Preference, epsilon
from sfumato.privacy.preferences.solver import solve
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES
from tests.paper.test_rdr import LONGEST

SCHEMA = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 60]}}}


def stays(**stated: Any) -> sf.Dataset:
    return sf.open(pd.DataFrame({"days": [3, 40, 7]}), SCHEMA | stated, ledger=":memory:", version="1")


def asked(dataset: sf.Dataset, number: int = 0) -> sf.Query:
    """Another statement for each number."""
    return dataset.query(f"SELECT COUNT(*) FROM stays WHERE days > {number}")


def largest(preference: Preference) -> float:
    found = solve([preference], lambda _: WORST_CASE, Noise(), epsilon_max=1000)
    assert found.epsilon is not None
    return found.epsilon


# Priorities


@pytest.mark.parametrize("weight", [0.25, 1, 2, 3.5])
@pytest.mark.parametrize(
    "preference",
    [
        epsilon(0.2),
        sf.gap(1.2, worst_case=True),
        sf.ratio(0.9, worst_case=True),
        sf.attack_chance(0.6),
        sf.exposure_cap(0.3),
    ],
    ids=lambda preference: preference.words,
)
def test_a_priority_allows_as_many_times_the_epsilon(preference: Preference, weight: float) -> None:
    """Of the worst case, where each is a bound on epsilon alone."""
    weighed = sf.weighted(preference, weight)
    assert largest(weighed) == pytest.approx(weight * largest(preference), rel=1e-9)
    assert ("priority" in weighed.words) == (weight != 1)


def test_a_variance_goes_with_the_square() -> None:
    plain = sf.variance(1e-4, select_epsilon=0.1)
    assert sf.weighted(plain, 2).tau == 4 * plain.tau
    assert sf.weighted(plain, 1000).tau == 1
    assert sf.weighted(plain, 2).select_epsilon == plain.select_epsilon


def test_what_a_selection_costs_has_no_priority() -> None:
    cap = sf.exposure_cap(0.5, allow=0.01, select_epsilon=0.1)
    weighed = sf.weighted(cap, 3)
    assert (weighed.cap, weighed.select_epsilon) == (Fraction(3, 2), 0.1)


def test_extremes_stay_what_they_are() -> None:
    nothing, everything = sf.ratio(0, worst_case=True), sf.attack_chance(1)
    assert sf.weighted(nothing, 2) == nothing
    assert sf.weighted(everything, 2).chance == 1
    assert sf.weighted(sf.ratio(1, worst_case=True), 5).tau == 1


@pytest.mark.parametrize("weight", [0, -1, 1001, float("nan"), "2x"])
def test_what_is_no_priority(weight: Any) -> None:
    with pytest.raises(PreferenceError, match=r"priority (of a preference )?must"):
        sf.weighted(sf.gap(1.2), weight)


def test_a_preference_is_weighed_once_and_not_every_one_is() -> None:
    with pytest.raises(PreferenceError, match="already has a priority"):
        sf.weighted(sf.weighted(sf.gap(1.2), 2), 2)
    for unweighable in (sf.larger_than_spent(), sf.satisfies(lambda rdrs: rdrs.ratio > 0)):
        with pytest.raises(PreferenceError, match="cannot have a priority"):
            sf.weighted(unweighable, 2)


def test_priorities_share_a_budget_and_are_public() -> None:
    """Two queries, of which one is worth twice as much: dp, and charged as such."""
    dataset = stays()
    for number, weight in ((1, 2), (2, 1)):
        release = asked(dataset, number).release(
            asked(dataset, number).choose(sf.weighted(sf.gap(1.2, worst_case=True), weight))
        )
        assert release.certificate.guarantee == "dp"
        assert release.certificate.epsilon == pytest.approx(0.2 * weight)
    assert dataset.ledger.total.epsilon == pytest.approx(0.6)


# Larger than spent


def test_thirteen_queries_and_no_more_with_the_papers_candidates() -> None:
    """Each tau so strict that only the smallest candidate left meets it; the ledger says what is left."""
    dataset = stays()

    def choose(number: int) -> sf.Choice:
        spent = Fraction(str(dataset.ledger.total.epsilon))
        left = [candidate for candidate in PAPER_CANDIDATES if Fraction(str(candidate)) > spent]
        strict = sf.ratio(1 / (1 + left[0] * 1.0001) if left else 0.01, worst_case=True)
        return asked(dataset, number).choose(strict, sf.larger_than_spent(), candidates="paper", epsilon_max=100)

    answered = [asked(dataset, number).release(choose(number)).certificate for number in range(13)]
    assert [certificate.epsilon for certificate in answered] == LONGEST
    assert {certificate.guarantee for certificate in answered} == {"dp"}
    assert dataset.ledger.total.epsilon == 15.555
    fourteenth = choose(13)
    assert not fourteenth.feasible
    assert fourteenth.method.endswith("only epsilons above what was spent so far (15.555)")


def test_the_rule_is_a_floor_and_no_bound() -> None:
    dataset = stays()
    asked(dataset).release(epsilon=0.5)
    assert asked(dataset, 1).choose(sf.attack_chance(0.7), sf.larger_than_spent()).epsilon == pytest.approx(
        0.8473, abs=1e-4
    )
    refused = asked(dataset, 2).choose(sf.attack_chance(0.6), sf.larger_than_spent())
    assert not refused.feasible
    assert refused.why == (
        "No epsilon meets both only epsilons above what was spent so far (0.5) and attack chance 0.6. Each release is "
        "then less private than all before it together, and nothing caps their total: a budget does."
    )
    assert dataset.ledger.total.epsilon == 0.5


def test_what_was_spent_on_a_selection_counts_too() -> None:
    dataset = stays()
    asked(dataset).choose(sf.variance(0.1, select_epsilon=0.3))
    choice = asked(dataset, 1).choose(sf.attack_chance(0.55), sf.larger_than_spent())
    assert not choice.feasible
    assert "(0.3)" in choice.why
