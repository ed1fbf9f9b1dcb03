"""The last number for which something still holds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

_CLOSE = 1e-12


def largest(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The largest number between `low`, where it holds, and `high`, where it does not, to the last digit.

    >>> largest(lambda x: x * x <= 2, 0, 2)
    1.414213562373095
    """
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def last_below(f: Callable[[float], float], most: float, low: float, high: float) -> float:
    """The last number at which a function that grows is not above `most`, to twelve digits; at `low` it is not.

    By secants, of which the end that stays counts half (the Illinois rule), and every third time by halves.

    >>> abs(last_below(lambda x: x * x, 2, 0, 2) - 2**0.5) < 1e-11
    True
    """
    at_low, at_high, halving = f(low) - most, f(high) - most, cycle((False, False, True))
    while high - low > _CLOSE * high:
        edge, middle = _CLOSE * high / 3, (low + high) / 2
        if not next(halving) and at_high > at_low:
            middle = min(max(high - at_high * (high - low) / (at_high - at_low), low + edge), high - edge)
        at = f(middle) - most
        if at <= 0:
            low, at_low, at_high = middle, at, at_high / 2
        else:
            high, at_high, at_low = middle, at, at_low / 2
    return low
