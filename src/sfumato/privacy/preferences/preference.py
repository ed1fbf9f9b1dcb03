"""What a controller may ask of an epsilon. Numbers are read as they are written: 1.2 is six fifths."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from typing import NoReturn

from sfumato.errors import PreferenceError
from sfumato.privacy.preferences.accuracy import RelativeError, Within
from sfumato.privacy.preferences.belief import Belief
from sfumato.privacy.preferences.guessing import Advantage, Guess, SharingRisk
from sfumato.privacy.preferences.pri import Pri
from sfumato.privacy.preferences.stated import Stated, exactly
from sfumato.privacy.risk.rdr_distribution import RDRs


@dataclass(frozen=True)
class Epsilon(Stated):
    """An epsilon stated outright."""

    value: float
    priority: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        return f"epsilon {self.value:g}{self.weighed}"


@dataclass(frozen=True)
class Ratio(Stated):
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
    def words(self) -> str:
        said = f"ratio {float(self.tau):g}" if self.gap is None else f"gap {float(self.gap):g}"
        said += f"{', exact' if self.exact else ''}{self.weighed}"
        if self.between is not None:
            return f"{said}, between the medians of “{' '.join(self.between.split())}” and of the others"
        return said + (", worst case" if self.worst_case else ", of the people in the data")


@dataclass(frozen=True)
class AttackChance(Stated):
    """Nobody's presence is guessed right with a higher chance than this, by whoever knows everybody else."""

    chance: Fraction
    priority: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        return f"attack chance {float(self.chance):g}{self.weighed}"


@dataclass(frozen=True)
class Variance(Stated):
    """`Var(RDR_i / bound) <= tau`: of risks as shares of what anybody's could be, selected privately.

    See docs/theory/variance.md.

    The preference is truly met with probability 1 - beta. As published (Algorithm 3) risks are divided by the largest
    in the data, and the sparse vector technique is run with a sensitivity that does not hold.
    """

    tau: Fraction
    select_epsilon: float
    beta: Fraction = Fraction(1, 20)
    as_published: bool = False
    priority: Fraction = Fraction(1)

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


@dataclass(frozen=True)
class ExposureCap(Stated):
    """Nobody's own epsilon, `epsilon * exposure`, above the cap; or of a fraction `allow` of the people.

    See docs/theory/exposure-cap.md.

    Where people are replaced somebody comes as well, and it is `epsilon * (exposure + 1/2)`.
    Without a fraction it is a bound for anybody in any data. With one, a private selection finds how exposed all but
    so many are; more lie above the cap with probability at most beta.
    """

    cap: Fraction
    allow: Fraction | None = None
    select_epsilon: float = 0.0
    beta: Fraction = Fraction(1, 20)
    priority: Fraction = Fraction(1)

    @property
    def selects(self) -> bool:
        return self.allow is not None

    @property
    def words(self) -> str:
        said = f"exposure cap {float(self.cap):g}{self.weighed}"
        if self.allow is None:
            return said
        how = f"selected privately with epsilon {self.select_epsilon:g}"
        return f"{said}, of all but {float(self.allow):g} of the people, {how}"


@dataclass(frozen=True)
class LargerThanSpent(Stated):
    """Only epsilons larger than everything spent before: the papers' own rule for several queries (RDR 5.2)."""

    spent: Fraction | None = None  # filled in where it is asked

    @property
    def words(self) -> str:
        so_far = "" if self.spent is None else f" ({float(self.spent):g})"
        return f"only epsilons above what was spent so far{so_far}"


@dataclass(frozen=True)
class Satisfies(Stated):
    """A function of the people's RDRs that must hold, asked at each candidate epsilon from the largest down.

    Nothing tells whether two functions are the same, so each one stated has a number of its own: another function
    is another request. The number means nothing in another process, and so it is not pickled.
    """

    holds: Callable[[RDRs], bool] = field(repr=False, compare=False)
    name: str
    number: int = field(default_factory=count(1).__next__, init=False)

    @property
    def reads_people(self) -> bool:
        return True

    @property
    def words(self) -> str:
        return f"satisfies {self.name}"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a function of the RDRs is not pickled")


Preference = (
    Epsilon
    | Ratio
    | AttackChance
    | Variance
    | ExposureCap
    | Guess
    | Advantage
    | SharingRisk
    | Belief
    | Within
    | RelativeError
    | LargerThanSpent
    | Satisfies
    | Pri
)

_LEAST, _MOST = Fraction(1, 10**9), 1_000_000  # a ledger counts whole billionths


def epsilon(value: float, what: str = "epsilon") -> Epsilon:
    """This epsilon, whatever it means; `what` a sentence calls it."""
    number = exactly(what, value)
    if not _LEAST <= number <= _MOST:
        raise PreferenceError.because(
            "epsilon-out-of-range", what=what, least=float(_LEAST), most=_MOST, stated=str(value)
        )
    return Epsilon(float(number))


def gap(times: float, *, worst_case: bool = False, exact: bool = False, between: str | None = None) -> Ratio:
    """Nobody at more than `times` the risk of anybody else; the same as `ratio(1 / times)`."""
    number = exactly("gap", times)
    if number < 1:
        raise PreferenceError.because("gap-below-one", stated=str(times))
    return Ratio(1 / number, worst_case, number, exact, _condition(between))


def ratio(tau: float, *, worst_case: bool = False, exact: bool = False, between: str | None = None) -> Ratio:
    """Everybody's risk at least `tau` times the largest: Find-epsilon-from-RDR, in closed form.

    With `exact` the risk is the exact RDR, with `between="age > 60"` the medians of two groups are compared.
    """
    number = exactly("ratio", tau)
    if not 0 <= number <= 1:
        raise PreferenceError.because("ratio-out-of-range", stated=str(tau))
    return Ratio(number, worst_case, exact=exact, between=_condition(between))


def satisfies(f: Callable[[RDRs], bool], name: str | None = None) -> Satisfies:
    """Whatever else may be asked of the people's RDRs: `f(rdrs)` is true at the epsilon that is chosen.

    `rdrs` has epsilon, people, k, min, max, ratio, gap, mean, variance and quantile(p).

    >>> satisfies(lambda rdrs: rdrs.quantile(0.9) <= 1.1 * rdrs.quantile(0.1), "nine tenths within 1.1").words
    'satisfies nine tenths within 1.1'
    """
    if not callable(f):
        raise PreferenceError.because("satisfies-without-function")
    return Satisfies(f, _name_of(f) if name is None else " ".join(str(name).split()))


def attack_chance(chance: float) -> AttackChance:
    """An attacker who knows everybody else guesses whether you are in at most this often."""
    number = exactly("attack chance", chance)
    if not Fraction(1, 2) <= number <= 1:
        raise PreferenceError.because("attack-chance-out-of-range", stated=str(chance))
    return AttackChance(number)


def variance(
    tau: float, *, select_epsilon: float | None = None, beta: float = 0.05, as_published: bool = False
) -> Variance:
    """Everybody's risk nearly the same: the variance of risks, as shares of the largest there could be, at most `tau`.

    Epsilon is selected privately, which costs `select_epsilon`; the preference is truly met with probability
    1 - `beta`. `as_published` runs Algorithm 3 of the RDR paper as it is printed: no guarantee.
    """
    number = exactly("variance", tau)
    if not 0 < number <= 1:
        raise PreferenceError.because("variance-out-of-range", stated=str(tau))
    if select_epsilon is None:
        raise PreferenceError.because("variance-selection-unpaid")
    return Variance(number, _select_epsilon(select_epsilon), _beta(beta), as_published)


def exposure_cap(
    cap: float, *, allow: float | None = None, select_epsilon: float | None = None, beta: float = 0.05
) -> ExposureCap:
    """Nobody's own epsilon above `cap`: theirs is epsilon times their exposure.

    With `allow=0.01` one person of a hundred may lie above it. How exposed the others are is then found privately,
    which costs `select_epsilon`; more than those lie above with probability at most `beta`.
    """
    stated = epsilon(cap, "exposure cap").value
    share = None if allow is None else exactly("allow", allow)
    if share is not None and not 0 <= share < 1:
        raise PreferenceError.because("allow-out-of-range", stated=str(allow))
    if not share:
        if select_epsilon is not None:
            raise PreferenceError.because("exposure-cap-selects-nothing")
        return ExposureCap(Fraction(str(stated)))
    if select_epsilon is None:
        raise PreferenceError.because("exposure-cap-selection-unpaid")
    return ExposureCap(Fraction(str(stated)), share, _select_epsilon(select_epsilon), _beta(beta))


def larger_than_spent() -> LargerThanSpent:
    """The papers' rule for several queries: only epsilons larger than all that was spent on the dataset before.

    Each release is then less private than all before it together: among the papers' candidates there are at most 13. It
    caps nothing; a budget does.
    """
    return LargerThanSpent()


def weighted(preference: Preference, weight: float) -> Preference:
    """The same preference for a query of this priority: it allows `weight` times the epsilon (RDR 5.2).

    What is stated as an epsilon, a cap, a gap or odds is scaled in the worst case; of a variance, which goes with the
    square of epsilon, tau is scaled by the square. Weights are public, and fixed with the preference.

    >>> weighted(gap(1.2, worst_case=True), 2).words
    'gap 1.4, at priority 2, worst case'
    """
    number = exactly("priority", weight)
    if not 0 < number <= 1000:
        raise PreferenceError.because("priority-out-of-range", stated=str(weight))
    if preference.priority != 1:
        raise PreferenceError.because("priority-twice")
    match preference:
        case Epsilon(value):
            return Epsilon(epsilon(float(number * Fraction(str(value)))).value, number)
        case Ratio(tau) if tau:
            tau = 1 / (1 + number * (1 / tau - 1))
            return replace(preference, tau=tau, gap=None if preference.gap is None else 1 / tau, priority=number)
        case Ratio():
            return preference
        case AttackChance(chance):
            odds = math.inf if chance == 1 else float(chance / (1 - chance)) ** float(number)
            return AttackChance(Fraction(1) if math.isinf(odds) else Fraction(odds) / (1 + Fraction(odds)), number)
        case Variance():
            return replace(preference, tau=min(Fraction(1), preference.tau * number**2), priority=number)
        case ExposureCap():
            return replace(preference, cap=preference.cap * number, priority=number)
        case Guess() | Advantage() | SharingRisk() | Belief():
            return replace(preference, priority=number)
    raise PreferenceError.because("priority-of-nothing", stated=preference.words)


def _select_epsilon(stated: float) -> float:
    number = exactly("select_epsilon", stated)
    if not _LEAST <= number <= 10:
        raise PreferenceError.because("select-epsilon-out-of-range", least=float(_LEAST), stated=str(stated))
    return float(number)


def _beta(stated: float) -> Fraction:
    number = exactly("beta", stated)
    if not 0 < number < 1:
        raise PreferenceError.because("beta-out-of-range", stated=str(stated))
    return number


def _condition(stated: object) -> str | None:
    """The condition as it was written; the SQL in it is read where the table is known."""
    if stated is None:
        return None
    if not isinstance(stated, str) or not stated.strip():
        raise PreferenceError.because("between-without-condition")
    return stated.strip()


def _name_of(f: Callable[[RDRs], bool]) -> str:
    name = getattr(f, "__name__", type(f).__name__)
    return "a function of the RDRs" if name == "<lambda>" else str(name)
