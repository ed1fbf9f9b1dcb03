"""The exact RDR under Laplace noise, of which Lemma 3.1 is an upper bound (methods 2.1 to 2.3).

A person moves noisy number j by `x_j` of its scales, and `RDR_i = b (k + sum_j KL(x_j))`. One COUNT or SUM is one
number: `x = eps u`. An AVG is two: whoever counts moves the count by the same `eps fixed`, and the sum by the rest.
"""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.errors import PreferenceError
from sfumato.risk.bisection import largest

_BEYOND = 1e300  # an epsilon like this is no bound at all


def kl(x: float) -> float:
    """`KL(x) = x + e^-x - 1`, the divergence of Laplace noise from itself moved by `x` scales; x is not negative.

    Where the three terms all but cancel, the series `x^2/2 - x^3/6 + ...`.

    >>> round(kl(1), 12), round(kl(1.5), 12)
    (0.367879441171, 0.723130160148)
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

    The patients of Figure 2 at epsilon 1, for whom Lemma 3.1 says 1, 1, 2; and three numbers, of which somebody moves
    one by 1 and another by 3.

    >>> [round(rdr_exact(pis, k=1, sensitivity=1, epsilon=1), 6) for pis in (0, 0, 1)]
    [1.0, 1.0, 1.367879]
    >>> round(rdr_exact(4, k=3, sensitivity=2, epsilon=1, fixed=1), 6)
    7.659322
    """
    if sensitivity == 0:
        return figure  # no noise at all
    scale = sensitivity / epsilon
    return scale * (k + _divergence(figure / scale, fixed / scale))


def ratio_exact(low: float, high: float, k: int, sensitivity: float, epsilon: float, fixed: float = 0.0) -> float:
    """`RDRmin / RDRmax` of the least and the most exposed: the exact RDR grows with the exposure.

    >>> round(ratio_exact(0, 1, k=1, sensitivity=1, epsilon=0.3429771567807679), 12)
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

    >>> nobody, everything, one = Fraction(0), Fraction(1), Fraction(1)
    >>> [round(epsilon_for_exact_ratio(Fraction(tau), nobody, everything, 1, one), 10) for tau in ("0.95", "0.5")]
    [0.3429771568, 1.8414056604]
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


def unknown_split() -> PreferenceError:
    return PreferenceError(
        "The exact RDR is known for one COUNT, SUM or AVG at a time, of people with one row each in a GROUP BY or AVG",
        hint="leave --exact out: the RDR of Lemma 3.1 is known for every query.",
    )


def not_laplace() -> PreferenceError:
    return PreferenceError(
        "The exact RDR is that of Laplace noise", hint="leave --exact out, or use --mechanism laplace."
    )


def _divergence(x: float, own: float) -> float:
    """`sum_j KL(x_j)` of somebody who moves the numbers by x in all, of which `own` is a number by itself."""
    return kl(own) + kl(max(0.0, x - own)) if x > 0 else 0.0
