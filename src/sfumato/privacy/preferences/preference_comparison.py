"""Every preference in one form, side by side: its interval of epsilon and what it needs.

See docs/theory/preferences.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.method_comparison import Need
from sfumato.model.risk import WORST_CASE
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.preference import Interval, Preference, Setting
from sfumato.privacy.preferences.solver import People, Solution, solve


@dataclass(frozen=True)
class Grounds:
    """What intervals are computed from; without `people`, those that read them have none."""

    noise: Noise
    measurement: Measurement | None = None
    people: People | None = None
    candidates: Sequence[float] | None = None
    epsilon_max: float = 10.0


@dataclass(frozen=True)
class MethodRow:
    """A preference and, where it is known without a look or a draw, its interval and what it leads to alone.

    A function of the RDRs is asked at each candidate: it has no interval, and neither has what compares no one.
    """

    preference: Preference
    need: Need
    interval: Interval | None = None
    alone: Solution | None = None


@dataclass(frozen=True)
class Intersection:
    """The epsilons that meet all known preferences, and the one chosen or the two in conflict."""

    interval: Interval | None
    solution: Solution | None
    unknown: tuple[Preference, ...] = ()


def row(preference: Preference, grounds: Grounds) -> MethodRow:
    """One preference by itself."""
    need = preference.need
    if preference.draws or (preference.reads_people and grounds.people is None):
        return MethodRow(preference, need)
    spread = grounds.people(preference) if preference.reads_people and grounds.people is not None else WORST_CASE
    alone = _solved([preference], grounds)
    if spread.empty or preference.asks_candidates:
        return MethodRow(preference, need, None, alone)
    return MethodRow(preference, need, preference.interval(Setting(spread, grounds.noise, grounds.measurement)), alone)


def intersection(rows: Sequence[MethodRow], grounds: Grounds) -> Intersection:
    """What the preferences come to together; what is not known of some leaves the intersection of the others."""
    known = [row.preference for row in rows if row.alone is not None]
    unknown = tuple(row.preference for row in rows if row.alone is None)
    intervals = [row.interval for row in rows if row.interval is not None]
    low, high = max((i.low for i in intervals), default=0.0), min((i.high for i in intervals), default=0.0)
    common = Interval(low, high) if low <= high and high > 0 and math.isfinite(low) else None
    return Intersection(common, _solved(known, grounds) if known else None, unknown)


def panel(secret: str | None = None, values: int = 4) -> tuple[Preference, ...]:
    """Every method once, at an example of its threshold; what is guessed is a column with so many listed values."""
    guessed: dict[str, Any] = {"choices": values} if secret is None else {"secret": secret}
    examples = [example for table in registry.examples(guessed, values) for example in registry.preferences(table)]
    return tuple(sorted(examples, key=lambda p: p.draws and p.reads_people))  # what draws from the people comes last


def others(preferences: Sequence[Preference], examples: Sequence[Preference]) -> tuple[Preference, ...]:
    """The examples of methods that are not among the preferences."""
    taken = {preference.method for preference in preferences}
    return tuple(example for example in examples if example.method not in taken)


def unstated(preferences: Sequence[Preference]) -> Iterator[tuple[str, Need, Preference | None]]:
    """The methods without an example that are not among the preferences, each with one that is tried."""
    taken = {preference.unstated_name for preference in preferences}
    for name, need, tried in registry.UNSTATED:
        if name not in taken:
            yield name, need, None if tried is None else registry.preferences(tried)[0]


def _solved(preferences: Sequence[Preference], grounds: Grounds) -> Solution:
    return solve(
        preferences,
        grounds.people or (lambda _: WORST_CASE),
        grounds.noise,
        measurement=grounds.measurement,
        candidates=grounds.candidates,
        epsilon_max=grounds.epsilon_max,
    )
