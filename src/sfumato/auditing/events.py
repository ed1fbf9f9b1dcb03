"""What an event shows: under (epsilon, delta)-dp none has `P(E | present) > e^epsilon P(E | absent) + delta`.

Nor the other way around. How often one came up on either side bounds delta from below at the epsilon that is claimed,
and epsilon from below at the delta that is claimed: both are contradicted together, or neither.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.auditing.chernoff import least_rate, most_rate
from sfumato.auditing.guesser import Claim, OutputEvent

Seen = Sequence[tuple[bool, float]]  # where the coin fell, and the figure that came out
Often = tuple[int, int]  # how often something came up, and of how many runs


@dataclass(frozen=True)
class DeltaVerdict(Claim):
    """Of a delta, at an epsilon, by how often something comes out."""

    epsilon: float
    least_epsilon: float  # at the delta that is claimed
    more: Often
    fewer: Often


def audit_delta(seen: Seen, epsilon: float, delta: float, broken: Sequence[OutputEvent], rate: float) -> DeltaVerdict:
    """Choose an event on a quarter of what was seen: a figure beyond a level. Count the others in which it comes up.

    The best of many that are tried was lucky, too: what they show is taken at its least, so that of two that show as
    much the rarer counts. Both bounds together are wrong no more often than `rate`. `broken` is what it should catch,
    level by level.
    """
    quarter, lucky = len(seen) // 4, min(0.01, rate ** (1 / 3))
    first, rest = seen[:quarter], seen[quarter:]
    levels = sorted({x for _, x in first})[:: max(1, quarter // 200)]
    above, level = max(
        ((above, level) for level in levels for above in (True, False)),
        key=lambda at: _excess(*_beyond(first, *at), epsilon, lucky),
    )
    more, fewer = _beyond(rest, above, level)
    least_delta = max(0.0, _excess(more, fewer, epsilon, rate))
    caught = delta_power(epsilon, delta, broken, len(rest) // 2, rate)
    least = _least_epsilon(more, fewer, delta, rate)
    return DeltaVerdict(delta, least_delta, len(seen), caught, epsilon, least, more, fewer)


def delta_power(epsilon: float, delta: float, broken: Sequence[OutputEvent], side: int, rate: float) -> float:
    """At least how often it is caught: unless one of two counts is three standard deviations off."""

    def off(p: float, by: int) -> Often:
        return max(0, min(side, int(p * side + by * math.sqrt(p * (1 - p) * side)))), side

    excesses = (_excess(off(event.more, -3), off(event.fewer, 3), epsilon, rate) for event in broken)
    return 0.997 if max(excesses, default=0.0) > delta else 0.0


def _beyond(seen: Seen, above: bool, level: float) -> tuple[Often, Often]:
    """How often a figure lies beyond a level, and of how many: on the likelier side first."""
    sides = [[(x >= level) is above for present, x in seen if present is there] for there in (above, not above)]
    return (sum(sides[0]), len(sides[0])), (sum(sides[1]), len(sides[1]))


def _excess(more: Often, fewer: Often, epsilon: float, rate: float) -> float:
    """`P(E) - e^epsilon P'(E)`, at least: half of the rate goes to either probability."""
    return least_rate(*more, rate / 2) - math.exp(epsilon) * most_rate(*fewer, rate / 2)


def _least_epsilon(more: Often, fewer: Often, delta: float, rate: float) -> float:
    """`ln((P(E) - delta) / P'(E))`, at least."""
    left = least_rate(*more, rate / 2) - delta
    return max(0.0, math.log(left / most_rate(*fewer, rate / 2))) if left > 0 else 0.0
