"""An axis, and where a value stands on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sfumato.presentation.wording.numbers import magnitude, number, percent_up

Spacing: TypeAlias = Literal["linear", "log", "counts"]

BENDS: dict[Spacing, Callable[[float], float]] = {"linear": float, "log": math.log, "counts": math.log1p}


@dataclass(frozen=True)
class Axis:
    """What is measured, in which unit, and how it is spread; ticks and `start`, if given, also widen the axis.

    On a scale of counts 0 has its place, and from 1 on each tenfold takes the same room.
    """

    label: str
    unit: str = ""
    scale: Spacing = "linear"
    ticks: tuple[float, ...] | None = None
    start: float | None = None

    def __post_init__(self) -> None:
        finite(self.bounds, "ticks")

    @property
    def bounds(self) -> tuple[float, ...]:
        """What the axis holds in any case."""
        return (*(self.ticks or ()), *(() if self.start is None else (self.start,)))

    @property
    def name(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Scale:
    """Where a value stands between the two ends of an axis, and how it is written there."""

    low: float
    high: float
    ticks: tuple[float, ...]
    step: float
    spacing: Spacing = "linear"
    sign: str = ""

    def at(self, value: float) -> float:
        """The place of a value, 0 at the low end and 1 at the high end."""
        bend = BENDS[self.spacing]
        return (bend(value) - bend(self.low)) / (bend(self.high) - bend(self.low))

    def say(self, value: float) -> str:
        """The value to a tenth of a step, with its sign: a gap of 1.0012 must not read 1 on a narrow axis."""
        text = number(value, max(3, magnitude(value) - magnitude(self.step) + 2)) + self.sign
        return percent_up(value / 100, 1) if text == "100%" else text


def scale(axis: Axis, values: list[float]) -> Scale:
    """The scale that holds all values and the axis' own ticks."""
    sign = axis.unit if axis.unit in ("×", "%") else ""
    low, high = min((*values, *axis.bounds)), max((*values, *axis.bounds))
    if math.isclose(low, high):
        low, high = (low, low * 10) if axis.scale == "log" else (low, low + (abs(low) or 1))
    step = round_step((high - low) / 5)
    counts = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ticks = tuple(min(max(count * step, low), high) for count in counts)
    if axis.scale == "log" and len(decades := _decades(low, high)) >= 2:
        step, ticks = high, decades
    if axis.scale == "counts":
        step, ticks = 1, tuple(10.0**power for power in range(magnitude(high) + 1))
    many = axis.scale == "log" and len(ticks) > 2  # enough to read the low end off
    if not many and not any(math.isclose(low, tick, abs_tol=step * 1e-9) for tick in ticks):
        ticks = (low, *ticks)
    return Scale(low, high, axis.ticks or ticks, step, axis.scale, sign)


def round_step(least: float) -> float:
    """The first of 1, 2, 5, 10, 20, 50 … that is not below the least."""
    power: float = 10.0 ** magnitude(least)
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least * (1 - 1e-9))


def _decades(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten between the two ends, with their 2 and 5 where there is room."""
    powers = [10.0**power for power in range(magnitude(low), magnitude(high) + 1)]
    fine = [tick for power in powers for tick in (power, 2 * power, 5 * power) if low <= tick <= high]
    coarse = [power for power in powers if low <= power <= high]
    return tuple(fine if len(fine) <= 8 else coarse[:: 1 + len(coarse) // 8])


def above(value: float) -> float:
    """A round number well above this one, which is above 0."""
    return round_step(1.5 * value)


def below(value: float) -> float:
    """A round number well below this one, and above 0 as it is."""
    return 1 / round_step(1.5 / value)


def finite(values: Iterable[float], what: str) -> None:
    # A little below the largest float, so that the difference of two is finite as well; NaN fails too.
    require(all(abs(value) <= 1e300 for value in values), f"{what}: every number must be finite")


def require(right: bool, otherwise: str) -> None:
    if not right:
        raise ValueError(otherwise)
