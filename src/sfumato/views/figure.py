"""A picture, described: axes, units and marks. It knows nothing of privacy and nothing of pixels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

Verdict: TypeAlias = Literal["ok", "chosen", "over"]
Spacing: TypeAlias = Literal["linear", "log", "counts"]

GLYPHS: dict[Verdict, str] = {"ok": "✓", "chosen": "●", "over": "✕"}
WORDS: dict[Verdict, str] = {"ok": "allowed", "chosen": "chosen", "over": "over"}
BENDS: dict[Spacing, Callable[[float], float]] = {"linear": float, "log": math.log, "counts": math.log1p}
MOST_DOTS = 1000  # nobody counts more, and a typing mistake must not fill a page


@dataclass(frozen=True)
class Axis:
    """What is measured, in which unit, and how it is spread; ticks, if given, also widen the axis.

    On a scale of counts 0 has its place, and from 1 on each tenfold takes the same room.
    """

    label: str
    unit: str = ""
    scale: Spacing = "linear"
    ticks: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        _finite(self.ticks or (), "ticks")

    @property
    def name(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Range:
    """A vertical bar from low to high at candidate x; the label replaces the word of its mark."""

    x: float
    low: float
    high: float
    mark: Verdict = "ok"
    label: str = ""

    def __post_init__(self) -> None:
        _finite((self.x, self.low, self.high), "a range")
        _require(self.low <= self.high, f"a range from {self.low} to {self.high} runs backwards")
        _require(self.mark in GLYPHS, f"a range is ok, chosen or over, not {self.mark!r}")


@dataclass(frozen=True)
class Limit:
    """A horizontal line that marks should stay below."""

    y: float
    label: str

    def __post_init__(self) -> None:
        _finite((self.y,), "a limit")


@dataclass(frozen=True)
class Bars:
    """A histogram: each height stands between two neighbouring edges, and is at most `noise` away from the truth."""

    edges: tuple[float, ...]
    heights: tuple[float, ...]
    noise: float = 0.0

    def __post_init__(self) -> None:
        _finite((*self.edges, *self.heights, self.noise), "bars")
        edges, heights = len(self.edges), len(self.heights)
        _require(heights > 0 and edges == heights + 1, f"{heights} bars do not fit {edges} edges")
        rising = all(left < right for left, right in zip(self.edges, self.edges[1:], strict=False))
        _require(rising, "the edges of bars must rise")
        _require(min(self.heights) >= 0, "a bar cannot be lower than nothing")
        _require(self.noise >= 0, "a bar cannot be closer to the truth than at it")

    @property
    def bins(self) -> list[tuple[float, float, float]]:
        """Each bar as its left edge, right edge and height."""
        return list(zip(self.edges, self.edges[1:], self.heights, strict=False))


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    label: str = ""

    def __post_init__(self) -> None:
        _require(len(self.points) >= 2, "a line needs two points")
        _finite((number for point in self.points for number in point), "a line")


@dataclass(frozen=True)
class Dots:
    """Odds as an array of dots: 68 filled of 100."""

    filled: int
    total: int
    label: str

    def __post_init__(self) -> None:
        _require(0 <= self.filled <= self.total, f"{self.filled} of {self.total} dots cannot be filled")
        _require(1 <= self.total <= MOST_DOTS, f"an array has 1 to {MOST_DOTS} dots, not {self.total}")

    @property
    def words(self) -> str:
        """The odds in words."""
        return f"{self.label}: {self.filled} of {self.total}".removeprefix(": ")


Mark: TypeAlias = Range | Limit | Bars | Line | Dots
AnyMark = TypeVar("AnyMark", Range, Limit, Bars, Line, Dots)


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
        return number(value, max(3, _magnitude(value) - _magnitude(self.step) + 2)) + self.sign


@dataclass(frozen=True)
class Figure:
    """A picture: ranges over candidates, or bars and lines in a plane, or arrays of dots."""

    title: str
    subtitle: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    note: str = ""

    def __post_init__(self) -> None:
        kinds = {type(mark) for mark in self.marks}
        _require(bool(kinds - {Limit}), "a figure needs a range, bars, a line or dots")
        _require(Range not in kinds or kinds <= {Range, Limit}, "ranges share a figure with limits only")
        _require(Dots not in kinds or kinds == {Dots}, "dots have no axes and stand alone")
        candidates = [mark.x for mark in self.of(Range)]
        _require(len(set(candidates)) == len(candidates), "two ranges stand at the same candidate")
        for axis, values in ((self.x, self._across), (self.y, self._up)):
            least = min((*values, *(axis.ticks or ())), default=1)
            _require(axis.scale != "log" or least > 0, f"the log axis {axis.label!r} starts above 0")
            _require(axis.scale != "counts" or least >= 0, f"the axis {axis.label!r} of counts starts at 0")

    def of(self, kind: type[AnyMark]) -> tuple[AnyMark, ...]:
        """The marks of one kind, in order."""
        return tuple(mark for mark in self.marks if isinstance(mark, kind))

    def verdict(self, mark: Range) -> str:
        """A range's sign and words; without a limit nothing was judged, so nothing is called allowed."""
        if mark.mark == "ok" and not mark.label and not self.of(Limit):
            return ""
        return f"{GLYPHS[mark.mark]} {mark.label or WORDS[mark.mark]}"

    @property
    def candidates(self) -> tuple[str, ...]:
        """The names of the ranges' candidates, with as many digits as tell them apart."""
        for digits in range(3, 17):
            names = tuple(number(mark.x, digits) for mark in self.of(Range))
            if len(set(names)) == len(names):
                return names
        return tuple(str(mark.x) for mark in self.of(Range))

    @property
    def across(self) -> Scale:
        """The scale of the x axis."""
        return _scale(self.x, self._across)

    @property
    def up(self) -> Scale:
        """The scale of the y axis."""
        return _scale(self.y, self._up)

    @property
    def _across(self) -> list[float]:
        edges = [edge for mark in self.of(Bars) for edge in mark.edges]
        points = [x for mark in self.of(Line) for x, _ in mark.points]
        return [mark.x for mark in self.of(Range)] + edges + points

    @property
    def _up(self) -> list[float]:
        ends = [end for mark in self.of(Range) for end in (mark.low, mark.high)]
        heights = [height for mark in self.of(Bars) for height in (0, *mark.heights, max(mark.heights) + mark.noise)]
        points = [y for mark in self.of(Line) for _, y in mark.points]
        return ends + [mark.y for mark in self.of(Limit)] + heights + points


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, commas, and no needless zeros.

    >>> number(1.19), number(0.750), number(24771.4), number(3e-7)
    ('1.19', '0.75', '24,771', '3e-07')
    """
    if value and not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{digits}g}"
    text = f"{value:,.{max(0, digits - 1 - _magnitude(value))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain(text: str) -> str:
    """The text without control characters: a title must not steer a terminal or break the XML."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _scale(axis: Axis, values: list[float]) -> Scale:
    """The scale that holds all values and the axis' own ticks."""
    sign = axis.unit if axis.unit in ("×", "%") else ""
    low, high = min((*values, *(axis.ticks or ()))), max((*values, *(axis.ticks or ())))
    if math.isclose(low, high):
        low, high = (low, low * 10) if axis.scale == "log" else (low, low + (abs(low) or 1))
    step = _step((high - low) / 5)
    counts = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ticks = tuple(min(max(count * step, low), high) for count in counts)
    if axis.scale == "log" and len(decades := _decades(low, high)) >= 2:
        step, ticks = high, decades
    if axis.scale == "counts":
        step, ticks = 1, tuple(10.0**power for power in range(_magnitude(high) + 1))
    if not any(math.isclose(low, tick, abs_tol=step * 1e-9) for tick in ticks):
        ticks = (low, *ticks)
    return Scale(low, high, axis.ticks or ticks, step, axis.scale, sign)


def _step(least: float) -> float:
    """The first of 1, 2, 5, 10, 20, 50 … that is not below the least."""
    power: float = 10.0 ** _magnitude(least)
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least * (1 - 1e-9))


def _decades(low: float, high: float) -> tuple[float, ...]:
    """Powers of ten between the two ends, with their 2 and 5 where there is room."""
    powers = [10.0**power for power in range(_magnitude(low), _magnitude(high) + 1)]
    fine = [tick for power in powers for tick in (power, 2 * power, 5 * power) if low <= tick <= high]
    coarse = [power for power in powers if low <= power <= high]
    return tuple(fine if len(fine) <= 8 else coarse[:: 1 + len(coarse) // 8])


def _magnitude(value: float) -> int:
    """The power of ten of the first digit."""
    return math.floor(math.log10(abs(value))) if value else 0


def _finite(values: Iterable[float], what: str) -> None:
    # A little below the largest float, so that the difference of two is finite as well; NaN fails too.
    _require(all(abs(value) <= 1e300 for value in values), f"{what}: every number must be finite")


def _require(right: bool, otherwise: str) -> None:
    if not right:
        raise ValueError(otherwise)
