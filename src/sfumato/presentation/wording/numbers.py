"""How a number is written."""

from __future__ import annotations

import math


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, commas, and no needless zeros.

    >>> number(1.19), number(0.750), number(24771.4), number(3e-7)
    ('1.19', '0.75', '24,771', '3e-07')
    """
    if value and not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{digits}g}"
    text = f"{value:,.{max(0, digits - 1 - magnitude(value))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def magnitude(value: float) -> int:
    """The power of ten of the first digit."""
    return math.floor(math.log10(abs(value))) if value else 0
