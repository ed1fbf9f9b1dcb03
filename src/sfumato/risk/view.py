"""One row of a risk view: what an epsilon would mean, from whom it compares and how the noise is drawn."""

from __future__ import annotations

import math
from statistics import NormalDist

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.dataset import Relation
from sfumato.model.measurement import Measurement, NoisyNumber, NumberKind
from sfumato.model.risk import WORST_CASE, RiskAt, Spread
from sfumato.risk.attack import attack_chance, attack_chance_gaussian, attack_chance_laplace
from sfumato.risk.exact import not_laplace, rdr_exact, unknown_split
from sfumato.risk.gaussian import mu_analytic, mu_classic
from sfumato.risk.noise import COVERAGE, laplace_half_width
from sfumato.risk.rdr import rdr_gaussian, rdr_laplace

CANDIDATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def risk_at(epsilon: float, spread: Spread, measurement: Measurement, noise: Noise, *, exact: bool = False) -> RiskAt:
    """RDRs in units of the sensitivity, and on the answer's own scale where all the numbers share one.

    With `exact` they are the RDRs themselves instead of the upper bound of Lemma 3.1.
    """
    one = float(spread.sensitivity)
    widths = [one] if spread.published else [_width(n) for n in measurement.numbers]
    exposure = _most_exposed(spread, measurement)
    if noise.mechanism == "laplace":
        half_widths = [None if width is None else laplace_half_width(width / epsilon) for width in widths]
        any_mechanism = spread is WORST_CASE or None in widths  # what is selected by its rank carries no Laplace noise
        chance = attack_chance(epsilon) if any_mechanism else attack_chance_laplace(epsilon, exposure)
    else:
        mu = mu_of(epsilon, noise)
        shares = [1.0] if spread.published else [float(n.share) for n in measurement.numbers]
        reach = NormalDist().inv_cdf((1 + COVERAGE) / 2) / mu
        half_widths = [None if w is None else w * math.sqrt(s) * reach for w, s in zip(widths, shares, strict=True)]
        chance = attack_chance_gaussian(mu, exposure)
        if None in widths:
            chance = max(chance, attack_chance(epsilon, noise.delta or 0.0))
    least, most = _rdrs(epsilon, spread, noise, exact)
    scale = 1.0 if spread.published else own_scale(measurement, noise)
    return RiskAt(
        epsilon=epsilon,
        rdr_min=None if scale is None else least * scale,
        rdr_max=None if scale is None else most * scale,
        ratio=least / most if most else 1.0,
        gap=most / least if least else (math.inf if most else 1.0),
        noise_90=tuple(half_widths),
        attack_chance=chance,
    )


def _width(number: NoisyNumber) -> float | None:
    """What the noise of a number is scaled by; a value that is selected by its rank carries none of its own."""
    return None if number.kind is NumberKind.SELECTION else float(number.sensitivity / number.share)


def own_scale(measurement: Measurement, noise: Noise) -> float | None:
    """What one unit of exposure is on the answer's scale, where all the numbers share one."""
    if not measurement.one_scale:
        return None
    number = measurement.numbers[0]
    if noise.mechanism == "laplace":
        return float(number.sensitivity / number.share)
    return float(number.sensitivity) / math.sqrt(number.share)


def _rdrs(epsilon: float, spread: Spread, noise: Noise, exact: bool) -> tuple[float, float]:
    """Of the least and of the most exposed, in units of the sensitivity."""
    low, high, one = float(spread.low), float(spread.high), float(spread.sensitivity)
    if exact:
        if noise.mechanism != "laplace":
            raise not_laplace()
        if spread.fixed is None:
            raise unknown_split()
        fixed = float(spread.fixed)
        return rdr_exact(low, spread.k, one, epsilon, fixed), rdr_exact(high, spread.k, one, epsilon, fixed)
    if noise.mechanism == "laplace":
        return rdr_laplace(low, spread.k, one, epsilon), rdr_laplace(high, spread.k, one, epsilon)
    sigma = one / mu_of(epsilon, noise)
    return rdr_gaussian(low, spread.k, sigma), rdr_gaussian(high, spread.k, sigma)


def _most_exposed(spread: Spread, measurement: Measurement) -> float:
    """What an attacker may see of somebody. Whoever is replaced shows, whether the query matches them or not.

    Of what is not additive, a person's influence says nothing about their odds: there it may be all of it.
    """
    if spread.relation is Relation.REPLACE or not measurement.additive:
        return 1.0
    return float(spread.high / spread.sensitivity) if spread.sensitivity else 0.0


def chance_against(exposure: float, epsilon: float, noise: Noise) -> float:
    """How often an attacker who knows everybody else is right about somebody of this exposure, at most."""
    if noise.mechanism == "laplace":
        return attack_chance_laplace(epsilon, exposure)
    return attack_chance_gaussian(mu_of(epsilon, noise), exposure)


def mu_of(epsilon: float, noise: Noise) -> float:
    if noise.delta is None:
        raise PreferenceError("Gaussian noise needs a delta", hint="state one with --delta, such as 1e-9.")
    return (mu_classic if noise.calibration == "classic" else mu_analytic)(epsilon, noise.delta)
