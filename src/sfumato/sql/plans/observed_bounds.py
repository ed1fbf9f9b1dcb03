"""As the authors of the RDR paper do: bounds and keys read off the table."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sfumato.model.statement import Statement
from sfumato.sql.builder.ast import column, predicate, scalar, table
from sfumato.sql.plans.row_values import is_present


def extremes(statement: Statement, names: Sequence[str]) -> exp.Select:
    """How many rows there are, and the smallest and largest value of each named column, over the whole table."""
    parts = [exp.func(f, column(name)) for name in names for f in ("MIN", "MAX")]
    return exp.select(exp.func("COUNT", exp.Star()), *parts).from_(table(statement.table))


def keys(statement: Statement) -> exp.Select:
    """The combinations of keys that the WHERE leaves, as they are in the data."""
    names = [scalar(key.expression) for key in statement.keys]
    query = exp.select(*names).distinct().from_(table(statement.table))
    conditions = [] if statement.where is None else [predicate(statement.where)]
    return query.where(*conditions, *(is_present(name.copy()) for name in names))
