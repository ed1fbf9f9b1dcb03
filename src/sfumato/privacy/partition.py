"""Which values of a declared partition a statement reads: a person with another value changes no answer to it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from sfumato.model.schema import Category, SchemaColumn
from sfumato.model.statement import (
    All,
    AnyOf,
    ColumnRef,
    Compare,
    Constant,
    Membership,
    Not,
    Predicate,
    Statement,
    Truth,
)

Values = frozenset[Category]


def values_read(statement: Statement, column: SchemaColumn) -> tuple[Category, ...] | None:
    """The listed values of the column that the WHERE admits; None where it may admit any row, or none.

    A table that is derived from each person's rows is read whole. See docs/theory/parallel.md.
    """
    if statement.where is None or statement.derived is not None or not column.keys:
        return None
    admitted = _admitted(statement.where, column)
    return tuple(value for value in column.keys if value in admitted) if admitted else None


def _admitted(condition: Predicate, column: SchemaColumn) -> Values | None:
    """The values of rows that can meet a condition; None: it says nothing about the column."""
    match condition:
        case Compare("=", ColumnRef() as operand, Constant() as constant) | Compare(
            "=", Constant() as constant, ColumnRef() as operand
        ):
            return _listed([constant], column) if _is(operand, column) else None
        case Membership(ColumnRef() as operand, members):
            return _listed(members, column) if _is(operand, column) else None
        case Truth(ColumnRef() as operand):
            return frozenset({True}) if _is(operand, column) else None
        case Not(Truth(ColumnRef() as operand)):
            return frozenset({False}) if _is(operand, column) else None
        case All(parts):
            known = [admitted for part in parts if (admitted := _admitted(part, column)) is not None]
            return frozenset.intersection(*known) if known else None
        case AnyOf(parts):
            every = [_admitted(part, column) for part in parts]
            known = [admitted for admitted in every if admitted is not None]
            return frozenset().union(*known) if len(known) == len(every) else None
    return None


def _is(operand: ColumnRef, column: SchemaColumn) -> bool:
    return operand.name.lower() == column.name.lower()


def _listed(constants: Iterable[Constant], column: SchemaColumn) -> Values | None:
    """The listed values that the constants are; None where one of them is not listed."""
    each = [[value for value in column.keys or () if _equal(value, one.value)] for one in constants]
    return frozenset(value for values in each for value in values) if all(each) else None


def _equal(value: Category, constant: object) -> bool:
    if isinstance(value, bool) or isinstance(constant, bool):
        return value is constant
    if isinstance(value, int):
        return isinstance(constant, Fraction) and Fraction(value) == constant
    return value == constant
