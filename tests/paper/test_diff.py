"""Shoaran, Thomo and Weber, Differential Privacy in Practice (DIFF): noise, minimum true answers, and DIFF."""

from __future__ import annotations

import pandas as pd
import pytest

import sfumato as sf
from sfumato.privacy.noise.error import (
    each_confidence,
    epsilon_for_error_on_lattice,
    epsilon_for_relative_error,
    minimum_true_answer,
    noise_quantile,
    relative_error,
)
from sfumato.privacy.preferences.budget_split import (
    alpha,
    best_index,
    epsilon_needed,
    meets,
    minimum_true_answers,
    parts,
    scales,
)

EPSILON, MISS, RE = 0.01, 0.1, 0.1
COUNTS, INDEX, ANSWERS = [1, 1], [1, 10], [3000, 30000]
SCHEMA = {"name": "people", "columns": {"age": {"type": "integer", "bounds": [0, 100]}}}
QUERIES = ["SELECT COUNT(*) FROM people WHERE age > 60", "SELECT COUNT(*) FROM people"]


def people() -> sf.Dataset:
    return sf.open(pd.DataFrame({"age": [30, 70]}), SCHEMA, ledger=":memory:")


# Sections 3 and 4: one query


@pytest.mark.golden("mta_z")
def test_how_far_the_noise_of_a_count_reaches() -> None:
    found = [noise_quantile(1, EPSILON, miss) for miss in (0.5, 0.3, 0.1)]
    assert found == pytest.approx([69.31471805599453, 120.39728043259362, 230.25850929940455], rel=1e-12)
    assert [int(z) for z in found] == [69, 120, 230], "as printed"


@pytest.mark.golden("mta_2300", "mta_4600")
def test_the_minimum_true_answer_of_a_count_and_of_one_of_two() -> None:
    """The paper rounds z first, to 230 and 460."""
    assert minimum_true_answer(1, EPSILON, MISS, RE) == pytest.approx(2302.585092994045, rel=1e-9)
    assert minimum_true_answer(2, EPSILON, MISS, RE) == pytest.approx(4605.17018598809, rel=1e-9)
    assert epsilon_for_relative_error(RE, 2302.585092994045, MISS, 1) == pytest.approx(EPSILON, rel=1e-12)


@pytest.mark.golden("mta_re")
def test_the_same_noise_harms_a_small_answer_more() -> None:
    z = noise_quantile(2, EPSILON, MISS)
    errors = [relative_error(z, answer) for answer in ANSWERS]
    assert errors == pytest.approx([0.1535056728662697, 0.01535056728662697], rel=1e-12)


# Section 6: DIFF


@pytest.mark.golden("diff_alpha")
def test_scales_are_as_the_index_says() -> None:
    assert alpha(COUNTS, INDEX, EPSILON) == 110.0
    assert scales(COUNTS, INDEX, EPSILON) == (110.0, 1100.0)
    assert sum(1 / scale for scale in scales(COUNTS, INDEX, EPSILON)) == pytest.approx(EPSILON, rel=1e-15)


@pytest.mark.golden("diff_mta", "diff_z")
def test_the_minimum_true_answers_of_example_3() -> None:
    found = scales(COUNTS, INDEX, EPSILON)
    assert minimum_true_answers(found, [RE, RE], MISS) == pytest.approx([2532.8436022934497, 25328.4360229345])
    assert [noise_quantile(scale, 1, MISS) for scale in found] == pytest.approx([253.284360229345, 2532.84360229345])


def test_with_the_index_both_answers_are_large_enough_and_without_it_one_is_not() -> None:
    asked = EPSILON, ANSWERS, [RE, RE], MISS
    assert meets(COUNTS, INDEX, *asked) == (True, True)
    assert meets(COUNTS, [1, 1], *asked) == (False, True)


def test_of_one_query_diff_is_laplace_noise() -> None:
    assert scales([1], [7], EPSILON) == (100.0,)
    assert epsilon_needed([1], [7], [2302.585092994045], [RE], MISS) == pytest.approx(EPSILON, rel=1e-12)


def test_the_best_index_for_the_answers_of_the_example() -> None:
    """The mean errors of both add up to 0.0733 with equal noise, and with noise in proportion too.

    See docs/theory/split.md.
    """

    def errors(index: list[float] | tuple[float, ...]) -> list[float]:
        return [s / q for s, q in zip(scales(COUNTS, index, EPSILON), ANSWERS, strict=True)]

    assert sum(errors([1, 1])) == pytest.approx(0.0733, abs=5e-5)
    assert sum(errors(best_index(COUNTS, ANSWERS, "largest"))) == pytest.approx(0.0733, abs=5e-5)
    assert sum(errors(best_index(COUNTS, ANSWERS, "sum"))) == pytest.approx(0.0577, abs=5e-5)
    assert len({round(e, 12) for e in errors(best_index(COUNTS, ANSWERS, "largest"))}) == 1


def test_the_product_splits_as_the_example_does() -> None:
    """Parts are whole billionths of epsilon, so that the scales are as in the paper to six digits."""
    split = people().split(QUERIES, EPSILON, index=INDEX)
    assert [part.epsilon for part in split.parts] == list(parts(COUNTS, INDEX, EPSILON)) == [0.009090909, 0.000909091]
    assert [part.scale for part in split.parts] == [
        pytest.approx((110.0,), rel=1e-6),
        pytest.approx((1100.0,), rel=1e-6),
    ]
    assert [part.least for part in split.parts] == pytest.approx([2532.8436022934497, 25328.4360229345], rel=1e-6)


def test_an_index_in_proportion_to_the_true_answers_is_no_index() -> None:
    """Proportional, which reads its index off the data, is not differentially private: the scale tells the answer."""
    one, two = (scales(COUNTS, [count, 1000], EPSILON)[0] for count in (1, 2))
    assert one != two


# Accuracy first (docs/theory/ranges.md)


@pytest.mark.golden("acc")
def test_the_epsilon_that_keeps_errors_small() -> None:
    found = [noise_quantile(1, 5, 1 - each_confidence(0.95, k)) for k in (1, 6)]  # its inverse is itself
    assert found == pytest.approx([0.599146454710798, 0.9532452228659551], rel=1e-9)


@pytest.mark.golden("acc_geom")
def test_the_same_on_whole_numbers() -> None:
    assert epsilon_for_error_on_lattice(5, 0.95) == pytest.approx(0.5381740034515188, rel=1e-9)
