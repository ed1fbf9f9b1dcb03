"""Public cells that a WHERE can leave rows in: its conditions on the group keys alone, evaluated on the keys' values.

The evaluation says what an engine says, in SQL's three-valued logic. Where engines may differ (letters beyond ASCII in
LIKE, LOWER and UPPER, whole numbers that floats cannot hold, very large and very small numbers), it says nothing, and
the cell stays: that costs an empty group, and never a row.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any, Final

from sfumato.model import calendar
from sfumato.model.functions import FUNCTIONS, Function, Value
from sfumato.model.schema import Category
from sfumato.model.statement import (
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
    Pattern,
    Predicate,
    Scalar,
    Truth,
    columns_in,
)

Cell = tuple[Category, ...]
Values = Mapping[str, Value]

WHOLE = 2**53  # up to here whole numbers and floats are the same
LARGE = 1e100  # beyond this, and below its inverse, what arithmetic gives is the engine's business
MOST_STEPS = 1_000_000  # for one condition on all cells: one that takes more is left to the engine

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPUTE: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


class NotSure(Exception):
    """Engines may differ in this."""


class _TooLong(Exception):
    """The evaluation takes too many steps."""


class _Unknown:
    """A verdict beside true, false and NULL: it may be any of them."""


_UNKNOWN: Final = _Unknown()
Verdict = bool | None | _Unknown


def possible_cells(where: Predicate | None, keys: Sequence[str], cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells that no top-level condition on the keys alone rules out; `keys` names their positions."""
    for part in where.parts if isinstance(where, All) else (where,) if where is not None else ():
        read = {column.name for column in columns_in(part)}
        if read <= set(keys):
            cells = _without_excluded(part, [i for i, key in enumerate(keys) if key in read], keys, cells)
    return tuple(cells)


def _without_excluded(
    part: Predicate, read: Sequence[int], keys: Sequence[str], cells: Sequence[Cell]
) -> Sequence[Cell]:
    """Evaluated once for all cells that agree in what it reads."""
    different = dict.fromkeys(tuple(cell[i] for i in read) for cell in cells)
    names, evaluation = [keys[i] for i in read], _Evaluation(MOST_STEPS)
    try:
        kept = {own for own in different if evaluation.can_be_true(part, dict(zip(names, own, strict=True)))}
    except _TooLong:
        return cells
    return [cell for cell in cells if tuple(cell[i] for i in read) in kept]


def can_be_true(condition: Predicate, values: Values) -> bool:
    """Whether a condition is true of these values, or may be where that is not sure.

    >>> from sfumato.model.schema import Type
    >>> june = Compare("=", ColumnRef("month", Type.INTEGER), Constant(Fraction(6), Type.INTEGER))
    >>> can_be_true(june, {"month": 6}), can_be_true(june, {"month": 7}), can_be_true(Not(june), {"month": None})
    (True, False, False)
    """
    try:
        return _Evaluation(MOST_STEPS).can_be_true(condition, values)
    except _TooLong:
        return True


def value_of(part: Scalar, values: Values) -> Value:
    """The value of an expression, where it is sure what engines give."""
    try:
        return _Evaluation(MOST_STEPS).value(part, values)
    except _TooLong:
        raise NotSure from None


class _Evaluation:
    """In so many steps at most."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def can_be_true(self, condition: Predicate, values: Values) -> bool:
        verdict = self.verdict(condition, values)
        return verdict is True or verdict is _UNKNOWN

    def verdict(self, condition: Predicate, values: Values) -> Verdict:
        match condition:
            case Not(part):
                verdict = self.verdict(part, values)
                return not verdict if isinstance(verdict, bool) else verdict
            case All(parts):
                return _joint_verdict([self.verdict(part, values) for part in parts], decides=False)
            case AnyOf(parts):
                return _joint_verdict([self.verdict(part, values) for part in parts], decides=True)
        try:
            return self.plain(condition, values)
        except NotSure:
            return _UNKNOWN

    def plain(self, condition: Predicate, values: Values) -> bool | None:
        match condition:
            case Compare(compare, left, right):
                return _comparison(compare, self.value(left, values), self.value(right, values))
            case Membership(operand, members):
                own = self.value(operand, values)
                equal = [_comparison("=", own, self.value(member, values)) for member in members]
                return True if True in equal else None if None in equal else False
            case Missing(operand):
                return self.value(operand, values) is None
            case Pattern(operand, pattern, ignore_case):
                text = self.value(operand, values)
                return None if text is None else self.like(_ascii(text), _ascii(pattern), ignore_case)
            case Truth(operand):
                truth = self.value(operand, values)
                return None if truth is None else bool(truth)
        raise NotSure

    def value(self, part: Scalar, values: Values) -> Value:
        self.spend(1)
        match part:
            case ColumnRef(name):
                return _number(values[name])
            case Constant(constant):
                return _number(_plain_number(constant) if isinstance(constant, Fraction) else constant)
            case Arithmetic(compute, left, right):
                return _arithmetic_value(compute, self.value(left, values), self.value(right, values))
            case Condition(met):
                return self.truth(met, values)
            case Case(branches, otherwise):
                return self.value(self.branch(branches, otherwise, values), values)
            case Call(name, (Constant(str(unit)), *operands)) if name in calendar.FUNCTIONS:
                return _date_value(name, unit, [self.value(operand, values) for operand in operands])
            case Call(name, parts):
                return _function_value(FUNCTIONS[name], [self.value(part, values) for part in parts])
        raise NotSure

    def truth(self, condition: Predicate, values: Values) -> bool | None:
        verdict = self.verdict(condition, values)
        if isinstance(verdict, _Unknown):
            raise NotSure
        return verdict

    def branch(self, branches: Sequence[tuple[Predicate, Scalar]], otherwise: Scalar, values: Values) -> Scalar:
        for condition, result in branches:
            if self.truth(condition, values):
                return result
        return otherwise

    def like(self, text: str, pattern: str, ignore_case: bool) -> bool:
        """% stands for any text and _ for one character; in at most len(text) times len(pattern) steps."""
        self.spend((len(text) + 1) * (len(pattern) + 1))
        if ignore_case:
            text, pattern = text.lower(), pattern.lower()
        matched = [True] + [False] * len(text)  # whether the pattern so far matches the first i characters
        for sign in pattern:
            if sign == "%":
                first = matched.index(True) if True in matched else len(matched)
                matched = [i >= first for i in range(len(matched))]
            else:
                met = [before and sign in ("_", own) for before, own in zip(matched, text, strict=False)]
                matched = [False, *met]
        return matched[-1]

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _TooLong


def _joint_verdict(verdicts: Sequence[Verdict], *, decides: bool) -> Verdict:
    """Of AND false decides, of OR true does; then what is not known, then NULL."""
    for verdict in (decides, _UNKNOWN, None):
        if verdict in verdicts:
            return verdict
    return not decides


def _comparison(compare: str, left: Value, right: Value) -> bool | None:
    """Texts are compared by code points, which is the order of their UTF-8 bytes."""
    if left is None or right is None:
        return None
    if _kind(left) is not _kind(right):
        raise NotSure
    return COMPARE[compare](left, right)


def _kind(value: Value) -> type:
    return float if type(value) is int else type(value)


def _plain_number(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)


def _function_value(function: Function, operands: Sequence[Value]) -> Value:
    if function.compute is None or not function.exact:
        raise NotSure
    if function.ascii:
        operands = [None if text is None else _ascii(text) for text in operands]
    return _number(function.value(operands))


def _date_value(name: str, unit: str, operands: Sequence[Value]) -> Value:
    if None in operands:
        return None
    if not all(isinstance(operand, int | date) for operand in operands):
        raise NotSure
    return calendar.computed(name, unit, *operands)  # type: ignore[arg-type]


def _arithmetic_value(compute: str, left: Value, right: Value) -> Value:
    """In floating point; what is divided by zero is missing."""
    if left is None or right is None:
        return None
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        raise NotSure
    if compute == "/" and right == 0:
        return None
    return _number(COMPUTE[compute](float(left), float(right)))


def _number(value: Value) -> Value:
    """A value as it is, unless it is a number whose size engines treat in their own ways."""
    if isinstance(value, float) and value and not 1 / LARGE <= abs(value) <= LARGE:
        raise NotSure
    if isinstance(value, int) and abs(value) > WHOLE:
        raise NotSure
    return value


def _ascii(text: Value) -> str:
    if not isinstance(text, str) or not text.isascii():
        raise NotSure
    return text
