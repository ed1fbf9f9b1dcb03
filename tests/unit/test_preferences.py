"""Functions of the RDRs, medians of two groups, and what may not be combined."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import PreferenceError, QueryError
from sfumato.model.choice import Noise
from sfumato.model.facts import Bin, Distribution
from sfumato.model.risk import WORST_CASE, ExposureRange
from sfumato.model.schema import PrivacyUnit, Relation
from sfumato.model.statement import Aggregate, AggregateKind
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.preferences.preference import Preference, epsilon
from sfumato.privacy.preferences.satisfies import Satisfies
from sfumato.privacy.preferences.solver import solve
from sfumato.privacy.risk.membership import attack_chance
from sfumato.privacy.risk.profile import risk_at
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES, rdr_gaussian
from sfumato.privacy.risk.rdr_distribution import RDRs, rdrs_at
from sfumato.privacy.sensitivity import measure
from sfumato.release.people.exposure_range import fixed_part, spread_between

STAYS = pd.DataFrame({"days": [0, 15, 30, 60, 90], "age": [20, 30, 61, 70, 80]})
SCHEMA: dict[str, Any] = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 60]}}}
SUM, AVG, COUNT = (f"SELECT {what} FROM stays" for what in ("SUM(days)", "AVG(days)", "COUNT(*)"))
GAUSSIAN = Noise("gaussian", 1e-6)


def stays(ledger: Path | str = ":memory:", **changes: object) -> sf.Dataset:
    return sf.open(STAYS, SCHEMA | changes, ledger=ledger, version="1")


def each(*figures: float) -> Distribution:
    """One person to a figure."""
    return Distribution(tuple(Bin(figure, figure, 1) for figure in sorted(figures)))


class Keeping:
    """A function that always holds, and keeps what it was shown."""

    def __init__(self) -> None:
        self.seen: list[RDRs] = []

    def __call__(self, rdrs: RDRs) -> bool:
        self.seen.append(rdrs)
        return True


# A function of the RDRs


def test_the_ratio_as_a_function_is_algorithm_1() -> None:
    query = stays().query(f"{COUNT} WHERE days > 20")
    for tau in (0.95, 0.5, 0.05):
        as_function = query.choose(sf.satisfies(lambda rdrs, tau=tau: rdrs.ratio >= tau))  # type: ignore[misc]
        assert as_function.epsilon == query.choose(sf.ratio(tau), candidates="paper").epsilon
        assert as_function.guarantee == "none"


def test_a_function_sees_everybody_on_the_answers_own_scale() -> None:
    """Days 0, 15, 30, 60, 60 under a noise scale of 60 / epsilon."""
    keeping = Keeping()
    assert stays().query(SUM).choose(sf.satisfies(keeping), epsilon_max=2).epsilon == 2
    [rdrs] = keeping.seen
    assert (rdrs.epsilon, rdrs.people, rdrs.k) == (2, 5, 1)
    assert (rdrs.min, rdrs.max, rdrs.quantile(0.5), rdrs.quantile(0.2)) == (30, 90, 60, 30)
    assert (rdrs.ratio, rdrs.gap) == pytest.approx((1 / 3, 3))
    assert (rdrs.mean, rdrs.variance) == pytest.approx((63, np.var([30, 45, 60, 90, 90])))


def test_a_function_sees_a_mean_in_units_of_the_noise() -> None:
    """Of an AVG the sum and the count have scales of their own: k + epsilon u, with u from 1/2 to 1."""
    keeping = Keeping()
    stays().query(AVG).choose(sf.satisfies(keeping), epsilon_max=2)
    [rdrs] = keeping.seen
    assert (rdrs.min, rdrs.max, rdrs.k) == (3, 4, 2)


@pytest.mark.parametrize("scale", [None, 60.0])
def test_a_function_sees_gaussian_noise(scale: float | None) -> None:
    figures = each(0.0, 0.25, 1.0)
    rdrs = rdrs_at(1.0, ExposureRange(Fraction(0), Fraction(1), k=2, figures=figures, scale=scale), GAUSSIAN)
    mu = mu_of(1.0, GAUSSIAN)
    unit = mu if scale is None else scale
    expected = [unit * rdr_gaussian(u, 2, 1 / mu) for u in (0.0, 0.25, 1.0)]
    assert [rdrs.min, rdrs.quantile(0.5), rdrs.max] == pytest.approx(expected)
    assert rdrs.variance == pytest.approx(np.var(expected))


def test_candidates_and_epsilon_max_hold_for_functions_too() -> None:
    query = stays().query(SUM)
    always, small = sf.satisfies(lambda _: True), sf.satisfies(lambda rdrs: rdrs.epsilon < 0.35)
    assert query.choose(always).epsilon == 10
    assert query.choose(always, epsilon_max=0.25).epsilon == 0.2
    assert query.choose(always, candidates=[0.1, 0.25]).epsilon == 0.25
    assert query.choose(small).epsilon == 0.3
    assert query.choose(small, always, sf.gap(1.05, worst_case=True)).epsilon == 0.05
    assert query.choose(small, epsilon(0.123)).epsilon == 0.123
    assert not query.choose(small, epsilon(0.5)).feasible


def test_a_function_that_never_holds() -> None:
    choice = stays().query(SUM).choose(sf.satisfies(lambda rdrs: rdrs.gap < 1, name="less than  alike"))
    assert not choice.feasible
    assert choice.why == "No candidate meets satisfies less than alike."


def test_the_largest_epsilon_is_found_though_a_smaller_one_fails() -> None:
    odd = sf.satisfies(lambda rdrs: rdrs.epsilon in (3, 0.2))
    assert stays().query(SUM).choose(odd).epsilon == 3


def test_of_nobody_a_function_is_not_asked() -> None:
    def failing(_: RDRs) -> bool:
        raise AssertionError

    query = sf.open(STAYS.iloc[:0], SCHEMA, ledger=":memory:").query(SUM)
    assert "There is no one in the data" in query.choose(sf.satisfies(failing)).why


def test_a_function_on_a_rehearsal_reads_nobody() -> None:
    data = stays()
    profile = data.query(SUM).rehearse(sf.satisfies(lambda rdrs: rdrs.ratio >= 0.5))
    assert profile.solution is not None
    assert profile.solution.epsilon == 1
    assert not data.ledger.entries


def test_a_function_that_fails_tells_its_kind_and_no_figure() -> None:
    def quoting(rdrs: RDRs) -> bool:
        raise KeyError(f"the most exposed carries {rdrs.max}")

    with pytest.raises(PreferenceError) as raised:
        stays().query(SUM).choose(sf.satisfies(quoting))
    said = "".join(traceback.format_exception(raised.value))
    assert "The function of “satisfies quoting” failed with KeyError." in said
    assert "the most exposed carries" not in said
    assert raised.value.__context__ is None
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("verdict", [1, None, "yes", np.array([True, False]), 0.5])
def test_a_function_that_returns_no_truth(verdict: object) -> None:
    with pytest.raises(PreferenceError, match="must return True or False"):
        stays().query(SUM).choose(sf.satisfies(lambda _: verdict))  # type: ignore[arg-type, return-value]


def test_a_truth_of_numpy_is_one() -> None:
    def at_most_one(rdrs: RDRs) -> Any:
        return np.float64(rdrs.epsilon) <= 1

    assert stays().query(SUM).choose(sf.satisfies(at_most_one)).epsilon == 1


@pytest.mark.parametrize("f", [None, 0.95])
def test_what_is_no_function(f: Any) -> None:
    with pytest.raises(PreferenceError, match="satisfies needs a comparison or a function of the RDRs"):
        sf.satisfies(f)


def test_two_functions_never_share_an_answer(ledger_path: Path) -> None:
    """Nor does one function in two openings: nothing tells whether it is still the same."""

    def loose(_: RDRs) -> bool:
        return True

    def strict(rdrs: RDRs) -> bool:
        return rdrs.epsilon <= 0.1

    first, second = stays(ledger_path).query(SUM), stays(ledger_path).query(SUM)
    stated = sf.satisfies(loose, name="f")
    one, same = first.choose(stated), first.choose(stated)
    other, elsewhere = first.choose(sf.satisfies(strict, name="f")), second.choose(stated)
    assert one.request.key == same.request.key
    assert len({choice.request.key for choice in (one, other, elsewhere)}) == 3
    left = [first.release(choice, allow_no_guarantee=True) for choice in (one, same, other)]
    assert left[0].certificate.ledger_entry == left[1].certificate.ledger_entry
    assert left[0].certificate.ledger_entry != left[2].certificate.ledger_entry
    with pytest.raises(PreferenceError, match="This choice was made for another query or other data"):
        second.release(one, allow_no_guarantee=True)


def test_a_function_has_a_number_of_its_own_that_does_not_travel() -> None:
    one = Satisfies(bool, "f")
    assert one != Satisfies(bool, "f")
    assert replace(one, holds=callable).number != one.number
    assert repr(one) == f"Satisfies(name='f', number={one.number})"
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(one)


def test_rdrs_are_of_somebody_and_confidential() -> None:
    with pytest.raises(ValueError, match="a distribution of RDRs needs at least one person"):
        RDRs(1.0, 1, Distribution(()), float)
    rdrs = RDRs(1.0, 1, Distribution((Bin(0.5, 0.5, 3),)), float)
    assert repr(rdrs) == "<RDRs: confidential>"
    with pytest.raises(TypeError, match="confidential"):
        pickle.dumps(rdrs)


@pytest.mark.parametrize(("preference", "words"), [
    (sf.satisfies(lambda _: True), "satisfies a function of the RDRs"),
    (sf.ratio(0.95, exact=True), "ratio 0.95, exact, of the people in the data"),
    (sf.gap(1.2, exact=True, worst_case=True), "gap 1.2, exact, worst case"),
    (sf.ratio(0.9, between="age\n > 60"), "ratio 0.9, between the medians of “age > 60” and of the others"),
])  # fmt: skip
def test_preferences_in_words(preference: Any, words: str) -> None:
    assert preference.words == words
    assert preference.reads_people == ("worst case" not in words)


# Medians of two groups


@pytest.mark.parametrize("how", [{"worst_case": True}, {"exact": True}], ids=["worst case", "exact"])
@pytest.mark.parametrize("make", [sf.ratio, sf.gap])
def test_what_does_not_go_with_between(make: Callable[..., object], how: dict[str, Any]) -> None:
    with pytest.raises(PreferenceError, match=r"^between .* cannot be combined with worst_case\S* or exact"):
        make(1, between="age > 60", **how)


@pytest.mark.parametrize("condition", ["", "  ", 60])
def test_a_condition_is_a_text(condition: Any) -> None:
    with pytest.raises(PreferenceError, match="between needs a condition on the people"):
        sf.ratio(0.9, between=condition)


STAYED = pd.DataFrame(
    {
        "who": ["Ann", "Ann", "Bo", "Bo", "Cy", None],
        "days": [6, 12, 24, 36, 48, 60],
        "age": [30, 80, 30, 30, 30, 80],
    }
)
BY_PERSON = SCHEMA | {"unit": "who", "max_rows": 2, "columns": SCHEMA["columns"] | {"who": {"type": "text"}}}


def between(condition: str, tau: float = 0.9) -> Preference:
    return sf.ratio(tau, between=condition)


def test_two_groups_are_compared_by_their_medians() -> None:
    """Of the days 0 and 15 the median is 7.5, of 30, 60 and 60 (clamped) it is 60: u is 1/8 and 1."""
    choice = stays().query(SUM).choose(between("age > 60"))
    assert choice.epsilon == pytest.approx((1 - 0.9) / (0.9 * 1 - 0.125))
    assert choice.guarantee == "none"
    assert choice.why == (
        "The largest epsilon that meets ratio 0.9, between the medians of “age > 60” and of the others."
    )


def test_which_group_is_named_does_not_matter() -> None:
    query = stays().query(AVG)
    assert query.choose(between("age > 60")).epsilon == query.choose(between("NOT age > 60")).epsilon


def test_whoever_does_not_clearly_meet_a_condition_is_one_of_the_others() -> None:
    table = STAYS.assign(age=[None, None, 61, 70, 80])
    query = sf.open(table, SCHEMA, ledger=":memory:", version="1").query(SUM)
    assert query.choose(between("age > 60")).epsilon == stays().query(SUM).choose(between("age > 60")).epsilon


def test_a_group_that_nobody_is_in() -> None:
    for condition in ("age > 100", "age < 100"):
        choice = stays().query(SUM).choose(between(condition))
        assert (choice.epsilon, choice.feasible) == (None, False)
        assert f"There is no one in one of the two groups that “{condition}” makes" in choice.why


def test_groups_whose_medians_are_alike() -> None:
    choice = stays().query(COUNT).choose(between("age > 60", 1))
    assert (choice.epsilon, choice.unbounded) == (None, True)


@pytest.mark.parametrize(("condition", "sentence"), [
    ("aeg > 60", "There is no column 'aeg': the condition 'aeg > 60'. Hint: did you mean 'age'?"),
    ("age > 60 GROUP BY age", "The condition is followed by something else: the condition 'age > 60 GROUP BY age'. "
     "Hint: leave out the rest."),
    ("days IN (SELECT 1)", "IN with a sub-select is not supported: each row of stays is a person of its own: the "
     "condition 'days IN (SELECT 1)'. Hint: state a column that names people, unit = \"COLUMN\" in the schema."),
])  # fmt: skip
def test_a_condition_is_read_before_anybody_is(condition: str, sentence: str) -> None:
    data = stays()
    with pytest.raises(QueryError) as refusal:
        data.query(SUM).choose(between(condition))
    assert str(refusal.value) == sentence
    assert not data.ledger.entries


def test_gaussian_noise_between_two_groups() -> None:
    """The lower of two middle figures counts: the root does not commute with their mean. So u is 0 and 1."""
    choice = stays().query(SUM).choose(between("age > 60", 0.5), mechanism="gaussian", delta=1e-6, epsilon_max=100)
    groups = solve([between("age > 60", 0.5)], lambda _: spread_between((0.0, 1.0), k=1), GAUSSIAN, epsilon_max=100)
    assert choice.epsilon == groups.epsilon


def test_a_person_is_in_a_group_with_any_row_that_meets_the_condition() -> None:
    """Ann is, with 18 days of 120; the others are Bo with 60 and Cy with 48. Nobody's row is nobody's."""
    query = sf.open(STAYED, BY_PERSON, ledger=":memory:").query(SUM)
    assert query.choose(between("age > 60")).epsilon == pytest.approx((1 - 0.9) / (0.9 * 54 / 120 - 18 / 120))


def test_a_person_counts_in_a_group_by_rows_that_the_query_leaves_out() -> None:
    query = sf.open(STAYED, BY_PERSON, ledger=":memory:").query(f"{SUM} WHERE age < 60")
    assert query.choose(between("age > 60")).epsilon == pytest.approx((1 - 0.9) / (0.9 * 54 / 120 - 6 / 120))


# Whom a solution asks for


def test_people_are_asked_for_once_and_only_for_preferences_that_read_them() -> None:
    asked: list[object] = []

    def people(preference: object) -> ExposureRange:
        asked.append(preference)
        return ExposureRange(Fraction(0), Fraction(1), k=1, figures=each(0.0, 1.0), scale=1.0)

    public: list[Preference] = [sf.gap(1.2, worst_case=True), sf.attack_chance(0.6)]
    private: list[Preference] = [sf.ratio(0.9), sf.satisfies(lambda rdrs: rdrs.ratio > 0.5)]
    assert solve(public, people, Noise()).epsilon == pytest.approx(0.2)
    assert asked == []
    assert solve([*public, *private], people, Noise(), candidates=PAPER_CANDIDATES).epsilon == 0.1
    assert asked == private


def test_an_attack_chance_reckons_with_the_delta_of_private_keys() -> None:
    found = solve([sf.attack_chance(0.6)], lambda _: WORST_CASE, Noise(delta=0.1)).epsilon
    assert found is not None
    assert attack_chance(found, 0.1) == pytest.approx(0.6)
    never = solve([sf.attack_chance(0.6)], lambda _: WORST_CASE, Noise(delta=0.2))
    assert (never.feasible, never.why) == (False, "No epsilon meets attack chance 0.6.")


# Where the exact RDR is known

BY_FLAG = "SELECT flag, {} FROM stays GROUP BY flag"
ONE, MANY = PrivacyUnit("person"), PrivacyUnit("person", max_rows=3)
SPLITS = {  # what is asked, who is a person, the relation, and the part of an exposure that the count is by itself
    "a count": (COUNT, PrivacyUnit(), Relation.ADD_REMOVE, Fraction(0)),
    "a count twice": ("SELECT COUNT(*), COUNT(*) AS again FROM stays", PrivacyUnit(), Relation.ADD_REMOVE, Fraction(0)),
    "a sum": (SUM, PrivacyUnit(), Relation.REPLACE, Fraction(0)),
    "a sum of several rows": (SUM, MANY, Relation.ADD_REMOVE, Fraction(0)),
    "sums of one row": (BY_FLAG.format("SUM(days)"), ONE, Relation.ADD_REMOVE, Fraction(0)),
    "sums of several rows": (BY_FLAG.format("SUM(days)"), MANY, Relation.ADD_REMOVE, None),
    "a mean": (AVG, PrivacyUnit(), Relation.ADD_REMOVE, Fraction(1, 2)),
    "a mean under replace": (AVG, PrivacyUnit(), Relation.REPLACE, Fraction(1, 4)),
    "means of one row": (BY_FLAG.format("AVG(days)"), ONE, Relation.ADD_REMOVE, Fraction(1, 2)),
    "a mean of several rows": (AVG, MANY, Relation.ADD_REMOVE, None),
    "two sums": ("SELECT SUM(days), COUNT(*) FROM stays", PrivacyUnit(), Relation.ADD_REMOVE, None),
}


@pytest.mark.parametrize(("sql", "unit", "relation", "part"), SPLITS.values(), ids=SPLITS)
def test_where_an_exposure_tells_how_it_is_split(
    sql: str, unit: PrivacyUnit, relation: Relation, part: Fraction | None
) -> None:
    flagged = SCHEMA["columns"] | {"flag": {"type": "boolean"}}
    query = local.open_without_data(SCHEMA | {"columns": flagged}, ledger=":memory:").query(sql)
    measurement = measure(query.statement, query.dataset.schema)
    schema = replace(query.dataset.schema, unit=unit, relation=relation)
    assert fixed_part(query.statement, schema, measurement) == part
    published = fixed_part(query.statement, schema, None)
    assert published == (None if part is None else 0), "as published a mean is one number"


@pytest.mark.parametrize(
    "kind", [kind for kind in AggregateKind if kind not in (AggregateKind.COUNT, AggregateKind.SUM, AggregateKind.AVG)]
)
def test_of_other_aggregates_only_a_distinct_count_is_one_number_with_laplace_noise(kind: AggregateKind) -> None:
    query = stays().query(SUM)
    [output] = query.statement.outputs
    assert isinstance(output.source, Aggregate)
    aggregate = replace(output.source, kind=kind, at=Fraction(1, 2) if kind.ranks else None)
    other = replace(query.statement, outputs=(replace(output, source=aggregate),))
    found = fixed_part(other, query.dataset.schema, query.measurement)
    assert found == (0 if kind is AggregateKind.COUNT_DISTINCT else None)


# The view


@pytest.mark.parametrize(
    ("noise", "chance"), [(Noise(), 1 - np.exp(-0.5) / 2), (GAUSSIAN, None)], ids=["laplace", "gaussian"]
)
def test_whoever_is_replaced_shows_in_full(noise: Noise, chance: float | None) -> None:
    """Under replace also somebody whom the query does not match loses epsilon (docs/theory/gap.md)."""
    query = stays().query(f"{COUNT} WHERE days > 100")
    measurement = measure(query.statement, query.dataset.schema)
    nobody_matches = ExposureRange(Fraction(0), Fraction(0), k=1)
    assert risk_at(1.0, nobody_matches, measurement, noise).attack_chance == 0.5
    replaced = risk_at(1.0, replace(nobody_matches, relation=Relation.REPLACE), measurement, noise).attack_chance
    assert replaced == pytest.approx(chance or query.worst_case("gaussian", 1e-6).at(1.0).attack_chance)


def test_gaussian_rdrs_are_on_the_answers_own_scale() -> None:
    """COUNT and COUNT(days): whoever is in both moves the answer by the root of 2, under noise of sigma twice."""
    query = stays().query("SELECT COUNT(*), COUNT(days) FROM stays WHERE days > 20")
    at = query.risk("gaussian", 1e-6).at(1.0)
    sigma = 2**0.5 / mu_of(1.0, GAUSSIAN)
    assert at.rdr_max == pytest.approx(rdr_gaussian(2**0.5, 2, sigma))
    assert at.rdr_min == pytest.approx(rdr_gaussian(0, 2, sigma))
    assert at.noise_90[0] == pytest.approx(1.6448536269514722 * sigma)


def test_an_exact_view_says_so() -> None:
    query = stays().query(SUM)
    assert "Laplace noise, exact RDR." in query.worst_case(exact=True).text()
    assert "exact" not in query.worst_case().text()
    rehearsed = query.rehearse(sf.gap(1.2, worst_case=True, exact=True))
    assert rehearsed.solution is not None
    assert rehearsed.solution.epsilon is not None
    assert rehearsed.at(rehearsed.solution.epsilon).gap == pytest.approx(1.2)
