"""What a picture is made of: each mark with its numbers and its label."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, TypeVar

from sfumato.presentation.figures.scale import finite, require

Verdict: TypeAlias = Literal["ok", "chosen", "over"]

GLYPHS: dict[Verdict, str] = {"ok": "✓", "chosen": "●", "over": "✕"}
WORDS: dict[Verdict, str] = {"ok": "allowed", "chosen": "chosen", "over": "over"}
MOST_DOTS = 1000  # no reader counts more, and a typing mistake must not fill a page


@dataclass(frozen=True)
class Range:
    """A vertical bar from low to high at candidate x; the label replaces the word of its mark."""

    x: float
    low: float
    high: float
    mark: Verdict = "ok"
    label: str = ""

    def __post_init__(self) -> None:
        finite((self.x, self.low, self.high), "a range")
        require(self.low <= self.high, f"a range from {self.low} to {self.high} runs backwards")
        require(self.mark in GLYPHS, f"a range is ok, chosen or over, not {self.mark!r}")


@dataclass(frozen=True)
class Limit:
    """A horizontal line that marks should stay below."""

    y: float
    label: str

    def __post_init__(self) -> None:
        finite((self.y,), "a limit")


@dataclass(frozen=True)
class Bars:
    """A histogram: each height stands between two neighbouring edges, and is at most `noise` away from the truth."""

    edges: tuple[float, ...]
    heights: tuple[float, ...]
    noise: float = 0.0

    def __post_init__(self) -> None:
        finite((*self.edges, *self.heights, self.noise), "bars")
        edges, heights = len(self.edges), len(self.heights)
        require(heights > 0 and edges == heights + 1, f"{heights} bars do not fit {edges} edges")
        rising = all(left < right for left, right in zip(self.edges, self.edges[1:], strict=False))
        require(rising, "the edges of bars must rise")
        require(min(self.heights) >= 0, "a bar cannot be lower than nothing")
        require(self.noise >= 0, "a bar cannot be closer to the truth than at it")

    @property
    def bins(self) -> list[tuple[float, float, float]]:
        """Each bar as its left edge, right edge and height."""
        return list(zip(self.edges, self.edges[1:], self.heights, strict=False))

    @property
    def standing(self) -> list[tuple[float, float, float]]:
        """The bars that are higher than nothing."""
        return [each for each in self.bins if each[2]]


@dataclass(frozen=True)
class Line:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    label: str = ""

    def __post_init__(self) -> None:
        require(len(self.points) >= 2, "a line needs two points")
        finite((number for point in self.points for number in point), "a line")


@dataclass(frozen=True)
class Points:
    """Markers without a line, each with a name beside it if it has one."""

    points: tuple[tuple[float, float], ...]
    label: str = ""
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require(bool(self.points), "points need at least one point")
        require(len(self.names) in (0, len(self.points)), f"{len(self.names)} names for {len(self.points)} points")
        finite((number for point in self.points for number in point), "points")


@dataclass(frozen=True)
class Box:
    """A box plot: half of all between `lower` and `upper`; the label is the name of its place on the x axis."""

    x: float
    low: float
    lower: float
    median: float
    upper: float
    high: float
    label: str = ""

    def __post_init__(self) -> None:
        finite((self.x, *self.five), "a box")
        require(list(self.five) == sorted(self.five), "the five numbers of a box must not fall")

    @property
    def five(self) -> tuple[float, float, float, float, float]:
        """Its numbers, from the lowest to the highest."""
        return self.low, self.lower, self.median, self.upper, self.high


@dataclass(frozen=True)
class Span:
    """A row with a horizontal bar from low to high, which may be infinite: `mark` and `note` say what of it.

    `interval` is the text for its two ends, where they are not rounded to the nearest.
    """

    label: str
    low: float
    high: float
    mark: Verdict = "ok"
    note: str = ""
    interval: str = ""

    def __post_init__(self) -> None:
        finite((self.low, *self.ends), "a span")
        require(self.low <= self.high, f"a span from {self.low} to {self.high} runs backwards")
        require(self.mark in GLYPHS, f"a span is ok, chosen or over, not {self.mark!r}")

    @property
    def ends(self) -> tuple[float, ...]:
        """Those of its two ends that are a place on an axis."""
        return (self.low,) if self.high == math.inf else (self.low, self.high)


@dataclass(frozen=True)
class Pin:
    """A vertical line at one place of the x axis."""

    x: float
    label: str

    def __post_init__(self) -> None:
        finite((self.x,), "a pin")


@dataclass(frozen=True)
class Surface:
    """A height above each place of a plane, `heights[i][j]` at `ys[i]` and `xs[j]`, and the limit to stay below."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    heights: tuple[tuple[float, ...], ...]
    label: str = ""
    limit: float | None = None

    def __post_init__(self) -> None:
        finite((*self.xs, *self.ys, *self.flat, *self.limits), "a surface")
        for places in (self.xs, self.ys):
            rising = all(one < other for one, other in pairwise(places))
            require(len(places) >= 2 and rising, "the places of a surface must rise, and there are at least two")
        fits = len(self.heights) == len(self.ys) and all(len(row) == len(self.xs) for row in self.heights)
        require(fits, f"a surface has {len(self.ys)} rows of {len(self.xs)} heights")

    @property
    def flat(self) -> tuple[float, ...]:
        """All heights, row by row."""
        return tuple(height for row in self.heights for height in row)

    @property
    def limits(self) -> tuple[float, ...]:
        """The limit, if there is one."""
        return () if self.limit is None else (self.limit,)

    def over(self, height: float) -> bool:
        """Whether a height is above the limit."""
        return any(height - limit > 1e-12 * abs(limit) for limit in self.limits)


@dataclass(frozen=True)
class Dots:
    """Odds as an array of dots: 68 filled of 100."""

    filled: int
    total: int
    label: str

    def __post_init__(self) -> None:
        require(0 <= self.filled <= self.total, f"{self.filled} of {self.total} dots cannot be filled")
        require(1 <= self.total <= MOST_DOTS, f"an array has 1 to {MOST_DOTS} dots, not {self.total}")

    @property
    def words(self) -> str:
        """The odds in words."""
        return f"{self.label}: {self.filled} of {self.total}".removeprefix(": ")


Mark: TypeAlias = Range | Limit | Bars | Line | Points | Box | Span | Pin | Surface | Dots
AnyMark = TypeVar("AnyMark", Range, Limit, Bars, Line, Points, Box, Span, Pin, Surface, Dots)
