"""A preference that has to hold for any n people together: a family, or a household (docs/theory/together.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.model.method_comparison import Need
from sfumato.model.release import Assumed
from sfumato.model.schema import Schema
from sfumato.privacy.noise.groups import epsilon_of_one
from sfumato.privacy.preferences.preference import Interval, Preference, Setting

MOST = 1000  # people together


@dataclass(frozen=True)
class ForGroup(Preference):
    """A preference about one person, of any `people` of them together."""

    preference: Preference
    people: int

    def __post_init__(self) -> None:
        if not self.preference.holds_for_groups:
            raise PreferenceError.because("together-not-supported", stated=self.preference.words)

    @property
    def outright(self) -> bool:  # type: ignore[override]  # what the inner one says
        return self.preference.outright

    @property
    def words(self) -> str:
        return f"{self.preference.words}, for any {self.people} people together"

    @property
    def method(self) -> tuple[object, ...]:
        return self.preference.method

    @property
    def need(self) -> Need:
        return self.preference.need

    @property
    def secret_column(self) -> str | None:
        return self.preference.secret_column

    @property
    def assumptions(self) -> tuple[Assumed, ...]:
        return self.preference.assumptions

    def interval(self, setting: Setting, /) -> Interval:
        own = self.preference.interval(setting)
        numbers = 1 if setting.measurement is None else setting.measurement.k or 1
        low, high = (epsilon_of_one(end, self.people, setting.noise, numbers) for end in (own.low, own.high))
        return Interval(low, high)

    def to_mapping(self) -> dict[str, Any]:
        return self.preference.to_mapping() | {"together": self.people}

    def scaled(self, weight: Fraction, /) -> ForGroup:
        scaled = self.preference.scaled(weight)
        return replace(self, preference=scaled)

    def resolve(self, schema: Schema, /) -> ForGroup:
        return replace(self, preference=self.preference.resolve(schema))

    def why(self, drawn: Mapping[Preference, str], beside: float, /) -> str:
        if self.outright:
            return f"The epsilon was stated for any {self.people} people together."
        return super().why(drawn, beside)


def together(preference: Preference, people: int) -> Preference:
    """The same preference, of any so many people together: it protects a family or a household of this size.

    >>> from sfumato.privacy.preferences.preference import epsilon
    >>> together(epsilon(0.5), 4).words
    'epsilon 0.5, for any 4 people together'
    """
    require_people(people)
    if isinstance(preference, ForGroup):
        raise PreferenceError.because("together-twice")
    return preference if people == 1 else ForGroup(preference, people)


def require_people(people: object) -> None:
    """Refuse what is no number of people."""
    if isinstance(people, bool) or not isinstance(people, int) or not 1 <= people <= MOST:
        raise PreferenceError.because("together-out-of-range", stated=str(people), most=MOST)


def most_together(preferences: Iterable[Preference]) -> int | None:
    """The largest number of people that one of the preferences is about; None where all are about one person."""
    return max((p.people for p in preferences if isinstance(p, ForGroup)), default=None)
