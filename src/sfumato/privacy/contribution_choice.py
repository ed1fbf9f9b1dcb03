"""From how many people contribute how much to a contribution bound (docs/theory/suggested-bounds.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from sfumato.model.suggested_bounds import CandidateBound

EDGES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000)
"""The bounds that are compared, and the upper ends of the bins of the histogram: public, whatever the data has."""

BEYOND = 0  # stands for the bin above the last edge


def least_bound(people: Mapping[int, float], epsilon: float) -> int:
    """The least m with no more than sqrt(2) / epsilon people above it; `people` has them by what they contribute.

    It is the minimum of the rows that are left out plus the standard deviation sqrt(2) m / epsilon of a count.

    >>> known = {1: 900, 5: 80, 50: 20}
    >>> [least_bound(known, epsilon) for epsilon in (1, 0.05, 0.01)]
    [50, 5, 1]
    """
    ends = sorted(end for end in people if end != BEYOND)
    few = math.sqrt(2) / epsilon
    return next((m for m in ends if people_above(people, m) <= few), ends[-1])


def people_above(people: Mapping[int, float], bound: int) -> float:
    return sum(many for end, many in people.items() if end == BEYOND or end > bound)


def compared_bounds(people: Mapping[int, float], epsilon: float) -> tuple[CandidateBound, ...]:
    """Each bound with what it costs, up to the first that no one is above as far as the histogram says."""
    ends = sorted(end for end in people if end != BEYOND)
    last = next((end for end in ends if people_above(people, end) <= 0), max(ends))
    within = {end: many for end, many in people.items() if BEYOND < end <= last}
    return tuple(
        CandidateBound(m, math.log(10) * m / epsilon, max(0.0, people_above(people, m)), _left_out(within, m))
        for m in sorted(within)
    )


def _left_out(people: Mapping[int, float], bound: int) -> float:
    """What people have beyond a bound, where each has as much as the upper end of their bin."""
    return max(0.0, sum(many * (end - bound) for end, many in people.items() if end > bound))
