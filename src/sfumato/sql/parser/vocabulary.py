"""The supported words of SQL: what an editor may offer, and what the parser accepts."""

from __future__ import annotations

from collections.abc import Collection

from sfumato.model.functions import FUNCTIONS as TABLE
from sfumato.model.statement import AggregateKind, PairKind

AGGREGATES = {
    "COUNT": AggregateKind.COUNT,
    "COUNT_IF": AggregateKind.COUNT,
    "SUM": AggregateKind.SUM,
    "AVG": AggregateKind.AVG,
    "VARIANCE": AggregateKind.VAR_SAMP,
    "VAR_SAMP": AggregateKind.VAR_SAMP,
    "VAR_POP": AggregateKind.VAR_POP,
    "STDDEV": AggregateKind.STDDEV_SAMP,
    "STDDEV_SAMP": AggregateKind.STDDEV_SAMP,
    "STDDEV_POP": AggregateKind.STDDEV_POP,
    "MIN": AggregateKind.MIN,
    "MAX": AggregateKind.MAX,
    "MEDIAN": AggregateKind.QUANTILE_CONT,
    "QUANTILE": AggregateKind.QUANTILE_DISC,
    "QUANTILE_CONT": AggregateKind.QUANTILE_CONT,
    "QUANTILE_DISC": AggregateKind.QUANTILE_DISC,
    "PERCENTILE_CONT": AggregateKind.QUANTILE_CONT,
    "PERCENTILE_DISC": AggregateKind.QUANTILE_DISC,
}
PAIRS = tuple(kind.value for kind in PairKind)  # computed from counts and sums
DATE_FUNCTIONS = (
    "DATE_PART", "DATE_TRUNC", "DATE_DIFF", "EXTRACT", "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFWEEK", "ISODOW",
    "DAYOFYEAR", "HOUR", "MINUTE", "SECOND",
)  # fmt: skip
_OF_TABLE = tuple(name for f in TABLE.values() for name in (f.name, *f.also) if name.isidentifier())
FUNCTIONS = (*_OF_TABLE, *DATE_FUNCTIONS)
CLAUSES = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "OFFSET", "AS", "AND", "OR", "NOT", "IN",
    "BETWEEN", "LIKE", "ILIKE", "IS NULL", "IS NOT NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "DISTINCT", "ASC",
    "DESC", "TRUE", "FALSE", "DATE", "TIMESTAMP", "INTERVAL", "ROLLUP", "CUBE", "GROUPING SETS", "GROUPING", "FILTER",
    "ALL", "NULLS FIRST", "IS TRUE", "IS FALSE", "IS DISTINCT FROM", "CAST",
)  # fmt: skip


def aggregates(allowed: Collection[AggregateKind] | None = None) -> tuple[str, ...]:
    """What an aggregate may be called; of those that are allowed, where not all of them are.

    >>> aggregates([AggregateKind.SUM, AggregateKind.QUANTILE_DISC])
    ('SUM', 'QUANTILE', 'QUANTILE_DISC', 'PERCENTILE_DISC')
    """
    several = {AggregateKind.COUNT: (AggregateKind.COUNT, AggregateKind.COUNT_DISTINCT)}
    names = tuple(
        name
        for name, kind in AGGREGATES.items()
        if allowed is None or any(one in allowed for one in several.get(kind, (kind,)))
    )
    has_pairs = allowed is None or {AggregateKind.COUNT, AggregateKind.SUM} <= set(allowed)
    return (*names, *PAIRS) if has_pairs else names
