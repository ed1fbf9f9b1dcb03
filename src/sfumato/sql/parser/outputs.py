"""SELECT: the columns of the answer."""

from __future__ import annotations

from sqlglot import exp

from sfumato.model.statement import ColumnRef, Key, Output
from sfumato.sql.builder.canonical import default_name, key_of
from sfumato.sql.builder.joined_tables import spelling_of
from sfumato.sql.parser.afterwards import AfterwardsReader
from sfumato.sql.parser.aggregates import is_aggregate
from sfumato.sql.parser.keys import GROUPINGS
from sfumato.sql.parser.pairs import is_pair


class OutputsReader(AfterwardsReader):
    """Reads what is selected: keys, aggregates, and what is computed from them."""

    def outputs(self, select: exp.Select, keys: tuple[Key, ...]) -> list[Output]:
        """The visible columns in their order; `self.answer` has them with those that only computed ones read."""
        plain = [self.plain_output(expression, keys) for expression in select.expressions]
        self.answer, self.grouped = [output for output in plain if output is not None], keys
        self.in_select = self.expands = True
        visible = [
            self.computed_output(expression) if output is None else output
            for expression, output in zip(select.expressions, plain, strict=True)
        ]
        self.in_select = self.expands = False
        return visible

    def as_written(self, name: str) -> str:
        """The name of a column with those of a join in it as people write them."""
        spelling = None if self.scope.derived is None else spelling_of(self.scope.derived)
        return name if spelling is None else spelling.text(name)

    def plain_output(self, expression: exp.Expr, keys: tuple[Key, ...]) -> Output | None:
        """A key or an aggregate; None: it is computed."""
        inner = _unwrapped(expression)
        key = self.grouped_key(inner, keys)
        if key is not None:
            return Output(
                expression.alias or (inner.name if isinstance(inner, exp.Column) else self.as_written(key.name)), key
            )
        if isinstance(inner, exp.Column) and not isinstance(inner.this, exp.Star):
            raise self.not_grouped(inner)
        if isinstance(inner, GROUPINGS):
            grouping = self.grouping(inner, keys)
            return Output(expression.alias or self.as_written(default_name(grouping)), grouping)
        if is_pair(inner):
            return None
        if is_aggregate(inner) or isinstance(inner, exp.AggFunc):
            aggregate = self.aggregate(inner)
            return Output(expression.alias or _shorter(inner, self.as_written(default_name(aggregate))), aggregate)
        return None

    def grouped_key(self, node: exp.Expr, keys: tuple[Key, ...]) -> Key | None:
        """The key that a part of the SELECT is; an expression is looked at where there are computed keys."""
        if isinstance(node, exp.Column):
            scalar = None if isinstance(node.this, exp.Star) else self.named(node)
        elif isinstance(node, GROUPINGS) or all(key.column is not None for key in keys) or _aggregates(node):
            return None
        else:
            scalar = self.scalar_or_none(node)
        key = None if scalar is None else key_of(scalar)
        return key if key in keys else None

    def computed_output(self, expression: exp.Expr) -> Output:
        assert self.answer is not None
        inner = _unwrapped(expression)
        if isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
            self.refuse_node(inner)
        scalar = self.scalar(inner)
        if isinstance(scalar, ColumnRef):
            source = next(output.source for output in self.answer if output.name == scalar.name)
            output = Output(expression.alias or self.as_written(default_name(source, self.answer)), source)
        else:
            computed = self.computed(scalar)
            name = self.as_written(default_name(computed, self.answer))
            output = Output(expression.alias or _shorter(inner, name), computed)
        self.answer.append(output)
        return output


def _aggregates(node: exp.Expr) -> bool:
    return any(map(is_aggregate, node.walk()))


def _unwrapped(expression: exp.Expr) -> exp.Expr:
    inner = expression.unalias()
    while isinstance(inner, exp.Paren):
        inner = inner.this
    return inner


def _shorter(inner: exp.Expr, read_as: str) -> str:
    """The name of a column that no one names: what it is, unless a shorthand says that without a CASE.

    >>> import sqlglot
    >>> written = sqlglot.parse_one("Count(*) FILTER (WHERE urgent)", read="duckdb")
    >>> _shorter(written, "count(CASE WHEN urgent THEN 1 ELSE NULL END)")
    'count(*) FILTER(WHERE urgent)'
    """
    if "CASE" not in read_as or inner.find(exp.WithinGroup):
        return read_as
    written = inner.sql(dialect="duckdb", normalize_functions="lower", comments=False)
    return read_as if "CASE" in written else written
