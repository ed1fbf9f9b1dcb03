"""The exact RDR (docs/theory/gap.md): its ratio falls, its inverse is one, and Lemma 3.1 is on the safe side of it."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.privacy.risk.rdr import epsilon_for_ratio, rdr_gaussian
from sfumato.privacy.risk.rdr_exact import (
    epsilon_for_exact_ratio,
    kl,
    mu_for_exact_ratio,
    ratio_exact,
    rdr_exact,
    rdr_gaussian_exact,
)
from tests.property.tables import examples

TAUS = st.integers(1, 999).map(lambda thousandths: Fraction(thousandths, 1000))
SHARES = st.integers(0, 64).map(lambda parts: Fraction(parts, 64))
NUMBERS = st.sampled_from([1, 2, 6, 100])
EPSILONS = (0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0)
NEARLY = 1 + 1e-12  # what floats may be off by

pytestmark = pytest.mark.depth("exact ratios")


@st.composite
def people(draw: st.DrawFn) -> tuple[Fraction, Fraction, int, Fraction]:
    """The least and the most exposed, k, and the count's part: of one COUNT or SUM (nothing), or of an AVG (half)."""
    average = draw(st.booleans())
    own = Fraction(1, 2) if average else Fraction(0)
    low, high = sorted(share if share == 0 else own + share * (1 - own) for share in (draw(SHARES), draw(SHARES)))
    assume(low < high)
    return low, high, draw(NUMBERS) * (2 if average else 1), own


@examples("exact ratios")
@given(who=people(), tau=TAUS)
def test_the_epsilon_found_is_the_largest_that_meets_the_ratio(
    who: tuple[Fraction, Fraction, int, Fraction], tau: Fraction
) -> None:
    low, high, k, own = who
    epsilon = epsilon_for_exact_ratio(tau, low, high, k, Fraction(1), own)
    if epsilon is None:
        assert tau * high <= low
        assert ratio_exact(float(low), float(high), k, 1.0, 1e6, float(own)) * NEARLY >= tau
    else:
        assert ratio_exact(float(low), float(high), k, 1.0, epsilon, float(own)) == pytest.approx(float(tau), rel=1e-12)
        assert ratio_exact(float(low), float(high), k, 1.0, epsilon * 1.0001, float(own)) < tau


@examples("exact ratios")
@given(who=people())
def test_the_ratio_falls_from_one_to_that_of_the_exposures(who: tuple[Fraction, Fraction, int, Fraction]) -> None:
    low, high, k, own = who
    ratios = [ratio_exact(float(low), float(high), k, 1.0, epsilon, float(own)) for epsilon in EPSILONS]
    assert ratios[0] <= 1
    assert all(later <= earlier * NEARLY for earlier, later in pairwise(ratios))
    assert ratios[-1] * NEARLY >= low / high


@examples("exact ratios")
@given(high=SHARES, k=NUMBERS, tau=TAUS)
def test_the_closed_form_is_never_larger_where_somebody_carries_nothing(high: Fraction, k: int, tau: Fraction) -> None:
    assume(high > 0)
    published = epsilon_for_ratio(tau, Fraction(0), high, k, Fraction(1))
    exact = epsilon_for_exact_ratio(tau, Fraction(0), high, k, Fraction(1))
    assert published is not None
    assert exact is not None
    assert published <= exact


@examples("exact ratios")
@given(sensitivity=st.integers(1, 1000), high=SHARES, tau=TAUS)
def test_the_unit_in_which_people_are_measured_does_not_matter(sensitivity: int, high: Fraction, tau: Fraction) -> None:
    assume(high > 0)
    one = epsilon_for_exact_ratio(tau, Fraction(0), high, 1, Fraction(1))
    assert epsilon_for_exact_ratio(tau, Fraction(0), high * sensitivity, 1, Fraction(sensitivity)) == pytest.approx(one)


@examples("exact ratios")
@given(shares=st.lists(st.integers(1, 20), min_size=1, max_size=8), epsilon=st.floats(1e-6, 50))
def test_a_risk_split_over_several_numbers_is_never_larger(shares: list[int], epsilon: float) -> None:
    """Why the worst case takes one number: KL is convex and KL(0) = 0, so that parts lose no more than the whole."""
    parts = sum(kl(epsilon * share / sum(shares)) for share in shares)
    assert parts <= kl(epsilon) * NEARLY


@examples("exact ratios")
@given(x=st.one_of(st.just(0.0), st.floats(1e-150, 700)))
def test_nothing_cancels(x: float) -> None:
    with localcontext(prec=400):
        exact = Decimal(x) + (-Decimal(x)).exp() - 1
    assert kl(x) == pytest.approx(float(exact), rel=1e-15)


@examples("exact ratios")
@given(figure=st.floats(0, 100), k=NUMBERS, epsilon=st.floats(0.001, 10))
def test_lemma_3_1_is_an_upper_bound_by_at_most_one_noise_scale(figure: float, k: int, epsilon: float) -> None:
    exact, bound = rdr_exact(figure, k, 1.0, epsilon), figure + k / epsilon
    assert exact <= bound * NEARLY
    assert exact * NEARLY >= bound - 1 / epsilon


# Under Gaussian noise


def ratio_gaussian(low: float, high: float, k: int, mu: float) -> float:
    return rdr_gaussian_exact(mu * low, k, 1.0) / rdr_gaussian_exact(mu * high, k, 1.0)


@examples("exact ratios")
@given(who=st.tuples(SHARES, SHARES), k=NUMBERS)
def test_the_ratio_falls_under_gaussian_noise_too(who: tuple[Fraction, Fraction], k: int) -> None:
    low, high = sorted(map(float, who))
    assume(low < high)
    ratios = [ratio_gaussian(low, high, k, mu) for mu in (*EPSILONS, 1e4, 1e8, 1e100)]
    assert ratios[0] <= NEARLY
    assert all(later <= earlier * NEARLY for earlier, later in pairwise(ratios))
    assert ratios[-1] == pytest.approx(low / high, abs=1e-5)


@examples("exact ratios")
@given(who=st.tuples(SHARES, SHARES), k=NUMBERS, tau=TAUS)
def test_the_mu_found_is_the_largest_that_meets_the_ratio(
    who: tuple[Fraction, Fraction], k: int, tau: Fraction
) -> None:
    low, high = sorted(map(float, who))
    assume(low < high)
    mu = mu_for_exact_ratio(float(tau), low, high, k)
    if mu is None:
        assert float(tau) * high <= low * NEARLY
    else:
        assert ratio_gaussian(low, high, k, mu) == pytest.approx(float(tau), rel=1e-9)
        assert ratio_gaussian(low, high, k, mu * 1.001) < tau


@examples("exact ratios")
@given(figure=st.floats(0, 1e6), k=st.sampled_from([1, 2, 3, 7, 100, 10_000]), sigma=st.floats(1e-3, 1e3))
def test_lemma_3_2_is_an_upper_bound_by_at_most_one_variance(figure: float, k: int, sigma: float) -> None:
    """The variance of a norm is at most that of one number, and the mean of a distance no less than d."""
    exact, bound = rdr_gaussian_exact(figure, k, sigma), rdr_gaussian(figure, k, sigma)
    assert figure / NEARLY <= exact <= bound * NEARLY
    assert bound**2 - exact**2 <= sigma**2 + 1e-9 * bound**2
