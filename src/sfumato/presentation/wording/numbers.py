"""How a number is written."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

_EXACT = Context(prec=1000)  # digits, more than any float has


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


def rounded_figure(value: object, interval: tuple[float, float] | None) -> list[str]:
    """A figure and its interval to two digits of the interval's half-width; the interval is rounded outward.

    >>> rounded_figure(-3.14159, (-4.5678, 12.3456)), rounded_figure(1234, (1211.2, 1257.4)), rounded_figure(0.5, None)
    (['−3.1', '−4.6 to 12.4'], ['1,234', '1,211 to 1,258'], ['0.5', ''])
    """
    if interval is None or not isinstance(value, int | float) or not all(map(math.isfinite, interval)):
        return [_signed(figure_text(value)) if isinstance(value, int | float) else figure_text(value), ""]
    low, high = map(Decimal, interval)  # exactly
    if low == high:
        return [_signed(figure_text(value)), f"{_signed(figure_text(value))} to {_signed(figure_text(value))}"]
    places = 0 if isinstance(value, int) else min(12, max(0, 1 - ((high - low) / 2).adjusted()))
    precision = Decimal(1).scaleb(-places)
    ends = low.quantize(precision, ROUND_FLOOR, _EXACT), high.quantize(precision, ROUND_CEILING, _EXACT)
    figure, *reach = (_signed(f"{number:,.{places}f}") for number in (value, *ends))
    return [figure, " to ".join(reach)]


def _signed(figure: str) -> str:
    return figure.replace("-", "−", 1) if figure.startswith("-") else figure


def figure_text(value: object) -> str:
    """A value of an answer by itself, to six digits."""
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.6g}" if isinstance(value, float) else str(value)
