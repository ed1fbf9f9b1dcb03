"""How far noise takes the difference of two released numbers from the true one (docs/theory/ranges.md)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from sfumato.model.calibration import NoiseLaw
from sfumato.privacy.noise.intervals import COVERAGE, reach

_AS_WIDE = 1e-6  # scales that differ by less count as the wider of the two
_ADDED = (NoiseLaw.LAPLACE, NoiseLaw.TRUNCATED)


@dataclass(frozen=True)
class AddedNoise:
    """Noise that was added to one number: by which law, how wide, on which lattice, and how far at most."""

    law: NoiseLaw
    scale: float
    step: Fraction
    furthest: float = math.inf


def tail(n: int, a: float, b: float) -> float:
    """`P(|X - Y| > n)` for independent discrete Laplace noises of scales a and b, in steps of the lattice of both.

    With `r = e^(-1/a)` and `s = e^(-1/b)` the difference is k with probability
    `(1-r)(1-s) / (1-rs) (r(1-s)/(1+r) r^|k| - s(1-r)/(1+s) s^|k|) / (r-s)`; its limit where they are equal.

    >>> round(tail(3272, 1000, 1000), 3), round(tail(2303, 1000, 1), 3)
    (0.1, 0.1)
    """
    a, b = max(a, b), min(a, b)
    r, s = math.exp(-1 / a), math.exp(-1 / b)
    p, q = -math.expm1(-1 / a), -math.expm1(-1 / b)  # 1 - r and 1 - s
    beyond_a, beyond_b = math.exp(-(n + 1) / a), math.exp(-(n + 1) / b)  # powers of r and s would round n times
    if a - b < _AS_WIDE * a:
        both = (n + 1 + (1 + r * r) / (p * (1 + r))) / p + r / p**2
        return min(1.0, 2 * (p / (1 + r)) ** 2 * beyond_a * both)
    s_to_r = math.exp((b - a) / (a * b))  # both sides are divided by r, which is 0 for narrow noise
    apart = -math.expm1((b - a) / (a * b))  # 1 - s/r, which cancels where the scales are nearly equal
    parts = q / (1 + r) * beyond_a / p - s_to_r * p / (1 + s) * beyond_b / q
    return min(1.0, 2 * p * q / (-math.expm1(-1 / a - 1 / b) * apart) * parts)


def reach_apart(one: AddedNoise, other: AddedNoise, miss: float = 1 - COVERAGE) -> float:
    """How far the difference of two numbers, each with noise of its own, goes but for a share `miss` of the time.

    Of Laplace noise on one lattice exactly, to the next step; of truncated noise that is a bound, as it lies closer to
    0 than the Laplace noise it is cut from. Of Gaussian noise on one lattice `hypot(s, t) z` and a step, as discrete
    Gaussian noise goes at most a step further. Whatever differs more gets a bound that needs no independence: each
    stays within its own reach and a step but for half of `miss`.

    >>> one = AddedNoise(NoiseLaw.LAPLACE, 40.0, Fraction(1, 1024))
    >>> (
    ...     round(reach_apart(one, one), 1),
    ...     round(reach_apart(one, AddedNoise(NoiseLaw.GAUSSIAN, 40.0, Fraction(1, 1024))), 1),
    ... )
    (130.9, 198.2)
    """
    most = one.furthest + other.furthest
    if one.step == other.step and one.law in _ADDED and other.law in _ADDED:
        return min(most, _steps(one, other, miss) * float(one.step))
    if one.step == other.step and one.law is other.law is NoiseLaw.GAUSSIAN:
        return math.hypot(one.scale, other.scale) * NormalDist().inv_cdf(1 - miss / 2) + float(one.step)
    return min(most, sum(_alone(noise, miss / 2) for noise in (one, other)))


def _steps(one: AddedNoise, other: AddedNoise, miss: float) -> int:
    """The fewest steps beyond which the difference lies no more often than `miss`, by bisection."""
    a, b = (noise.scale / float(noise.step) for noise in (one, other))
    below, enough = -1, math.ceil(2 * max(a, b) * math.log(2 / miss)) + 2
    while enough - below > 1:
        middle = (below + enough) // 2
        below, enough = (below, middle) if tail(middle, a, b) <= miss else (middle, enough)
    return enough


def _alone(noise: AddedNoise, miss: float) -> float:
    """A step more than continuous noise: on its lattice it goes at most that much further."""
    law = NoiseLaw.LAPLACE if noise.law in _ADDED else noise.law
    return min(noise.furthest, reach(law, noise.scale, miss) + float(noise.step))
