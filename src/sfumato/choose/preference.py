"""What a controller may ask of an epsilon. Numbers are read as they are written: 1.2 is six fifths."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import Any, NoReturn

from sfumato.errors import PreferenceError
from sfumato.risk.rdrs import RDRs


@dataclass(frozen=True)
class Epsilon:
    """An epsilon stated outright."""

    value: float
    reads_people = False

    @property
    def words(self) -> str:
        return f"epsilon {self.value:g}"


@dataclass(frozen=True)
class Ratio:
    """`RDRmin / RDRmax >= tau`: of the people in the data (Algorithm 1), or of the worst case in any data.

    `exact` takes the RDRs themselves, not their upper bound. `between` compares the median RDR of the people for whom
    a condition holds with that of all the others (000 section 4.3).
    """

    tau: Fraction
    worst_case: bool = False
    gap: Fraction | None = None  # as it was stated, where it was stated as a gap
    exact: bool = False
    between: str | None = None

    def __post_init__(self) -> None:
        if self.between is not None and (self.worst_case or self.exact):
            raise PreferenceError(
                "--between compares people in the data by Lemma 3.1, so it goes neither with --worst-case nor --exact",
                hint="leave one of them out.",
            )

    @property
    def reads_people(self) -> bool:
        return not self.worst_case

    @property
    def words(self) -> str:
        said = f"ratio {float(self.tau):g}" if self.gap is None else f"gap {float(self.gap):g}"
        said += ", exact" if self.exact else ""
        if self.between is not None:
            return f"{said}, between the medians of “{' '.join(self.between.split())}” and of the others"
        return said + (", worst case" if self.worst_case else ", of the people in the data")


@dataclass(frozen=True)
class AttackChance:
    """Nobody's presence is guessed right with a higher chance than this, by whoever knows everybody else."""

    chance: Fraction
    reads_people = False

    @property
    def words(self) -> str:
        return f"attack chance {float(self.chance):g}"


@dataclass(frozen=True)
class Satisfies:
    """A function of the people's RDRs that must hold, asked at each candidate epsilon from the largest down.

    Nothing tells whether two functions are the same, so each one stated has a number of its own: another function
    is another request. The number means nothing in another process, and so it is not pickled.
    """

    holds: Callable[[RDRs], bool] = field(repr=False, compare=False)
    name: str
    number: int = field(default_factory=count(1).__next__, init=False)
    reads_people = True

    @property
    def words(self) -> str:
        return f"satisfies {self.name}"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a function of the RDRs is not pickled")


Preference = Epsilon | Ratio | AttackChance | Satisfies

_LEAST, _MOST = Fraction(1, 10**9), 1_000_000  # a ledger counts whole billionths


def epsilon(value: float, what: str = "epsilon") -> Epsilon:
    """This epsilon, whatever it means; `what` a sentence calls it."""
    number = _number(what, value)
    if not _LEAST <= number <= _MOST:
        limits = f"{float(_LEAST):g} and {_MOST:,}"
        raise PreferenceError(f"{what} must lie between {limits}, not {value}", hint="try --epsilon 0.5.")
    return Epsilon(float(number))


def gap(times: float, *, worst_case: bool = False, exact: bool = False, between: str | None = None) -> Ratio:
    """Nobody at more than `times` the risk of anybody else; the same as `ratio(1 / times)`."""
    number = _number("gap", times)
    if number < 1:
        raise PreferenceError(
            f"gap must be 1 or more, not {times}",
            hint="a gap of 1.2 means: nobody at more than 1.2 times the risk of anybody else.",
        )
    return Ratio(1 / number, worst_case, number, exact, _condition(between))


def ratio(tau: float, *, worst_case: bool = False, exact: bool = False, between: str | None = None) -> Ratio:
    """Everybody's risk at least `tau` times the largest: Find-epsilon-from-RDR, in closed form.

    With `exact` the risk is the exact RDR, with `between="age > 60"` the medians of two groups are compared.
    """
    number = _number("ratio", tau)
    if not 0 <= number <= 1:
        raise PreferenceError(f"ratio must lie between 0 and 1, not {tau}", hint="try --ratio 0.95.")
    return Ratio(number, worst_case, exact=exact, between=_condition(between))


def satisfies(f: Callable[[RDRs], bool], name: str | None = None) -> Satisfies:
    """Whatever else may be asked of the people's RDRs: `f(rdrs)` is true at the epsilon that is chosen.

    `rdrs` has epsilon, people, k, min, max, ratio, gap, mean, variance and quantile(p).

    >>> satisfies(lambda rdrs: rdrs.quantile(0.9) <= 1.1 * rdrs.quantile(0.1), "nine tenths within 1.1").words
    'satisfies nine tenths within 1.1'
    """
    if not callable(f):
        hint = "try sf.satisfies(lambda rdrs: rdrs.ratio >= 0.95)."
        raise PreferenceError("satisfies takes a function of the RDRs", hint=hint)
    return Satisfies(f, _name_of(f) if name is None else " ".join(str(name).split()))


def attack_chance(chance: float) -> AttackChance:
    """An attacker who knows everybody else guesses whether you are in at most this often."""
    number = _number("attack chance", chance)
    if not Fraction(1, 2) <= number <= 1:
        raise PreferenceError(
            f"attack chance must lie between 0.5 and 1, not {chance}",
            hint="a coin already guesses right half of the time; try --attack-chance 0.6.",
        )
    return AttackChance(number)


def from_rule(rule: Mapping[str, object], origin: str = "the schema") -> tuple[Preference, ...]:
    """The preferences of a `[rule]` table; what is wrong in it is said with its place."""
    where = f"[rule] in {origin}"
    known = {"gap", "ratio", "worst_case", "exact", "attack_chance", "epsilon"}
    if unknown := sorted(set(rule) - known):
        hint = f"it knows {', '.join(sorted({*known, 'mechanism', 'delta'}))}."
        raise PreferenceError(f"[rule] does not know '{unknown[0]}'", hint=hint, where=where)
    worst_case, exact = (_flag(name, rule, where) for name in ("worst_case", "exact"))
    if exact and not worst_case:
        raise PreferenceError(
            "exact in a rule goes with worst_case = true: an exact RDR of the people leaves no guarantee",
            hint="add worst_case = true, or leave exact out.",
            where=where,
        )
    makers: dict[str, Callable[[Any], Preference]] = {
        "gap": lambda value: gap(value, worst_case=worst_case, exact=exact),
        "ratio": lambda value: ratio(value, worst_case=worst_case, exact=exact),
        "attack_chance": attack_chance,
        "epsilon": epsilon,
    }
    try:
        preferences = tuple(make(rule[name]) for name, make in makers.items() if name in rule)
    except PreferenceError as wrong:
        raise PreferenceError(wrong.message, hint=wrong.hint, where=where) from None
    if not preferences:
        raise PreferenceError("[rule] states no preference", hint="try gap = 1.2 and worst_case = true.", where=where)
    return preferences


def _flag(name: str, rule: Mapping[str, object], where: str) -> bool:
    stated = rule.get(name, False)
    if not isinstance(stated, bool):
        raise PreferenceError(f"{name} must be true or false", where=where)
    return stated


def _condition(stated: object) -> str | None:
    """The condition as it was written; the SQL in it is read where the table is known."""
    if stated is None:
        return None
    if not isinstance(stated, str) or not stated.strip():
        raise PreferenceError("between takes a condition on the people", hint='try --between "age > 60".')
    return stated.strip()


def _name_of(f: Callable[[RDRs], bool]) -> str:
    name = getattr(f, "__name__", type(f).__name__)
    return "a function of the RDRs" if name == "<lambda>" else str(name)


def _number(what: str, value: object) -> Fraction:
    """A finite number, exactly as written."""
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, bool) or not math.isfinite(float(value)):  # type: ignore[arg-type]
            raise ValueError
        return Fraction(str(value))
    except (TypeError, ValueError, OverflowError):
        hint = "write it with digits, such as 0.5."
        raise PreferenceError(f"{what} must be a finite number, not {value!r}", hint=hint) from None
