"""Find-and-release-epsilon-from-RDR (section 5.1): what its sensitivity is, and that of the query that repairs it.

The formulas stand here in their plainest form, over one list of figures: per-instance sensitivities as the paper has
them, or exposures between 0 and 1, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from statistics import fmean, pvariance

import pytest

from sfumato.risk.noise import sum_tail

QUARTERS = tuple(Fraction(i, 4) for i in range(5))
CANDIDATE = 10.0  # the first that Algorithm 3 asks about


def squares(exposures: Sequence[Fraction]) -> Fraction:
    """`SS = sum (u_i - mean)^2`; of nobody it is 0."""
    mean = sum(exposures, Fraction(0)) / max(1, len(exposures))
    return sum(((u - mean) ** 2 for u in exposures), Fraction(0))


def variance(exposures: Sequence[Fraction]) -> Fraction:
    return squares(exposures) / len(exposures)


def variance_as_published(influences: Sequence[float], epsilon: float, k: int = 1) -> float:
    """Lines 10 to 15: of RDRs divided by the largest of them; influences in units of the sensitivity."""
    largest = max(influences) + k / epsilon
    return pvariance([(influence + k / epsilon) / largest for influence in influences])


def tables(people: int) -> Iterator[tuple[Fraction, ...]]:
    """All tables of so many people, up to their order."""
    return combinations_with_replacement(QUARTERS, people)


# The claim: sensitivity 1/n


@pytest.mark.parametrize(("epsilon", "worst", "jump"), [(10, 0.395, 0.127), (5, 0.460, 0.085), (1, 0.587, 0.0127)])
def test_one_person_moves_the_variance_by_a_constant(epsilon: float, worst: float, jump: float) -> None:
    """Half at v, half at 0, one of whom moves to 1: in the limit of many people, at the worst v."""

    def moved(v: float) -> float:
        return v**2 / 4 * (1 / (v + 1 / epsilon) ** 2 - 1 / (1 + 1 / epsilon) ** 2)

    v = max((i / 10_000 for i in range(1, 10_000)), key=moved)
    assert v == pytest.approx(worst, abs=5e-4)
    assert moved(v) == pytest.approx(jump, rel=5e-3)
    many = 20_000
    before = [v] * (many // 2) + [0.0] * (many // 2)
    after = [*before[:-1], 1.0]
    change = variance_as_published(before, epsilon) - variance_as_published(after, epsilon)
    assert change == pytest.approx(moved(v), rel=2e-3)
    assert change > 200 / many


def test_of_a_mean_too() -> None:
    """A quarter at 0, half at the mean, a quarter at twice the mean; one of the half moves to 1."""
    quarter = 5_000
    before = [0.0] * quarter + [0.27] * 2 * quarter + [0.54] * quarter
    after = [1.0 if i == quarter else value for i, value in enumerate(before)]
    far = [[abs(value - fmean(values)) for value in values] for values in (before, after)]  # in units of (U - L) / n
    assert variance_as_published(far[0], CANDIDATE) - variance_as_published(far[1], CANDIDATE) > 0.106


def test_a_thousand_people_are_told_from_a_thousand_of_whom_one_has_changed() -> None:
    """Algorithm 3's first step with epsilon_svt = 1 and tau midway: a loss of 19.1 where 1 is claimed."""
    n = 1000
    x = [0.3946] * 500 + [0.0] * 500
    y = [*x[:-1], 1.0]
    var_x, var_y = (variance_as_published(table, CANDIDATE) for table in (x, y))
    assert (var_x, var_y) == pytest.approx((0.15912775893111025, 0.032670818181818176), rel=1e-9)
    of_threshold, of_query = svt_split(1.0)
    passes_x = sum_tail((var_x - var_y) / 2, 1 / n / of_threshold, 2 / n / of_query) / 2
    assert passes_x == pytest.approx(5e-9, rel=0.02)
    assert math.log((1 - passes_x) / passes_x) == pytest.approx(19.0988, abs=1e-4)


def svt_split(epsilon: float) -> tuple[float, float]:
    """1 : 2^(2/3), as section 5.1 recommends."""
    of_threshold = epsilon / (1 + 2 ** (2 / 3))
    return of_threshold, epsilon - of_threshold


def test_the_budget_is_split_as_recommended() -> None:
    assert svt_split(1) == pytest.approx((0.3864882095643094, 0.6135117904356906), rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_of_a_count_the_claim_holds(n: int) -> None:
    """All influences are 0 or 1, so that the largest RDR moves only when the first person matches."""
    variances = [variance_as_published([1.0] * ill + [0.0] * (n - ill), CANDIDATE) for ill in range(min(n, 50) + 1)]
    assert all(abs(b - a) <= 1 / n for a, b in pairwise(variances))


# The repair: exposures between 0 and 1, divided by what is possible (methods 3.3)


@pytest.mark.parametrize(
    ("n", "sensitivity"), [(2, 0.25), (3, 0.2222222222222222), (4, 0.1875), (5, 0.16), (6, 0.1388888888888889)]
)
def test_replacing_one_person_moves_the_variance_by_at_most(n: int, sensitivity: float) -> None:
    """Theorem A, over all small tables: (n-1)/n^2, and it is reached."""
    furthest = max(
        abs(variance([*others, one]) - variance([*others, other]))
        for others in tables(n - 1)
        for one, other in product(QUARTERS, QUARTERS)
    )
    assert furthest == Fraction(n - 1, n**2)
    assert float(furthest) == pytest.approx(sensitivity, rel=1e-9)


@pytest.mark.parametrize("n", range(6))
def test_one_person_more_moves_the_sum_of_squares_by_less_than_one(n: int) -> None:
    """Theorem B: upwards, by less than 1; so `SS - c n` moves by at most max(c, 1 - c), for a public c."""
    moves = [squares([*people, one_more]) - squares(people) for people in tables(n) for one_more in QUARTERS]
    assert all(0 <= move < 1 for move in moves)
    assert max(moves) == Fraction(n, n + 1)
    for c in QUARTERS:
        assert max(abs(move - c) for move in moves) <= max(c, 1 - c)


@pytest.mark.parametrize("n", range(1, 6))
def test_the_variance_is_small_enough_exactly_when_the_total_is_not_positive(n: int) -> None:
    """`Var(y) = w^2 Var(u) <= tau`, w = eps / (1 + eps), without dividing by n: `SS - n tau / w^2 <= 0`."""
    tau, epsilon = Fraction(1, 50), Fraction(1)
    w = epsilon / (1 + epsilon)
    for people in tables(n):
        normalized = [(u + 1 / epsilon) / (1 + 1 / epsilon) for u in people]
        assert variance(normalized) == w**2 * variance(people)
        assert (variance(normalized) <= tau) == (squares(people) - n * tau / w**2 <= 0)


def test_the_pair_that_breaks_algorithm_3_is_one_step_of_the_repaired_query() -> None:
    x = [Fraction("0.3946")] * 500 + [Fraction(0)] * 500
    assert abs(variance(x) - variance([*x[:-1], Fraction(1)])) <= Fraction(999, 1000**2)


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_the_only_patient_is_as_much_as_one_person_may_move(n: int) -> None:
    """Methods 3.6: what a private selection hides is whether there is one."""
    assert variance([Fraction(0)] * (n - 1) + [Fraction(1)]) == Fraction(n - 1, n**2)
