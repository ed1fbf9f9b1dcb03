"""One row of a risk view: what an epsilon would mean, from whom it compares and how the noise is drawn."""

from __future__ import annotations

import math
from statistics import NormalDist

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.risk import WORST_CASE, RiskAt, Spread
from sfumato.risk.attack import attack_chance, attack_chance_gaussian, attack_chance_laplace
from sfumato.risk.gaussian import mu_analytic, mu_classic
from sfumato.risk.noise import COVERAGE, laplace_half_width
from sfumato.risk.rdr import rdr_gaussian, rdr_laplace

CANDIDATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def risk_at(epsilon: float, spread: Spread, measurement: Measurement, noise: Noise) -> RiskAt:
    """RDRs in units of the sensitivity, and on the answer's own scale where all the numbers share one."""
    low, high, one = float(spread.low), float(spread.high), float(spread.sensitivity)
    widths = [one] if spread.published else [float(n.sensitivity / n.share) for n in measurement.numbers]
    exposure = high / one if one else 0.0
    if noise.mechanism == "laplace":
        least, most = (rdr_laplace(figure, spread.k, one, epsilon) for figure in (low, high))
        half_widths = [laplace_half_width(width / epsilon) for width in widths]
        chance = attack_chance(epsilon) if spread is WORST_CASE else attack_chance_laplace(epsilon, exposure)
    else:
        mu = mu_of(epsilon, noise)
        least, most = (rdr_gaussian(figure, spread.k, one / mu) for figure in (low, high))
        shares = [1.0] if spread.published else [float(n.share) for n in measurement.numbers]
        sigmas = [width * math.sqrt(share) / mu for width, share in zip(widths, shares, strict=True)]
        half_widths = [NormalDist().inv_cdf((1 + COVERAGE) / 2) * sigma for sigma in sigmas]
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


def chance_against(exposure: float, epsilon: float, noise: Noise) -> float:
    """How often an attacker who knows everybody else is right about somebody of this exposure, at most."""
    if noise.mechanism == "laplace":
        return attack_chance_laplace(epsilon, exposure)
    return attack_chance_gaussian(mu_of(epsilon, noise), exposure)


def mu_of(epsilon: float, noise: Noise) -> float:
    if noise.delta is None:
        raise PreferenceError("Gaussian noise needs a delta", hint="state one with --delta, such as 1e-9.")
    return (mu_classic if noise.calibration == "classic" else mu_analytic)(epsilon, noise.delta)


def _own_scale(measurement: Measurement) -> float | None:
    """What one unit of exposure is on the answer's scale, where all the numbers share one."""
    n = measurement.numbers[0]
    return float(n.sensitivity / n.share) if measurement.one_scale else None
