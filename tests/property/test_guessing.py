"""Guesses: what is chosen is what is had, and no mechanism, prior or answer gives a guess more than the bound."""

from __future__ import annotations

import math
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import PreferenceError
from sfumato.privacy.risk.guessing import (
    average_chance,
    average_chance_on_lattice,
    chance_for_normalised,
    delta_of,
    epsilon_for_guess,
    exponent_for_advantage,
    exponent_of,
    guess_chance,
    largest_advantage,
    normalised_advantage,
)
from sfumato.privacy.risk.sharing import chance_for_risk, sharing_risk, sharing_risk_as_published
from tests.depth import depth

shares = st.floats(0.01, 0.99)
epsilons = st.floats(0.01, 8)
steps = st.sampled_from([1, 2])
deltas = st.sampled_from([0.0, 1e-9, 1e-4])


def chance_at(epsilon: float, prior: float, steps: int, delta: float = 0.0) -> float:
    return guess_chance(exponent_of(epsilon, steps), prior, delta_of(epsilon, delta, steps))


# Inverses come in pairs


@given(epsilons, shares, steps, deltas)
def test_the_epsilon_of_a_chance_has_that_chance(epsilon: float, prior: float, steps: int, delta: float) -> None:
    chance = chance_at(epsilon, prior, steps, delta)
    if chance < 1 - 1e-9:
        found = epsilon_for_guess(chance, prior, steps, delta)
        assert chance_at(found, prior, steps, delta) == pytest.approx(chance, rel=1e-9)
        assert found == pytest.approx(epsilon, rel=1e-6, abs=1e-7)


@given(shares, shares, steps, deltas)
def test_a_chance_that_can_be_kept_is_kept_and_no_other(chance: float, prior: float, steps: int, delta: float) -> None:
    found = epsilon_for_guess(chance, prior, steps, delta)
    least = guess_chance(0.0, prior, delta_of(0.0, delta, steps))
    if chance > least + 1e-9:
        assert chance_at(found, prior, steps, delta) == pytest.approx(chance, rel=1e-9)
    elif chance < least - 1e-9:
        assert found == 0


@given(epsilons, st.floats(1e-3, 2), shares, steps, deltas)
def test_more_epsilon_is_more_chance(epsilon: float, more: float, prior: float, steps: int, delta: float) -> None:
    less, larger = (chance_at(e, prior, steps, delta) for e in (epsilon, epsilon + more))
    assert prior < less <= larger <= 1
    assert largest_advantage(epsilon) < largest_advantage(epsilon + more)


@given(shares)
def test_the_exponent_of_an_advantage(advantage: float) -> None:
    assert largest_advantage(exponent_for_advantage(advantage)) == pytest.approx(advantage)
    assert exponent_for_advantage(advantage) == pytest.approx(2 * math.log((1 + advantage) / (1 - advantage)))


@given(shares, shares, shares, shares, st.booleans())
def test_the_chance_of_a_risk(share: float, sensitivity: float, trust: float, prior: float, as_published: bool) -> None:
    risk = share * sensitivity * (1 - trust)
    chance = chance_for_risk(risk, sensitivity, trust, prior, as_published=as_published)
    had = (
        sharing_risk_as_published(sensitivity, trust, chance)
        if as_published
        else sharing_risk(sensitivity, trust, chance, prior)
    )
    assert had == pytest.approx(risk)
    assert normalised_advantage(chance_for_normalised(share, prior), prior) == pytest.approx(share)


# The same through the product: choose, then evaluate

COLUMNS = {
    "state": {"type": "text", "categories": ["S", "I", "R", "D"]},
    "age": {"type": "integer", "bounds": [0, 99]},
    "pay": {"type": "number", "bounds": [0, 1000]},
}
SECRETS = [
    ({"choices": 4}, 1 / 4),
    ({"secret": "state"}, 1 / 4),
    ({"prior": 0.3}, 0.3),
    ({"secret": "age", "radius": 5}, 11 / 100),
    ({"secret": "age", "radius": 0}, 1 / 100),
    ({"secret": "age", "radius": 0.5}, 2 / 100),
    ({"secret": "pay", "radius": 50}, 1 / 10),
]
NOISES = [{}, {"mechanism": "gaussian", "delta": 1e-5}]


@pytest.mark.depth("guessing questions")
@settings(max_examples=depth("guessing questions"))
@given(
    st.sampled_from(["add-remove", "replace"]), st.sampled_from(SECRETS), st.sampled_from(NOISES), st.floats(0.05, 0.95)
)
def test_a_choice_has_the_chance_and_the_risk_that_were_asked_for(
    relation: str, guessed: tuple[dict[str, object], float], noise: dict[str, object], share: float
) -> None:
    secret, blind = guessed
    schema = {"name": "people", "relation": relation, "columns": COLUMNS}
    query = local.open_without_data(schema, ledger=":memory:").query(
        "SELECT state, COUNT(*), SUM(age) FROM people GROUP BY state"
    )
    seen = query.guessing(**secret, **noise, trust="low", data_sensitivity="high")  # type: ignore[arg-type]
    assert seen.blind == pytest.approx(blind)
    chance = round(blind + share * (1 - blind), 6)
    chosen = query.choose(sf.guess(chance, **secret), **noise)  # type: ignore[arg-type]
    assert seen.at(chosen.epsilon or 0).chance == pytest.approx(min(chance, seen.at(10).chance))
    risk = round(share * 0.49, 6)
    stated = sf.sharing_risk(risk, trust="low", data_sensitivity="high", **secret)  # type: ignore[arg-type]
    chosen = query.choose(stated, **noise)  # type: ignore[arg-type]
    assert seen.at(chosen.epsilon or 0).risk == pytest.approx(min(risk, seen.at(10).risk or 0))
    if not noise:
        chosen = query.choose(sf.advantage(share))
        assert seen.at(chosen.epsilon or 0).any_prior == pytest.approx(min(share, seen.at(10).any_prior or 0))


# No mechanism gives more than the bound: any channel, any prior, any sets of guesses

weights = st.lists(st.integers(1, 20), min_size=2, max_size=4)


@settings(max_examples=depth("guessing channels"))
@pytest.mark.depth("guessing channels")
@given(weights, st.data(), st.floats(0, 3), st.integers(0, 1))
def test_no_channel_is_guessed_through_more_often(
    prior: list[int], data: st.DataObject, exponent: float, radius: int
) -> None:
    """Of values in a row; a guess counts that comes within the radius. Delta is the least that the channel has."""
    values = range(len(prior))
    answers = data.draw(st.integers(2, 4))
    rows = st.lists(st.integers(0, 30), min_size=answers, max_size=answers).filter(any)
    raw = [data.draw(rows) for _ in values]
    channel = [[cell / sum(row) for cell in row] for row in raw]
    before = [weight / sum(prior) for weight in prior]
    delta = max(
        sum(max(0.0, a - math.exp(exponent) * b) for a, b in zip(channel[v], channel[w], strict=True))
        for v, w in product(values, repeat=2)
    )
    sets = [[v for v in values if abs(v - guess) <= radius] for guess in values]
    blind = max(sum(before[v] for v in found) for found in sets)
    success = sum(
        max(sum(before[v] * channel[v][answer] for v in found) for found in sets) for answer in range(answers)
    )
    if blind < 1:
        assert success <= guess_chance(exponent, blind, delta) + 1e-12


# Noise on a grid on a histogram, by brute force: person by person, answer by answer


def noise(k: int, per_bar: float, steps: int = 1) -> float:
    ratio = math.exp(-per_bar / steps)
    return (1 - ratio) / (1 + ratio) * ratio ** abs(k)


@pytest.mark.depth("guessing grids")
@settings(max_examples=depth("guessing grids"))
@given(st.sampled_from([(2, 12), (3, 4)]), st.floats(0.2, 2), st.data())
def test_the_posterior_of_a_histogram_attains_the_bound_and_no_more(
    size: tuple[int, int], per_bar: float, data: st.DataObject
) -> None:
    """Whoever is in one of N bars, each with noise: two bars tell, so the exponent is twice that of one."""
    bars, far = size
    raw = data.draw(st.lists(st.integers(1, 9), min_size=bars, max_size=bars))
    before = [weight / sum(raw) for weight in raw]
    most = [0.0] * bars
    for answer in product(range(-far, far + 2), repeat=bars):
        joint = [
            before[v] * math.prod(noise(y - (bar == v), per_bar) for bar, y in enumerate(answer)) for v in range(bars)
        ]
        most = [max(m, one / sum(joint)) for m, one in zip(most, joint, strict=True)]
    assert most == pytest.approx([guess_chance(2 * per_bar, p) for p in before])


@pytest.mark.depth("guessing grids")
@settings(max_examples=depth("guessing grids"))
@given(st.floats(0.8, 3), st.integers(1, 3))
def test_the_average_chance_of_two_bars_by_brute_force(per_bar: float, steps: int) -> None:
    """The best guess at each answer, over all of them; beyond 40 persons there is less than 1e-13."""
    here, there = ([noise(k - moved, per_bar, steps) for k in range(-40 * steps, 41 * steps)] for moved in (0, steps))
    found = sum(max(here[a] * there[b], there[a] * here[b]) for a in range(len(here)) for b in range(len(here))) / 2
    assert average_chance_on_lattice(per_bar, 2, steps) == pytest.approx(found, rel=1e-9)


@given(st.floats(0.01, 5), st.integers(2, 12))
def test_an_average_lies_between_blind_and_the_worst_answer(per_bar: float, choices: int) -> None:
    smooth, *grids = (
        average_chance(per_bar, choices),
        *(average_chance_on_lattice(per_bar, choices, s) for s in (1024, 8, 1)),
    )
    rising = [1 / choices, smooth, *grids, guess_chance(2 * per_bar, 1 / choices)]
    assert all(less <= more + 1e-8 for less, more in pairwise(rising))
    assert grids[0] == pytest.approx(smooth, rel=1e-5)


@given(st.floats(0.05, 6))
def test_no_prior_gains_more_than_the_largest_advantage(exponent: float) -> None:
    best = 1 / (1 + math.exp(exponent / 2))
    gained = [guess_chance(exponent, p) - p for p in (best, *(i / 500 for i in range(1, 500)))]
    assert max(gained) == pytest.approx(gained[0]) == pytest.approx(largest_advantage(exponent))


# What a count of 100 becomes


@pytest.mark.depth("guessing questions")
@settings(max_examples=depth("guessing questions"))
@given(st.floats(0.02, 8), st.sampled_from(["add-remove", "replace"]))
def test_the_90_percent_range_of_a_count_of_100(epsilon: float, relation: str) -> None:
    """Exactly, by the law of the noise: whole steps of 1/1024, and the count is rounded."""
    query = local.open_without_data({"name": "people", "relation": relation}, ledger=":memory:").query(
        "SELECT COUNT(*) FROM people"
    )
    ratio = math.exp(-epsilon / (1024 if relation == "add-remove" else 2048))
    at = query.guessing(choices=4).at(epsilon)
    assert at.hundred is not None
    low, high = at.hundred
    off = high - 100
    assert low == max(0, 100 - off)
    assert 2 * ratio ** (1024 * off + 512) / (1 + ratio) <= 0.1 + 1e-9
    assert off == 0 or 2 * ratio ** (1024 * off - 512) / (1 + ratio) > 0.0999


@given(st.floats(0.01, 0.24))
def test_less_than_a_blind_guess_is_refused(chance: float) -> None:
    with pytest.raises(PreferenceError, match="a blind guess already succeeds that often"):
        sf.guess(round(chance, 4), choices=4)
