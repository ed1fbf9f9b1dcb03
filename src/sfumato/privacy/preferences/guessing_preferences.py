"""Preferences about what an attacker guesses of someone's values: the DPP paper's, in words that a controller has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.model.method_comparison import Need
from sfumato.model.release import Assumed, Assumption
from sfumato.model.schema import Schema, SchemaColumn, Type
from sfumato.privacy.preferences.preference import OddsPreference, Setting, exactly, number_where, plain
from sfumato.privacy.risk.guessing import epsilon_for_guess, exponent_for_advantage
from sfumato.privacy.risk.sharing import FACTORS, LEVELS, chance_for_risk, trust_of


@dataclass(frozen=True)
class Secret:
    """The guessed value: one of `choices` values, or a number within a radius; `prior` is the chance of a blind
    guess."""

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

    @property
    def assumption(self) -> Assumed:
        if self.choices is not None:
            return Assumed.of(Assumption.GUESS_ALIKE, column=self.column, choices=self.choices)
        return Assumed.of(Assumption.GUESS_KNOWN, column=self.column, known=float(self.known))

    def to_mapping(self) -> dict[str, Any]:
        prior = None if self.choices is not None else self.prior
        return plain({"choices": self.choices, "secret": self.column, "radius": self.radius, "prior": prior})


@dataclass(frozen=True)
class EarlierAnswers:
    """The total of the answers that a partner holds already: epsilons add up, and deltas do."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    @property
    def words(self) -> str:
        if self == NOTHING_EARLIER:
            return ""
        delta = f" and delta {float(self.delta):g}" if self.delta else ""
        return f", with answers of epsilon {float(self.epsilon):g}{delta} held already"

    def to_mapping(self) -> dict[str, Any]:
        values = {"earlier_epsilon": self.epsilon or None, "earlier_delta": self.delta or None}
        if self.delta and not self.epsilon:
            values["earlier_epsilon"] = self.epsilon
        return plain(values)


NOTHING_EARLIER = EarlierAnswers()


class _Guessing(OddsPreference):
    """What the preferences about one person's secret share."""

    secret: Secret

    need = Need.SECRET

    @property
    def secret_column(self) -> str | None:
        return self.secret.column

    @property
    def assumptions(self) -> tuple[Assumed, ...]:
        return (self.secret.assumption,)


@dataclass(frozen=True)
class Guess(_Guessing):
    """An attacker who knows everything else guesses someone's value right at most this often."""

    chance: Fraction
    secret: Secret
    priority: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        return self.allowed(f"guess {float(self.chance):g}{self.secret.words}")

    def epsilon(self, setting: Setting) -> float:
        return _epsilon_for_guess(float(self.chance), float(self.secret.known), setting)

    def to_mapping(self) -> dict[str, Any]:
        return plain({"guess": self.chance}) | self.secret.to_mapping()

    def resolve(self, schema: Schema, /) -> Guess:
        return replace(self, secret=known(self.secret, schema)).above_blind()

    def above_blind(self) -> Guess:
        """Refuse what a blind guess exceeds already."""
        blind = self.secret.prior
        if blind is not None and self.chance <= blind:
            raise PreferenceError.because("guess-below-blind", blind=float(blind), chance=float(self.chance))
        return self


@dataclass(frozen=True)
class Advantage(OddsPreference):
    """No answer raises anyone's belief in anything about a person by more than this, whatever they believed."""

    most: Fraction
    priority: Fraction = Fraction(1)

    @property
    def words(self) -> str:
        return self.allowed(f"advantage {float(self.most):g}")

    def epsilon(self, setting: Setting) -> float:
        if setting.noise.delta:
            raise PreferenceError.because("advantage-with-delta")
        return exponent_for_advantage(float(self.most)) * setting.steps / 2

    def to_mapping(self) -> dict[str, Any]:
        return plain({"advantage": self.most})


@dataclass(frozen=True)
class SharingRisk(_Guessing):
    """`s (1 - t)` times what a guess gains: sensitivity of the data, trust in the partner, chance of a guess.

    As published it is times the chance itself, which has a floor that no noise goes below.
    """

    most: Fraction
    trust: Fraction
    sensitivity: Fraction
    secret: Secret
    as_published: bool = False
    earlier: EarlierAnswers = NOTHING_EARLIER
    priority: Fraction = Fraction(1)

    @property
    def holds_for_groups(self) -> bool:  # type: ignore[override]
        """What a partner holds is counted for one person."""
        return self.earlier == NOTHING_EARLIER

    @property
    def words(self) -> str:
        risk = f"sharing risk {_level(self.most)} at trust {_level(self.trust)}"
        how = ", as published" if self.as_published else ""
        return self.allowed(
            f"{risk} and data sensitivity {_level(self.sensitivity)}{self.secret.words}{how}{self.earlier.words}"
        )

    def epsilon(self, setting: Setting) -> float:
        prior, ratings = float(self.secret.known), (float(self.most), float(self.sensitivity), float(self.trust))
        chance = chance_for_risk(*ratings, prior, as_published=self.as_published)
        return _epsilon_for_guess(chance, prior, setting, self.earlier)

    def to_mapping(self) -> dict[str, Any]:
        ratings = {"trust": self.trust, "data_sensitivity": self.sensitivity, "as_published": self.as_published}
        return plain({"sharing_risk": self.most} | ratings) | self.secret.to_mapping() | self.earlier.to_mapping()

    def resolve(self, schema: Schema, /) -> SharingRisk:
        return replace(self, secret=known(self.secret, schema)).above_floor()

    def above_floor(self) -> SharingRisk:
        """Refuse a risk that no noise goes below: 0, or as published the chance of a blind guess."""
        blind, stake = self.secret.prior, self.sensitivity * (1 - self.trust)
        floor = stake * blind if self.as_published and blind is not None else Fraction(0)
        if stake and self.most <= floor:
            raise PreferenceError.because("sharing-risk-below-floor", floor=float(floor), risk=float(self.most))
        return self


def guess(
    chance: float,
    *,
    choices: int | None = None,
    secret: str | None = None,
    radius: float | None = None,
    prior: float | None = None,
) -> Guess:
    """An attacker who knows everyone else's values guesses one person's value right at most this often.

    `choices`: how many values there are; `secret` takes them from the categories of a column, or with `radius` a
    guess counts that comes so close to a number. `prior` is how often the attacker is right blindly.
    """
    number = number_where("guess", chance, "guess-out-of-range", lambda n: 0 < n <= 1)
    return Guess(number, secret_of("guess", choices, secret, radius, prior)).above_blind()


def advantage(most: float) -> Advantage:
    """No answer raises anyone's belief about a person by more than `most`: 0.2 takes 30% to 50% at the very most."""
    return Advantage(number_where("advantage", most, "advantage-out-of-range", lambda n: 0 < n <= 1))


def sharing_risk(
    risk: float | str,
    *,
    trust: float | str | Mapping[str, float | str] | None = None,
    data_sensitivity: float | str | None = None,
    choices: int | None = None,
    secret: str | None = None,
    radius: float | None = None,
    prior: float | None = None,
    as_published: bool = False,
    earlier_epsilon: float | None = None,
    earlier_delta: float | None = None,
) -> SharingRisk:
    """The risk of sharing an answer with a partner, at most this: five words from "very low" to "very high", or 0 to 1.

    It is the data's sensitivity times the distrust in the partner times what a guess gains; `as_published` times the
    chance of the guess itself. `trust` may state its factors, as in {"ability": "high", "benevolence": "low",
    "integrity": "high"}. `earlier_epsilon` and `earlier_delta` are the total of the answers that the
    partner holds already: the risk is then that of all of them with this one.
    """
    for what, rating in (("trust", trust), ("data sensitivity", data_sensitivity)):
        if rating is None:
            raise PreferenceError.because("sharing-risk-incomplete", what=what)
    return SharingRisk(
        level("sharing risk", risk),
        level("trust", trust),
        level("data sensitivity", data_sensitivity),
        secret_of("sharing risk", choices, secret, radius, prior),
        as_published,
        earlier_answers(earlier_epsilon, earlier_delta),
    ).above_floor()


def earlier_answers(epsilon: object, delta: object) -> EarlierAnswers:
    """What a partner holds already; nothing where nothing is stated."""
    if delta is not None and epsilon is None:
        raise PreferenceError.because("earlier-delta-alone")
    return EarlierAnswers(
        number_where(
            "earlier_epsilon", 0 if epsilon is None else epsilon, "earlier-epsilon-out-of-range", lambda n: n >= 0
        ),
        number_where(
            "earlier_delta", 0 if delta is None else delta, "earlier-delta-out-of-range", lambda n: 0 <= n < 1
        ),
    )


def level(what: str, value: object) -> Fraction:
    """One of the five words, or a number from 0 to 1; trust may state its three factors.

    >>> level("trust", "very high"), level("trust", 0.25)
    (Fraction(9, 10), Fraction(1, 4))
    >>> level("trust", "ability=high, benevolence=low, integrity=0.5")
    Fraction(3, 10)
    """
    if what == "trust" and (isinstance(value, Mapping) or (isinstance(value, str) and "=" in value)):
        factors = dict(value) if isinstance(value, Mapping) else _factors(value)
        if set(factors) != set(FACTORS):
            raise PreferenceError.because("trust-factors", factors=list(FACTORS), stated=sorted(map(str, factors)))
        return trust_of(*(level(name, factors[name]) for name in FACTORS))
    text = " ".join(str(value).replace("-", " ").split()).lower() if isinstance(value, str) else ""
    if text in LEVELS:
        return Fraction(str(LEVELS[text]))
    try:
        number = exactly(what, value)
    except PreferenceError:
        raise PreferenceError.because("level-unknown", what=what, stated=str(value), levels=list(LEVELS)) from None
    if not 0 <= number <= 1:
        raise PreferenceError.because("level-out-of-range", what=what, stated=str(value), levels=list(LEVELS))
    return number


def _factors(text: str) -> dict[str, str]:
    """Factors of trust as a text has them: `ability=high, benevolence=low, integrity=high`."""
    parts = [part.partition("=") for part in text.split(",")]
    return {name.strip().lower(): value.strip() for name, _, value in parts}


def known(secret: Secret, schema: Schema) -> Secret:
    """With how often it is guessed blindly, and the column by the name that the schema has for it."""
    if secret.column is None:
        return secret
    column = schema.column(secret.column)
    if column is None:
        raise PreferenceError.because("secret-column-unknown", where=schema.origin, column=secret.column)
    if secret.prior is not None:
        return replace(secret, column=column.name)
    where = f"{schema.section(column.name)} in {schema.origin}"
    if secret.radius is not None:
        resolved = replace(secret, column=column.name, prior=_share_within(secret.radius, column, where))
    elif column.listed is None:
        raise PreferenceError.because("secret-without-categories", where=where, column=column.name)
    else:
        many = len(column.listed)
        resolved = replace(secret, column=column.name, prior=Fraction(1, many), choices=many)
    if resolved.known >= 1:
        raise PreferenceError.because("secret-always-guessed", where=where, column=column.name)
    return resolved


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
        many = number_where("choices", choices, "choices-not-whole", lambda n: n.denominator == 1 and n >= 2)
        return Secret(1 / many, int(many))
    if column is not None and not isinstance(column, str):
        raise PreferenceError.because("secret-not-a-name", stated=repr(column))
    if column is not None and prior is None:
        close = None if radius is None else number_where("radius", radius, "radius-negative", lambda n: n >= 0)
        return Secret(column=column, radius=close)
    return Secret(number_where("prior", prior, "prior-out-of-range", lambda n: 0 < n < 1), column=column)


def _epsilon_for_guess(
    chance: float, prior: float, setting: Setting, earlier: EarlierAnswers = NOTHING_EARLIER
) -> float:
    """The epsilon at which a guess is right with this chance (docs/theory/guessing.md)."""
    delta = (setting.noise.delta or 0.0) + float(earlier.delta)
    return max(0.0, epsilon_for_guess(chance, prior, setting.steps, delta) - float(earlier.epsilon))


def _level(number: Fraction) -> str:
    return next((word for word, value in LEVELS.items() if Fraction(str(value)) == number), f"{float(number):g}")
