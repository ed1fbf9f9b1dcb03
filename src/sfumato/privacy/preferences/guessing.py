"""Preferences about what an attacker guesses of somebody's values: the DPP paper's, in words that a controller has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from sfumato.errors import PreferenceError
from sfumato.model.schema import Schema, SchemaColumn, Type
from sfumato.privacy.preferences.stated import Stated, exactly
from sfumato.privacy.risk.sharing import LEVELS


@dataclass(frozen=True)
class Secret:
    """What is guessed: one of so many values, or within a radius of a number; `prior`, how often blindly."""

    prior: Fraction | None = None  # None until the schema is asked
    choices: int | None = None
    column: str | None = None
    radius: Fraction | None = None

    @property
    def known(self) -> Fraction:
        assert self.prior is not None  # a request asks the schema
        return self.prior

    @property
    def words(self) -> str:
        """What is guessed, after what is said of the guess."""
        return f"{' of ' if self.column is not None else ', ' if self.name else ''}{self.name}"

    @property
    def name(self) -> str:
        """What is guessed.

        >>> Secret(column="age", radius=Fraction(5), prior=Fraction(1, 4)).name, Secret(choices=4).name
        ('age, within 5, blindly 0.25', 'one of 4')
        """
        within = "" if self.radius is None else f"within {float(self.radius):g}"
        blindly = "" if self.prior is None else f"blindly {float(self.prior):.4g}"
        known = blindly if self.choices is None else f"one of {self.choices}"
        return ", ".join(filter(None, [self.column, within if self.column else "", known]))


@dataclass(frozen=True)
class Guess(Stated):
    """An attacker who knows everything else guesses somebody's value right at most this often."""

    chance: Fraction
    secret: Secret
    priority: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        return self.allowed(f"guess {float(self.chance):g}{self.secret.words}")


@dataclass(frozen=True)
class Advantage(Stated):
    """No answer raises anybody's belief in anything about a person by more than this, whatever they believed."""

    most: Fraction
    priority: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        return self.allowed(f"advantage {float(self.most):g}")


@dataclass(frozen=True)
class SharingRisk(Stated):
    """`s (1 - t)` times what a guess gains: sensitivity of the data, trust in the partner, chance of a guess.

    As published it is times the chance itself, which has a floor that no noise goes below.
    """

    most: Fraction
    trust: Fraction
    sensitivity: Fraction
    secret: Secret
    as_published: bool = False
    priority: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        said = f"sharing risk {_level(self.most)} at trust {_level(self.trust)}"
        how = ", as published" if self.as_published else ""
        return self.allowed(f"{said} and data sensitivity {_level(self.sensitivity)}{self.secret.words}{how}")


T = TypeVar("T")


def guess(
    chance: float,
    *,
    choices: int | None = None,
    secret: str | None = None,
    radius: float | None = None,
    prior: float | None = None,
) -> Guess:
    """A guess at somebody's value is right at most this often, by whoever knows everybody else's.

    `choices`: how many values there are; `secret` takes them from the categories of a column, or with `radius` a
    guess counts that comes so close to a number. `prior` is how often the attacker is right blindly.
    """
    number = exactly("guess", chance)
    if not 0 < number <= 1:
        raise PreferenceError.because("guess-out-of-range", stated=str(chance))
    stated = Guess(number, secret_of("guess", choices, secret, radius, prior))
    _above_blind(stated)
    return stated


def advantage(most: float) -> Advantage:
    """No answer raises anybody's belief about a person by more than `most`: 0.2 takes 30% to 50% at the very most."""
    number = exactly("advantage", most)
    if not 0 < number <= 1:
        raise PreferenceError.because("advantage-out-of-range", stated=str(most))
    return Advantage(number)


def sharing_risk(
    risk: float | str,
    *,
    trust: float | str | None = None,
    data_sensitivity: float | str | None = None,
    choices: int | None = None,
    secret: str | None = None,
    radius: float | None = None,
    prior: float | None = None,
    as_published: bool = False,
) -> SharingRisk:
    """The risk of sharing an answer with a partner, at most this: five words from "very low" to "very high", or 0 to 1.

    It is the data's sensitivity times the distrust in the partner times what a guess gains; `as_published` times the
    chance of the guess itself.
    """
    for what, stated in (("trust", trust), ("data sensitivity", data_sensitivity)):
        if stated is None:
            raise PreferenceError.because("sharing-risk-incomplete", what=what)
    found = SharingRisk(
        level("sharing risk", risk),
        level("trust", trust),
        level("data sensitivity", data_sensitivity),
        secret_of("sharing risk", choices, secret, radius, prior),
        as_published,
    )
    _above_floor(found)
    return found


def level(what: str, stated: object) -> Fraction:
    """One of the five words, or a number from 0 to 1.

    >>> level("trust", "very high"), level("trust", 0.25)
    (Fraction(9, 10), Fraction(1, 4))
    """
    text = " ".join(str(stated).replace("-", " ").split()).lower() if isinstance(stated, str) else ""
    if text in LEVELS:
        return Fraction(str(LEVELS[text]))
    try:
        number = exactly(what, stated)
    except PreferenceError:
        raise PreferenceError.because("level-unknown", what=what, stated=str(stated), levels=list(LEVELS)) from None
    if not 0 <= number <= 1:
        raise PreferenceError.because("level-out-of-range", what=what, stated=str(stated), levels=list(LEVELS))
    return number


def resolved(preference: T, schema: Schema) -> T:
    """With what the schema says about its secret, if it has one: how many values, or how wide a range."""
    if not isinstance(preference, Guess | SharingRisk):
        return preference
    found = replace(preference, secret=known(preference.secret, schema))
    if isinstance(found, Guess):
        _above_blind(found)
    else:
        _above_floor(found)
    return found


def known(secret: Secret, schema: Schema) -> Secret:
    """With how often it is guessed blindly, and the column by the name that the schema has for it."""
    if secret.column is None:
        return secret
    column = schema.column(secret.column)
    if column is None:
        raise PreferenceError.because("secret-column-unknown", where=schema.origin, column=secret.column)
    if secret.prior is not None:
        return replace(secret, column=column.name)
    where = f"[columns.{column.name}] in {schema.origin}"
    if secret.radius is not None:
        found = replace(secret, column=column.name, prior=_share_within(secret.radius, column, where))
    elif column.keys is None:
        raise PreferenceError.because("secret-without-categories", where=where, column=column.name)
    else:
        many = len(column.keys)
        found = replace(secret, column=column.name, prior=Fraction(1, many), choices=many)
    if found.known >= 1:
        raise PreferenceError.because("secret-always-guessed", where=where, column=column.name)
    return found


def secret_columns(preferences: Iterable[object]) -> tuple[str, ...]:
    """The columns whose categories or bounds preferences go by."""
    secrets = [p.secret.column for p in preferences if isinstance(p, Guess | SharingRisk)]
    return tuple(column for column in secrets if column is not None)


def _share_within(radius: Fraction, column: SchemaColumn, where: str) -> Fraction:
    """How much of its range a guess covers at most, where every value is as likely: of whole numbers, how many."""
    if column.bounds is None or column.bounds.half_width == 0:
        raise PreferenceError.because("radius-without-bounds", where=where, column=column.name)
    width = 2 * column.bounds.half_width
    if column.type is Type.INTEGER:  # a guess may lie between two of them
        return Fraction(math.floor(2 * radius) + 1) / (width + 1)
    if radius == 0:
        raise PreferenceError.because("radius-zero", where=where, column=column.name)
    return 2 * radius / width


def secret_of(what: str, choices: object, column: object, radius: object, prior: object) -> Secret:
    """Exactly one of the three ways to say how often a guess is right blindly."""
    if radius is not None and column is None:
        raise PreferenceError.because("radius-without-secret")
    ways = [way for way in (choices, column if prior is None else None, prior) if way is not None]
    if len(ways) != 1 or (prior is not None and radius is not None):
        raise PreferenceError.because("secret-not-one", what=what, stated=len(ways))
    if choices is not None:
        many = exactly("choices", choices)
        if many.denominator != 1 or many < 2:
            raise PreferenceError.because("choices-not-whole", stated=str(choices))
        return Secret(1 / many, int(many))
    if column is not None and not isinstance(column, str):
        raise PreferenceError.because("secret-not-a-name", stated=repr(column))
    if column is not None and prior is None:
        close = None if radius is None else exactly("radius", radius)
        if close is not None and close < 0:
            raise PreferenceError.because("radius-negative", stated=str(radius))
        return Secret(column=column, radius=close)
    share = exactly("prior", prior)
    if not 0 < share < 1:
        raise PreferenceError.because("prior-out-of-range", stated=str(prior))
    return Secret(share, column=column)


def _above_blind(stated: Guess) -> None:
    """Refuse what a blind guess exceeds already."""
    blind = stated.secret.prior
    if blind is not None and stated.chance <= blind:
        raise PreferenceError.because("guess-below-blind", blind=float(blind), chance=float(stated.chance))


def _above_floor(stated: SharingRisk) -> None:
    """Refuse a risk that no noise goes below: 0, or as published the chance of a blind guess."""
    blind, stake = stated.secret.prior, stated.sensitivity * (1 - stated.trust)
    floor = stake * blind if stated.as_published and blind is not None else Fraction(0)
    if stake and stated.most <= floor:
        raise PreferenceError.because("sharing-risk-below-floor", floor=float(floor), risk=float(stated.most))


def _level(number: Fraction) -> str:
    return next((word for word, value in LEVELS.items() if Fraction(str(value)) == number), f"{float(number):g}")
