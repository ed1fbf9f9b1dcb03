"""Values and conditions of one row, as plans read them: clamped to public bounds where they are added up."""

from __future__ import annotations

from sqlglot import exp

from sfumato.model.schema import Bounds, Schema, Type
from sfumato.model.statement import All, ColumnRef, Compare, Constant, Predicate
from sfumato.sql.builder.ast import COMPARE, both, column, predicate
from sfumato.sql.builder.values import cast, function, number, value
from sfumato.sql.plans.clean import as_delivered


def filters(where: Predicate | None, schema: Schema) -> list[exp.Expr]:
    """The parts of a WHERE that must all hold."""
    if where is None:
        return []
    return [_pushed(part, schema) for part in (where.parts if isinstance(where, All) else (where,))]


def _pushed(part: Predicate, schema: Schema) -> exp.Expr:
    """A condition that must hold: compared with a text as it was delivered, where that says the same."""
    match part:
        case Compare(operator, ColumnRef(name, Type.TEXT), Constant(str(text))) if schema.null_values:
            stored = column(as_delivered(name))
            compared = COMPARE[operator](this=stored, expression=value(text))
            if operator == "=" and text not in schema.null_values:
                return compared
            present = [exp.NEQ(this=stored.copy(), expression=value(missing)) for missing in schema.null_values]
            return both(compared, *present)
    return predicate(part)


def is_present(tree: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=tree, expression=exp.Null()))


def clamped_value(leaf: ColumnRef, schema: Schema) -> exp.Expr:
    """A column within its bounds; NULL stays NULL (LEAST and GREATEST would turn it into a bound).

    A person's figure without bounds is as it is: what is computed from it has bounds, as LEAST(total, 100) has.
    """
    declared = schema.column(leaf.name)
    if declared is not None and declared.bounds is None and declared.open is not None:
        return column(leaf.name)
    missing = exp.Is(this=column(leaf.name), expression=exp.Null())
    if leaf.type is not None and leaf.type.temporal:
        span = schema.span_of(leaf.name)
        inside = function("LEAST", function("GREATEST", column(leaf.name), value(span.first)), value(span.last))
    else:
        inside = within(column(leaf.name), schema.bounds_of(leaf.name))
    return exp.Case(ifs=[exp.If(this=missing, true=exp.Null())], default=inside)


def within(tree: exp.Expr, bounds: Bounds) -> exp.Expr:
    """The lowest is stated with a sign: of whole numbers without one, engines would not subtract what is larger."""
    lowest = number(bounds.lower)
    signed = cast(lowest, "BIGINT") if bounds.lower.denominator == 1 and abs(bounds.lower) < 2**63 else lowest
    return function("LEAST", function("GREATEST", tree, signed), number(bounds.upper))
