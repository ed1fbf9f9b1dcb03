"""Targets of the benchmark, and whether they were met."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

STATED_FOR = 10_000_000
"""The number of people for which the ratios are promised: with fewer, fixed costs weigh more."""

RATIO: Mapping[str, Mapping[str, float]] = {
    "choose": {"COUNT": 1.15, "AVG": 1.15, "SUM": 1.35},
    "moments": {"COUNT": 1.5, "AVG": 1.5, "SUM": 3.0},
    "profile": {"COUNT": 2.0, "SUM": 12.0},
    "select": {"COUNT": 1.5, "AVG": 1.5, "SUM": 4.0},
    "release": {"COUNT": 1.2, "AVG": 1.2},
    "release at 1M": {"COUNT": 1.5, "AVG": 1.5},
}
CONTRIBUTION = {"within": 1.3, "beyond": 3.0}
OWN_ROWS = 1.4
JOINS = {"release": 1.1, "moments": 1.4}
PLANNING_MS = 10.0
KEYS_PASS, KEYS_MICROSECONDS, KEYS_PLANNING_MS = 1.3, 40.0, 15.0
ADDED_MIB = 50.0
SPEED_UP = 1000.0
ESCROW = 1.3
CLOSED = 1.4
PAGE_KB, PAGE_REQUESTS, WARM_KB = 540.0, 8.0, 60.0  # with the typeface, which a browser fetches once
PAINT_MS, MOVE_MS = 500.0, 100.0
SANDBOX_MS = 300.0


@dataclass(frozen=True)
class Target:
    """A measured figure and the limits that it must keep."""

    what: str
    measured: float
    most: float = math.inf
    least: float = -math.inf
    unit: str = ""

    @property
    def met(self) -> bool:
        return self.least <= self.measured <= self.most

    @property
    def limits(self) -> str:
        if math.isinf(self.most):
            return f">= {self.least:,g}{self.unit}"
        if math.isinf(self.least):
            return f"<= {self.most:g}{self.unit}"
        return f"{self.least:g} to {self.most:g}{self.unit}"


def growth(what: str, factor: float, times: float) -> Target:
    """Time that grows no faster than the people do; less where a file's own statistics, or what is fixed, say it."""
    return Target(what, factor, most=1.3 * times, unit=" times")
