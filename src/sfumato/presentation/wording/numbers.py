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


def percent(share: float) -> str:
    """A share to three digits; less than 1 is never 100%.

    >>> percent(0.5906), percent(0.99996), percent(1.0), percent(0.25)
    ('59.1%', '99.9%', '100%', '25%')
    """
    return f"{number(100 * share) if share >= 1 or share < 0.999 else '99.9'}%"


def percent_stated(share: float) -> str:
    """A share that a person stated, with all its digits: a confidence, or what an attacker believes beforehand.

    >>> percent_stated(0.95), percent_stated(1 / 3), percent_stated(0.99999999), percent_stated(1)
    ('95%', '33.3333%', '99.999999%', '100%')
    """
    texts = [f"{100 * share:.{digits}g}" for digits in (6, 12, 17)]
    return f"{next((text for text in texts if text != '100'), '100')}%"


def percent_up(share: float, places: int = 0) -> str:
    """A share rounded up, as a bound is printed; less than 1 is never 100%.

    >>> percent_up(0.5498), percent_up(0.5498, places=1), percent_up(0.993), percent_up(1 - 1e-9), percent_up(1)
    ('55%', '55.0%', '99.3%', '99.9999999%', '100%')
    """
    bound = math.ceil(100 * share * 10**places - 1e-9) / 10**places
    if bound < 100:
        return f"{bound:.{places}f}%"
    if share >= 1:
        return "100%"
    return percent_up(share, places + 1) if places < 12 else "just under 100%"


def magnitude(value: float) -> int:
    """The power of ten of the first digit."""
    return math.floor(math.log10(abs(value))) if value else 0
