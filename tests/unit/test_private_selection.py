"""A private selection of epsilon: what it refuses and when, what it charges, what it keeps, and what it says."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import BudgetExceeded, EngineFailure, Infeasible, NoGuarantee, NoMechanism, PreferenceError
from sfumato.ledger.entry import Event, nano
from sfumato.model.choice import Noise
from sfumato.model.facts import Moments
from sfumato.model.guarantee import Guarantee
from sfumato.presentation.certificate_nist import strength
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.preferences.preference import Preference, epsilon
from sfumato.privacy.preferences.private_selection import (
    Selected,
    candidate_below,
    epsilon_under_cap,
    epsilon_within_variance,
    floor_of_variance,
)
from sfumato.privacy.risk.rdr_variance import (
    bound_on_variance,
    epsilon_for_variance,
    fewest_people,
    margin,
    slack_of_cap,
)
from sfumato.privacy.sensitivity import people_beyond, sensitivity_of_variance, spread_of_exposures
from sfumato.schema.read import from_dict

LAPLACE, GAUSSIAN = Noise(), Noise("gaussian", 1e-6)
QUARTERS = tuple(Fraction(i, 4) for i in range(5))
DAYS = {"type": "integer", "bounds": [0, 4]}
SUM = "SELECT SUM(days) FROM stays"
COUNT = "SELECT COUNT(*) FROM stays WHERE days > 2"
VARIANCE = sf.variance(0.01, select_epsilon=0.5)
CAP = sf.exposure_cap(0.5, allow=0.1, select_epsilon=0.5)


def stays(days: Any = (0, 4) * 500, ledger: Path | str = ":memory:", budget: Any = None, **stated: Any) -> sf.Dataset:
    frame = days if isinstance(days, pd.DataFrame) else pd.DataFrame({"days": pd.array(list(days), "Int64")})
    frame = frame.assign(**{name: "a" if name == "ward" else 1 for name in ("ward", "who") if name not in frame})
    columns = {"days": DAYS, "ward": {"categories": list("abcde")}, "who": {"type": "integer"}}
    return sf.open(frame, {"name": "stays", "columns": columns} | stated, ledger=ledger, version="1", budget=budget)


def spent(dataset: sf.Dataset) -> float:
    return dataset.ledger.total.nano_epsilon / 1e9


def moments(dataset: sf.Dataset, sql: str = SUM, noise: Noise = LAPLACE) -> Moments:
    return dataset.query(sql)._bound.survey(noise).moments


# What is drawn moves by what is claimed


def exactly(*exposures: Fraction) -> Moments:
    units = [int(u * Moments.ONE) for u in exposures]
    return Moments(len(units), sum(units), sum(u**2 for u in units))


@pytest.mark.parametrize("n", range(5))
def test_one_person_more_moves_the_spread_by_what_is_claimed(n: int) -> None:
    """All tables of up to five people at quarters, in units: up, by n / (n + 1) of a person but for rounding."""
    schema = from_dict({"name": "stays", "columns": {"days": DAYS}})
    number, counted = spread_of_exposures(schema, None, squared=False)
    moves = [
        exactly(*people, one_more).spread - exactly(*people).spread
        for people in product(QUARTERS, repeat=n)
        for one_more in QUARTERS
    ]
    assert number.steps == Moments.ONE + 2
    assert counted.sensitivity == 1
    assert number.share + counted.share == 1
    assert -1 <= min(moves) <= max(moves) <= number.steps
    assert abs(max(moves) - Moments.ONE * n / (n + 1)) <= 1


@pytest.mark.parametrize("squared", [False, True], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("n", range(1, 5))
def test_one_person_replaced_moves_the_spread_by_what_is_claimed(n: int, squared: bool) -> None:
    """Nobody is above one half, or its square: by (n - 1) / n of that squared."""
    schema = from_dict({"name": "stays", "columns": {"days": DAYS}, "relation": "replace"})
    (number,) = spread_of_exposures(schema, n, squared=squared)
    possible = [u / 2 for u in QUARTERS]
    exposures = [u**2 for u in possible] if squared else possible
    moves = [
        abs(exactly(*people, one).spread - exactly(*people, other).spread)
        for people in product(exposures, repeat=n - 1)
        for one, other in product(exposures, repeat=2)
    ]
    assert max(moves) <= number.steps <= max(moves) + 4
    assert abs(max(moves) - Moments.ONE * max(exposures) ** 2 * Fraction(n - 1, n)) <= 1


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("noise", [Noise(), GAUSSIAN], ids=["laplace", "gaussian"])
def test_the_same_from_tables(relation: str, noise: Noise) -> None:
    """The spread of a SUM of days, of which four are all, and of a COUNT in closed form."""
    steps = 2 if relation == "replace" else 1
    power = 2 if noise == GAUSSIAN else 1
    for days in [(), (0,), (4,), (1, 3), (0, 0, 4), (0, 1, 2, 3, 4), (4, 4, 4, 4, 0)]:
        dataset = stays(days, relation=relation)
        shares = [(Fraction(day, 4) / steps) ** power for day in days]
        matched = [(Fraction(day > 2) / steps) ** power for day in days]
        assert moments(dataset, SUM, noise) == exactly(*shares)
        assert moments(dataset, COUNT, noise) == exactly(*matched)


def test_rounding_makes_nobody_more_exposed_than_possible() -> None:
    """Five rows in five wards, three numbers in each: 2^20 / 30 is rounded up fifteen times, and held at the half."""
    rows = pd.DataFrame({"days": 4, "ward": list("abcde"), "who": 1})
    sql = "SELECT ward, VAR_POP(days) FROM stays GROUP BY ward"
    half, one = (moments(stays(rows, unit="who", max_rows=5, relation=r), sql) for r in ("replace", "add-remove"))
    assert round(Moments.ONE / 30) * 15 > Moments.ONE // 2
    assert (half.total, half.squares) == (Moments.ONE // 2, (Moments.ONE // 2) ** 2)
    assert (one.total, one.squares) == (Moments.ONE - 1, (Moments.ONE - 1) ** 2)


def test_rows_of_nobody_are_nobodys() -> None:
    rows = pd.DataFrame({"days": [4, 4, 2, 4], "who": pd.array([1, None, 2, None], "Int64")})
    assert moments(stays(rows, unit="who", max_rows=2)) == exactly(Fraction(1, 2), Fraction(1, 4))


@pytest.mark.parametrize("allowed", [Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)])
def test_people_beyond_an_exposure_move_by_what_is_claimed(allowed: Fraction) -> None:
    for relation, most in (("add-remove", max(allowed, 1 - allowed)), ("replace", 1)):
        schema = from_dict({"name": "stays", "columns": {"days": DAYS}, "relation": relation})
        units = Fraction(math.floor(allowed * Moments.ONE), Moments.ONE)
        claimed = people_beyond(schema, units)
        assert abs(claimed.sensitivity - most) <= Fraction(1, Moments.ONE)
        moved = {1 - units, units} if relation == "add-remove" else {Fraction(1)}
        assert max(moved) == claimed.sensitivity


def test_private_keys_make_no_exposure_anybody_elses() -> None:
    """Half of epsilon is for the count of persons that finds the groups, where people have several rows."""
    rows = pd.DataFrame({"days": [4, 4, 1], "ward": ["x", "y", "z"], "who": [1, 1, 2]})
    columns = {"days": DAYS, "ward": {"type": "text", "keys": "private"}, "who": {"type": "integer"}}
    dataset = stays(rows, columns=columns, unit="who", max_rows=2)
    query = dataset.query("SELECT ward, COUNT(*) FROM stays GROUP BY ward")
    assert query._bound.survey(LAPLACE).moments == exactly(Fraction(1), Fraction(1, 2))
    choice = query.choose(sf.variance(0.2, select_epsilon=1), delta=1e-6)
    assert (choice.guarantee, choice.select_epsilon) == ("dp-selected", 1)


# What is made of it


def test_golden_values() -> None:
    """See docs/theory/variance.md and docs/theory/exposure-cap.md."""
    matched = Fraction(19, 32_561)
    assert epsilon_for_variance(1e-4, float(matched - matched**2)) == pytest.approx(0.7067580764574686, rel=1e-12)
    assert [sensitivity_of_variance(n) for n in (2, 3, 4, 5)] == pytest.approx([1 / 4, 2 / 9, 3 / 16, 4 / 25])
    assert slack_of_cap(1.0, 1.0, 0.05) == pytest.approx(10.284, abs=1e-3)
    assert slack_of_cap(1.0, 1.0, 0.5) == slack_of_cap(1.0, 1.0, 0.9) == 0


def test_the_slack_of_a_cap_is_where_the_sum_of_two_noises_lies_beyond_with_beta() -> None:
    for beta in (0.001, 0.05, 0.3):
        z = math.exp(-slack_of_cap(1.0, 1.0, beta) / 4)
        assert (4 * z - z**2) / 6 == pytest.approx(beta)


def test_a_bound_on_the_variance() -> None:
    """(10 + ln 20) / (1000 - 10 ln 20), or all of beta for the spread where there are known to be a thousand."""
    log = math.log(20)
    two = ((10.0, 1000.0), (1.0, 10.0), (0.0, 0.0), 0.05)
    assert bound_on_variance(*two) == pytest.approx((10 + log) / (1000 - 10 * log))
    assert bound_on_variance(*two, at_least=999) == pytest.approx((10 + log) / 999)
    assert fewest_people(*two, at_least=999) == 999
    assert bound_on_variance((10.0,), (1.0,), (0.0,), 0.05, people=1000) == pytest.approx((10 + math.log(10)) / 1000)
    assert bound_on_variance((10.0,), (1.0,), (0.5,), 0.7, people=1000) == pytest.approx(10.5 / 1000)
    assert bound_on_variance((10.0, 29.0), (1.0, 10.0), (0.0, 0.0), 0.05) is None
    assert bound_on_variance((10.0,), (1.0,), (0.0,), 0.05, people=0) is None
    assert margin(2.0, 0.05, 0.25) == pytest.approx(2 * log + 0.25)


@pytest.mark.parametrize("noise", [Noise(), GAUSSIAN, replace(GAUSSIAN, calibration="classic")], ids=repr)
@pytest.mark.parametrize("bound", [0.02, 0.1, 0.25])
def test_the_selected_epsilon_meets_the_preference_at_the_bound(noise: Noise, bound: float) -> None:
    """w^2 Var(u) = tau, w = eps / (1 + eps), or mu^2 / (1 + mu^2)."""
    found = epsilon_within_variance(VARIANCE, bound, noise)
    worth = found if noise == Noise() else mu_of(found, noise) ** 2
    assert (worth / (1 + worth)) ** 2 * bound == pytest.approx(0.01, rel=1e-6)


def test_where_nobody_differs_every_epsilon_will_do() -> None:
    for noise in (Noise(), GAUSSIAN):
        assert epsilon_within_variance(VARIANCE, 0.009, noise) == math.inf
        assert epsilon_within_variance(VARIANCE, -1.0, noise) == math.inf


def test_the_floor_is_where_a_selection_gives_as_much_as_it_costs() -> None:
    """Were all alike: in half of all cases the bound is b ln(1/beta) / n or more."""
    for noise in (Noise(), GAUSSIAN):
        for alone in (False, True):
            scale, people = 2.2, 500
            floor = floor_of_variance(VARIANCE, people, scale, noise, alone=alone)
            at_floor = replace(VARIANCE, tau=Fraction(floor))
            bound = margin(scale, 0.1 if alone else 0.05) / people
            assert epsilon_within_variance(at_floor, bound, noise) == pytest.approx(0.5, rel=1e-6)


def test_under_a_cap_the_most_exposed_are_at_it() -> None:
    assert epsilon_under_cap(CAP, 0.25, Noise()) == 2
    found = epsilon_under_cap(CAP, 0.25, GAUSSIAN)
    assert mu_of(found, GAUSSIAN) * 0.25 == pytest.approx(mu_of(0.5, GAUSSIAN))


@pytest.mark.parametrize("how", [{}, {"mechanism": "gaussian", "delta": 1e-6}])
def test_under_a_cap_whoever_is_replaced_is_there_with_whoever_comes(how: dict[str, Any]) -> None:
    """As in `per_person`: half of what is released is told also about those who carry nothing."""
    cap = sf.exposure_cap(0.1, allow=0.1, select_epsilon=10)
    selected = stays([0] * 995 + [4] * 5, relation="replace").query(SUM).choose(cap, **how).epsilon or 0.0
    own = selected / 2 if not how else 0.5 * mu_of(selected, GAUSSIAN) / mu_of(0.1, GAUSSIAN) * 0.1
    assert 0.09 < own <= 0.1  # of a walk that stops sooner, once in 10^6


@pytest.mark.parametrize(
    ("allowed", "candidates", "ceiling", "found"),
    [
        (0.70675, None, 10, 0.706), (12.345, None, 100, 12.3), (0.0012999, None, 10, 0.00129), (0.001, None, 10, 0.001),
        (0.0009999, None, 10, None), (math.inf, None, 10, 10), (1.2345, None, 1.2345, 1.2345), (9.999, None, 10, 9.99),
        (0.7, (0.5, 0.7), 10, 0.7), (0.4999, (0.5, 0.7), 10, None), (math.inf, (0.5, 0.7), 0.6, 0.5),
    ],
)  # fmt: skip
def test_rounded_down_to_a_published_candidate(
    allowed: float, candidates: tuple[float, ...] | None, ceiling: float, found: float | None
) -> None:
    assert Selected.rounded(allowed, ceiling, candidates).epsilon == found
    assert (candidate_below(min(allowed, ceiling), candidates, ceiling) or 0) <= allowed


# Refused from public facts, before anything is charged


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: sf.variance(1e-4), "needs an epsilon of its own"),
        (lambda: sf.variance(1e-4, select_epsilon=0), "select_epsilon must be between 1e-09 and 10, not 0"),
        (lambda: sf.variance(1e-4, select_epsilon=-1), "select_epsilon must be"),
        (lambda: sf.variance(1e-4, select_epsilon=float("nan")), "select_epsilon must be a finite number"),
        (lambda: sf.variance(0, select_epsilon=1), "variance must be above 0"),
        (lambda: sf.variance(-0.1, select_epsilon=1), "variance must be above 0"),
        (lambda: sf.variance(1e-4, select_epsilon=1, beta=0), "beta must be between 0 and 1, not 0"),
        (lambda: sf.variance(1e-4, select_epsilon=1, beta=1), "beta must be between 0 and 1, not 1"),
        (lambda: sf.exposure_cap(0), "exposure_cap must be between"),
        (lambda: sf.exposure_cap(1, allow=1, select_epsilon=1), "allow must be at least 0"),
        (lambda: sf.exposure_cap(1, allow=0.1), "needs an epsilon of its own"),
        (lambda: sf.exposure_cap(1, select_epsilon=1), "An exposure cap for all people needs no private selection"),
    ],
)
def test_what_is_no_preference(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(PreferenceError, match=re.escape(said)) as error:
        wrong()
    assert error.value.exit_status == 2


@pytest.mark.parametrize("preference", [VARIANCE, CAP], ids=["variance", "exposure cap"])
@pytest.mark.parametrize("figure", ["COUNT(DISTINCT days)", "MEDIAN(days)", "MAX(days), COUNT(*)"])
def test_what_is_no_sum_over_people_is_not_selected_for(preference: Preference, figure: str) -> None:
    dataset = stays()
    with pytest.raises(NoMechanism, match="it is not a sum over people"):
        dataset.query(f"SELECT {figure} FROM stays").choose(preference)
    assert not dataset.ledger.entries


def test_with_bounds_from_the_data_nothing_is_selected() -> None:
    columns = {"name": "stays", "columns": {"days": {"type": "integer"}}}
    dataset = sf.open(pd.DataFrame({"days": [0, 4]}), columns, ledger=":memory:", bounds_from_data=True)
    with pytest.raises(NoMechanism, match="each exposure depend on other people"):
        dataset.query(SUM).choose(VARIANCE)
    assert not dataset.ledger.entries


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
@pytest.mark.parametrize("how", [{}, {"mechanism": "gaussian", "delta": 1e-6}], ids=["laplace", "gaussian"])
def test_below_the_noise_is_refused_with_a_number_that_works(how: dict[str, Any], relation: str) -> None:
    """Nothing is charged; with the number that is said something is selected, and one tenth less is refused again."""
    dataset = stays([0] * 1000, people_at_least=1000, relation=relation)
    query = dataset.query(COUNT)
    with pytest.raises(PreferenceError, match=r"Variance 1e-09 is too small for a selection") as error:
        query.choose(sf.variance(1e-9, select_epsilon=1), **how)
    assert error.value.exit_status == 2
    assert not dataset.ledger.entries
    works = float(re.search(r"sf\.variance\(([\d.e-]+)\) or more", str(error.value.hint))[1])  # type: ignore[index]
    with pytest.raises(PreferenceError, match="is too small for a selection"):
        query.choose(sf.variance(0.89 * works, select_epsilon=1), **how)
    choice = query.choose(sf.variance(works, select_epsilon=1), **how)
    assert "below its noise" not in choice.why
    assert spent(dataset) == 1


def test_that_there_may_be_nobody_says_nothing() -> None:
    dataset = stays([0] * 1000, people_at_least=0)
    assert not dataset.query(COUNT).choose(sf.variance(1e-9, select_epsilon=1)).feasible


def test_below_the_noise_without_a_public_number_is_a_charged_outcome_without_one() -> None:
    dataset = stays([0] * 1000)
    choice = dataset.query(COUNT).choose(sf.variance(1e-9, select_epsilon=1))
    assert (choice.epsilon, choice.feasible, choice.guarantee) == (None, False, "dp-selected")
    assert choice.why == (
        "No epsilon was selected by variance 1e-09, selected privately with epsilon 1: "
        "the variance asked for is below its noise. Ask for a larger one, or spend more on selecting; "
        "where the schema states people_at_least, this is refused before it is charged."
    )
    assert spent(dataset) == 1
    with pytest.raises(Infeasible):
        dataset.query(COUNT).release(choice)
    assert spent(dataset) == 1


def test_of_hardly_anybody_there_is_nothing_to_select() -> None:
    """One person, and 33 people's worth of margin: of 40 tries at least 25 come to nothing, but for one in 10^14."""
    query = stays([4]).query(SUM)
    found = [query.choose(sf.variance(0.2, select_epsilon=1), redraw=True) for _ in range(40)]
    assert sum(c.why.endswith("there are too few people for it.") for c in found) >= 25


def test_a_public_preference_that_cannot_be_met_costs_nothing() -> None:
    dataset = stays()
    choice = dataset.query(SUM).choose(epsilon(5), sf.attack_chance(0.6), VARIANCE)
    assert not choice.feasible
    assert choice.select_epsilon == spent(dataset) == 0
    assert not any(e.draft.event is Event.RESERVED for e in dataset.ledger.entries)
    assert choice.text().endswith("Nothing was drawn and nothing was charged.")


@pytest.mark.parametrize("how", [{"epsilon_max": 0.0005}, {"candidates": (1, 2), "epsilon_max": 0.9}])
def test_where_no_candidate_is_allowed_nothing_is_drawn(how: dict[str, Any]) -> None:
    dataset = stays()
    with pytest.raises(PreferenceError, match="The smallest epsilon that can be selected is"):
        dataset.query(SUM).choose(VARIANCE, **how)
    assert not dataset.ledger.entries


# Charged


@pytest.mark.parametrize("preference", [VARIANCE, CAP], ids=["variance", "exposure cap"])
def test_asked_again_it_is_the_same_and_uncharged(preference: Preference) -> None:
    dataset = stays()
    query = dataset.query(SUM)
    first = query.choose(preference)
    assert first.guarantee == "dp-selected"
    assert first.select_epsilon == spent(dataset) == 0.5
    assert [query.choose(preference).epsilon for _ in range(5)] == [first.epsilon] * 5
    assert dataset.query(SUM).choose(preference).epsilon == first.epsilon
    assert spent(dataset) == 0.5
    query.choose(preference, redraw=True)
    assert spent(dataset) == 1.0
    query.choose(preference, candidates="paper")
    assert spent(dataset) == 1.5


def test_it_is_charged_even_when_nothing_is_selected() -> None:
    dataset = stays([4])
    for times in (1, 2, 3):
        dataset.query(SUM).choose(sf.variance(1e-6, select_epsilon=0.001), redraw=True)
        assert spent(dataset) == pytest.approx(0.001 * times)


def test_the_charge_is_entered_before_anybody_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = stays()

    def fails(*_: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr("sfumato.release.selection.draw.draw_selection", fails)
    with pytest.raises(EngineFailure):
        dataset.query(SUM).choose(VARIANCE)
    assert dataset.ledger.total.nano_epsilon == nano(0.5)


def test_a_release_charges_the_rest_and_says_so() -> None:
    dataset = stays()
    query = dataset.query(SUM)
    choice = query.choose(VARIANCE)
    assert choice.epsilon is not None
    release = query.release(choice)
    c = release.certificate
    assert spent(dataset) == pytest.approx(0.5 + choice.epsilon, abs=1e-9)
    assert (c.guarantee, c.epsilon, c.select_epsilon) == ("dp-selected", choice.epsilon, 0.5)
    assert c.charged == pytest.approx(0.5 + choice.epsilon)
    assert c.at_most == 10.5
    said = of_guarantee.guarantee(c)
    assert said.startswith(
        f"Guaranteed, epsilon selected privately: 0.5 for the selection + {choice.epsilon:g} for the answer = "
    )
    assert "never more than 10.5" in said
    assert query.release(choice).rows == release.rows
    assert spent(dataset) == pytest.approx(0.5 + choice.epsilon, abs=1e-9)


def test_selected_several_times_a_certificate_counts_them_all() -> None:
    """Whoever picks one of five has spent five times: before anything was drawn it could have been any."""
    query = stays().query(SUM)
    choice = [query.choose(VARIANCE, redraw=True) for _ in range(5)][1]
    certificate = query.release(choice).certificate
    assert certificate.select_epsilon == 2.5
    assert certificate.charged == pytest.approx(2.5 + (choice.epsilon or 0))
    assert certificate.at_most == 12.5


def test_what_could_not_be_drawn_at_the_largest_epsilon_is_not_selected() -> None:
    dataset = stays()
    classic: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-6, "calibration": "classic"}
    with pytest.raises(NoMechanism, match="classic calibration does not meet its delta"):
        dataset.query(SUM).choose(VARIANCE, **classic)
    assert spent(dataset) == 0
    assert dataset.query(SUM).choose(VARIANCE, **classic, epsilon_max=1).guarantee == "dp-selected"


def test_two_selections_cost_what_both_do() -> None:
    dataset = stays()
    choice = dataset.query(SUM).choose(VARIANCE, CAP)
    assert choice.select_epsilon == spent(dataset) == 1.0
    assert choice.epsilon is not None
    assert choice.epsilon <= 2


def test_one_that_is_stated_twice_is_met_once() -> None:
    dataset = stays()
    query = dataset.query(SUM)
    choice = query.choose(VARIANCE, VARIANCE)
    assert choice.select_epsilon == spent(dataset) == 0.5
    assert query.choose(VARIANCE, VARIANCE).epsilon == choice.epsilon


def test_a_rehearsal_selects_among_invented_people_for_nothing() -> None:
    """Half of those who are like these are at the bound, as half of these are."""
    dataset = stays()
    query = dataset.query(SUM)
    like = pd.DataFrame({"days": [0, 4] * 25_000, "ward": "a", "who": 1})
    for preference in (VARIANCE, sf.variance(0.01, select_epsilon=1, as_published=True)):
        solution = query.rehearse(preference, like=like).solution
        assert solution is not None
        assert solution.epsilon == pytest.approx(0.25, rel=0.3)
    with pytest.raises(NoMechanism):
        dataset.query("SELECT MEDIAN(days) FROM stays").rehearse(VARIANCE, like=like)
    assert not dataset.ledger.entries


# The budget


@pytest.mark.parametrize("preference", [sf.variance(0.2, select_epsilon=0.5), CAP], ids=["variance", "exposure cap"])
def test_whatever_is_selected_can_be_released_before_the_budget(preference: Preference) -> None:
    """Nobody is exposed, so that all is allowed: what is left is, but for one in 10^25."""
    dataset = stays([0] * 5000, budget=0.76)
    query = dataset.query(SUM)
    choice = query.choose(preference)
    assert choice.epsilon == 0.26
    assert choice.why.endswith("The selection allowed more, but epsilon_max, or the budget, leaves 0.26.")
    query.release(choice)
    assert spent(dataset) == 0.76


def test_what_could_not_be_released_is_not_selected() -> None:
    """0.5 for the selection, and at least the smallest candidate after it."""
    for budget, candidates in ((0.5, None), (0.5009, None), (0.6, (0.2, 1.0))):
        dataset = stays(budget=budget)
        with pytest.raises(BudgetExceeded, match="nothing was drawn or charged") as error:
            dataset.query(SUM).choose(VARIANCE, candidates=candidates)
        assert error.value.exit_status == 3
        assert not dataset.ledger.entries
    stays(budget=0.501).query(SUM).choose(VARIANCE)
    gaussian: dict[str, Any] = {"mechanism": "gaussian", "delta": 1e-6}
    with pytest.raises(BudgetExceeded, match="This needs delta 1e-06"):
        stays(budget=(5, 1e-7)).query(SUM).choose(VARIANCE, **gaussian)


# What it says


def test_of_two_selections_each_is_met_as_often_as_the_careless_one_says() -> None:
    query = stays().query(SUM)
    one = query.choose(VARIANCE).why
    two = query.choose(VARIANCE, sf.exposure_cap(0.5, allow=0.1, select_epsilon=0.5, beta=0.2)).why
    assert "the preference is truly met with probability 95% or more." in one
    assert "each preference by itself is truly met with probability 80% or more." in two


def test_only_what_left_is_as_likely_as_its_epsilon_says() -> None:
    """Of another table another epsilon might have been selected, and more would have been told."""
    query = stays().query(SUM)
    selected, fixed = query.release(query.choose(VARIANCE)), query.release(epsilon=0.3)
    assert " This answer is at most e^" in strength(selected.certificate)
    assert " Any answer is at most e^0.3 " in strength(fixed.certificate)


def test_a_certificate_counts_the_selection_in() -> None:
    """Epsilon is that of the answer alone: a family is protected by n times both, and two things were drawn."""
    query = stays().query(SUM)
    selected, fixed = query.release(query.choose(VARIANCE)), query.release(epsilon=0.3)
    page, other = (release.certificate.to_html() for release in (selected, fixed))
    assert "n people together are protected by n times what was spent." in page
    assert "Before it, epsilon was selected privately, with its own noise, for 0.5." in page
    assert "The preference was decided by a person, from public facts" in page
    assert "n people together are protected by n times epsilon." in other
    assert "private selection" not in other


@pytest.mark.parametrize(
    ("preference", "worth"),
    [
        (VARIANCE, "A threshold picked from this keeps the guarantee"),
        (sf.variance(0.01, select_epsilon=1, as_published=True), "on the real table it has no guarantee"),
    ],
    ids=["privately", "as published"],
)
def test_a_rehearsal_says_what_a_threshold_is_worth(preference: Preference, worth: str) -> None:
    profile = stays().query(SUM).rehearse(preference, rows=500)
    for said in (profile.text(), profile._repr_html_()):
        assert worth in " ".join(said.split())
    assert len(repr(profile.tries)) < 1000


def test_a_rehearsal_that_selects_nothing_says_what_to_change() -> None:
    profile = stays().query(SUM).rehearse(sf.variance(1e-9, select_epsilon=0.5), rows=500)
    assert "selected none. Ask for a larger one, or spend more on selecting." in profile.text()
    assert repr(profile.tries[0]) == "<SelectionTrials of variance 1e-10: none selected in 200 of 200>"


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ({"variance": 0.01}, "add select_epsilon = 0.1; it is charged in addition to the release."),
        ({"variance": 2, "select_epsilon": 0.1}, "try variance = 1e-4."),
        ({"exposure_cap": 0}, "try exposure_cap = 0.5."),
    ],
    ids=["select_epsilon", "variance", "exposure_cap"],
)
def test_what_is_wrong_in_a_rule_is_mended_in_the_rule(rule: dict[str, object], hint: str) -> None:
    with pytest.raises(PreferenceError) as error:
        stays(rule=rule)
    assert error.value.hint == hint


# Altered, older, on record


def test_a_choice_of_an_older_selection_may_still_be_released_and_an_altered_one_not() -> None:
    dataset = stays()
    query = dataset.query(SUM)
    choices = [query.choose(VARIANCE, redraw=True) for _ in range(14)]
    assert len({c.epsilon for c in choices}) > 1  # all alike once in 10^9
    for choice in choices:
        assert query.release(choice).certificate.epsilon == choice.epsilon
    assert choices[0].epsilon is not None
    for altered in (
        replace(choices[0], epsilon=choices[0].epsilon + 0.1),
        replace(choices[0], epsilon=9.99),
        replace(choices[0], epsilon_max=20.0),
        replace(choices[0], select_epsilon=0.0),
        replace(choices[0], why="there is one patient"),
        replace(choices[0], method="fixed by the board"),
    ):
        with pytest.raises(PreferenceError, match=r"altered|another query"):
            query.release(altered)
    with pytest.raises(PreferenceError, match="another query"):
        dataset.query(COUNT).release(choices[0])
    with pytest.raises(NoGuarantee, match="A batch needs public epsilons"):
        dataset.batch([replace(choices[0], guarantee=Guarantee.DP)])


def test_what_was_selected_comes_back_from_the_file(ledger_path: Path) -> None:
    first = stays(ledger=ledger_path).query(SUM).choose(VARIANCE)
    later = stays(ledger=ledger_path)
    assert later.query(SUM).choose(VARIANCE).epsilon == first.epsilon
    assert spent(later) == 0.5
    assert later.query(SUM).release(first).certificate.epsilon == first.epsilon


def test_no_look_is_entered() -> None:
    dataset = stays()
    dataset.query(SUM).choose(VARIANCE)
    events = [e.draft.event for e in dataset.ledger.entries]
    assert events == [Event.OPENED, Event.PLANNED, Event.RESERVED, Event.RELEASED]
    assert [e.draft.public.get("guarantee") for e in dataset.ledger.entries[1:]] == ["dp-selected"] * 3
    assert not any(e.draft.confidential for e in dataset.ledger.entries)


# After a look


def test_after_a_look_there_is_no_guarantee() -> None:
    dataset = stays()
    query = dataset.query(SUM)
    query.risk()
    before = spent(dataset)
    with pytest.raises(NoGuarantee, match="This selection would have no guarantee") as error:
        query.choose(VARIANCE)
    assert error.value.exit_status == 3
    assert spent(dataset) == before
    attested = query.choose(VARIANCE, preregistered="protocol of March")
    assert attested.guarantee == "dp-selected"


def test_how_many_people_there_are_at_least_is_to_be_stated_before_a_look(ledger_path: Path) -> None:
    """It is what the spread is divided by where that is more than the noisy number of people."""
    rule = {"variance": 0.01, "select_epsilon": 0.5, "beta": 0.1}
    for at_least, word in ((900, "dp-selected"), (1000, "none"), (None, "none"), (900, "dp-selected")):
        stated = {} if at_least is None else {"people_at_least": at_least}
        query = stays(ledger=ledger_path, rule=rule, **stated).query(SUM)
        query.risk()
        assert query.choose(allow_no_guarantee=True).guarantee == word
        assert query.choose(sf.gap(1.2, worst_case=True), preregistered="protocol").guarantee == "dp"


def test_after_a_look_nobody_picks_among_selections(ledger_path: Path) -> None:
    """The last one before the look counts; to select again, or to release an older one, would be a decision."""
    query = stays(ledger=ledger_path).query(SUM)
    choices = [query.choose(VARIANCE, redraw=True) for _ in range(40)]
    older = next(c for c in choices if c.epsilon != choices[-1].epsilon)
    query.risk()
    with pytest.raises(NoGuarantee, match="This selection would have no guarantee, because the epsilon was selected"):
        query.choose(VARIANCE, redraw=True)
    with pytest.raises(NoGuarantee, match="This release would have no guarantee, because the epsilon was selected"):
        query.release(older)
    others = (query.choose(VARIANCE, redraw=True, allow_no_guarantee=True) for _ in range(100))
    another = next(c for c in others if c.epsilon != choices[-1].epsilon)  # the same one is the one that counts
    assert another.guarantee == "none"
    for handle in (query, stays(ledger=ledger_path).query(SUM)):
        before = spent(handle.dataset)
        assert handle.choose(VARIANCE).epsilon == choices[-1].epsilon
        assert spent(handle.dataset) == before
    assert query.require_releasable(VARIANCE) is False
    assert query.release(query.choose(VARIANCE)).certificate.guarantee == "dp-selected"
    assert query.release(older, allow_no_guarantee=True).certificate.epsilon is None


def test_a_plan_that_is_selected_for_after_a_look_is_selected_for_once() -> None:
    query = stays().query(SUM)
    query.plan(VARIANCE)
    query.risk()
    first = query.choose(VARIANCE, redraw=True)
    assert first.guarantee == "dp-selected"
    with pytest.raises(NoGuarantee):
        query.choose(VARIANCE, redraw=True)
    assert query.release(first).certificate.guarantee == "dp-selected"


@pytest.mark.parametrize("how", [{"people_at_least": 10**6}, {"budget": 0.8}])
def test_what_was_selected_without_a_guarantee_has_none_under_the_schema_as_it_was(
    how: dict[str, Any], ledger_path: Path
) -> None:
    """Stated after a look: more people than there are, and a budget whose rest is the epsilon that one wants."""
    preference = sf.variance(0.5, select_epsilon=0.5)
    query = stays(ledger=ledger_path).query(SUM)
    query.plan(preference)
    query.risk()
    edited = stays(ledger=ledger_path, **how).query(SUM)
    with pytest.raises(NoGuarantee, match=r"the (schema|budget) was stated after a look"):
        edited.choose(preference)
    attested = edited.choose(preference, preregistered="minutes of March")
    assert attested.guarantee == "dp-selected"
    query = stays(ledger=ledger_path).query(SUM)
    certificate = query.release(attested).certificate
    assert certificate.fixed == "attested"
    assert any("minutes of March" in assumed for assumed in certificate.assumed)


def test_what_was_selected_after_a_look_stays_without_a_guarantee(ledger_path: Path) -> None:
    query = stays(ledger=ledger_path).query(SUM)
    query.plan(VARIANCE)
    query.risk()
    wrong = stays(ledger=ledger_path, people_at_least=10**6).query(SUM).choose(VARIANCE, allow_no_guarantee=True)
    assert wrong.guarantee == "none"
    with pytest.raises(NoGuarantee):
        stays(ledger=ledger_path).query(SUM).release(wrong)


def test_a_budget_that_stood_before_the_look_may_be_the_ceiling(ledger_path: Path) -> None:
    preference = sf.variance(0.5, select_epsilon=0.5)
    query = stays(ledger=ledger_path, budget=0.8).query(SUM)
    query.plan(preference)
    query.risk()
    choice = stays(ledger=ledger_path, budget=0.8).query(SUM).choose(preference)
    assert (choice.epsilon, choice.guarantee) == (0.3, "dp-selected")
    roomy = stays().query(SUM)
    roomy.plan(preference)
    roomy.risk()
    assert roomy.choose(preference).guarantee == "dp-selected"


def test_said_twice_it_is_selected_and_charged_once() -> None:
    dataset = stays()
    query = dataset.query(SUM)
    choice = query.choose(VARIANCE, VARIANCE)
    assert spent(dataset) == 0.5
    assert query.release(choice).certificate.epsilon == choice.epsilon


def test_the_rule_of_record_holds_after_a_look() -> None:
    rule = {"variance": 0.01, "select_epsilon": 0.5}
    dataset = stays(rule=rule)
    query = dataset.query(SUM)
    query.risk()
    release = query.release()
    assert release.certificate.guarantee == "dp-selected"
    assert release.certificate.decided_by == "policy"
    assert release.certificate.select_epsilon == 0.5


def test_without_a_guarantee_nothing_confidential_is_told() -> None:
    """A public constant is charged, and neither what was selected nor why there is nothing stands in public."""
    dataset = stays()
    query = dataset.query(SUM)
    query.risk()
    choice = query.choose(VARIANCE, allow_no_guarantee=True)
    assert choice.guarantee == "none"
    kept = dataset.ledger.entries[-1]
    public = [e for e in dataset.ledger.entries if e.draft.event in (Event.RESERVED, Event.RELEASED, Event.PLANNED)]
    assert kept.draft.event is Event.RELEASED
    assert "selected" in kept.draft.confidential
    for entry in public:
        assert "selected" not in entry.draft.public
        assert "variance" not in str(entry.draft.public)
    assert dataset.ledger.total.epsilon is None
    reserved = [e for e in public if e.draft.event is Event.RESERVED]
    assert [e.draft.nano_epsilon for e in reserved] == [10 * 10**9]
    release = query.release(choice, allow_no_guarantee=True)
    assert (release.certificate.epsilon, release.certificate.why, release.certificate.charged) == (None, None, None)
    assert release.certificate.select_epsilon is None
    assert "variance" not in repr(choice) + repr(release.certificate)
    assert (release.certificate.scale, release.certificate.grid_step) == (None, None)


def test_why_nothing_was_selected_without_a_guarantee_is_not_told_either() -> None:
    dataset = stays([0] * 5)
    query = dataset.query(SUM)
    query.risk()
    choice = query.choose(VARIANCE, allow_no_guarantee=True)
    assert choice.epsilon is None
    with pytest.raises(Infeasible) as error:
        query.release(choice, allow_no_guarantee=True)
    assert not re.search(r"variance|few people", str(error.value))


# As published


def test_beside_algorithm_3_as_published_nothing_is_selected() -> None:
    dataset = stays()
    with pytest.raises(PreferenceError, match="leave one of the two out"):
        dataset.query(SUM).choose(CAP, sf.variance(0.01, select_epsilon=1, as_published=True))
    assert not dataset.ledger.entries


def test_algorithm_3_as_published_is_a_look_without_a_guarantee() -> None:
    dataset = stays()
    published = sf.variance(0.01, select_epsilon=1, as_published=True)
    choice = dataset.query(SUM).choose(published)
    assert choice.guarantee == "none"
    assert Event.LOOKED in [e.draft.event for e in dataset.ledger.entries]
    assert dataset.query(SUM).choose(published).epsilon == choice.epsilon
    with pytest.raises(NoGuarantee):
        dataset.query(SUM).release(choice)
    for entry in dataset.ledger.entries:
        assert "selected" not in entry.draft.public
