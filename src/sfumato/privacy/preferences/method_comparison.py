"""Every preference in one form, side by side: its interval of epsilon and what it needs.

See docs/theory/preferences.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.method_comparison import Need
from sfumato.model.risk import WORST_CASE
from sfumato.privacy.preferences.accuracy import RelativeError, Within, relative_error, within
from sfumato.privacy.preferences.belief import Belief
from sfumato.privacy.preferences.guessing import Guess, SharingRisk, advantage, guess, sharing_risk
from sfumato.privacy.preferences.preference import (
    LargerThanSpent,
    Preference,
    Ratio,
    Satisfies,
    attack_chance,
    exposure_cap,
    gap,
    ratio,
    satisfies,
    variance,
)
from sfumato.privacy.preferences.pri import pri
from sfumato.privacy.preferences.solver import Interval, People, Solution, interval, solve
from sfumato.privacy.risk.rdr_distribution import RDRs


@dataclass(frozen=True)
class Grounds:
    """What intervals are computed from; without `people`, those that read them have none."""

    noise: Noise
    measurement: Measurement | None = None
    people: People | None = None
    candidates: Sequence[float] | None = None
    epsilon_max: float = 10.0


@dataclass(frozen=True)
class Row:
    """A preference and, where it is known without a look or a draw, its interval and what it leads to alone.

    A function of the RDRs is asked at each candidate: it has no interval, and neither has what compares nobody.
    """

    preference: Preference
    need: Need
    interval: Interval | None = None
    alone: Solution | None = None


@dataclass(frozen=True)
class Intersection:
    """Of those that are known: the epsilons that meet them all, and the one chosen or the two in conflict."""

    interval: Interval | None
    solution: Solution | None
    unknown: tuple[Preference, ...] = ()


def row(preference: Preference, grounds: Grounds) -> Row:
    """One preference by itself."""
    need = needed(preference)
    if preference.draws or (preference.reads_people and grounds.people is None):
        return Row(preference, need)
    spread = grounds.people(preference) if preference.reads_people and grounds.people is not None else WORST_CASE
    alone = _solved([preference], grounds)
    if spread.nobody or isinstance(preference, Satisfies):
        return Row(preference, need, None, alone)
    return Row(preference, need, interval(preference, spread, grounds.noise, grounds.measurement), alone)


def intersection(rows: Sequence[Row], grounds: Grounds) -> Intersection:
    """What the preferences come to together; what is not known of some leaves the intersection of the others."""
    known = [row.preference for row in rows if row.alone is not None]
    unknown = tuple(row.preference for row in rows if row.alone is None)
    intervals = [row.interval for row in rows if row.interval is not None]
    low, high = max((i.low for i in intervals), default=0.0), min((i.high for i in intervals), default=0.0)
    common = Interval(low, high) if low <= high and high > 0 and math.isfinite(low) else None
    return Intersection(common, _solved(known, grounds) if known else None, unknown)


def needed(preference: Preference) -> Need:
    """What has to be known for it."""
    match preference:
        case _ if preference.selects:
            return Need.SELECTION
        case _ if preference.reads_people:
            return Need.PEOPLE
        case Guess() | SharingRisk():
            return Need.SECRET
        case Belief():
            return Need.WORLDS
        case RelativeError():
            return Need.ANSWER
        case Within(expected_count=count) if count is not None:
            return Need.COUNT
        case LargerThanSpent():
            return Need.SPENT
    return Need.PUBLIC


def panel(secret: str | None = None, values: int = 4) -> tuple[Preference, ...]:
    """Every method once, at an example of its threshold; what is guessed is a column with so many listed values."""
    guessed: dict[str, Any] = {"choices": values} if secret is None else {"secret": secret}
    return (
        gap(1.2, worst_case=True),
        ratio(0.95, worst_case=True, exact=True),
        attack_chance(0.6),
        exposure_cap(0.5),
        advantage(0.2),
        guess(round(1 / values + 0.15, 2), **guessed),
        sharing_risk("low", trust="low", data_sensitivity="high", **guessed),
        exposure_cap(0.5, allow=0.01, select_epsilon=0.1),
        variance(1e-3, select_epsilon=0.1),
        ratio(0.95),
        ratio(0.95, exact=True),
        satisfies(_nine_tenths_alike, "nine tenths within 1.1 times"),
        pri(5),
    )


UNSTATED: tuple[tuple[str, Need, type[Any], Preference | None], ...] = (
    ("within", Need.ERROR, Within, within(5, expected_count=100)),
    ("relative error", Need.ANSWER, RelativeError, relative_error(0.1, expected=100, expected_count=100)),
    ("ratio between two groups", Need.GROUPS, Ratio, ratio(0.9)),
    ("belief", Need.WORLDS, Belief, None),
)
"""Methods of which there is no example: they need something that only whoever compares can state.

With one that is tried, so that nothing is advised that would be refused.
"""


def others(stated: Sequence[Preference], examples: Sequence[Preference]) -> tuple[Preference, ...]:
    """The examples of methods that were not stated."""
    taken = {_method(preference) for preference in stated}
    return tuple(example for example in examples if _method(example) not in taken)


def unstated(stated: Sequence[Preference]) -> tuple[tuple[str, Need, Preference | None], ...]:
    """The methods without an example, of those that were not stated."""

    def is_stated(kind: type[Any]) -> bool:
        mine = [p for p in stated if isinstance(p, kind)]
        return any(not isinstance(p, Ratio) or p.between is not None for p in mine)

    return tuple((name, need, tried) for name, need, kind, tried in UNSTATED if not is_stated(kind))


def _method(preference: Preference) -> tuple[object, ...]:
    """What makes it another method, and not another threshold."""
    how = (preference.exact, preference.between) if isinstance(preference, Ratio) else ()
    return type(preference), preference.selects, preference.reads_people, *how


def _solved(preferences: Sequence[Preference], grounds: Grounds) -> Solution:
    return solve(
        preferences,
        grounds.people or (lambda _: WORST_CASE),
        grounds.noise,
        measurement=grounds.measurement,
        candidates=grounds.candidates,
        epsilon_max=grounds.epsilon_max,
    )


def _nine_tenths_alike(rdrs: RDRs) -> bool:
    return rdrs.quantile(0.9) <= 1.1 * rdrs.min
