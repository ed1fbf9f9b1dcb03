"""What a release means for several people together (docs/theory/together.md)."""

from __future__ import annotations

import math
from fractions import Fraction

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.privacy.noise.gaussian import epsilon_analytic, lattice_cost, mu_on_lattice

_SLACK = 1 - 2**-40  # more than what floats lose
_DIGITS = 9  # an epsilon of a group is stated in so many decimals


def epsilon_of_one(epsilon: float, people: int, noise: Noise, numbers: int = 1) -> float:
    """The largest epsilon for one person with which any `people` together have this one, under the same delta.

    Pure noise: epsilon / n. Gaussian noise: noise n times as wide, whose epsilon for one person is less than that.
    `numbers`: how many numbers carry the noise.

    >>> epsilon_of_one(0.5, 4, Noise())
    0.125
    >>> round(epsilon_of_one(1, 4, Noise("gaussian", 1e-5)), 4)
    0.2203
    """
    if epsilon <= 0 or math.isinf(epsilon):
        return epsilon
    if noise.mechanism != NoiseLaw.GAUSSIAN:
        one = epsilon / people
        return one if Fraction(one) * people <= Fraction(epsilon) else math.nextafter(one, 0.0)
    delta = _delta(noise)
    return epsilon_analytic(mu_on_lattice(epsilon, delta, numbers) / people * _SLACK, delta)


def epsilon_of_group(epsilon: float, people: int, noise: Noise, numbers: int = 1) -> float:
    """The epsilon of any `people` together where this is that of one person; never below the exact one.

    >>> epsilon_of_group(0.125, 4, Noise())
    0.5
    >>> gaussian = Noise("gaussian", 1e-5)
    >>> [round(epsilon_of_group(0.5, n, gaussian), 4) for n in (2, 4)]
    [1.0673, 2.3027]
    """
    if noise.mechanism != NoiseLaw.GAUSSIAN:
        exact = Fraction(epsilon) * people
        near = round(epsilon * people, _DIGITS)
        return near if Fraction(near) >= exact else math.nextafter(float(exact), math.inf)
    delta = _delta(noise)
    mu = mu_on_lattice(epsilon, delta, numbers) * people
    above = epsilon_analytic(mu / _SLACK, delta * (1 - 2**-28))
    above += lattice_cost(above + 1, delta, numbers)[0]
    near = round(above, _DIGITS)
    return near if mu <= mu_on_lattice(near, delta, numbers) else above


def _delta(noise: Noise) -> float:
    if noise.delta is None:
        raise PreferenceError.because("delta-missing", mechanism=noise.mechanism)
    return noise.delta
