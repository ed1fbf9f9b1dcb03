"""What may be asked for by moving one slider, stop by stop: the epsilons that meet it, and the one it leads to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from enum import StrEnum
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.risk import WORST_CASE, ExposureRange
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.preference import Preference, epsilon
from sfumato.privacy.preferences.solver import Interval, Solution, interval, solve
from sfumato.privacy.risk.profile import risk_at

GAPS = (1.01, 1.02, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.75, 2.0, 2.5, 3.0, 5.0)
CHANCES = (0.51, 0.52, 0.53, 0.55, 0.57, 0.6, 0.63, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99)
EPSILONS = (
    *(0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75),
    *(1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.5, 10.0),
)
CAPS = (0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 5.0)
ALLOWED, SELECTING = 0.01, 0.1  # of a selection: one person of a hundred may lie above the cap; what it costs
USUAL: dict[str, Any] = {
    "confidence": 0.9,
    "each": True,
}  # of an error: 90 times of 100, each figure by itself, as a noise range is


class Kind(StrEnum):
    """What a slider moves."""

    GAP = "gap"
    CHANCE = "chance"
    ERROR = "error"
    EPSILON = "epsilon"
    SELECTED = "selected"


@dataclass(frozen=True)
class Stop:
    """One place of a slider: the epsilons from `low` to `high` meet it. `rule` is how a policy would state it.

    What is selected privately has no epsilon before it is selected, and what is compared on a look-alike or on the
    people is no rule: from there goes the epsilon that was found.
    """

    kind: Kind
    value: float
    preference: Preference
    meets: Interval
    solution: Solution | None
    rule: Mapping[str, Any]


@dataclass(frozen=True)
class Slider:
    """Its stops from the strictest; where it has none, `why` says what is missing."""

    kind: Kind
    stops: tuple[Stop, ...]
    why: str = ""


def sliders(
    spread: ExposureRange,
    noise: Noise,
    measurement: Measurement,
    *,
    ceiling: float,
    stated: Mapping[str, Any],
    now: float | None,
) -> tuple[Slider, ...]:
    """Every slider there is for a query, by what `spread` compares; one has a stop for each epsilon.

    `stated` is the preference in force and `now` the epsilon that it leads to: both are among the stops.
    """
    of = _Of(spread, noise, measurement, ceiling)
    own = {kind: [float(said)] if (said := _said(kind, stated)) is not None else [] for kind in Kind}
    own[Kind.EPSILON] += [] if now is None else [now]
    usual: Mapping[Kind, Sequence[float]] = {
        Kind.GAP: GAPS,
        Kind.CHANCE: CHANCES,
        Kind.ERROR: _errors(noise, measurement),
        Kind.EPSILON: [one for one in EPSILONS if one <= max(ceiling, 1.0) * 5],
        Kind.SELECTED: CAPS if measurement.additive else (),
    }
    return tuple(of.slider(kind, sorted({*usual[kind], *own[kind]})) for kind in Kind)


def place(found: Sequence[Slider], stated: Mapping[str, Any], now: float | None) -> tuple[Kind, int]:
    """Where the sliders stand for what is in force; a preference that has none of its own stands at its epsilon."""
    for kind in (Kind.GAP, Kind.CHANCE, Kind.ERROR):
        said = _said(kind, stated)
        stops = next(one.stops for one in found if one.kind is kind)
        index = next((i for i, stop in enumerate(stops) if stop.value == said), None)
        if index is None or stops[index].preference.reads_people:
            continue
        if (solution := stops[index].solution) is not None and solution.epsilon == now:
            return kind, index
    stops = next(one.stops for one in found if one.kind is Kind.EPSILON)
    return Kind.EPSILON, next((i for i, stop in enumerate(stops) if stop.value == now), len(stops) // 2)


def _said(kind: Kind, stated: Mapping[str, Any]) -> float | None:
    """What a preference states of this kind, where it states nothing else beside its noise."""
    said = {
        name: value
        for name, value in stated.items()
        if name in registry.KNOWN and value is not None and value is not False
    }
    found = next((name for name in _NAMES if _NAMES[name] is kind and name in said), None)
    beside = _BESIDE.get(kind, {})
    return said[found] if found is not None and said == {found: said[found]} | beside else None


_BESIDE: Mapping[Kind, dict[str, Any]] = {Kind.GAP: {"worst_case": True}, Kind.ERROR: USUAL}
_NAMES = {"gap": Kind.GAP, "attack_chance": Kind.CHANCE, "within": Kind.ERROR, "epsilon": Kind.EPSILON}


@dataclass(frozen=True)
class _Of:
    """What all the sliders of a query go by."""

    spread: ExposureRange
    noise: Noise
    measurement: Measurement
    ceiling: float

    def slider(self, kind: Kind, values: Sequence[float]) -> Slider:
        try:
            stops = tuple(self._stop(kind, value) for value in values)
        except PreferenceError as refused:
            return Slider(kind, (), refused.message)
        return Slider(kind, stops)

    def _stop(self, kind: Kind, value: float) -> Stop:
        own = _MAKERS[kind](value)
        if kind is Kind.GAP and self.spread is not WORST_CASE:
            own.pop("worst_case")
        [preference] = registry.preferences(own)
        if preference.selects:
            return Stop(kind, value, preference, Interval(0.0, self.ceiling), None, own | self._drawn)
        solution = self._solved(preference, value) if kind is Kind.EPSILON else self._solved(preference)
        meets = Interval(0.0, value) if kind is Kind.EPSILON else self._interval(preference)
        if preference.reads_people:
            own = {} if solution.epsilon is None else {"epsilon": _floor(solution.epsilon)}
        return Stop(kind, value, preference, meets, solution, own | self._drawn if own else {})

    @property
    def _drawn(self) -> dict[str, Any]:
        """The noise, where a rule has to name it."""
        named_law: dict[str, Any] = {} if self.noise.mechanism == "laplace" else {"mechanism": self.noise.mechanism}
        return named_law if self.noise.delta is None else named_law | {"delta": self.noise.delta}

    def _interval(self, preference: Preference) -> Interval:
        return interval(preference, self.spread, self.noise, self.measurement)

    def _solved(self, preference: Preference, stated: float = 0.0) -> Solution:
        if stated > self.ceiling:
            return Solution(None, False, False, f"The policy's ceiling is {self.ceiling:g}.")
        return solve(
            [preference],
            lambda _: self.spread,
            self.noise,
            measurement=self.measurement,
            epsilon_max=self.ceiling,
        )


_MAKERS: Mapping[Kind, Callable[[float], dict[str, Any]]] = {
    Kind.GAP: lambda value: {"gap": value, "worst_case": True},
    Kind.CHANCE: lambda value: {"attack_chance": value},
    Kind.ERROR: lambda value: {"within": value, **USUAL},
    Kind.EPSILON: lambda value: {"epsilon": epsilon(value).value},
    Kind.SELECTED: lambda value: {"exposure_cap": value, "allow": ALLOWED, "select_epsilon": SELECTING},
}


def _floor(epsilon: float) -> float:
    """Four digits that allow no more.

    >>> _floor(0.20408163), _floor(0.2)
    (0.204, 0.2)
    """
    return float(Context(prec=4, rounding=ROUND_FLOOR).create_decimal(str(epsilon)))


def _errors(noise: Noise, measurement: Measurement) -> list[float]:
    """Round figures between the noise of a large epsilon and that of a small one."""
    least, most = (risk_at(at, WORST_CASE, measurement, noise).noise_90 for at in (5.0, 0.05))
    low = max((one for one in least if one is not None), default=1.0)
    high = max((one for one in most if one is not None), default=1.0)
    return list(_rounds(max(low, 1.0) if any(n.kind.counts for n in measurement.numbers) else low, high))


def _rounds(low: float, high: float) -> Iterator[float]:
    """1, 2 and 5 times the powers of ten between two figures.

    >>> list(_rounds(3, 120))
    [5.0, 10.0, 20.0, 50.0, 100.0]
    """
    for power in range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1):
        for times in (1, 2, 5):
            found = float(f"{times}e{power}")
            if low <= found <= high:
                yield found
