"""One row of a risk view: what an epsilon would mean, from whom it compares and how the noise is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement, NoisyNumber, NumberKind
from sfumato.model.risk import WORST_CASE, ExposureRange, MembershipAttack, RiskAt
from sfumato.model.schema import Relation
from sfumato.privacy.noise.calibration import mean_of, mu_of, threshold
from sfumato.privacy.noise.figure_noise import figure_noise
from sfumato.privacy.noise.intervals import reach
from sfumato.privacy.noise.rank_selection import rank_90
from sfumato.privacy.risk.membership import (
    attack_chance,
    attack_chance_gaussian,
    attack_chance_laplace,
    posterior_quantile_gaussian,
    roc,
    roc_gaussian,
    roc_laplace,
    worst_posterior,
)
from sfumato.privacy.risk.rdr import rdr_gaussian, rdr_laplace
from sfumato.privacy.risk.rdr_exact import rdr_exact, rdr_gaussian_exact, require_split

CANDIDATES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def risk_at(
    epsilon: float, spread: ExposureRange, measurement: Measurement, noise: Noise, *, exact: bool = False
) -> RiskAt:
    """RDRs in units of the sensitivity, and on the answer's own scale where all the numbers share one.

    With `exact` they are the RDRs themselves instead of the upper bounds of Lemmas 3.1 and 3.2.
    """
    widths = [figure_noise(n, measurement, noise, epsilon) for n in _numbers(spread, measurement)]
    chance = _chance(epsilon, spread, measurement, noise)
    least, most = _rdrs(epsilon, spread, measurement, noise, exact)
    scale = 1.0 if spread.published else own_scale(measurement, noise)
    return RiskAt(
        epsilon=epsilon,
        rdr_min=None if scale is None else least * scale,
        rdr_max=None if scale is None else most * scale,
        ratio=least / most if most else 1.0,
        gap=most / least if least else (math.inf if most else 1.0),
        noise_90=tuple(None if b is None else reach(law, b, furthest=far) for law, b, far in widths),
        attack_chance=chance,
        rank_90=_ranks(epsilon, spread, measurement, noise),
        threshold=_threshold(epsilon, measurement, noise),
    )


def rdr_range(
    epsilon: float, spread: ExposureRange, measurement: Measurement, noise: Noise, *, exact: bool = False
) -> tuple[float, float]:
    """RDRs of the least and of the most exposed; at epsilon infinity there is no noise.

    They are in units of the sensitivity where the numbers share no scale.
    """
    scale = rdr_scale(spread, measurement, noise)
    if math.isinf(epsilon):
        return float(spread.low) * scale, float(spread.high) * scale
    least, most = _rdrs(epsilon, spread, measurement, noise, exact)
    return least * scale, most * scale


def rdr_scale(spread: ExposureRange, measurement: Measurement, noise: Noise) -> float:
    """What one unit of the compared figures is on the scale of the RDRs that are shown."""
    return 1.0 if spread.published else own_scale(measurement, noise) or 1.0


def _ranks(
    epsilon: float, spread: ExposureRange, measurement: Measurement, noise: Noise
) -> tuple[float | None, ...] | None:
    """How far the rank of each selection is off with 90% probability; it has no other noise."""
    if spread.published or noise.mechanism != NoiseLaw.LAPLACE:
        return None
    selected = [n.kind is NumberKind.SELECTION for n in measurement.numbers]
    if not any(selected):
        return None
    pairs = zip(measurement.numbers, selected, strict=True)
    return tuple(rank_90(n, n.part(epsilon)) if by_rank else None for n, by_rank in pairs)


def _threshold(epsilon: float, measurement: Measurement, noise: Noise) -> float | None:
    if noise.delta is None or noise.mechanism != NoiseLaw.LAPLACE:
        return None
    persons = threshold(measurement, noise, epsilon)
    return None if persons is None else float(persons)


def _numbers(spread: ExposureRange, measurement: Measurement) -> Sequence[NoisyNumber]:
    """The noisy numbers; as published there is one, of the sensitivity that was read off the data."""
    if not spread.published:
        return measurement.numbers
    return (NoisyNumber(NumberKind.SUM, None, spread.sensitivity, spread.sensitivity or Fraction(1)),)


def _chance(epsilon: float, spread: ExposureRange, measurement: Measurement, noise: Noise) -> float:
    """How often an attacker is right about the most exposed. What is selected or thresholded has odds of its own."""
    exposure, delta, other = _most_exposed(spread, measurement), noise.delta or 0.0, _other(measurement)
    if noise.mechanism == NoiseLaw.LAPLACE:
        if spread is WORST_CASE or (other and not spread.published):
            return attack_chance(epsilon, delta)
        return attack_chance_laplace(epsilon, exposure)
    if noise.mechanism == NoiseLaw.TRUNCATED:
        return chance_against(1.0 if other else exposure, epsilon, noise)
    gaussian = attack_chance_gaussian(mu_of(epsilon, noise), exposure)
    return max(gaussian, attack_chance(epsilon, delta)) if other else gaussian


def _other(measurement: Measurement) -> bool:
    """Whether something is selected or thresholded, and not all of it carries noise that is drawn whatever the data."""
    return any(n.kind is NumberKind.SELECTION for n in measurement.numbers) or measurement.cells is None


def attack_at(
    epsilon: float,
    spread: ExposureRange,
    measurement: Measurement,
    noise: Noise,
    prior: float = 0.5,
    exposure: float | None = None,
) -> MembershipAttack:
    """What an attacker of this prior gets out of a release: about the most exposed, or someone of this exposure.

    Where odds do not go by exposure it is what epsilon and delta bound: of anyone in any data, of what is selected or
    thresholded. There is no worst posterior under Gaussian noise; 95% of releases stay below the stated one.
    """
    if exposure is not None and (_other(measurement) or not measurement.additive or measurement.steps != 1):
        raise PreferenceError.because("exposure-without-odds")
    own = _most_exposed(spread, measurement) if exposure is None else exposure
    if noise.mechanism == NoiseLaw.GAUSSIAN:
        mu = mu_of(epsilon, noise)
        chance, posterior = attack_chance_gaussian(mu, own, prior), posterior_quantile_gaussian(mu, own, prior)
        few, more = (roc_gaussian(mu * own, rate) for rate in (0.01, 0.05))
        return MembershipAttack(epsilon, prior, own, chance, posterior, 0.05, few, more, upper_bound=False)
    if noise.mechanism != NoiseLaw.LAPLACE or _of_anyone(spread, measurement, exposure):
        delta = noise.delta or 0.0
        chance, posterior = attack_chance(epsilon, delta, prior), worst_posterior(epsilon, 1.0, prior)
        few, more = (roc(epsilon, rate, delta) for rate in (0.01, 0.05))
        return MembershipAttack(epsilon, prior, None, chance, posterior, delta, few, more, upper_bound=True)
    chance, posterior = attack_chance_laplace(epsilon, own, prior), worst_posterior(epsilon, own, prior)
    few, more = (roc_laplace(epsilon * own, rate) for rate in (0.01, 0.05))
    several = (spread.k if spread.published else measurement.k) != 1
    return MembershipAttack(epsilon, prior, own, chance, posterior, 0.0, few, more, upper_bound=several)


def roc_at(
    epsilon: float, spread: ExposureRange, measurement: Measurement, noise: Noise, exposure: float | None = None
) -> tuple[tuple[float, float], ...]:
    """An attacker's false alarms and hits at most, about the most exposed or about someone of this exposure."""
    share, delta = _most_exposed(spread, measurement) if exposure is None else exposure, noise.delta or 0.0
    bends = 1 / (1 + math.exp(epsilon)), math.exp(-epsilon * share) / 2  # of any mechanism's curve, and of Laplace's
    alarms = sorted({*(i / 100 for i in range(101)), *(2.0**-i for i in range(7, 15)), *bends})
    worst = [roc(epsilon, rate, delta) for rate in alarms]
    if noise.mechanism == NoiseLaw.GAUSSIAN:
        hits = [roc_gaussian(mu_of(epsilon, noise) * share, rate) for rate in alarms]
        hits = list(map(max, hits, worst)) if _other(measurement) else hits
    elif noise.mechanism != NoiseLaw.LAPLACE or _of_anyone(spread, measurement, exposure):
        hits = worst
    else:
        hits = [roc_laplace(epsilon * share, rate) for rate in alarms]
    return tuple(zip(alarms, hits, strict=True))


def _of_anyone(spread: ExposureRange, measurement: Measurement, exposure: float | None) -> bool:
    """Whether odds are what epsilon and delta bound, and do not go by how exposed someone is."""
    return (spread is WORST_CASE and exposure is None) or (_other(measurement) and not spread.published)


def own_scale(measurement: Measurement, noise: Noise) -> float | None:
    """What one unit of exposure is on the answer's scale, where all the numbers share one."""
    if not measurement.one_scale:
        return None
    number = measurement.numbers[0]
    if noise.mechanism != NoiseLaw.GAUSSIAN:
        return float(number.sensitivity / number.share)
    return float(number.euclidean) / math.sqrt(number.share)


def _rdrs(
    epsilon: float, spread: ExposureRange, measurement: Measurement, noise: Noise, exact: bool
) -> tuple[float, float]:
    """Of the least and of the most exposed, in units of the sensitivity."""
    low, high, one = float(spread.low), float(spread.high), float(spread.sensitivity)
    if exact and noise.mechanism != NoiseLaw.GAUSSIAN:
        fixed = float(require_split(noise, spread.fixed))
        return rdr_exact(low, spread.k, one, epsilon, fixed), rdr_exact(high, spread.k, one, epsilon, fixed)
    if noise.mechanism != NoiseLaw.GAUSSIAN:
        epsilon /= mean_of(measurement, noise, epsilon)  # of truncated noise there is less
        return rdr_laplace(low, spread.k, one, epsilon), rdr_laplace(high, spread.k, one, epsilon)
    sigma, rdr = one / mu_of(epsilon, noise), rdr_gaussian_exact if exact else rdr_gaussian
    return rdr(low, spread.k, sigma), rdr(high, spread.k, sigma)


def _most_exposed(spread: ExposureRange, measurement: Measurement) -> float:
    """The exposure that an attacker may use. A replaced person is visible whether the query matches them or not.

    Where an answer is not additive, influence says nothing about the odds, and the exposure counts as 1.
    """
    if spread.relation is Relation.REPLACE or not measurement.additive:
        return 1.0
    return float(spread.high / spread.sensitivity) if spread.sensitivity else 0.0


def chance_against(exposure: float, epsilon: float, noise: Noise) -> float:
    """How often an attacker who knows everyone else is right about someone of this exposure, at most."""
    if noise.mechanism == NoiseLaw.LAPLACE:
        return attack_chance_laplace(epsilon, exposure)
    if noise.mechanism == NoiseLaw.TRUNCATED:
        return attack_chance(epsilon * exposure, noise.delta or 0.0) if exposure else 0.5
    return attack_chance_gaussian(mu_of(epsilon, noise), exposure)
