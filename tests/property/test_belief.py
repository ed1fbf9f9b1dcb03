"""What is believed at most is what Bayes' rule gives at worst: on random worlds, by brute force."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.model.possible_worlds import World
from sfumato.privacy.preferences.belief import missing_of
from sfumato.privacy.risk import possible_worlds as several
from sfumato.privacy.risk.belief import (
    average_success,
    disclosure_risk,
    epsilon_bound,
    epsilon_for_belief,
    laplace_density,
    on_a_line,
    posterior,
    risk_bound,
)
from tests.depth import depth

answers = st.lists(st.integers(-40, 40).map(lambda n: n / 4), min_size=2, max_size=7)
weights = st.lists(st.integers(1, 20), min_size=7, max_size=7)
scales = st.floats(0.05, 20)
pytestmark = pytest.mark.depth("possible worlds")
EXAMPLES = settings(max_examples=depth("possible worlds"))


def prior_of(some: list[int], many: int) -> list[float]:
    return [weight / sum(some[:many]) for weight in some[:many]]


@EXAMPLES
@given(answers, scales, weights)
def test_the_risk_is_bayes_at_the_worst_output(found: list[float], scale: float, some: list[int]) -> None:
    """No output of a fine grid exceeds it, and at the answer of some world it is reached."""
    prior = prior_of(some, len(found))
    risk = disclosure_risk(found, scale, prior)
    low, high = min(found) - 5 * scale, max(found) + 5 * scale
    grid = [low + (high - low) * i / 200 for i in range(201)]
    assert all(max(posterior(found, scale, output, prior)) <= risk + 1e-12 for output in grid)
    assert max(max(posterior(found, scale, output, prior)) for output in found) == pytest.approx(risk, abs=1e-12)


@EXAMPLES
@given(answers, scales, st.floats(1.01, 5), weights)
def test_less_noise_is_more_belief(found: list[float], scale: float, times: float, some: list[int]) -> None:
    prior = prior_of(some, len(found))
    assert disclosure_risk(found, scale / times, prior) >= disclosure_risk(found, scale, prior) - 1e-12


@EXAMPLES
@given(answers, st.floats(0.5, 20), st.floats(0.02, 0.98), weights)
def test_epsilon_and_belief_are_inverse(found: list[float], unit: float, along: float, some: list[int]) -> None:
    """At the epsilon that is found rho is met, a hair above it is not; and the bound is never larger."""
    prior = prior_of(some, len(found))
    rho = max(prior) + along * (1 - max(prior))
    epsilon = epsilon_for_belief(found, unit, rho, prior)
    bound = epsilon_bound(len(found), rho, unit, max(found) - min(found), max(prior))
    assert bound <= epsilon * (1 + 1e-9)
    if math.isinf(epsilon):
        assert disclosure_risk(found, unit / 1e6, prior) <= rho + 1e-9
    else:
        assert disclosure_risk(found, unit / epsilon, prior) <= rho + 1e-12
        assert disclosure_risk(found, unit / (epsilon * (1 + 1e-6)), prior) > rho
        assert risk_bound(max(prior), bound, unit, max(found) - min(found)) == pytest.approx(rho, abs=1e-9)


@EXAMPLES
@given(answers, scales)
def test_the_average_guess_is_the_integral_of_the_best_one(found: list[float], scale: float) -> None:
    """By a Riemann sum of the largest density, over as many worlds as there are."""
    low, high, parts = min(found) - 30 * scale, max(found) + 30 * scale, 4000
    step = (high - low) / parts
    best = (max(laplace_density(low + (i + 0.5) * step, f, scale) for f in found) for i in range(parts))
    assert average_success(found, scale) == pytest.approx(math.fsum(best) * step / len(found), abs=5e-3)


# Several noisy numbers

loads = st.lists(st.tuples(st.integers(0, 3), st.integers(-8, 8).map(lambda n: n / 8)), max_size=3).map(
    lambda some: tuple(sorted(dict(some).items()))
)
vectors = st.lists(st.tuples(loads, st.integers(1, 3), st.sampled_from([0.0, 0.0, 0.25])), min_size=2, max_size=6)


def dense(world: World) -> list[float]:
    numbers = dict(world.loads)
    return [numbers.get(place, 0.0) for place in range(4)]


def as_worlds(found: list[tuple[tuple[tuple[int, float], ...], int, float]]) -> list[World]:
    return [World(own, float(many), apart=apart) for own, many, apart in found]


def one_by_one(worlds: list[World], epsilon: float) -> list[float]:
    """The formula, letter by letter; those who are alike in all numbers are told apart by what else may."""
    beliefs = []
    for i, world in enumerate(worlds):
        alike = (world.mass - world.one) * math.exp(-2 * epsilon * world.apart)
        others = [w.mass * math.exp(-epsilon * several.distance(world, w)) for j, w in enumerate(worlds) if j != i]
        beliefs.append(world.one / (world.one + alike + math.fsum(others)))
    return beliefs


@EXAMPLES
@given(vectors, st.floats(0.05, 8))
def test_the_risk_of_vectors_is_bayes_at_the_worst_output(
    found: list[tuple[tuple[tuple[int, float], ...], int, float]], epsilon: float
) -> None:
    """Each number has noise of its own; the worst output is the very numbers of a world."""
    worlds = [World(own, float(many)) for own, many, _ in found]
    every = [dense(world) for world in worlds for _ in range(int(world.mass))]

    def believed(output: list[float]) -> float:
        away = [sum(abs(a - b) for a, b in zip(output, world, strict=True)) for world in every]
        likely = [math.exp(-epsilon * d) for d in away]
        return max(likely) / math.fsum(likely)

    middles = [[(a + b) / 2 for a, b in zip(one, other, strict=True)] for one, other in combinations(every, 2)]
    risk = several.risk_at(worlds, epsilon)
    assert max(map(believed, every)) == pytest.approx(risk, abs=1e-12)
    assert all(believed(output) <= risk + 1e-12 for output in middles)


@EXAMPLES
@given(vectors, st.floats(0.05, 8))
def test_lines_are_as_good_as_one_by_one(
    found: list[tuple[tuple[tuple[int, float], ...], int, float]], epsilon: float
) -> None:
    worlds = as_worlds(found)
    assert several.beliefs_at(worlds, epsilon) == pytest.approx(one_by_one(worlds, epsilon), abs=1e-12)


@EXAMPLES
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-8, 8).map(lambda n: n / 8)), min_size=2, max_size=7))
def test_a_cell_for_each_is_a_line(placed: list[tuple[int, float]]) -> None:
    """As of a mean by group: a sum and a count that all have alike, in the cell that is theirs; some are in none."""
    worlds = [World(((2 * cell, load), (2 * cell + 1, 0.5)) if cell else ()) for cell, load in placed]
    assert several.lines_of(worlds) is not None
    for epsilon in (0.3, 3.0):
        assert several.beliefs_at(worlds, epsilon) == pytest.approx(one_by_one(worlds, epsilon), abs=1e-12)


@EXAMPLES
@given(vectors)
def test_the_width_is_the_largest_distance(found: list[tuple[tuple[tuple[int, float], ...], int, float]]) -> None:
    worlds = as_worlds(found)
    everyone = [world for world in worlds for _ in range(int(world.mass))]
    furthest = max(several.distance(a, b) for a, b in combinations(everyone, 2))
    assert several.width_of(worlds) == pytest.approx(furthest, abs=1e-12)
    assert furthest <= several.widest(worlds) + 1e-12


@EXAMPLES
@given(vectors, st.floats(0.05, 0.95))
def test_epsilon_of_vectors_meets_rho_and_no_larger_one_does(
    found: list[tuple[tuple[tuple[int, float], ...], int, float]], along: float
) -> None:
    worlds = as_worlds(found)
    rho = several.prior_of(worlds) + along * (1 - several.prior_of(worlds))
    epsilon = several.largest_epsilon(worlds, rho)
    assert several.bound_of(worlds, rho) <= epsilon * (1 + 1e-9)
    if math.isinf(epsilon):
        assert several.risk_at(worlds, math.inf) <= rho
    else:
        assert several.risk_at(worlds, epsilon) <= rho + 1e-12
        assert several.risk_at(worlds, epsilon * (1 + 1e-6) + 1e-9) > rho


@EXAMPLES
@given(answers, scales)
def test_a_line_is_a_vector_of_one_number(found: list[float], scale: float) -> None:
    vector = [World(((0, answer / scale),)) for answer in found]
    risk = max(one_by_one(vector, 1.0))
    assert disclosure_risk(found, scale) == pytest.approx(risk, abs=1e-12)
    assert several.risk_at(on_a_line(found, scale), 1.0) == pytest.approx(risk, abs=1e-12)


@EXAMPLES
@given(st.lists(st.integers(-4, 4).map(float), min_size=3, max_size=6), st.integers(1, 2), st.floats(0.05, 5))
def test_several_missing_are_all_the_ways_to_miss_them(own: list[float], missing: int, epsilon: float) -> None:
    everybody = [World(((0, load),)) for load in own]
    found = missing_of(everybody, missing, "here").worlds
    literally = [sum(gone) for gone in combinations(own, missing)]
    assert several.risk_at(found, epsilon) == pytest.approx(disclosure_risk(literally, 1 / epsilon), abs=1e-12)
