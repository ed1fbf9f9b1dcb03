"""The last number for which something still holds."""

from __future__ import annotations

from collections.abc import Callable


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
