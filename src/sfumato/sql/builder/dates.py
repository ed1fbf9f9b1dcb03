"""Functions of dates and times as SQL trees: of any stored day or time, and NULL outside the years 1 to 9999."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from fractions import Fraction

from sqlglot import exp

from sfumato.model.calendar import FUNCTIONS
from sfumato.model.schema import Type
from sfumato.model.statement import Call, Case, Constant, Scalar, results_of
from sfumato.sql.builder import nodes
from sfumato.sql.builder.values import value

_TYPES = {Type.DATE: "DATE", Type.TIMESTAMP: "TIMESTAMP"}
_SPANS = {
    Type.DATE: (date.min, date.max),
    Type.TIMESTAMP: (datetime.combine(date.min, time()), datetime.combine(date.max, time.max)),
}


def date_tree(name: str, arguments: Sequence[Scalar], trees: Sequence[exp.Expr]) -> exp.Expr:
    """A call of a statement; `trees` are what its operands are, after the unit."""
    type_ = arguments[-1].type or Type.DATE
    moments = [
        tree if is_in_years(operand) else in_years(tree, type_)
        for operand, tree in zip(arguments[-len(trees) :], trees, strict=True)
    ]
    written, to = exp.Literal.string(str(_constant(arguments[0]))), exp.DataType.build(_TYPES[type_])
    match name:
        case "DATE_PART":
            return nodes.DatePart(this=moments[0], unit=written)
        case "DATE_TRUNC":
            return nodes.StartOfUnit(this=moments[0], unit=written, to=to)
        case "TO_DATE":
            return nodes.StartOfUnit(this=moments[0], unit=written, to=exp.DataType.build("DATE"))
        case "TO_TIMESTAMP":
            return exp.cast(moments[0], "TIMESTAMP")
        case "DATE_DIFF":
            return nodes.UnitsBetween(this=moments[0], expression=moments[1], unit=written)
    by = exp.Literal.number(str(_constant(arguments[1])))
    return in_years(nodes.Later(this=moments[0], by=by, unit=written, to=to), type_)


def in_years(tree: exp.Expr, type_: Type) -> exp.Expr:
    """A day or time, NULL outside the years 1 to 9999. It is written twice: what is so already is not guarded again."""
    first, last = map(value, _SPANS[type_])
    return exp.Case(ifs=[exp.If(this=exp.Between(this=tree, low=first, high=last), true=tree.copy())])


def is_in_years(part: Scalar) -> bool:
    """Whether a day or time is in these years, or missing, for any data."""
    match part:
        case Constant():
            return True
        case Call(name, parts) if name in FUNCTIONS:
            return True
        case Call("COALESCE" | "GREATEST" | "LEAST" | "NULLIF", parts):
            return all(map(is_in_years, parts))
        case Case(branches, otherwise):
            return all(map(is_in_years, results_of(branches, otherwise)))
    return False


def _constant(part: Scalar) -> bool | Fraction | str | date | datetime | None:
    assert isinstance(part, Constant)
    return part.value
