"""The supported words of SQL: what an editor may offer, and what the parser accepts."""

from __future__ import annotations

from collections.abc import Collection

from sfumato.model.statement import AggregateKind

AGGREGATES = {
    "COUNT": AggregateKind.COUNT,
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
FUNCTIONS = ("ABS", "COALESCE", "LOWER", "UPPER")
CLAUSES = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "OFFSET", "AS", "AND", "OR", "NOT", "IN",
    "BETWEEN", "LIKE", "ILIKE", "IS NULL", "IS NOT NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "DISTINCT", "ASC",
    "DESC", "TRUE", "FALSE", "DATE",
)  # fmt: skip


def aggregates(allowed: Collection[AggregateKind] | None = None) -> tuple[str, ...]:
    """What an aggregate may be called; of those that are allowed, where not all of them are.

    >>> aggregates([AggregateKind.SUM, AggregateKind.QUANTILE_DISC])
    ('SUM', 'QUANTILE', 'QUANTILE_DISC', 'PERCENTILE_DISC')
    """
    several = {AggregateKind.COUNT: (AggregateKind.COUNT, AggregateKind.COUNT_DISTINCT)}
    return tuple(
        name
        for name, kind in AGGREGATES.items()
        if allowed is None or any(one in allowed for one in several.get(kind, (kind,)))
    )
