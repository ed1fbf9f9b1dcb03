"""What a private selection comes to: post-processing of its noisy numbers, rounded down to a candidate.

See docs/theory/variance.md and docs/theory/exposure-cap.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal

from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.privacy.noise.calibration import mu_of
from sfumato.privacy.noise.worth import epsilon_of_mu
from sfumato.privacy.preferences.disparity import ExposureCap, Variance
from sfumato.privacy.risk.rdr_variance import beta_of_spread, epsilon_for_variance, margin

LEVELS = 64  # of exposure that an exposure cap tells apart
SMALLEST, DIGITS = 0.001, 3
"""The published candidates, where no others are stated: from 0.001 up, in three significant digits."""


@dataclass(frozen=True)
class Selected:
    """The largest candidate that a private selection allows, or why there is none or no more. A dp output.

    As published it is none. Find-eps-from-PRI also has the `output` that it accepted: exact numbers, cell by cell.
    """

    epsilon: float | None
    why: str = ""
    output: Sequence[Sequence[str]] = field(default=(), repr=False)

    @classmethod
    def rounded(cls, epsilon: float, epsilon_max: float, candidates: Sequence[float] | None) -> Selected:
        """Rounded down, never above epsilon_max; below the smallest candidate there is none."""
        candidate = candidate_below(min(epsilon, epsilon_max), candidates, epsilon_max)
        if candidate is None:
            return cls(None, "it allows no epsilon as large as the smallest candidate")
        return cls(candidate, f"epsilon_max, or the budget, leaves {epsilon_max:g}" if epsilon > epsilon_max else "")


def candidate_below(epsilon: float, candidates: Sequence[float] | None, epsilon_max: float = math.inf) -> float | None:
    """The largest candidate that is not above epsilon. `epsilon_max` itself is one where none are stated.

    >>> candidate_below(0.70675, None), candidate_below(0.00099, None), candidate_below(0.70675, (0.5, 0.6, 0.7, 0.8))
    (0.706, None, 0.7)
    """
    if candidates is not None:
        return max((candidate for candidate in candidates if candidate <= epsilon), default=None)
    if epsilon < SMALLEST:
        return None
    if epsilon == epsilon_max:
        return epsilon_max
    exact = Decimal(repr(epsilon))
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() + 1 - DIGITS), rounding=ROUND_FLOOR))


def epsilon_within_variance(preference: Variance, bound: float, noise: Noise) -> float:
    """The largest epsilon under which the variance, at most `bound` for exposures, is at most tau (k = 1).

    Under Gaussian noise exposures are squares, and what is bounded is mu squared.
    """
    allowed = epsilon_for_variance(float(preference.tau), bound)
    return allowed if noise.mechanism != NoiseLaw.GAUSSIAN else epsilon_of_mu(math.sqrt(allowed), noise)


def floor_of_variance(preference: Variance, people: float, scale: float, noise: Noise, *, alone: bool) -> float:
    """The smallest tau that a selection among so many people can be asked for: below, it would cost more than it gives.

    However alike they were, its margin leaves a bound of `b ln(1/beta) / n` or more on their variance in half of all
    cases, and so no epsilon as large as the one that it spends. `alone`: how many people there are is public.
    """
    spends = preference.select_epsilon
    worth = spends if noise.mechanism != NoiseLaw.GAUSSIAN else mu_of(spends, noise) ** 2
    return margin(scale, beta_of_spread(float(preference.beta), alone=alone)) / people * (worth / (1 + worth)) ** 2


def epsilon_under_cap(preference: ExposureCap, most_exposed: float, noise: Noise) -> float:
    """The epsilon under which someone of this exposure is at the cap: `e0 / u`, or the same of mu."""
    cap = float(preference.cap)
    if noise.mechanism != NoiseLaw.GAUSSIAN:
        return cap / most_exposed
    return epsilon_of_mu(mu_of(cap, noise) / most_exposed, noise)
