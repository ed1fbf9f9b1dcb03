"""Preferences about how risk is spread over the people: gap, ratio, variance, caps, odds. Numbers are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.risk import ExposureRange
from sfumato.privacy.bisection import largest
from sfumato.privacy.noise.calibration import mean_of
from sfumato.privacy.noise.worth import epsilon_of_mu
from sfumato.privacy.preferences.budget_split import BILLION
from sfumato.privacy.preferences.preference import (
    LEAST,
    Interval,
    Preference,
    Setting,
    epsilon,
    exactly,
    number_where,
    plain,
)
from sfumato.privacy.risk.membership import epsilon_for_attack_chance, mu_for_attack_chance
from sfumato.privacy.risk.rdr import epsilon_for_ratio, sigma_for_ratio
from sfumato.privacy.risk.rdr_exact import epsilon_for_exact_ratio, mu_for_exact_ratio, require_split

_BEYOND = 10**300  # an epsilon like this is no bound at all


@dataclass(frozen=True)
class Ratio(Preference):
    """`RDRmin / RDRmax >= tau`: of the people in the data (Algorithm 1), or of the worst case in any data.

    `exact` takes the RDRs themselves, not their upper bound. `between` compares the median RDR of the people for whom
    a condition holds with that of all the others (RDR 4.3).
    """

    tau: Fraction
    worst_case: bool = False
    gap: Fraction | None = None  # as it was stated, where it was stated as a gap
    exact: bool = False
    between: str | None = None
    priority: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if self.between is not None and (self.worst_case or self.exact):
            raise PreferenceError.because("between-goes-alone")

    @property
    def reads_people(self) -> bool:
        return not self.worst_case

    @property
    def holds_for_groups(self) -> bool:  # type: ignore[override]  # it depends on the options
        return self.worst_case

    @property
    def risk_gap(self) -> float | None:
        return 1 / float(self.tau) if self.tau and self.between is None else None

    @property
    def words(self) -> str:
        words = f"ratio {float(self.tau):g}" if self.gap is None else f"gap {float(self.gap):g}"
        words += f"{', exact' if self.exact else ''}{self.weighed}"
        if self.between is not None:
            return f"{words}, between the medians of “{' '.join(self.between.split())}” and of the others"
        return words + (", worst case" if self.worst_case else ", of the people in the data")

    @property
    def method(self) -> tuple[object, ...]:
        return *super().method, self.exact, self.between

    @property
    def unstated_name(self) -> str:
        return "" if self.between is None else "ratio between two groups"

    @property
    def compared_people(self) -> str:
        if self.between is None:
            return super().compared_people
        return f"There is no one in one of the two groups that “{self.between}” makes"

    @property
    def equal_people(self) -> str:
        return super().equal_people if self.between is None else "the two medians are equal"

    @property
    def alike_people(self) -> str:
        return super().alike_people if self.between is None else "even without noise, the two medians keep it"

    def interval(self, setting: Setting, /) -> Interval:
        if self.exact:
            return Interval(0.0, _epsilon_for_exact_ratio(self.tau, setting.compared, setting.noise))
        return Interval(0.0, _epsilon_for_ratio(self.tau, setting.compared, setting.noise, setting.measurement))

    def to_mapping(self) -> dict[str, Any]:
        threshold = {"ratio": self.tau} if self.gap is None else {"gap": self.gap}
        return plain(threshold | {"worst_case": self.worst_case, "exact": self.exact, "between": self.between})

    def scaled(self, weight: Fraction, /) -> Ratio:
        if not self.tau:
            return self
        tau = 1 / (1 + weight * (1 / self.tau - 1))
        return replace(self, tau=tau, gap=None if self.gap is None else 1 / tau, priority=weight)


@dataclass(frozen=True)
class AttackChance(Preference):
    """An attacker who knows everyone else's record tells whether a given person is included at most this often."""

    chance: Fraction
    priority: Fraction = Fraction(1)

    leaves_room = True
    holds_for_groups = True

    @property
    def words(self) -> str:
        return f"attack chance {float(self.chance):g}{self.weighed}"

    def interval(self, setting: Setting, /) -> Interval:
        noise, chance = setting.noise, float(self.chance)
        if noise.mechanism != NoiseLaw.GAUSSIAN or setting.beside:
            most = max(0.0, epsilon_for_attack_chance(chance, noise.delta or 0.0) - setting.beside)
        else:
            most = epsilon_of_mu(mu_for_attack_chance(chance), noise)
        # A charge is in whole billionths, rounded up: of a larger epsilon it would tell of a higher chance.
        return Interval(0.0, most if math.isinf(most) else math.floor(most * BILLION) / BILLION)

    def to_mapping(self) -> dict[str, Any]:
        return plain({"attack_chance": self.chance})

    def scaled(self, weight: Fraction, /) -> AttackChance:
        odds = math.inf if self.chance == 1 else float(self.chance / (1 - self.chance)) ** float(weight)
        return AttackChance(Fraction(1) if math.isinf(odds) else Fraction(odds) / (1 + Fraction(odds)), weight)


@dataclass(frozen=True)
class Variance(Preference):
    """`Var(RDR_i / bound) <= tau`: of risks as shares of what anyone's could be, selected privately.

    See docs/theory/variance.md.

    The preference is truly met with probability 1 - beta. As published (Algorithm 3) risks are divided by the largest
    in the data, and the sparse vector technique is run with a sensitivity that does not hold.
    """

    tau: Fraction
    select_epsilon: float
    beta: Fraction = Fraction(1, 20)
    as_published: bool = False
    priority: Fraction = Fraction(1)

    reads_everyone = True
    selection_law = NoiseLaw.LAPLACE

    @property
    def threshold(self) -> tuple[str, float]:
        return f"variance {float(self.tau):.3g}", float(self.tau)

    def around(self, factors: Sequence[Fraction], /) -> list[Variance]:
        return [replace(self, tau=self.tau * factor) for factor in factors if self.tau * factor <= 1]

    @property
    def reads_people(self) -> bool:
        return self.as_published

    @property
    def selects(self) -> bool:
        return not self.as_published

    @property
    def words(self) -> str:
        how = "Algorithm 3 as published" if self.as_published else "selected privately"
        return f"variance {float(self.tau):g}{self.weighed}, {how} with epsilon {self.select_epsilon:g}"

    def to_mapping(self) -> dict[str, Any]:
        spent = {"select_epsilon": self.select_epsilon, "beta": self.beta}
        return plain({"variance": self.tau, "as_published": self.as_published} | spent)

    def scaled(self, weight: Fraction, /) -> Variance:
        return replace(self, tau=min(Fraction(1), self.tau * weight**2), priority=weight)

    def why(self, drawn: Mapping[Preference, str], _: float, /) -> str:
        if self.as_published:
            return "The first candidate that passed the noisy test of Algorithm 3."
        return _why_selected(self, drawn)


@dataclass(frozen=True)
class ExposureCap(Preference):
    """No one's own epsilon, `epsilon * exposure`, above the cap; or of a fraction `allow` of the people.

    See docs/theory/exposure-cap.md.

    Where people are replaced someone comes as well, and it is `epsilon * (exposure + 1/2)`.
    Without a fraction it is a bound for anyone in any data. With one, a private selection finds how exposed all but
    so many are; more lie above the cap with probability at most beta.
    """

    cap: Fraction
    allow: Fraction | None = None
    select_epsilon: float = 0.0
    beta: Fraction = Fraction(1, 20)
    priority: Fraction = Fraction(1)

    selection_law = NoiseLaw.SPARSE_VECTOR

    @property
    def threshold(self) -> tuple[str, float]:
        return f"exposure cap {float(self.cap):.3g}", float(self.cap)

    def around(self, factors: Sequence[Fraction], /) -> list[ExposureCap]:
        return [replace(self, cap=self.cap * factor) for factor in factors]

    @property
    def selects(self) -> bool:
        return self.allow is not None

    @property
    def holds_for_groups(self) -> bool:  # type: ignore[override]  # it depends on the options
        return not self.selects

    @property
    def words(self) -> str:
        words = f"exposure cap {float(self.cap):g}{self.weighed}"
        if self.allow is None:
            return words
        how = f"selected privately with epsilon {self.select_epsilon:g}"
        return f"{words}, of all but {float(self.allow):g} of the people, {how}"

    def interval(self, _: Setting, /) -> Interval:
        return Interval(0.0, float(self.cap))

    def to_mapping(self) -> dict[str, Any]:
        spent = {} if self.allow is None else {"select_epsilon": self.select_epsilon, "beta": self.beta}
        return plain({"exposure_cap": self.cap, "allow": self.allow} | spent)

    def scaled(self, weight: Fraction, /) -> ExposureCap:
        return replace(self, cap=self.cap * weight, priority=weight)

    def why(self, drawn: Mapping[Preference, str], beside: float, /) -> str:
        if not self.selects:
            return super().why(drawn, beside)
        return _why_selected(self, drawn, " People above the cap may be exposed to the whole epsilon.")


def gap(times: float, *, worst_case: bool = False, exact: bool = False, between: str | None = None) -> Ratio:
    """No one at more than `times` the risk of anyone else; the same as `ratio(1 / times)`."""
    number = number_where("gap", times, "gap-below-one", lambda n: n >= 1)
    return Ratio(1 / number, worst_case, number, exact, _condition(between))


def ratio(tau: float, *, worst_case: bool = False, exact: bool = False, between: str | None = None) -> Ratio:
    """Each person's risk at least `tau` times the largest: Find-epsilon-from-RDR, in closed form.

    With `exact` the risk is the exact RDR, with `between="age > 60"` the medians of two groups are compared.
    """
    number = number_where("ratio", tau, "ratio-out-of-range", lambda n: 0 <= n <= 1)
    return Ratio(number, worst_case, exact=exact, between=_condition(between))


def attack_chance(chance: float) -> AttackChance:
    """An attacker who knows everyone else's record tells whether you are included at most this often."""
    half = Fraction(1, 2)
    return AttackChance(number_where("attack chance", chance, "attack-chance-out-of-range", lambda n: half <= n <= 1))


def variance(
    tau: float, *, select_epsilon: float | None = None, beta: float = 0.05, as_published: bool = False
) -> Variance:
    """All risks nearly the same: the variance of risks, as shares of the largest possible one, is at most `tau`.

    Epsilon is selected privately, which costs `select_epsilon`; the preference is truly met with probability
    1 - `beta`. `as_published` runs Algorithm 3 of the RDR paper as it is printed: no guarantee.
    """
    number = number_where("variance", tau, "variance-out-of-range", lambda n: 0 < n <= 1)
    if select_epsilon is None:
        raise PreferenceError.because("variance-selection-unpaid")
    return Variance(number, _select_epsilon(select_epsilon), _beta(beta), as_published)


def exposure_cap(
    cap: float, *, allow: float | None = None, select_epsilon: float | None = None, beta: float = 0.05
) -> ExposureCap:
    """No one's own epsilon above `cap`: theirs is epsilon times their exposure.

    With `allow=0.01` one person of a hundred may lie above it. How exposed the others are is then found privately,
    which costs `select_epsilon`; more than those lie above with probability at most `beta`.
    """
    number = Fraction(str(epsilon(cap, "exposure cap").value))
    share = None if allow is None else number_where("allow", allow, "allow-out-of-range", lambda n: 0 <= n < 1)
    if not share:
        if select_epsilon is not None:
            raise PreferenceError.because("exposure-cap-selects-nothing")
        return ExposureCap(number)
    if select_epsilon is None:
        raise PreferenceError.because("exposure-cap-selection-unpaid")
    return ExposureCap(number, share, _select_epsilon(select_epsilon), _beta(beta))


def _select_epsilon(value: float) -> float:
    number = exactly("select_epsilon", value)
    if not LEAST <= number <= 10:
        raise PreferenceError.because("select-epsilon-out-of-range", least=float(LEAST), stated=str(value))
    return float(number)


def _beta(value: float) -> Fraction:
    return number_where("beta", value, "beta-out-of-range", lambda n: 0 < n < 1)


def _condition(text: object) -> str | None:
    """The condition as it was written; the SQL in it is read where the table is known."""
    if text is None:
        return None
    if not isinstance(text, str) or not text.strip():
        raise PreferenceError.because("between-without-condition")
    return text.strip()


def _why_selected(preference: Variance | ExposureCap, drawn: Mapping[Preference, str], beyond: str = "") -> str:
    betas = [p.beta for p in drawn if isinstance(p, Variance | ExposureCap)]
    which = "the preference is" if len(betas) < 2 else "each preference by itself is"
    met = f"{which} truly met with probability {float(100 * (1 - max(betas, default=preference.beta))):g}% or more"
    limit = f" The selection allowed more, but {why}." if (why := drawn.get(preference, "")) else ""
    return f"Selected privately and rounded down to a public candidate; {met}.{beyond}{limit}"


def _epsilon_for_exact_ratio(tau: Fraction, spread: ExposureRange, noise: Noise) -> float:
    if noise.mechanism == NoiseLaw.GAUSSIAN:
        one = spread.sensitivity
        if not one:
            return math.inf if tau * spread.high <= spread.low else 0.0
        mu = mu_for_exact_ratio(float(tau), float(spread.low / one), float(spread.high / one), spread.k)
        return math.inf if mu is None else epsilon_of_mu(mu, noise)
    fixed = require_split(noise, spread.fixed)
    exact = epsilon_for_exact_ratio(tau, spread.low, spread.high, spread.k, spread.sensitivity, fixed)
    return math.inf if exact is None else exact


def _epsilon_for_ratio(tau: Fraction, spread: ExposureRange, noise: Noise, measurement: Measurement | None) -> float:
    if noise.mechanism != NoiseLaw.GAUSSIAN:
        exact = epsilon_for_ratio(tau, spread.low, spread.high, spread.k, spread.sensitivity)
        top = math.inf if exact is None or exact > _BEYOND else float(exact)
        return top if noise.mechanism == NoiseLaw.LAPLACE or math.isinf(top) else _truncated(top, noise, measurement)
    sigma = sigma_for_ratio(float(tau), float(spread.low), float(spread.high), spread.k)
    if sigma == 0:
        return math.inf
    return epsilon_of_mu(float(spread.sensitivity) / sigma, noise)


def _truncated(top: float, noise: Noise, measurement: Measurement | None) -> float:
    """What Laplace noise may have, of truncated noise, whose mean is less: `eps / share(eps)` grows with epsilon."""
    if measurement is None:
        raise PreferenceError.because("truncated-risk-needs-schema")

    least = float(LEAST)

    def holds(epsilon: float) -> bool:
        return epsilon <= top * mean_of(measurement, noise, epsilon)

    return largest(holds, least, top) if top > least and holds(least) else 0.0
