"""The exact RDR, of which Lemmas 3.1 and 3.2 are upper bounds (docs/theory/gap.md).

Under Laplace noise a person moves number j by `x_j` of its scales, and `RDR_i = b (k + sum_j KL(x_j))`. One COUNT or
SUM is one number: `x = eps u`. An AVG is two: each counted person moves the count by the same `eps fixed`, and the sum
by the rest. Under Gaussian noise it depends on how far a person moves all the numbers together, and on nothing else.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.privacy.bisection import largest

_BEYOND = 1e300  # an epsilon like this is no bound at all
_FURTHEST = 1e100  # nor is a mu like this, whose square is one
_MANY = 5e4  # beyond it the mean of a root is that of its first moments, to the last digits


def kl(x: float) -> float:
    """`KL(x) = x + e^-x - 1`, the divergence of Laplace noise from itself moved by `x` scales; x is not negative.

    Where the three terms all but cancel, the series `x^2/2 - x^3/6 + ...`.

    >>> round(kl(1), 4), round(kl(1.5), 4)
    (0.3679, 0.7231)
    >>> kl(1e-9)
    4.999999998333333e-19
    """
    if x > 1:
        return x + math.expm1(-x)
    term = total = x * x / 2
    power = 2
    while abs(term) > 1e-17 * total:
        power += 1
        term *= -x / power
        total += term
    return total


def rdr_exact(figure: float, k: int, sensitivity: float, epsilon: float, fixed: float = 0.0) -> float:
    """`RDR_i = b (k + KL(fixed / b) + KL((u - fixed) / b))` with `b = D / epsilon`, of an exposure or influence u.

    The patients of Figure 2 at epsilon 1, for whom Lemma 3.1 says 1, 1, 2; and three numbers, of which someone moves
    one by 1 and another by 3.

    >>> [round(rdr_exact(pis, k=1, sensitivity=1, epsilon=1), 4) for pis in (0, 0, 1)]
    [1.0, 1.0, 1.3679]
    >>> round(rdr_exact(4, k=3, sensitivity=2, epsilon=1, fixed=1), 4)
    7.6593
    """
    if sensitivity == 0:
        return figure  # no noise at all
    scale = sensitivity / epsilon
    return scale * (k + _divergence(figure / scale, fixed / scale))


def ratio_exact(low: float, high: float, k: int, sensitivity: float, epsilon: float, fixed: float = 0.0) -> float:
    """`RDRmin / RDRmax` of the least and the most exposed: the exact RDR grows with the exposure.

    >>> round(ratio_exact(0, 1, k=1, sensitivity=1, epsilon=0.343), 4)
    0.95
    """
    least, most = (rdr_exact(figure, k, sensitivity, epsilon, fixed) for figure in (low, high))
    return least / most if most else 1.0


def epsilon_for_exact_ratio(
    tau: Fraction, low: Fraction, high: Fraction, k: int, sensitivity: Fraction, fixed: Fraction = Fraction(0)
) -> float | None:
    """The largest epsilon with `RDRmin / RDRmax >= tau`; None where every epsilon will do, 0 where none will.

    The exact ratio, too, falls from 1 to `low / high` as epsilon grows (docs/theory/gap.md has the proof), so that
    there is one root to look for: `k (1 - tau) + KL_min = tau KL_max`.

    >>> nothing, everything, one = Fraction(0), Fraction(1), Fraction(1)
    >>> [round(epsilon_for_exact_ratio(Fraction(tau), nothing, everything, 1, one), 4) for tau in ("0.95", "0.5")]
    [0.343, 1.8414]
    """
    if tau * high <= low:
        return None
    spare = float(k * (1 - tau))
    if spare == 0 or sensitivity == 0:
        return 0.0
    least, most, own = (float(figure / sensitivity) for figure in (low, high, fixed))

    def holds(epsilon: float) -> bool:
        lost_least, lost_most = (_divergence(epsilon * figure, epsilon * own) for figure in (least, most))
        return spare + lost_least >= float(tau) * lost_most

    top = 1.0
    while holds(top):
        top *= 2
        if top > _BEYOND:
            return None
    return largest(holds, 0.0, top)


def rdr_gaussian_exact(figure: float, k: int, sigma: float) -> float:
    """The mean distance `E|d + sigma Z|` in k dimensions; Lemma 3.2 has the root of the mean square, which is larger.

    `sigma sqrt(2) G((k+1)/2) / G(k/2) M(-1/2, k/2, -t)`, `t = d^2 / (2 sigma^2)`; by Kummer's transformation that is
    `sigma sqrt(2)` times the mean of `G(k/2 + N + 1/2) / G(k/2 + N)` over Poisson N of mean t, where nothing cancels.

    >>> round(rdr_gaussian_exact(0, k=1, sigma=1), 4), round(rdr_gaussian_exact(3, k=1, sigma=4), 4)
    (0.7979, 4.0493)
    """
    if sigma == 0:
        return figure
    c, t = k / 2, (figure / sigma) ** 2 / 2
    if c + t > _MANY:
        return sigma * _mean_root(k, 2 * t)
    mode = math.floor(t)
    g = _root_of_gamma(c + mode)
    weights, total = 1.0, g  # from the likeliest N up, then down; in units of its probability
    weight, each = 1.0, g
    for n in count(mode):
        weight, each = weight * t / (n + 1), each * (c + n + 0.5) / (c + n)
        weights, total = weights + weight, total + weight * each
        if weight * each < 1e-17 * total:
            break
    weight, each = 1.0, g
    for n in range(mode, 0, -1):
        weight, each = weight * n / t, each * (c + n - 1) / (c + n - 0.5)
        weights, total = weights + weight, total + weight * each
        if weight * each < 1e-17 * total:
            break
    return sigma * math.sqrt(2) * total / weights


def mu_for_exact_ratio(tau: float, low: float, high: float, k: int) -> float | None:
    """The largest mu with `RDRmin / RDRmax >= tau` under Gaussian noise; None where all will do, 0 where none will.

    The ratio falls from 1 to `low / high` as mu grows (docs/theory/gap.md). `low` and `high` in units of D.

    >>> round(mu_for_exact_ratio(0.95, 0, 1, k=1), 4)
    0.3259
    """
    if tau * high <= low:
        return None
    if tau == 1:
        return 0.0

    def holds(mu: float) -> bool:
        return rdr_gaussian_exact(mu * low, k, 1.0) >= tau * rdr_gaussian_exact(mu * high, k, 1.0)

    top = 1.0
    while holds(top):
        top *= 2
        if top > _FURTHEST:
            return None
    return largest(holds, 0.0, top)


def require_split(noise: Noise, fixed: Fraction | None) -> Fraction:
    """The part that is a number by itself; refused where an exact RDR under Laplace noise is not known."""
    if noise.mechanism != NoiseLaw.LAPLACE:
        raise PreferenceError.because("exact-rdr-of-other-noise")
    if fixed is None:
        raise PreferenceError.because("exact-rdr-unknown")
    return fixed


def _divergence(x: float, own: float) -> float:
    """`sum_j KL(x_j)` of someone who moves the numbers by x in all, of which `own` is a number by itself."""
    return kl(own) + kl(max(0.0, x - own)) if x > 0 else 0.0


def _mean_root(k: int, square: float) -> float:
    """`E sqrt(Y)` of a noncentral chi-squared Y, by its moments up to the fourth: off by some 20 / (k + square)^3."""
    mean = k + square
    two, three, four = (factor * (k / mean + times * square / mean) for factor, times in ((2, 2), (8, 3), (48, 4)))
    beyond = three / 16 - 5 / 128 * (3 * two * two + four / mean)  # moments over the mean
    return math.sqrt(mean) * (1 - two / 8 / mean + beyond / mean / mean)


def _root_of_gamma(x: float) -> float:
    """`G(x + 1/2) / G(x)`, about the root of x: by its series where logarithms of gamma would lose digits."""
    if x < 100:
        return math.exp(math.lgamma(x + 0.5) - math.lgamma(x))
    return math.sqrt(x) * (1 - 1 / (8 * x) + 1 / (128 * x**2) + 5 / (1024 * x**3) - 21 / (32768 * x**4))
