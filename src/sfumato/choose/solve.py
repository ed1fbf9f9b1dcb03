"""Facts and preferences -> the largest epsilon that meets them all (methods 2.2, 2.4, 12.3, 13)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.choose.preference import AttackChance, Epsilon, Preference, Ratio
from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.risk import WORST_CASE, Spread
from sfumato.risk.attack import epsilon_for_attack_chance, mu_for_attack_chance
from sfumato.risk.gaussian import epsilon_analytic, epsilon_classic
from sfumato.risk.rdr import epsilon_for_ratio, sigma_for_ratio

_BEYOND = 10**300  # an epsilon like this is no bound at all


@dataclass(frozen=True)
class Interval:
    """The epsilons that meet a preference: above 0, from `low` to `high`."""

    low: float
    high: float


@dataclass(frozen=True)
class Solution:
    epsilon: float | None
    feasible: bool
    unbounded: bool
    why: str


def interval(preference: Preference, people: Spread | None, noise: Noise) -> Interval:
    """The epsilons that meet one preference; `people` is needed only by those that read the people."""
    match preference:
        case Epsilon(value):
            return Interval(value, value)
        case AttackChance(chance):
            return Interval(0.0, _epsilon_for_chance(float(chance), noise))
        case Ratio(tau, worst_case):
            spread = WORST_CASE if worst_case else people
            if spread is None:
                raise ValueError("this preference reads the people")
            return Interval(0.0, _epsilon_for_ratio(tau, spread, noise))


def solve(
    preferences: Sequence[Preference],
    people: Spread | None,
    noise: Noise,
    *,
    grid: Sequence[float] | None = None,
    epsilon_max: float = 10.0,
) -> Solution:
    """The top of the intersection, rounded down to the grid if there is one, and never above `epsilon_max`."""
    intervals = {p: interval(p, people, noise) for p in preferences}
    floor = max(intervals, key=lambda p: intervals[p].low)
    ceiling = min(intervals, key=lambda p: intervals[p].high)
    top = intervals[ceiling].high
    if top <= 0:
        return Solution(None, False, False, f"No epsilon meets {ceiling.words}.")
    if intervals[floor].low > top:
        return Solution(None, False, False, f"No epsilon meets both {floor.words} and {ceiling.words}.")
    if grid is not None:
        return _on_grid(intervals[floor].low, top, grid, ceiling, epsilon_max)
    if math.isinf(top):
        return Solution(None, True, True, f"Every epsilon meets {ceiling.words}: state one with --epsilon.")
    if top > epsilon_max:
        why = f"Epsilons up to {top:.4g} meet {ceiling.words}; it is held at epsilon_max, {epsilon_max:g}."
        return Solution(epsilon_max, True, False, why)
    return Solution(top, True, False, f"The largest epsilon that meets {ceiling.words}.")


def _on_grid(low: float, top: float, grid: Sequence[float], ceiling: Preference, epsilon_max: float) -> Solution:
    candidates = [c for c in grid if low <= c <= min(top, epsilon_max)]
    if not candidates:
        return Solution(None, False, False, f"No candidate on the grid meets {ceiling.words}.")
    return Solution(max(candidates), True, False, f"The largest candidate on the grid that meets {ceiling.words}.")


def _epsilon_for_ratio(tau: Fraction, spread: Spread, noise: Noise) -> float:
    if noise.mechanism == "laplace":
        exact = epsilon_for_ratio(tau, spread.low, spread.high, spread.k, spread.sensitivity)
        return math.inf if exact is None or exact > _BEYOND else float(exact)
    sigma = sigma_for_ratio(float(tau), float(spread.low), float(spread.high), spread.k)
    if sigma == 0:
        return math.inf
    return _epsilon_for_mu(float(spread.sensitivity) / sigma, noise)


def _epsilon_for_chance(chance: float, noise: Noise) -> float:
    if noise.mechanism == "laplace":
        return epsilon_for_attack_chance(chance)
    return _epsilon_for_mu(mu_for_attack_chance(chance), noise)


def _epsilon_for_mu(mu: float, noise: Noise) -> float:
    if noise.delta is None:
        raise PreferenceError("Gaussian noise needs a delta", hint="state one with --delta, such as 1e-9.")
    if math.isinf(mu):
        return math.inf
    calibrated = epsilon_classic if noise.calibration == "classic" else epsilon_analytic
    return calibrated(mu, noise.delta)
