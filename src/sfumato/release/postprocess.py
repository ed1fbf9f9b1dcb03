"""HAVING, ORDER BY and LIMIT, on the noisy answer: post-processing, it reads nothing else."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from sfumato.model import calendar
from sfumato.model.functions import FUNCTIONS
from sfumato.model.possible_cells import COMPARE, COMPUTE
from sfumato.model.statement import (
    Afterwards,
    All,
    AnyOf,
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Compare,
    Condition,
    Constant,
    Membership,
    Missing,
    Not,
    Order,
    PairStatistic,
    Pattern,
    Predicate,
    Scalar,
    SumOverGroups,
    Truth,
)
from sfumato.privacy.noise.pairs import pair_figure

Row = Mapping[Any, Any]  # by names; sums over all groups by themselves


def apply_having_order_limit(
    afterwards: Afterwards, names: Sequence[str], rows: Sequence[Sequence[object]]
) -> list[int]:
    """The positions of the rows that stay, in their order."""
    named = [dict(zip(names, row, strict=True)) for row in rows]
    condition = afterwards.having
    positions = [i for i, row in enumerate(named) if condition is None or holds(condition, row) is True]
    for by in reversed(afterwards.order):
        positions.sort(key=cmp_to_key(_by(by, named)))
    end = None if afterwards.limit is None else afterwards.offset + afterwards.limit
    return positions[afterwards.offset : end]


def _by(order: Order, rows: Sequence[Row]) -> Callable[[int, int], int]:
    def compare(i: int, j: int) -> int:
        a, b = rows[i][order.output], rows[j][order.output]
        if a is None or b is None:  # what is missing comes last, unless first is asked for
            return ((a is None) - (b is None)) * (-1 if order.nulls_first else 1)
        return (int(a > b) - int(a < b)) * (-1 if order.descending else 1)

    return compare


def holds(condition: Predicate, row: Row) -> bool | None:
    """Whether a row meets a condition, as SQL has it: None where that is not known.

    >>> from fractions import Fraction
    >>> from sfumato.model.schema import Type
    >>> n = ColumnRef("n", Type.INTEGER)
    >>> holds(Compare(">", n, Constant(Fraction(3), Type.INTEGER)), {"n": 4})
    True
    """
    match condition:
        case Compare(compare, left, right):
            a, b = value(left, row), value(right, row)
            return None if a is None or b is None else COMPARE[compare](a, b)
        case Membership(operand, members):
            a = value(operand, row)
            return None if a is None else a in [value(m, row) for m in members]
        case Missing(operand):
            return value(operand, row) is None
        case Truth(operand):
            truth = value(operand, row)
            return None if truth is None else bool(truth)
        case Pattern(operand, pattern, ignore_case):
            text = value(operand, row)
            return None if text is None else _like(str(text), pattern, ignore_case)
        case Not(part):
            met = holds(part, row)
            return None if met is None else not met
        case All(parts):
            verdicts = [holds(part, row) for part in parts]
            return False if False in verdicts else None if None in verdicts else True
        case AnyOf(parts):
            verdicts = [holds(part, row) for part in parts]
            return True if True in verdicts else None if None in verdicts else False


def value(part: Scalar, row: Row) -> Any:
    match part:
        case ColumnRef(name):
            return row[name]
        case Constant(Fraction() as number) if number.denominator > 1:
            return float(number)  # as an engine reads it: 0.1 is the float that is written so
        case Constant(Fraction() as number):
            return int(number)
        case Constant(constant):
            return constant
        case Arithmetic(compute, left, right):
            a, b = (None if v is None else float(v) for v in (value(left, row), value(right, row)))
            if a is None or b is None or (compute == "/" and b == 0):
                return None
            result = COMPUTE[compute](a, b)
            return result if math.isfinite(result) else None
        case PairStatistic(totals=totals):
            numbers = [value(total, row) for total in totals]
            return None if None in numbers else pair_figure(part, numbers)
        case SumOverGroups():
            return row[part]
        case Condition(condition):
            return holds(condition, row)
        case Case(branches, otherwise):
            met = next((result for condition, result in branches if holds(condition, row)), otherwise)
            return value(met, row)
        case Call(name, (Constant(str(unit)), *parts)) if name in calendar.FUNCTIONS:
            operands = [value(part, row) for part in parts]
            return None if None in operands else calendar.computed(name, unit, *operands)
        case Call(name, parts):
            return FUNCTIONS[name].value([value(part, row) for part in parts])
    raise ValueError("not a scalar")


def _like(text: str, pattern: str, ignore_case: bool) -> bool:
    """What stands between two % is taken where it first comes and never tried again: time goes by both lengths.

    >>> _like("Surgery", "s%g_r%", True), _like("Surgery", "s%g_r%", False)
    (True, False)
    """
    first, *rest = ("".join("." if sign == "_" else re.escape(sign) for sign in part) for part in pattern.split("%"))
    middle = "".join(f"(?>.*?{part})" for part in rest[:-1])
    written = f"{first}{middle}.*{rest[-1]}" if rest else first
    return re.fullmatch(written, text, re.DOTALL | (re.IGNORECASE if ignore_case else re.NOFLAG)) is not None
