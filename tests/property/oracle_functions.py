"""The functions of an expression as the oracle computes them, value by value: written from docs/sql.md alone."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Any

Number = float | int


def register(connection: sqlite3.Connection) -> None:
    for name, (arguments, function) in FUNCTIONS.items():
        connection.create_function(name, arguments, function, deterministic=True)


def _strict(function: Callable[..., Any]) -> Callable[..., Any]:
    """Missing where an operand is, and where Python has no value."""

    def computed(*operands: Any) -> Any:
        if any(operand is None for operand in operands):
            return None
        try:
            value = function(*operands)
        except (ValueError, ArithmeticError):
            return None
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return computed


def _present(choose: Callable[..., Any]) -> Callable[..., Any]:
    """Of the operands that are not missing."""

    def chosen(*operands: Any) -> Any:
        there = [operand for operand in operands if operand is not None]
        return choose(there) if there else None

    return chosen


def _rounded(x: Number, *digits: int) -> float:
    """A half goes away from zero; of digits, it is that of the float that is so many times as large."""
    if not digits:
        return float(_in_64_bits(Decimal(x).to_integral_value(ROUND_HALF_UP)))
    if abs(x) > 1e150:
        return math.nan
    scaled = x * 10.0 ** digits[0] if digits[0] >= 0 else x / 10.0 ** -digits[0]
    whole = float(Decimal(scaled).to_integral_value(ROUND_HALF_UP))
    return whole / 10.0 ** digits[0] if digits[0] >= 0 else whole * 10.0 ** -digits[0]


def _whole(how: str) -> Callable[[Number], float]:
    return lambda x: float(_in_64_bits(Decimal(x).to_integral_value(how)))


def _in_64_bits(whole: Decimal) -> Decimal:
    if not -(2**63) <= whole < 2**63:
        raise ValueError
    return whole


def _remainder(x: Number, y: Number) -> Number:
    if isinstance(x, int) and isinstance(y, int):
        return abs(x) % abs(y) * (1 if x > 0 else -1)
    return math.fmod(x, y) if abs(x) <= 1e300 else math.nan


def _power(x: Number, exponent: Number) -> float:
    furthest = 10 ** (150 / abs(exponent))
    return math.pow(x, exponent) if (abs(x) <= furthest if exponent > 0 else abs(x) >= 1 / furthest) else math.nan


# Floats where a result may be divided: SQLite would divide whole numbers by whole numbers.
FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "GREATEST": (-1, _present(max)),
    "LEAST": (-1, _present(min)),
    "SIGN": (1, _strict(lambda x: (x > 0) - (x < 0))),
    "ROUND": (-1, _strict(_rounded)),
    "FLOOR": (1, _strict(_whole(ROUND_FLOOR))),
    "CEIL": (1, _strict(_whole(ROUND_CEILING))),
    "TRUNC": (1, _strict(_whole(ROUND_DOWN))),
    "MOD": (2, _strict(_remainder)),
    "SQRT": (1, _strict(math.sqrt)),
    "LN": (1, _strict(math.log)),
    "LOG10": (1, _strict(math.log10)),
    "LOG2": (1, _strict(math.log2)),
    "EXP": (1, _strict(lambda x: math.exp(max(x, -345)) if x <= 345 else None)),
    "POWER": (2, _strict(_power)),
    "LENGTH": (1, _strict(len)),
    "SUBSTR": (-1, _strict(lambda text, first, *length: "".join(list(text)[first - 1 :][: (length or (None,))[0]]))),
    "FIRST_LETTERS": (2, _strict(lambda text, length: text[:length])),
    "LAST_LETTERS": (2, _strict(lambda text, length: text[max(0, len(text) - length) :])),
    "TRIM": (1, _strict(lambda text: re.sub("^ +| +$", "", text))),
    "LTRIM": (1, _strict(lambda text: re.sub("^ +", "", text))),
    "RTRIM": (1, _strict(lambda text: re.sub(" +$", "", text))),
    "REPLACE": (3, _strict(lambda text, sought, by: by.join(text.split(sought)))),
    "CONCAT": (-1, lambda *texts: "".join(str(text) for text in texts if text is not None)),
    "STARTS_WITH": (2, _strict(lambda text, part: text[: len(part)] == part)),
    "ENDS_WITH": (2, _strict(lambda text, part: not part or text[-len(part) :] == part)),
    "CONTAINS": (2, _strict(lambda text, part: len(text.split(part)) > 1 if part else True)),
    "REGEXP_MATCHES": (2, _strict(lambda text, pattern: re.search(pattern, text, re.ASCII) is not None)),
    "REGEXP_FULL_MATCH": (2, _strict(lambda text, pattern: re.fullmatch(pattern, text, re.ASCII) is not None)),
}
