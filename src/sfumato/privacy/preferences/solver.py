"""Facts and preferences -> the largest epsilon that meets them all.

See docs/theory/gap.md, docs/theory/attack.md and docs/theory/preferences.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.errors import PreferenceError, instead
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.risk import WORST_CASE, ExposureRange
from sfumato.privacy.bisection import largest
from sfumato.privacy.noise.calibration import mean_of
from sfumato.privacy.noise.worth import epsilon_of_mu
from sfumato.privacy.preferences.accuracy import RelativeError, Within, smallest_epsilon
from sfumato.privacy.preferences.belief import Belief, Missing, epsilon_of
from sfumato.privacy.preferences.guessing import Advantage, Guess, SharingRisk
from sfumato.privacy.preferences.preference import (
    AttackChance,
    Epsilon,
    ExposureCap,
    LargerThanSpent,
    Preference,
    Ratio,
    Satisfies,
    Variance,
)
from sfumato.privacy.preferences.pri import Pri
from sfumato.privacy.preferences.private_selection import Selected
from sfumato.privacy.risk.guessing import epsilon_for_guess, exponent_for_advantage
from sfumato.privacy.risk.membership import epsilon_for_attack_chance, mu_for_attack_chance
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES, epsilon_for_ratio, sigma_for_ratio
from sfumato.privacy.risk.rdr_distribution import RDRs, rdrs_at
from sfumato.privacy.risk.rdr_exact import (
    epsilon_for_exact_ratio,
    mu_for_exact_ratio,
    not_laplace,
    unknown_split,
)
from sfumato.privacy.risk.sharing import chance_for_risk

People = Callable[[Preference], ExposureRange]
"""Whom a preference compares; asked once, and only for those that read the people."""

_LEAST = 1e-9  # a ledger counts whole billionths
_BEYOND = 10**300  # an epsilon like this is no bound at all
_NOISE_ALONE = "of the noise alone; clipping, dropped rows and rounded values are not covered"
_ODDS = (AttackChance, Guess, Advantage, SharingRisk, Belief)
_NUMPY = (("numpy", "bool"), ("numpy", "bool_"))  # has truths of its own


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
    conflict: tuple[Preference, ...] = field(default=(), compare=False)  # the two that no epsilon meets both of


def interval(
    preference: Preference,
    compared: ExposureRange,
    noise: Noise,
    measurement: Measurement | None = None,
    beside: float = 0.0,
) -> Interval:
    """The epsilons that meet one preference; what is drawn, or asked of candidates, bounds none by itself.

    `beside`: what a private selection for the same release costs. It tells about people too, so that odds and beliefs
    have to leave room for it.
    """
    steps = 1 if measurement is None else measurement.steps
    match preference:
        case Epsilon(value):
            return Interval(value, value)
        case AttackChance(chance):
            return Interval(0.0, _epsilon_for_chance(float(chance), noise, beside))
        case ExposureCap(cap):
            return Interval(0.0, float(cap))
        case Guess() | Advantage() | SharingRisk():
            kept = float(preference.priority) * _epsilon_for_secret(preference, noise, steps)
            return Interval(0.0, max(0.0, kept - beside))
        case Belief():
            kept = float(preference.priority) * epsilon_of(preference, noise, measurement)
            return Interval(0.0, max(0.0, kept - beside))
        case RelativeError():
            return interval(preference.as_error, compared, noise, measurement, beside)
        case Within():
            return Interval(smallest_epsilon(preference, noise, measurement), math.inf)
        case LargerThanSpent(spent):
            return Interval(math.nextafter(float(spent or 0), math.inf), math.inf)
        case Satisfies() | Variance() | Pri():
            return Interval(0.0, math.inf)
        case Ratio(tau):
            if preference.exact:
                return Interval(0.0, _epsilon_for_exact_ratio(tau, compared, noise))
            return Interval(0.0, _epsilon_for_ratio(tau, compared, noise, measurement))


def solve(
    preferences: Sequence[Preference],
    people: People,
    noise: Noise,
    *,
    measurement: Measurement | None = None,
    candidates: Sequence[float] | None = None,
    epsilon_max: float = 10.0,
    selected: Mapping[Preference, Selected] | None = None,
    selection: float = 0.0,
    bounded: bool = False,
) -> Solution:
    """The top of the intersection, rounded down to a candidate if they are stated, and never above `epsilon_max`.

    Where nothing bounds it above, and only the answer's error asks for an epsilon, it is the bottom, rounded up.
    `measurement`: the noisy numbers, where the schema says what they are. `selected`: what was drawn for those
    preferences that only a draw can meet; `selection`: what such draws cost, where those preferences are left out.
    `bounded`: `epsilon_max` is a policy's ceiling, and holds where every epsilon will do.
    """
    drawn = selected or {}
    for preference, found in drawn.items():
        if found.epsilon is None:
            return Solution(None, False, False, f"No epsilon was selected by {preference.words}: {found.why}.")
    compared = {p: people(p) if p.reads_people and p not in drawn else WORST_CASE for p in preferences}
    for preference, spread in compared.items():
        if spread.nobody:
            return Solution(None, False, False, _nobody(preference))
    beside = math.fsum({p: p.select_epsilon for p in preferences if p.selects}.values()) or selection
    intervals = {p: interval(p, spread, noise, measurement, beside) for p, spread in compared.items()}
    intervals |= {p: Interval(0.0, found.epsilon or 0.0) for p, found in drawn.items()}
    floor = max(intervals, key=lambda p: intervals[p].low)
    ceiling = min(intervals, key=lambda p: intervals[p].high)
    low, top = intervals[floor].low, intervals[ceiling].high
    if top <= 0:
        return Solution(None, False, False, f"No epsilon meets {ceiling.words}.")
    if low > top:
        why = f"No epsilon meets both {floor.words} and {ceiling.words}.{_explained(floor)}"
        return Solution(None, False, False, why, (floor, ceiling))
    asked = {p: spread for p, spread in compared.items() if isinstance(p, Satisfies)}
    if low > epsilon_max and not isinstance(floor, Epsilon):
        needed = "no epsilon does" if math.isinf(low) else f"it takes {low:.4g}"
        why = f"No epsilon up to epsilon_max, {epsilon_max:g}, meets {floor.words}: {needed}."
        return Solution(None, False, False, why)
    if math.isinf(top) and not asked and isinstance(floor, Within | RelativeError):
        return _smallest(low, candidates, epsilon_max, floor.words)
    if candidates is not None or asked:
        words = " and ".join(dict.fromkeys(p.words for p in (ceiling, *asked)))
        tried = _descending(low, top, candidates, epsilon_max)
        holding = (c for c in tried if all(_holds(p, rdrs_at(c, spread, noise)) for p, spread in asked.items()))
        return _largest(holding, words)
    if math.isinf(top):
        every = f"{'Every epsilon meets' if low == 0 else 'There is no largest of'} {ceiling.words}"
        if bounded:
            return Solution(epsilon_max, True, False, f"{every}: the policy's ceiling of {epsilon_max:.6g} holds.")
        return Solution(None, True, True, f"{every}.")
    if top > epsilon_max:
        why = f"Epsilons up to {top:.4g} meet {ceiling.words}; it is held at epsilon_max, {epsilon_max:g}."
        return Solution(epsilon_max, True, False, why)
    return Solution(top, True, False, _why(ceiling, drawn, beside) + _explained(floor))


def _smallest(low: float, candidates: Sequence[float] | None, epsilon_max: float, words: str) -> Solution:
    """The bottom of what the answer's error asks for: more would help nobody in the data."""
    if candidates is None:
        return Solution(low, True, False, f"The smallest epsilon that meets {words}: {_NOISE_ALONE}.")
    meeting = [candidate for candidate in candidates if low <= candidate <= epsilon_max]
    if not meeting:
        return Solution(None, False, False, f"No candidate meets {words}.")
    said = f"The smallest candidate that meets {words}: {_NOISE_ALONE}."
    return Solution(min(meeting), True, False, said)


def _explained(floor: Preference) -> str:
    """What the papers' rule for several queries does (docs/theory/papers.md, RDR 5.2)."""
    if not isinstance(floor, LargerThanSpent):
        return ""
    return (
        " Each release is then less private than all before it together, and nothing caps their total: a budget does."
    )


def _why(ceiling: Preference, drawn: Mapping[Preference, Selected], beside: float) -> str:
    if isinstance(ceiling, Epsilon):
        return "It was stated."
    if isinstance(ceiling, Pri):
        return "The first candidate whose output passed the test of Find-eps-from-PRI."
    if isinstance(ceiling, Variance) and ceiling.as_published:
        return "The first candidate that passed the noisy test of Algorithm 3."
    if isinstance(ceiling, Variance | ExposureCap) and ceiling.selects:
        betas = [p.beta for p in drawn if isinstance(p, Variance | ExposureCap)]
        which = "the preference is" if len(betas) < 2 else "each preference by itself is"
        met = f"{which} truly met with probability {float(1 - max(betas, default=ceiling.beta)):g} or more"
        beyond = " Those few above the cap may be at all of epsilon." if isinstance(ceiling, ExposureCap) else ""
        held = f" The selection allowed more, but {why}." if ceiling in drawn and (why := drawn[ceiling].why) else ""
        return f"Selected privately and rounded down to a public candidate; {met}.{beyond}{held}"
    if isinstance(ceiling, Belief) and isinstance(ceiling.worlds, Missing):
        said = f"It takes for granted that {ceiling.worlds.name} is public knowledge, and not read off the data."
        return f"The largest epsilon that meets {ceiling.words}. {said}"
    also = ", with what its private selection tells" if beside and isinstance(ceiling, _ODDS) else ""
    return f"The largest epsilon that meets {ceiling.words}{also}."


def _nobody(preference: Preference) -> str:
    """Without people there are no facts to choose by (docs/theory/gap.md)."""
    who = "There is nobody in the data"
    if isinstance(preference, Ratio) and preference.between is not None:
        who = f"There is nobody in one of the two groups that “{preference.between}” makes"
    return f"{who}, so there is no data-dependent choice; the worst case needs nobody."


def _descending(low: float, top: float, candidates: Sequence[float] | None, epsilon_max: float) -> list[float]:
    """Candidates from the largest down, as Algorithm 1 tries them; by default the paper's, or the epsilon stated."""
    if candidates is None and low == top:
        return [min(top, epsilon_max)]
    return sorted((c for c in candidates or PAPER_CANDIDATES if low <= c <= min(top, epsilon_max)), reverse=True)


def _largest(holding: Iterator[float], words: str) -> Solution:
    found = next(holding, None)
    if found is None:
        return Solution(None, False, False, f"No candidate meets {words}.")
    return Solution(found, True, False, f"The largest candidate that meets {words}.")


def _holds(preference: Satisfies, rdrs: RDRs) -> bool:
    """What the function says. Of its failure only the kind is told: its message may quote the people's figures."""
    verdict: object = instead(
        lambda kind: PreferenceError.because("satisfies-failed", stated=preference.words, kind=kind),
        (Exception,),
        lambda: preference.holds(rdrs),
    )
    if not isinstance(verdict, bool) and (type(verdict).__module__, type(verdict).__name__) not in _NUMPY:
        raise PreferenceError.because("satisfies-undecided", stated=preference.words)
    return bool(verdict)


def _epsilon_for_exact_ratio(tau: Fraction, spread: ExposureRange, noise: Noise) -> float:
    if noise.mechanism == "gaussian":
        one = spread.sensitivity
        if not one:
            return math.inf if tau * spread.high <= spread.low else 0.0
        mu = mu_for_exact_ratio(float(tau), float(spread.low / one), float(spread.high / one), spread.k)
        return math.inf if mu is None else epsilon_of_mu(mu, noise)
    if noise.mechanism != "laplace":
        raise not_laplace()
    if spread.fixed is None:
        raise unknown_split()
    found = epsilon_for_exact_ratio(tau, spread.low, spread.high, spread.k, spread.sensitivity, spread.fixed)
    return math.inf if found is None else found


def _epsilon_for_ratio(tau: Fraction, spread: ExposureRange, noise: Noise, measurement: Measurement | None) -> float:
    if noise.mechanism != "gaussian":
        exact = epsilon_for_ratio(tau, spread.low, spread.high, spread.k, spread.sensitivity)
        found = math.inf if exact is None or exact > _BEYOND else float(exact)
        return found if noise.mechanism == "laplace" or math.isinf(found) else _truncated(found, noise, measurement)
    sigma = sigma_for_ratio(float(tau), float(spread.low), float(spread.high), spread.k)
    if sigma == 0:
        return math.inf
    return epsilon_of_mu(float(spread.sensitivity) / sigma, noise)


def _truncated(found: float, noise: Noise, measurement: Measurement | None) -> float:
    """What Laplace noise may have, of truncated noise, whose mean is less: `eps / share(eps)` grows with epsilon."""
    if measurement is None:
        raise PreferenceError.because("truncated-risk-needs-schema")

    def holds(epsilon: float) -> bool:
        return epsilon <= found * mean_of(measurement, noise, epsilon)

    return largest(holds, _LEAST, found) if found > _LEAST and holds(_LEAST) else 0.0


def _epsilon_for_chance(chance: float, noise: Noise, beside: float) -> float:
    if noise.mechanism != "gaussian" or beside:
        return max(0.0, epsilon_for_attack_chance(chance, noise.delta or 0.0) - beside)
    return epsilon_of_mu(mu_for_attack_chance(chance), noise)


def _epsilon_for_secret(preference: Guess | Advantage | SharingRisk, noise: Noise, steps: int) -> float:
    """What keeps a secret: the epsilon at which it is guessed no more often than was asked for.

    See docs/theory/guessing.md.
    """
    delta = noise.delta or 0.0
    if isinstance(preference, Advantage):
        if delta:
            raise PreferenceError.because("advantage-with-delta")
        return exponent_for_advantage(float(preference.most)) * steps / 2
    prior = float(preference.secret.known)
    if isinstance(preference, Guess):
        return epsilon_for_guess(float(preference.chance), prior, steps, delta)
    said = (float(preference.most), float(preference.sensitivity), float(preference.trust))
    chance = chance_for_risk(*said, prior, as_published=preference.as_published)
    return epsilon_for_guess(chance, prior, steps, delta)
