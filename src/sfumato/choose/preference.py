"""What a controller may ask of an epsilon. Numbers are read as they are written: 1.2 is six fifths."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.errors import PreferenceError


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
    """`RDRmin / RDRmax >= tau`: of the people in the data (Algorithm 1), or of the worst case in any data."""

    tau: Fraction
    worst_case: bool = False
    gap: Fraction | None = None  # as it was stated, where it was stated as a gap

    @property
    def reads_people(self) -> bool:
        return not self.worst_case

    @property
    def words(self) -> str:
        said = f"ratio {float(self.tau):g}" if self.gap is None else f"gap {float(self.gap):g}"
        return said + (", worst case" if self.worst_case else ", of the people in the data")


@dataclass(frozen=True)
class AttackChance:
    """Nobody's presence is guessed right with a higher chance than this, by whoever knows everybody else."""

    chance: Fraction
    reads_people = False

    @property
    def words(self) -> str:
        return f"attack chance {float(self.chance):g}"


Preference = Epsilon | Ratio | AttackChance

_LEAST, _MOST = Fraction(1, 10**9), 1_000_000  # a ledger counts whole billionths


def epsilon(value: float, what: str = "epsilon") -> Epsilon:
    """This epsilon, whatever it means; `what` a sentence calls it."""
    number = _number(what, value)
    if not _LEAST <= number <= _MOST:
        limits = f"{float(_LEAST):g} and {_MOST:,}"
        raise PreferenceError(f"{what} must lie between {limits}, not {value}", hint="try --epsilon 0.5.")
    return Epsilon(float(number))


def gap(times: float, *, worst_case: bool = False) -> Ratio:
    """Nobody at more than `times` the risk of anybody else; the same as `ratio(1 / times)`."""
    number = _number("gap", times)
    if number < 1:
        raise PreferenceError(
            f"gap must be 1 or more, not {times}",
            hint="a gap of 1.2 means: nobody at more than 1.2 times the risk of anybody else.",
        )
    return Ratio(1 / number, worst_case, gap=number)


def ratio(tau: float, *, worst_case: bool = False) -> Ratio:
    """Everybody's risk at least `tau` times the largest: Find-epsilon-from-RDR, in closed form."""
    number = _number("ratio", tau)
    if not 0 <= number <= 1:
        raise PreferenceError(f"ratio must lie between 0 and 1, not {tau}", hint="try --ratio 0.95.")
    return Ratio(number, worst_case)


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
    known = {"gap", "ratio", "worst_case", "attack_chance", "epsilon"}
    if unknown := sorted(set(rule) - known):
        hint = f"it knows {', '.join(sorted(known))}."
        raise PreferenceError(f"[rule] does not know '{unknown[0]}'", hint=hint, where=where)
    worst_case = rule.get("worst_case", False)
    if not isinstance(worst_case, bool):
        raise PreferenceError("worst_case must be true or false", where=where)
    makers: dict[str, Callable[[Any], Preference]] = {
        "gap": lambda value: gap(value, worst_case=worst_case),
        "ratio": lambda value: ratio(value, worst_case=worst_case),
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


def _number(what: str, value: object) -> Fraction:
    """A finite number, exactly as written."""
    if isinstance(value, Fraction):
        return value
    try:
        if isinstance(value, bool) or not math.isfinite(float(value)):  # type: ignore[arg-type]
            raise ValueError
        return Fraction(str(value))
    except (TypeError, ValueError, OverflowError):
        raise PreferenceError(f"{what} must be a finite number, not {value!r}") from None
