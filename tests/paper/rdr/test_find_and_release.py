"""Find-and-release-epsilon-from-RDR (section 5.1): what its sensitivity is, and that of the query that repairs it.

Figures are per-instance sensitivities as the paper has them, or exposures between 0 and 1, exactly. Where epsilons are
drawn, all checks together fail by chance in fewer than 1e-7 of all runs (`audit.RATE`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import accumulate, combinations_with_replacement, islice, pairwise, product
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import sfumato as sf
from sfumato.model.choice import Noise
from sfumato.privacy.noise.worth import epsilon_of_mu
from sfumato.privacy.preferences.disparity import Variance
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES
from sfumato.privacy.risk.rdr_distribution import rdrs_at
from sfumato.privacy.risk.rdr_variance import epsilon_for_variance
from sfumato.privacy.sensitivity import sensitivity_of_variance
from sfumato.release.people.exposure_range import compared_spread
from tests.depth import depth
from tests.paper.test_rdr import ADULT, PEOPLE, QUERIES, svt_split, variance_as_published
from tests.statistical.audit import RATE, least_rate, most_rate
from tests.statistical.bulk import draw_selections

QUARTERS = tuple(Fraction(i, 4) for i in range(5))
CANDIDATE = 10.0  # the first that Algorithm 3 asks about


def squares(exposures: Sequence[Fraction]) -> Fraction:
    """`SS = sum (u_i - mean)^2`; of nobody it is 0."""
    mean = sum(exposures, Fraction(0)) / max(1, len(exposures))
    return sum(((u - mean) ** 2 for u in exposures), Fraction(0))


def variance(exposures: Sequence[Fraction]) -> Fraction:
    return squares(exposures) / len(exposures)


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
    means = [(values, fmean(values)) for values in (before, after)]
    far = [[abs(value - mean) for value in values] for values, mean in means]  # in units of (U - L) / n
    assert variance_as_published(far[0], CANDIDATE) - variance_as_published(far[1], CANDIDATE) > 0.106


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_of_a_count_the_claim_holds(n: int) -> None:
    """All influences are 0 or 1, so that the largest RDR moves only when the first person matches."""
    variances = [variance_as_published([1.0] * ill + [0.0] * (n - ill), CANDIDATE) for ill in range(min(n, 50) + 1)]
    assert all(abs(b - a) <= 1 / n for a, b in pairwise(variances))


# The repair: exposures between 0 and 1, divided by what is possible (docs/theory/variance.md)


@pytest.mark.parametrize("n", range(2, 7))
def test_replacing_one_person_moves_the_variance_by_at_most(n: int) -> None:
    """Theorem A, over all small tables: (n-1)/n^2, and it is reached."""
    furthest = max(
        abs(variance([*others, one]) - variance([*others, other]))
        for others in tables(n - 1)
        for one, other in product(QUARTERS, QUARTERS)
    )
    assert furthest == Fraction(n - 1, n**2)
    assert furthest == sensitivity_of_variance(n)


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
        largest = epsilon_for_variance(float(tau), float(variance(people)))
        assert (variance(normalized) <= tau) == (largest >= float(epsilon) or math.isclose(largest, float(epsilon)))


def test_the_pair_that_breaks_algorithm_3_is_one_step_of_the_repaired_query() -> None:
    x = [Fraction("0.3946")] * 500 + [Fraction(0)] * 500
    assert abs(variance(x) - variance([*x[:-1], Fraction(1)])) <= Fraction(999, 1000**2)


@pytest.mark.parametrize("n", [2, 10, 1000])
def test_the_only_patient_is_as_much_as_one_person_may_move(n: int) -> None:
    """What a private selection hides is whether there is one (docs/theory/variance.md)."""
    assert variance([Fraction(0)] * (n - 1) + [Fraction(1)]) == Fraction(n - 1, n**2)


# On the Adult data: Q1 has 19 of 32,561 people, and tau = 1e-4 allows 0.7068 (docs/theory/variance.md)

SHARE = 19 / PEOPLE
TAU = 1e-4
ALLOWED = epsilon_for_variance(TAU, SHARE * (1 - SHARE))


def selected(query: sf.Query, preference: Variance, runs: int, **how: Any) -> list[float]:
    """The epsilons of so many selections; 0 where there is none."""
    return [one.epsilon or 0.0 for one in islice(draw_selections(query, preference, **how), runs)]


@pytest.mark.adult
@pytest.mark.statistical
@pytest.mark.depth("adult selections")
def test_q1_selected_privately(adult_csv: Path) -> None:
    """At most 5 of 100 above what tau allows, 90 within [0.5, 0.71]; without a margin about half are."""
    query, runs = sf.open(adult_csv, ADULT, ledger=":memory:").query(QUERIES["Q1"]), depth("adult selections")
    found = selected(query, sf.variance(TAU, select_epsilon=1), runs)
    assert least_rate(sum(epsilon > ALLOWED for epsilon in found), runs) <= 0.05
    assert most_rate(sum(0.5 <= epsilon <= 0.71 for epsilon in found), runs) >= 0.9
    bare = selected(query, sf.variance(TAU, select_epsilon=1, beta=1 - 1e-9), runs)
    assert least_rate(sum(epsilon > ALLOWED for epsilon in bare), runs) > 0.2


@pytest.mark.adult
@pytest.mark.statistical
@pytest.mark.depth("adult selections")
def test_q1_selected_privately_for_gaussian_noise(adult_csv: Path) -> None:
    """What tau bounds is mu squared: 0.7068."""
    noise = Noise("gaussian", 1e-9)
    query, runs = sf.open(adult_csv, ADULT, ledger=":memory:").query(QUERIES["Q1"]), depth("adult selections")
    allowed = epsilon_of_mu(math.sqrt(ALLOWED), noise)
    found = selected(query, sf.variance(TAU, select_epsilon=1), runs, mechanism="gaussian", delta=1e-9)
    assert least_rate(sum(epsilon > allowed for epsilon in found), runs) <= 0.05
    assert most_rate(sum(0.8 * allowed <= epsilon for epsilon in found), runs) >= 0.9


# Figure 9: Algorithm 3 as published, with bounds from the data and the classic Gaussian, as the authors' code has it

LABELS = (1e-5, 1e-7, 1e-9, 1e-11)  # as they are printed
RUN = (10e-5, 10e-7, 10e-9, 10e-11)  # as they were run: ten times that
CANDIDATES = sorted(PAPER_CANDIDATES, reverse=True)


def figure_9(query: sf.Query, noise: Noise) -> list[float]:
    """The variance at each candidate, from the largest down."""
    people = compared_spread(sf.variance(TAU, select_epsilon=1, as_published=True), query._bound.look(noise), noise)
    return [rdrs_at(candidate, people, noise).normalised_variance for candidate in CANDIDATES]


def published_law(variances: Sequence[float], tau: float, epsilon: float = 1.0) -> list[float]:
    """How often each candidate comes out, and last that none does: Algorithm 3 with noise for a sensitivity of 1/n."""
    threshold, query = (scale / PEOPLE / part for scale, part in zip((1, 2), svt_split(epsilon), strict=True))
    shares, step = [0.0] * (len(variances) + 1), threshold / 20
    for i in range(-300, 301):
        z = i * step
        left = step * math.exp(-abs(z) / threshold) / (2 * threshold)
        for place, variance_there in enumerate(variances):
            x = (tau - variance_there - z) / query
            passes = 1 - math.exp(-x) / 2 if x > 0 else math.exp(x) / 2
            shares[place] += left * passes
            left *= 1 - passes
        shares[-1] += left
    return shares


def apart(one: Sequence[float], other: Sequence[float]) -> float:
    """In how much of all cases two ranges differ."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / 2


def middle(law: Sequence[float]) -> float:
    """The median of what is found, from the largest candidate down."""
    return next(c for c, share in zip(CANDIDATES, accumulate(law), strict=False) if share >= sum(law[:-1]) / 2)


MECHANISMS: Mapping[str, dict[str, Any]] = {
    "laplace": {},
    "gaussian": {"mechanism": "gaussian", "calibration": "classic", "delta": 1 / PEOPLE**2},
}


@pytest.mark.adult
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_figure_9_shows_noise_and_its_labels_are_ten_times_off(adult_csv: Path, mechanism: str) -> None:
    """Section 6.3.2: "mostly similar for different tau_var except in some cases when tau_var = 1e-5 and larger epsilons
    are found". As run, the first is 1e-4 and so it is; at 1e-5, as printed, it would be like all the others."""
    how = MECHANISMS[mechanism]
    noise = Noise(mechanism, how.get("delta"), how.get("calibration", "analytic"))
    adult = sf.open(adult_csv, ADULT, ledger=":memory:", bounds_from_data=True)
    for name, sql in QUERIES.items():
        variances = figure_9(adult.query(sql), noise)
        law = cache(lambda tau, variances=tuple(variances): published_law(variances, tau))
        assert sum(law(RUN[0])) == pytest.approx(1, abs=1e-3)
        for tau in (*RUN[2:], *LABELS[1:]):
            assert apart(law(RUN[1]), law(tau)) < 0.01, (name, tau)
        assert middle(law(RUN[0])) > middle(law(RUN[1])), name
        assert apart(law(RUN[0]), law(RUN[1])) > 0.25, name
        assert apart(law(LABELS[0]), law(RUN[1])) < 0.06, name


@pytest.mark.adult
@pytest.mark.statistical
@pytest.mark.depth("adult selections")
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_figure_9_is_drawn_as_published(adult_csv: Path, mechanism: str) -> None:
    """Candidates come out as that law says; on Q1 from 0.3 to 8 in 9 of 10 runs, where 0.7068 is exact."""
    how, runs = MECHANISMS[mechanism], depth("adult selections")
    query = sf.open(adult_csv, ADULT, ledger=":memory:", bounds_from_data=True).query(QUERIES["Q1"])
    noise = Noise(mechanism, how.get("delta"), how.get("calibration", "analytic"))
    law = published_law(figure_9(query, noise), TAU)
    preference = sf.variance(TAU, select_epsilon=1, as_published=True)
    found = Counter(selected(query, preference, runs, candidates="paper", **how))
    seen = list(accumulate(found[candidate] / runs for candidate in CANDIDATES))
    furthest = max(abs(a - b) for a, b in zip(seen, accumulate(law), strict=False))
    assert furthest <= math.sqrt(math.log(2 / RATE) / (2 * runs)) + 0.01
    if mechanism == "laplace":
        upwards = list(accumulate(law[-2::-1]))
        ends = [next(c for c, s in zip(CANDIDATES[::-1], upwards, strict=True) if s >= p) for p in (0.05, 0.95)]
        assert ends[0] <= 0.4
        assert ends[1] >= 8
