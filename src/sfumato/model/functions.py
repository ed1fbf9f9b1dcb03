"""The functions that an expression may call: what each takes and gives, where its values lie, when they are missing.

One table says it for the parser, the plans, the ranges of sums, HAVING and the docs. Every function is total: outside
its domain it is missing. It is defined so that every engine can give the same value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import Any

from sfumato.model.schema import Bounds, Type
from sfumato.model.statement import Call, Case, ColumnRef, Constant, Scalar

Value = bool | int | float | str | date | None
Compute = Callable[..., Any]
RangeOf = Callable[[Scalar], Bounds]
"""Where the values of a numeric expression lie."""
Range = Callable[[Sequence[Scalar], RangeOf], Bounds]

LONGEST_READ = 10_000  # bytes of a stored text whose letters are read; a longer one is missing to what reads them
LETTERS_OF_CASE = 3  # into how many letters one is made at most by LOWER and UPPER
LONGEST_MADE = 100_000  # characters of a text that functions make
LARGEST_OPERAND = 1e300  # of a root or a logarithm
LARGEST_RESULT = 150  # as a power of ten: of a power and of EXP
FURTHEST_EXPONENT = 100  # of a power
FURTHEST_DIGIT = 15  # to which ROUND rounds
_EXP_ENDS = 345.0  # e to this is near 10 to the 150


class Takes(StrEnum):
    """What stands at a place of a function."""

    NUMBER = "a number"
    TEXT = "a text"
    PRINTED = "a text, a whole number, a date or a boolean"
    SAME = "values of one type"
    DIGITS = f"a whole number from -{FURTHEST_DIGIT} to {FURTHEST_DIGIT}, written out"
    PLACE = "a whole number from 1, written out"
    LENGTH = "a whole number from 0, written out"
    EXPONENT = f"a number from -{FURTHEST_EXPONENT} to {FURTHEST_EXPONENT}, written out"
    WORDS = "a text, written out"
    SOUGHT = "a text that is not empty, written out"
    PATTERN = "a regular expression, written out"

    @property
    def is_constant(self) -> bool:
        return self not in (Takes.NUMBER, Takes.TEXT, Takes.PRINTED, Takes.SAME)


class NoRange(Exception):
    """No range follows from those of the operands: why, and what to write."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(why)
        self.why, self.hint = why, hint


@dataclass(frozen=True)
class Function:
    """One function. `compute` gets no None unless `passes_over` is set; it gives None outside its domain."""

    name: str
    takes: tuple[Takes, ...]
    gives: Type | None  # None: the type that its operands share
    example: str
    says: str  # what it is, for the docs
    range: Range | None = None  # None: it gives no number
    compute: Compute | None = None  # None: only an engine does it
    optional: int = 0  # how many of what it takes may be left out at the end
    more: bool = False  # the last may be repeated
    passes_over: bool = False  # whether it has a value where an operand is missing
    exact: bool = True  # whether every engine gives the same in the last digit
    partial: bool = False  # whether it may be missing where its operand is there
    ascii: bool = False  # whether engines agree on the letters of ASCII only
    twice: tuple[int, ...] = ()  # operands that are written out once more, to be compared; one may be so repeatedly
    also: tuple[str, ...] = ()  # its other names
    sign: bool = False  # its name is written between its two operands

    def value(self, operands: Sequence[Value]) -> Value:
        """Its value, in Python."""
        if self.compute is None:
            raise ValueError(f"only engines compute {self.name}")
        if not self.passes_over and any(operand is None for operand in operands):
            return None
        computed: Value = self.compute(*operands)
        return computed

    def place(self, position: int) -> Takes:
        """What stands at a position."""
        return self.takes[min(position, len(self.takes) - 1)]

    @property
    def fewest(self) -> int:
        return len(self.takes) - self.optional

    @property
    def most(self) -> int | None:
        return None if self.more else len(self.takes)


# Ranges


def _hull(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    ranges = [of(part) for part in parts]
    return Bounds(min(r.lower for r in ranges), max(r.upper for r in ranges))


def _greatest(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    """A missing operand is passed over, so each of them alone may decide; but a constant is always there."""
    hull = _hull(parts, of)
    constants = [of(part).lower for part in parts if isinstance(part, Constant)]
    return Bounds(max([hull.lower, *constants]), hull.upper)


def _least(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    hull = _hull(parts, of)
    constants = [of(part).upper for part in parts if isinstance(part, Constant)]
    return Bounds(hull.lower, min([hull.upper, *constants]))


def _nullif_range(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    """Without an end of whole numbers that is taken out: a divisor such as NULLIF(days, 0) is 1 at least."""
    inside, out = of(parts[0]), parts[1]
    if not is_exactly_whole(parts[0]) or not isinstance(out, Constant) or inside.upper - inside.lower < 1:
        return inside
    lower, upper = (end.denominator == 1 and end == out.value for end in _ends(inside))
    return Bounds(inside.lower + (1 if lower else 0), inside.upper - (1 if upper else 0))


def _absolute(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    inside = of(parts[0])
    return Bounds(max(Fraction(0), inside.lower, -inside.upper), inside.reach)


def _rising(compute: Compute, *, exact: bool = True, above: str = "", hint: str = "") -> Range:
    """The values at the two ends of a function that never decreases; with `above`, it has none at 0 and below."""

    def ends(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
        inside = of(parts[0])
        if above and inside.lower <= 0:
            raise NoRange(above, hint)
        more = [part.value for part in parts[1:] if isinstance(part, Constant)]
        return _outward([compute(_number(end), *more) for end in (inside.lower, inside.upper)], exact=exact)

    return ends


def _outward(values: Sequence[float | None], *, exact: bool) -> Bounds:
    """Their hull; engines may differ in the last digits of what is not exact."""
    there = [Fraction(value) for value in values if value is not None]
    if len(there) < len(values):
        raise NoRange("it may be too large", "use other units.")
    low, high = min(there), max(there)
    return Bounds(low, high) if exact else Bounds(_beyond(low, -1), _beyond(high, 1))


def _beyond(end: Fraction, way: int) -> Fraction:
    """A few floats further; what is 0 is so exactly."""
    return end + way * Fraction(8 * math.ulp(float(end))) if end else end


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _root_range(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    inside = of(parts[0])
    if inside.upper < 0:
        raise NoRange("it is missing for everyone", "take the root of what is not negative.")
    return _outward([_root(float(max(end, Fraction(0)))) for end in (inside.lower, inside.upper)], exact=True)


def _power_range(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    inside, exponent = of(parts[0]), of(parts[1]).lower
    whole = exponent.denominator == 1
    if exponent < 0 and (inside.lower <= 0 <= inside.upper or (not whole and inside.lower <= 0)):
        raise NoRange("its operand may be 0", "use an operand whose bounds exclude 0.")
    if not whole and inside.upper < 0:
        raise NoRange("it is missing for everyone", "write a whole exponent, or use an operand that is not negative.")
    ends = [inside.lower if whole else max(inside.lower, Fraction(0)), inside.upper]
    between = [Fraction(0)] if inside.lower < 0 < inside.upper else []
    every = [*ends, *between]
    powers = [end ** int(exponent) for end in every] if exponent >= 0 and whole else []
    if powers and all(power.denominator == 1 and abs(power) <= 2**53 for power in powers):
        return Bounds(min(powers), max(powers))
    return _outward([_power(float(end), exponent) for end in every], exact=False)


def _remainder_range(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    """Smaller than the divisor, and no larger than what is divided, whose sign it has."""
    divided, by = of(parts[0]), of(parts[1])
    whole = all(part.type is Type.INTEGER for part in parts)
    most = max(by.reach - 1, Fraction(0)) if whole else by.reach
    low = max(divided.lower, -most) if divided.lower < 0 else Fraction(0)
    high = min(divided.upper, most) if divided.upper > 0 else Fraction(0)
    return Bounds(low, high)


def _quotient_range(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    divided, by = of(parts[0]), of(parts[1])
    if by.lower <= 0 <= by.upper:
        raise NoRange("its divisor may be 0", "divide by something whose bounds exclude 0.")
    ends = [_quotient(_number(a), _number(b)) for a in _ends(divided) for b in _ends(by)]
    return _outward(ends, exact=True)


def _ends(bounds: Bounds) -> tuple[Fraction, Fraction]:
    return bounds.lower, bounds.upper


def _sign_range(parts: Sequence[Scalar], of: RangeOf) -> Bounds:
    return _outward([_sign(float(end)) for end in _ends(of(parts[0]))], exact=True)


def _length_range(parts: Sequence[Scalar], of: RangeOf) -> Bounds:  # noqa: ARG001
    return Bounds(Fraction(0), Fraction(longest(parts[0])))


def longest(text: Scalar, of: Callable[[Scalar], int] | None = None) -> int:
    """How many characters a text has at most; `of` says it of the parts, where that is known already."""
    of = of or longest
    match text:
        case Constant(str(value)):
            return len(value)
        case Constant():
            return 0
        case ColumnRef(_, type_) if type_ is Type.TEXT:
            return LONGEST_READ
        case Call("LEFT" | "RIGHT", (inner, Constant(Fraction() as most))):
            return min(of(inner), int(most))
        case Call("SUBSTR", (inner, _, Constant(Fraction() as most))):
            return min(of(inner), int(most))
        case Call("REPLACE", (inner, Constant(str(sought)), Constant(str(by)))):
            return of(inner) * max(1, math.ceil(len(by) / len(sought)))
        case Call("CONCAT" | "||", parts):
            return sum(map(of, parts))
        case Call("COALESCE" | "GREATEST" | "LEAST", parts):
            return max(map(of, parts))
        case Call("LOWER" | "UPPER", (inner,)):
            again = isinstance(inner, Call) and inner.name in ("LOWER", "UPPER")
            return of(inner) if again else LETTERS_OF_CASE * of(inner)
        case Call(_, (inner, *_)) if text.type is Type.TEXT:
            return of(inner)
        case Case(branches, otherwise):
            return max(map(of, [*(result for _, result in branches), otherwise]))
    return 20  # a whole number, a date or a boolean


def is_exactly_whole(part: Scalar) -> bool:
    """Whether its values are whole numbers that lie in its range to the last one.

    What is cut off a computed number need not: its range follows from exact arithmetic, and engines compute in floats.
    """
    match part:
        case ColumnRef() | Constant():
            return part.type is Type.INTEGER
        case Call("SIGN" | "LENGTH"):
            return True
        case Call(_, parts):
            return all(map(is_exactly_whole, parts))
        case Case(branches, otherwise):
            return all(map(is_exactly_whole, [*(result for _, result in branches), otherwise]))
    return False


# Values


def _root(x: float) -> float | None:
    return math.sqrt(x) if 0 <= x <= LARGEST_OPERAND else None


def _logarithm(of: Callable[[float], float]) -> Compute:
    return lambda x: of(x) if 0 < x <= LARGEST_OPERAND else None


def _exp(x: float) -> float | None:
    return math.exp(max(float(x), -_EXP_ENDS)) if x <= _EXP_ENDS else None


def power_ends(exponent: Fraction) -> tuple[float, float]:
    """Between which sizes an operand is raised to this power: beyond them it is missing."""
    furthest = 10.0 ** min(LARGEST_RESULT / abs(float(exponent)), LARGEST_RESULT) if exponent else 10.0**LARGEST_RESULT
    return (1 / furthest if exponent < 0 else 0.0), furthest


def _power(x: float, exponent: Fraction | float) -> float | None:
    exponent = Fraction(exponent)
    low, high = power_ends(exponent)
    size = abs(x) if exponent.denominator == 1 else x
    return math.pow(x, float(exponent)) if low <= size <= high else None


def _whole(x: float) -> int | None:
    """A whole number that fits into 64 bits."""
    if math.isinf(x) or math.isnan(x):
        return None
    whole = int(x)
    return whole if -(2**63) <= whole < 2**63 else None


def _floor(x: float) -> int | None:
    return _whole(math.floor(x)) if math.isfinite(x) else None


def _ceil(x: float) -> int | None:
    return _whole(math.ceil(x)) if math.isfinite(x) else None


def _half_away(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x) if abs(x) < 2**52 else x


def _round(x: float, digits: Fraction | None = None) -> float | None:
    if digits is None:
        return _whole(x if isinstance(x, int) else _half_away(x)) if math.isfinite(x) else None
    if not abs(x) <= 10.0**LARGEST_RESULT:
        return None
    scale = float(10 ** abs(int(digits)))
    return _half_away(float(x) * scale) / scale if digits >= 0 else _half_away(float(x) / scale) * scale


def _sign(x: float) -> int:
    return (x > 0) - (x < 0)


def _remainder(x: float, y: float) -> float | None:
    if isinstance(x, int) and isinstance(y, int):
        return abs(x) % abs(y) * _sign(x) if y else None
    return math.fmod(x, y) if y and abs(x) <= LARGEST_OPERAND else None


def _quotient(x: float, y: float) -> int | None:
    if not y:
        return None
    if isinstance(x, int) and isinstance(y, int):
        return abs(x) // abs(y) * _sign(x) * _sign(y)
    return _whole(float(x) / float(y))


def printed(value: Value) -> str:
    """A value as a text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


def _part(text: str, first: Fraction, length: Fraction | None = None) -> str:
    start = int(first) - 1
    return text[start:] if length is None else text[start : start + int(length)]


def _right(text: str, length: Fraction) -> str:
    return text[len(text) - min(len(text), int(length)) :]


def _there(*values: Value) -> list[Any]:
    return [value for value in values if value is not None]


_POSITIVE = "its operand may be 0 or less", "use an operand that is above 0, as in LN(GREATEST(v, 1))."
_N, _T, _SAME = Takes.NUMBER, Takes.TEXT, Takes.SAME

_TABLE = (
    # Numbers
    Function("ABS", (_N,), None, "ABS(v)", "size of a number", _absolute, abs),
    Function("SIGN", (_N,), Type.INTEGER, "SIGN(v)", "-1, 0 or 1", _sign_range, _sign),
    Function("ROUND", (_N, Takes.DIGITS), Type.NUMBER, "ROUND(v, 2)",
             "to the nearest whole number, or to so many digits; a half is rounded away from 0",
             _rising(_round), _round, optional=1, twice=(0,) * 7, partial=True),
    Function("FLOOR", (_N,), Type.INTEGER, "FLOOR(v)", "next whole number below", _rising(_floor), _floor,
             partial=True),
    Function("CEIL", (_N,), Type.INTEGER, "CEIL(v)", "next whole number above", _rising(_ceil), _ceil,
             also=("CEILING",), partial=True),
    Function("TRUNC", (_N,), Type.INTEGER, "TRUNC(v)", "whole number without what follows the point",
             _rising(_whole), _whole, partial=True),
    Function("%", (_N, _N), None, "v % 7", "remainder, with the sign of `v`; missing for a division by 0",
             _remainder_range, _remainder, twice=(0, 1), also=("MOD",), sign=True, partial=True),
    Function("//", (_N, _N), Type.INTEGER, "v // 7",
             "quotient without what follows the point; missing for a division by 0",
             _quotient_range, _quotient, twice=(1,), sign=True, partial=True),
    Function("SQRT", (_N,), Type.NUMBER, "SQRT(v)", "square root; missing below 0", _root_range, _root,
             twice=(0,), partial=True),
    Function("LN", (_N,), Type.NUMBER, "LN(v)", "natural logarithm; missing at 0 and below",
             _rising(_logarithm(math.log), exact=False, above=_POSITIVE[0], hint=_POSITIVE[1]),
             _logarithm(math.log), exact=False, twice=(0,), partial=True),
    Function("LOG10", (_N,), Type.NUMBER, "LOG10(v)", "logarithm to base 10; missing at 0 and below",
             _rising(_logarithm(math.log10), exact=False, above=_POSITIVE[0], hint=_POSITIVE[1]),
             _logarithm(math.log10), exact=False, twice=(0,), partial=True),
    Function("LOG2", (_N,), Type.NUMBER, "LOG2(v)", "logarithm to base 2; missing at 0 and below",
             _rising(_logarithm(math.log2), exact=False, above=_POSITIVE[0], hint=_POSITIVE[1]),
             _logarithm(math.log2), exact=False, twice=(0,), partial=True),
    Function("EXP", (_N,), Type.NUMBER, "EXP(v)", "e to the power of `v`; missing above 345",
             _rising(_exp, exact=False), _exp, exact=False, twice=(0,), partial=True),
    Function("POWER", (_N, Takes.EXPONENT), Type.NUMBER, "POWER(v, 2)",
             "power; missing beyond 1e150, for a negative power of 0, and for a power that is not whole of a negative "
             "number",
             _power_range, _power, exact=False, twice=(0,), also=("POW",), partial=True),
    # Any values
    Function("COALESCE", (_SAME,), None, "COALESCE(v, 0)", "first value that is not missing",
             _hull, lambda *values: next(iter(_there(*values)), None), more=True, passes_over=True, also=("IFNULL",)),
    Function("NULLIF", (_SAME, _SAME), None, "NULLIF(v, 0)", "`v`; missing where the two are equal",
             _nullif_range, lambda a, b: None if a is not None and a == b else a, twice=(0,), passes_over=True,
             partial=True),
    Function("GREATEST", (_SAME,), None, "GREATEST(v, 0)", "largest of the values that are not missing",
             _greatest, lambda *values: max(_there(*values), default=None), more=True, passes_over=True),
    Function("LEAST", (_SAME,), None, "LEAST(v, 100)", "smallest of the values that are not missing",
             _least, lambda *values: min(_there(*values), default=None), more=True, passes_over=True),
    # Texts
    Function("LOWER", (_T,), Type.TEXT, "LOWER(t)", "in small letters", None, str.lower, ascii=True),
    Function("UPPER", (_T,), Type.TEXT, "UPPER(t)", "in capitals", None, str.upper, ascii=True),
    Function("LENGTH", (_T,), Type.INTEGER, "LENGTH(t)", "number of characters", _length_range, len,
             also=("LEN", "CHAR_LENGTH", "CHARACTER_LENGTH")),
    Function("SUBSTR", (_T, Takes.PLACE, Takes.LENGTH), Type.TEXT, "SUBSTR(t, 1, 3)",
             "from a character on, of which the first is 1; so many characters, or all the rest",
             None, _part, optional=1, also=("SUBSTRING",)),
    Function("LEFT", (_T, Takes.LENGTH), Type.TEXT, "LEFT(t, 3)", "first characters",
             None, lambda text, length: text[: int(length)]),
    Function("RIGHT", (_T, Takes.LENGTH), Type.TEXT, "RIGHT(t, 3)", "last characters", None, _right),
    Function("TRIM", (_T,), Type.TEXT, "TRIM(t)", "without blanks at both ends", None, lambda text: text.strip(" ")),
    Function("LTRIM", (_T,), Type.TEXT, "LTRIM(t)", "without blanks before it", None, lambda text: text.lstrip(" ")),
    Function("RTRIM", (_T,), Type.TEXT, "RTRIM(t)", "without blanks after it", None, lambda text: text.rstrip(" ")),
    Function("REPLACE", (_T, Takes.SOUGHT, Takes.WORDS), Type.TEXT, "REPLACE(t, '-', ' ')",
             "with one text in place of another, wherever that occurs", None, str.replace),
    Function("CONCAT", (Takes.PRINTED,), Type.TEXT, "CONCAT(t, '-', v)", "one after the other, without what is missing",
             None, lambda *values: "".join(map(printed, _there(*values))), more=True, passes_over=True),
    Function("||", (Takes.PRINTED, Takes.PRINTED), Type.TEXT, "t || v", "one after the other",
             None, lambda a, b: printed(a) + printed(b), sign=True),
    Function("STARTS_WITH", (_T, Takes.WORDS), Type.BOOLEAN, "STARTS_WITH(t, 'A')", "whether it begins with a text",
             None, str.startswith),
    Function("ENDS_WITH", (_T, Takes.WORDS), Type.BOOLEAN, "ENDS_WITH(t, 'A')", "whether it ends with a text",
             None, str.endswith),
    Function("CONTAINS", (_T, Takes.WORDS), Type.BOOLEAN, "CONTAINS(t, 'A')", "whether a text occurs in it",
             None, lambda text, sought: sought in text),
    Function("REGEXP_MATCHES", (_T, Takes.PATTERN), Type.BOOLEAN, "REGEXP_MATCHES(t, '^A[0-9]+')",
             "whether a part of it matches a regular expression"),
    Function("REGEXP_FULL_MATCH", (_T, Takes.PATTERN), Type.BOOLEAN, "REGEXP_FULL_MATCH(t, 'A[0-9]+')",
             "whether all of it matches a regular expression"),
)  # fmt: skip

FUNCTIONS: dict[str, Function] = {function.name: function for function in _TABLE}


def is_partial(name: str) -> bool:
    """Whether a function may be missing where its operands are there. Of dates, a step may lead out of all years."""
    return FUNCTIONS[name].partial if name in FUNCTIONS else name == "DATE_ADD"
