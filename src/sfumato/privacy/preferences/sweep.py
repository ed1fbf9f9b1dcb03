"""What may be asked for by moving one slider, stop by stop: the epsilons that meet it, and the one it leads to."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from enum import StrEnum
from typing import Any

from sfumato.errors import PreferenceError
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.measurement import Measurement
from sfumato.model.risk import WORST_CASE, ExposureRange
from sfumato.privacy.preferences import registry
from sfumato.privacy.preferences.preference import Interval, Preference, Setting, epsilon, plain
from sfumato.privacy.preferences.solver import Solution, solve
from sfumato.privacy.risk.profile import risk_at

GAPS = (1.01, 1.02, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.5, 1.75, 2.0, 2.5, 3.0, 5.0)
CHANCES = (0.51, 0.52, 0.53, 0.55, 0.57, 0.6, 0.63, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99)
EPSILONS = (
    *(0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75),
    *(1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.5, 10.0),
)
CAPS = (0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 5.0)
ALLOWED, SELECTING = 0.01, 0.1  # the share of people allowed above the cap, and the epsilon of the selection
# An error bound is met with 90% probability, by each figure separately, like a noise interval.
USUAL: dict[str, Any] = {"confidence": 0.9, "each": True}


class SliderKind(StrEnum):
    """What a slider moves."""

    GAP = "gap"
    CHANCE = "chance"
    ERROR = "error"
    EPSILON = "epsilon"
    SELECTED = "selected"


@dataclass(frozen=True)
class SliderPosition:
    """One place of a slider: the epsilons from `low` to `high` meet it. `rule` is how a policy would state it.

    What is selected privately has no epsilon before it is selected, and what is compared on synthetic data or on the
    people is no rule: from there goes the epsilon that was found.
    """

    kind: SliderKind
    value: float
    preference: Preference
    meets: Interval
    solution: Solution | None
    rule: Mapping[str, Any]


@dataclass(frozen=True)
class Slider:
    """Its stops from the strictest; where it has none, `why` says what is missing."""

    kind: SliderKind
    stops: tuple[SliderPosition, ...]
    why: str = ""


def sliders(
    spread: ExposureRange,
    noise: Noise,
    measurement: Measurement,
    *,
    epsilon_max: float,
    rule: Mapping[str, Any],
    now: float | None,
) -> tuple[Slider, ...]:
    """Every slider there is for a query, by what `spread` compares; one has a stop for each epsilon.

    `rule` is the preference in force and `now` the epsilon that it leads to: both are among the stops.
    """
    of = _Of(spread, noise, measurement, epsilon_max)
    own = {kind: [float(value)] if (value := stated_value(kind, rule)) is not None else [] for kind in SliderKind}
    own[SliderKind.EPSILON] += [] if now is None else [now]
    usual: Mapping[SliderKind, Sequence[float]] = {
        SliderKind.GAP: GAPS,
        SliderKind.CHANCE: CHANCES,
        SliderKind.ERROR: _errors(noise, measurement),
        SliderKind.EPSILON: [one for one in EPSILONS if one <= max(epsilon_max, 1.0) * 5],
        SliderKind.SELECTED: CAPS if measurement.additive else (),
    }
    return tuple(of.slider(kind, sorted({*usual[kind], *own[kind]})) for kind in SliderKind)


def place(moved: Sequence[Slider], rule: Mapping[str, Any], now: float | None) -> tuple[SliderKind, int]:
    """Where the sliders stand for what is in force; a preference that has none of its own stands at its epsilon."""
    for kind in (SliderKind.GAP, SliderKind.CHANCE, SliderKind.ERROR):
        value = stated_value(kind, rule)
        stops = next(slider.stops for slider in moved if slider.kind is kind)
        index = next((i for i, stop in enumerate(stops) if stop.value == value), None)
        if index is None or stops[index].preference.reads_people:
            continue
        if (solution := stops[index].solution) is not None and solution.epsilon == now:
            return kind, index
    stops = next(slider.stops for slider in moved if slider.kind is SliderKind.EPSILON)
    return SliderKind.EPSILON, next((i for i, stop in enumerate(stops) if stop.value == now), len(stops) // 2)


def stated_value(kind: SliderKind, rule: Mapping[str, Any]) -> float | None:
    """The value that a rule states of this kind, where it states nothing else beside its noise."""
    options = plain({name: value for name, value in rule.items() if name in registry.KNOWN})
    name = next((name for name in _NAMES if _NAMES[name] is kind and name in options), None)
    beside = _BESIDE.get(kind, {})
    return options[name] if name is not None and options == {name: options[name]} | beside else None


_BESIDE: Mapping[SliderKind, dict[str, Any]] = {SliderKind.GAP: {"worst_case": True}, SliderKind.ERROR: USUAL}
_NAMES = {
    "gap": SliderKind.GAP,
    "attack_chance": SliderKind.CHANCE,
    "within": SliderKind.ERROR,
    "epsilon": SliderKind.EPSILON,
}


@dataclass(frozen=True)
class _Of:
    """What all the sliders of a query go by."""

    spread: ExposureRange
    noise: Noise
    measurement: Measurement
    epsilon_max: float

    def slider(self, kind: SliderKind, values: Sequence[float]) -> Slider:
        try:
            stops = tuple(self._stop(kind, value) for value in values)
        except PreferenceError as refused:
            return Slider(kind, (), refused.message)
        return Slider(kind, stops)

    def _stop(self, kind: SliderKind, value: float) -> SliderPosition:
        own = _MAKERS[kind](value)
        if kind is SliderKind.GAP and self.spread is not WORST_CASE:
            own.pop("worst_case")
        [preference] = registry.preferences(own)
        if preference.selects:
            return SliderPosition(kind, value, preference, Interval(0.0, self.epsilon_max), None, own | self._drawn)
        solution = self._solve(preference, value) if kind is SliderKind.EPSILON else self._solve(preference)
        meets = Interval(0.0, value) if kind is SliderKind.EPSILON else self._interval(preference)
        if preference.reads_people:
            own = {} if solution.epsilon is None else {"epsilon": _floor(solution.epsilon)}
        return SliderPosition(kind, value, preference, meets, solution, own | self._drawn if own else {})

    @property
    def _drawn(self) -> dict[str, Any]:
        """The noise, where a rule has to name it."""
        law = None if self.noise.mechanism == NoiseLaw.LAPLACE else self.noise.mechanism
        return plain({"mechanism": law, "delta": self.noise.delta})

    def _interval(self, preference: Preference) -> Interval:
        return preference.interval(Setting(self.spread, self.noise, self.measurement))

    def _solve(self, preference: Preference, epsilon: float = 0.0) -> Solution:
        if epsilon > self.epsilon_max:
            return Solution(None, False, False, f"epsilon_max of the policy is {self.epsilon_max:g}.")
        return solve(
            [preference], lambda _: self.spread, self.noise, measurement=self.measurement, epsilon_max=self.epsilon_max
        )


_MAKERS: Mapping[SliderKind, Callable[[float], dict[str, Any]]] = {
    SliderKind.GAP: lambda value: {"gap": value, "worst_case": True},
    SliderKind.CHANCE: lambda value: {"attack_chance": value},
    SliderKind.ERROR: lambda value: {"within": value, **USUAL},
    SliderKind.EPSILON: lambda value: {"epsilon": epsilon(value).value},
    SliderKind.SELECTED: lambda value: {"exposure_cap": value, "allow": ALLOWED, "select_epsilon": SELECTING},
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
            figure = float(f"{times}e{power}")
            if low <= figure <= high:
                yield figure
