"""Truncated Laplace noise: Laplace noise that never goes further than a reach, at the price of a delta.

See docs/theory/truncated.md.

As published (DPP 2.2.1) it is continuous, and of sensitivity 1; here it is of any. What is drawn lies on a lattice
of whole steps, and `steps_of_reach` is what that needs (docs/theory/truncated.md). Delta is below 1/2.
"""

from __future__ import annotations

import math

from sfumato.privacy.bisection import largest

FURTHEST = 2**62  # steps of a lattice that noise may reach
FLATTEST = 1 / 64  # where a smaller share of Laplace noise lies within the reach, too much of it is drawn in vain
_UP = 1 + 2**-40  # more than what floats lose, and than the sampler's scale is wider than it need be


def reach_of(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """`A = (D/eps) ln(1 + (e^eps - 1) / (2 delta))`: noise of scale D/eps within [-A, A] has exactly this delta.

    >>> round(reach_of(2, 1e-6), 3), round(reach_of(1, 1e-6, sensitivity=5), 2)
    (7.488, 68.32)
    """
    return sensitivity * (1 + _beyond(epsilon, delta) / epsilon)


def epsilon_of_reach(reach: float, delta: float, sensitivity: float = 1.0) -> float | None:
    """The inverse. None where the reach is no longer than the sensitivity: then someone shows at any epsilon.

    It falls as the reach grows, to 0 from `D / (2 delta)` on: even flat noise has no larger delta then.

    >>> round(epsilon_of_reach(7.4885, 1e-6) or 0, 3), epsilon_of_reach(60, 0.01), epsilon_of_reach(0.9, 0.01)
    (2.0, 0.0, None)
    """
    if reach <= sensitivity:
        return None
    if 2 * delta * reach >= sensitivity:
        return 0.0
    more = (reach - sensitivity) / sensitivity
    return largest(lambda epsilon: _beyond(epsilon, delta) >= more * epsilon, 0.0, -math.log(2 * delta) / more)


def delta_of_reach(reach: float, epsilon: float, sensitivity: float = 1.0) -> float:
    """The delta that noise of scale D/eps within [-A, A] really has: how often it shows that it was not moved by D.

    With a reach that was computed as if the sensitivity were 1, where it is 5:

    >>> round(delta_of_reach(reach_of(1, 1e-6), 1, sensitivity=5), 3)
    0.06
    """
    if 2 * reach <= sensitivity:
        return 1.0
    scale = sensitivity / epsilon
    inside = -2 * math.expm1(-reach / scale)
    if reach >= sensitivity:
        return math.exp((sensitivity - reach) / scale) * -math.expm1(-epsilon) / inside
    return 1 - (math.exp((reach - sensitivity) / scale) - math.exp(-reach / scale)) / inside


def quantile(share: float, scale: float, reach: float) -> float:
    """How far the noise goes in a share of all draws; less than its reach, and than Laplace noise of the same scale.

    >>> round(quantile(0.9, 5, 12), 2), round(quantile(0.9, 5, 1000), 2)
    (8.53, 11.51)
    """
    return -scale * math.log1p(share * math.expm1(-reach / scale)) if scale else 0.0


def delta_of_each(delta: float, numbers: int) -> float:
    """`1 - (1 - delta)^(1/m)`: of m numbers, any shows with probability delta if each does with this (DPP (6)).

    >>> delta_of_each(0.19, 2)
    0.1
    """
    return -math.expm1(math.log1p(-delta) / numbers)


def steps_of_reach(epsilon: float, delta: float, steps: int) -> int:
    """The smallest reach n on a lattice with `steps` to a sensitivity: `P(k) ~ r^|k|`, `r = e^(-eps/steps)`, |k| <= n.

    Moved by s steps, noise shows by the s outermost on one side, `r^(n+1) (r^-s - 1) / (1 + r - 2 r^(n+1)) <= delta`,
    and so `(n + 1) eps / s >= ln(1 + (e^eps - 1) / (2 delta)) + ln(2 / (1 + r))`.

    >>> steps_of_reach(1, 1e-6, 1024) / 1024 - reach_of(1, 1e-6) < 1 / 1024
    True
    """
    if not steps:
        return 0
    on_lattice = -math.log1p(math.expm1(-epsilon / steps) / 2)
    return math.ceil(steps * (1 + (_beyond(epsilon, delta) + on_lattice) / epsilon) * _UP) - 1


def mean_share(epsilon: float, delta: float) -> float:
    """`E|X| / b = 1 - a / (e^a - 1)` with `a = A / b`: of Laplace noise it is 1, whose mean is its scale.

    >>> round(mean_share(1, 1e-6), 6), round(mean_share(0.2, 0.3), 3)
    (0.999984, 0.149)
    """
    a = epsilon + _beyond(epsilon, delta)
    return 1 - a / math.expm1(a) if a < 700 else 1.0


def mass_within(epsilon: float, delta: float) -> float:
    """The share of Laplace noise that lies within the reach.

    >>> round(mass_within(1, 1e-6), 6), round(mass_within(1e-3, 0.1), 4)
    (0.999999, 0.005)
    """
    return -math.expm1(-epsilon - _beyond(epsilon, delta))


def _beyond(epsilon: float, delta: float) -> float:
    """`ln(1 + (e^eps - 1) / (2 delta)) - eps`, in terms that neither cancel nor overflow."""
    less = -math.expm1(-epsilon)
    more = less * ((1 - 2 * delta) / (2 * delta))
    return math.log1p(more) if more < math.inf else math.log(less) - math.log(2 * delta)
