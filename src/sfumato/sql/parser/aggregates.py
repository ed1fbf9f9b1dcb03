"""Aggregates of a query: which they are, and what they are of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import (
    Aggregate,
    AggregateKind,
    Case,
    ColumnRef,
    Condition,
    Constant,
    PairKind,
    Predicate,
    Scalar,
    Truth,
)
from sfumato.sql.parser.pairs import pair_kind
from sfumato.sql.parser.scope import Names
from sfumato.sql.parser.size import Size

AGGREGATES: dict[type[exp.Expr], AggregateKind] = {
    exp.Count: AggregateKind.COUNT,
    exp.CountIf: AggregateKind.COUNT,
    exp.Sum: AggregateKind.SUM,
    exp.Avg: AggregateKind.AVG,
    exp.Variance: AggregateKind.VAR_SAMP,
    exp.VariancePop: AggregateKind.VAR_POP,
    exp.Stddev: AggregateKind.STDDEV_SAMP,
    exp.StddevSamp: AggregateKind.STDDEV_SAMP,
    exp.StddevPop: AggregateKind.STDDEV_POP,
    exp.Min: AggregateKind.MIN,
    exp.Max: AggregateKind.MAX,
    exp.Median: AggregateKind.QUANTILE_CONT,
    exp.PercentileCont: AggregateKind.QUANTILE_CONT,
    exp.PercentileDisc: AggregateKind.QUANTILE_DISC,
    exp.Quantile: AggregateKind.QUANTILE_DISC,  # as DuckDB has it
    exp.ApproxQuantile: AggregateKind.APPROX_QUANTILE,
}
_OF_TRUTHS = (AggregateKind.SUM, AggregateKind.AVG)  # true counts as 1 and false as 0
_FINEST_QUANTILE = 10**6
_AGGREGATE_NAMES = (
    "aggregates are COUNT, SUM, AVG, VAR_POP, VAR_SAMP, STDDEV, MIN, MAX, MEDIAN, QUANTILE_CONT and CORR."
)
_WRITE_QUANTILE = "write QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."


def is_aggregate(node: exp.Expr) -> bool:
    """Whether a node is a supported aggregate, with FILTER and WITHIN GROUP or without."""
    for around in (exp.Filter, exp.WithinGroup):
        node = node.this if isinstance(node, around) else node
    return type(node) in AGGREGATES


class Aggregates(Names):
    """Reads COUNT, SUM and the others."""

    def __init__(self, text: str, schema: Schema, present: Mapping[str, Type | None] | None) -> None:
        super().__init__(text, schema, present)
        self.size = Size()

    def aggregate(self, call: exp.Expr) -> Aggregate:
        if isinstance(call, exp.Filter):
            self.only(call, "this", "expression")
            return self.filtered(self.aggregate(call.this), call.expression.this)
        inner = call.this if isinstance(call, exp.WithinGroup) else call
        kind = AGGREGATES.get(type(inner))
        if kind is None:
            self.refuse_node(call, _AGGREGATE_NAMES)
        if kind.ranks:
            argument, at = self.quantile(call, inner)
            return Aggregate(kind, self.numeric_argument(argument, kind, inner), at)
        if isinstance(inner, exp.CountIf):
            self.only(inner, "this")
            return self.filtered(Aggregate(AggregateKind.COUNT), inner.this)
        self.only(call, "this", "big_int")
        argument = call.this
        if kind is AggregateKind.COUNT:
            return self.count(argument, call)
        if (
            isinstance(argument, exp.Distinct)
            and kind in (AggregateKind.MIN, AggregateKind.MAX)
            and len(argument.expressions) == 1
        ):
            argument = argument.expressions[0]
        return Aggregate(kind, self.numeric_argument(argument, kind, call))

    def filtered(self, aggregate: Aggregate, condition: exp.Expr) -> Aggregate:
        """The aggregate of a CASE, which has no value where the condition does not hold."""
        counted = aggregate.argument or Constant(Fraction(1), Type.INTEGER)
        nothing = Constant(None, counted.type or Type.TEXT)
        only = Case(((self.predicate(condition), counted),), nothing, nothing.type)
        self.size.require_shallow(only)
        return replace(aggregate, argument=only)

    def count(self, argument: exp.Expr | None, call: exp.Expr) -> Aggregate:
        if argument is None:
            return Aggregate(AggregateKind.COUNT)
        if isinstance(argument, exp.Star):
            self.only(argument)
            return Aggregate(AggregateKind.COUNT)
        if isinstance(argument, exp.Distinct):
            if len(argument.expressions) != 1 or isinstance(argument.expressions[0], exp.Tuple):
                self.refuse("COUNT(DISTINCT ...) of several columns", call, hint="count one column.")
            if isinstance(argument.expressions[0], exp.Star):
                self.refuse("COUNT(DISTINCT *)", call, hint="count the values of one column.")
            counted = self.require_typed(self.shallow_scalar(argument.expressions[0]), call)
            own = self.scope.derived
            one_each = own is not None and own.one_row_each and counted == ColumnRef(own.person, counted.type)
            return Aggregate(AggregateKind.COUNT if one_each else AggregateKind.COUNT_DISTINCT, counted)
        counted = self.shallow_scalar(argument)
        return (
            Aggregate(AggregateKind.COUNT) if isinstance(counted, Constant) else Aggregate(AggregateKind.COUNT, counted)
        )

    def quantile(self, call: exp.Expr, inner: exp.Expr) -> tuple[exp.Expr, Fraction]:
        """What is ranked, and which quantile: QUANTILE_CONT(v, p), or PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY v)."""
        if isinstance(inner, exp.Median):
            self.only(inner, "this")
            return inner.this, Fraction(1, 2)
        self.only(inner, "this", "expression", "quantile")
        written = inner.args.get("expression") or inner.args.get("quantile")
        argument = inner.this
        if isinstance(call, exp.WithinGroup):
            written, order = inner.this, call.expression
            if len(order.expressions) != 1 or order.expressions[0].args.get("desc"):
                self.refuse("WITHIN GROUP with anything but ORDER BY one column", call, hint=_WRITE_QUANTILE)
            argument = order.expressions[0].this
        number = self.scalar(written) if isinstance(written, exp.Literal) else None
        at = number.value if isinstance(number, Constant) else None
        if not isinstance(at, Fraction) or not 0 <= at <= 1 or at.denominator > _FINEST_QUANTILE:
            where = self.place(written if isinstance(written, exp.Expr) else inner)
            what = "A quantile is a number between 0 and 1, of at most six digits"
            raise QueryError(what, where=where, hint=_WRITE_QUANTILE)
        return argument, at

    def numeric_argument(self, argument: exp.Expr, kind: AggregateKind | PairKind, call: exp.Expr) -> Scalar:
        """What is added up or ranked: numbers."""
        if isinstance(argument, exp.Star | exp.Distinct):
            written = self.function_name(call) if isinstance(call, exp.Func) else str(kind)
            inside = "*" if isinstance(argument, exp.Star) else "DISTINCT ..."
            self.refuse(f"{written}({inside})", call, hint=f"write {written}(v).")
        scalar = self.require_typed(self.shallow_scalar(argument), argument)
        if scalar.type is Type.BOOLEAN and kind in _OF_TRUTHS:
            return self.number_of(scalar.met if isinstance(scalar, Condition) else Truth(scalar))
        if scalar.type is not None and not scalar.type.numeric:
            what = f"column '{scalar.name}'" if isinstance(scalar, ColumnRef) else "this"
            where = self.schema.section(scalar.name) if isinstance(scalar, ColumnRef) else "its column"
            hint = f'state type = "integer" or "number" under {where} in {self.schema.origin}.'
            if scalar.type.temporal:
                hint = f"count the days from a date on, as in {kind}(DATE_DIFF('day', DATE '2020-01-01', d))."
            message = f"{kind} needs numbers, but {what} is {scalar.type}"
            raise QueryError(message, hint=hint, where=self.place(argument))
        return scalar

    def pair_arguments(self, node: exp.Expr) -> tuple[Scalar, Scalar]:
        """What a correlation or the like is of; with a FILTER, only where that holds."""
        call, met = node, None
        if isinstance(node, exp.Filter):
            self.only(node, "this", "expression")
            call, met = node.this, self.predicate(node.expression.this)
        self.only(call, "this", "expression")
        kind = pair_kind(call)
        first, second = (self.numeric_argument(part, kind, call) for part in (call.this, call.expression))
        if met is not None:
            first = Case(((met, first),), Constant(None, first.type or Type.NUMBER), first.type or Type.NUMBER)
            self.size.require_shallow(first)
        return first, second

    def number_of(self, condition: Predicate) -> Scalar:
        number = self.zero_or_one(condition)
        self.size.require_shallow(number)
        return number

    def shallow_scalar(self, argument: exp.Expr) -> Scalar:
        scalar = self.scalar(argument)
        self.size.require_shallow(scalar)
        return scalar
