"""The 90% interval of an answer before it is drawn: typical if a public guess of the group's size is right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Ends = tuple[float, float]


class CountSource(StrEnum):
    """Where a guess of the group's size comes from; all of them are public."""

    STATED = "stated"
    SCHEMA = "people_at_least"
    SYNTHETIC = "synthetic data"
    RELEASED = "released count"
    EXAMPLE = "example"


@dataclass(frozen=True)
class ExpectedCount:
    """A public guess of how many rows are counted in the smallest group."""

    count: int
    source: CountSource


@dataclass(frozen=True)
class ExpectedInterval:
    """The 90% interval of one column of the answer, if `count` rows are counted; None where that plays no part.

    `half_width` is typical: that of an average in the middle of its bounds, whose interval is `middle`; at a bound it
    is `bound`. `at_most` holds for an average anywhere within its bounds, None where it says nothing. A value selected
    by its rank has the `rank` error instead.
    """

    column: str
    count: int | None = None
    half_width: float | None = None
    at_most: float | None = None
    middle: Ends | None = None
    bound: Ends | None = None
    rank: float | None = None
