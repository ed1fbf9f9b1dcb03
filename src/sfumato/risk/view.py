"""One row of a risk view: what an epsilon would mean, from whom it compares and how the noise is drawn."""

from __future__ import annotations

import math
from statistics import NormalDist

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement, NoisyNumber, NumberKind
from sfumato.model.risk import WORST_CASE, RiskAt, Spread
from sfumato.risk.attack import attack_chance, attack_chance_gaussian, attack_chance_laplace
from sfumato.risk.gaussian import mu_analytic, mu_classic
from sfumato.risk.noise import COVERAGE, laplace_half_width
from sfumato.risk.rdr import rdr_gaussian, rdr_laplace

CANDIDATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def risk_at(epsilon: float, spread: Spread, measurement: Measurement, noise: Noise) -> RiskAt:
    """RDRs in units of the sensitivity, and on the answer's own scale where all the numbers share one."""
    low, high, one = float(spread.low), float(spread.high), float(spread.sensitivity)
    numbers = measurement.numbers
    widths = [one] if spread.published else [_width(n) for n in numbers]
    exposure = high / one if one else 0.0
    if noise.mechanism == "laplace":
        least, most = (rdr_laplace(figure, spread.k, one, epsilon) for figure in (low, high))
        half_widths = [None if width is None else laplace_half_width(width / epsilon) for width in widths]
        chance = attack_chance(epsilon) if spread is WORST_CASE else attack_chance_laplace(epsilon, exposure)
    else:
        mu = mu_of(epsilon, noise)
        least, most = (rdr_gaussian(figure, spread.k, one / mu) for figure in (low, high))
        shares = [1.0] if spread.published else [float(n.share) for n in measurement.numbers]
        reach = NormalDist().inv_cdf((1 + COVERAGE) / 2) / mu
        half_widths = [None if w is None else w * math.sqrt(s) * reach for w, s in zip(widths, shares, strict=True)]
        chance = attack_chance_gaussian(mu, exposure)
    own_scale = 1.0 if spread.published else _own_scale(measurement)
    return RiskAt(
        epsilon=epsilon,
        rdr_min=None if own_scale is None else least * own_scale,
        rdr_max=None if own_scale is None else most * own_scale,
        ratio=least / most if most else 1.0,
        gap=most / least if least else (math.inf if most else 1.0),
        noise_90=tuple(half_widths),
        attack_chance=chance,
    )


def _width(number: NoisyNumber) -> float | None:
    """What the noise of a number is scaled by; a value that is selected by its rank carries none of its own."""
    return None if number.kind is NumberKind.SELECTION else float(number.sensitivity / number.share)


def mu_of(epsilon: float, noise: Noise) -> float:
    if noise.delta is None:
        raise PreferenceError("Gaussian noise needs a delta", hint="state one with --delta, such as 1e-9.")
    return (mu_classic if noise.calibration == "classic" else mu_analytic)(epsilon, noise.delta)


def _own_scale(measurement: Measurement) -> float | None:
    """What one unit of exposure is on the answer's scale, where all the numbers share one."""
    n = measurement.numbers[0]
    return float(n.sensitivity / n.share) if measurement.one_scale else None
