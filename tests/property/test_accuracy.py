"""Accuracy: inverses come in pairs, a smaller error costs more, and DIFF spends what it is given, as well as can be."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.privacy.noise.error import (
    each_confidence,
    epsilon_for_error_on_lattice,
    epsilon_for_relative_error,
    minimum_true_answer,
    noise_quantile,
    relative_error,
    sigma_for_error,
)
from sfumato.privacy.preferences.budget_split import (
    AIMS,
    alpha,
    best_index,
    epsilon_needed,
    meets,
    minimum_true_answers,
    parts,
    scales,
)

SHARES = st.floats(0.001, 0.999)
SIZES = st.floats(1e-3, 1e6)
NUMBERS = st.integers(1, 200)
EPSILONS = st.integers(1, 10**10).map(lambda billionths: billionths / 1e9)


def epsilon_for_error(error: float, confidence: float, sensitivity: float, k: int = 1) -> float:
    """Equation (4) read the other way round: Laplace noise stays within the error, on all of k numbers."""
    return noise_quantile(sensitivity, error, 1 - each_confidence(confidence, k))


@st.composite
def queries(draw: st.DrawFn) -> tuple[list[float], list[float]]:
    """Sensitivities, and an index for them."""
    many = draw(st.integers(1, 6))
    sizes = st.lists(st.floats(0.01, 1000), min_size=many, max_size=many)
    return draw(sizes), draw(sizes)


# Of one answer


@given(error=SIZES, confidence=SHARES, sensitivity=SIZES, k=NUMBERS)
def test_at_that_epsilon_all_of_them_are_that_near_that_often(
    error: float, confidence: float, sensitivity: float, k: int
) -> None:
    epsilon = epsilon_for_error(error, confidence, sensitivity, k)
    each = -math.expm1(-error * epsilon / sensitivity)
    assert each**k == pytest.approx(confidence, rel=1e-9)
    assert epsilon_for_error(error / 2, confidence, sensitivity, k) == pytest.approx(2 * epsilon)
    assert epsilon_for_error(error, confidence, sensitivity, k + 1) > epsilon


@given(steps=st.integers(0, 60), confidence=SHARES, sensitivity=st.integers(1, 20), k=st.integers(1, 9))
def test_on_whole_numbers_it_is_the_exact_sum(steps: int, confidence: float, sensitivity: int, k: int) -> None:
    epsilon = epsilon_for_error_on_lattice(steps, confidence, sensitivity, k)
    ratio = math.exp(-epsilon / sensitivity)
    within = math.fsum(ratio ** abs(x) for x in range(-steps, steps + 1)) * (1 - ratio) / (1 + ratio)
    assert within**k == pytest.approx(confidence, rel=1e-9)
    assert epsilon_for_error_on_lattice(steps + 1, confidence, sensitivity, k) < epsilon
    if steps:
        assert epsilon < epsilon_for_error(steps, confidence, sensitivity, k) * (1 + 1e-12), "a whole step is further"


@given(error=SIZES, confidence=SHARES, k=NUMBERS)
def test_gaussian_noise_of_that_sigma_is_that_near_that_often(error: float, confidence: float, k: int) -> None:
    sigma = sigma_for_error(error, confidence, k)
    assert (1 - 2 * NormalDist().cdf(-error / sigma)) ** k == pytest.approx(confidence, rel=1e-9)


@given(epsilon=EPSILONS, miss=SHARES, error=st.floats(0.001, 10), sensitivity=SIZES)
def test_the_minimum_true_answer_and_its_inverse(epsilon: float, miss: float, error: float, sensitivity: float) -> None:
    least = minimum_true_answer(sensitivity, epsilon, miss, error)
    assert epsilon_for_relative_error(error, least, miss, sensitivity) == pytest.approx(epsilon, rel=1e-9)
    assert relative_error(noise_quantile(sensitivity, epsilon, miss), least) == pytest.approx(error, rel=1e-9)
    assert minimum_true_answer(sensitivity, 2 * epsilon, miss, error) == pytest.approx(least / 2, rel=1e-9)
    assert math.exp(-least * error * epsilon / sensitivity) == pytest.approx(miss, rel=1e-9)


# Of several


@given(asked=queries(), epsilon=EPSILONS)
def test_the_parts_add_up_to_epsilon_exactly(asked: tuple[list[float], list[float]], epsilon: float) -> None:
    found = parts(*asked, epsilon)
    assert sum(Fraction(str(part)) for part in found) == Fraction(str(epsilon))
    for part, sensitivity, scale in zip(found, asked[0], scales(*asked, epsilon), strict=True):
        assert abs(part - sensitivity / scale) < 1.001e-9, "but for what is less than a billionth"


@given(asked=queries(), epsilon=st.floats(1e-9, 10))
def test_never_more_is_spent_than_was_stated(asked: tuple[list[float], list[float]], epsilon: float) -> None:
    left = Fraction(str(epsilon)) - sum(Fraction(str(part)) for part in parts(*asked, epsilon))
    assert 0 <= left < Fraction(1, 10**9)


@given(asked=queries(), epsilon=EPSILONS, times=st.integers(2, 9))
def test_scales_are_in_proportion_to_the_index_and_to_nothing_else(
    asked: tuple[list[float], list[float]], epsilon: float, times: int
) -> None:
    sensitivities, index = asked
    found = scales(sensitivities, index, epsilon)
    assert found == pytest.approx([alpha(sensitivities, index, epsilon) * g for g in index])
    assert scales(sensitivities, [times * g for g in index], epsilon) == pytest.approx(found)
    assert sum(d / s for d, s in zip(sensitivities, found, strict=True)) == pytest.approx(epsilon, rel=1e-9)


@given(asked=queries(), epsilon=EPSILONS, miss=SHARES, error=st.floats(0.01, 1), data=st.data())
def test_a_query_meets_its_error_from_its_minimum_on(
    asked: tuple[list[float], list[float]], epsilon: float, miss: float, error: float, data: st.DataObject
) -> None:
    errors = [error * (i + 1) for i in range(len(asked[0]))]
    least = minimum_true_answers(scales(*asked, epsilon), errors, miss)
    times = [data.draw(st.sampled_from([0.5, 0.999999, 1.000001, 2])) for _ in least]
    answers = [by * mta * data.draw(st.sampled_from([1, -1])) for by, mta in zip(times, least, strict=True)]
    assert meets(*asked, epsilon, answers, errors, miss) == tuple(by > 1 for by in times)


@given(asked=queries(), miss=SHARES, answers=st.lists(st.floats(1, 1e6), min_size=6, max_size=6))
def test_the_epsilon_that_is_needed_is_the_least(
    asked: tuple[list[float], list[float]], miss: float, answers: list[float]
) -> None:
    known, errors = answers[: len(asked[0])], [0.1] * len(asked[0])
    needed = epsilon_needed(*asked, known, errors, miss)
    assert all(meets(*asked, needed * 1.000001, known, errors, miss))
    assert not all(meets(*asked, needed * 0.999999, known, errors, miss))


@given(
    aim=st.sampled_from(list(AIMS)),
    asked=queries(),
    guesses=st.lists(st.floats(0.1, 1e5), min_size=6, max_size=6),
)
def test_no_other_index_is_better(aim: str, asked: tuple[list[float], list[float]], guesses: list[float]) -> None:
    """Also where answers are below 0; and of the best index every multiple is as good."""
    sensitivities, other = asked
    answers = [-q if i == 1 else q for i, q in enumerate(guesses[: len(other)])]

    def harm(index: list[float] | tuple[float, ...]) -> float:
        errors = [relative_error(s, q) for s, q in zip(scales(sensitivities, index, 1.0), answers, strict=True)]
        return max(errors) if aim == "largest" else math.fsum(e if aim == "sum" else e * e for e in errors)

    best = best_index(sensitivities, answers, aim)
    assert harm(best) <= harm(other) * (1 + 1e-9)
    assert harm([3 * g for g in best]) == pytest.approx(harm(best))
    for i in range(len(best)):
        for nudge in (0.9, 1.1):
            assert harm([g * nudge if j == i else g for j, g in enumerate(best)]) >= harm(best) * (1 - 1e-9)
