"""The words of the SQL that is answered: what an editor may offer, and what a reader lets through."""

from __future__ import annotations

from collections.abc import Collection

from sfumato.model.statement import Kind

AGGREGATES = {
    "COUNT": Kind.COUNT,
    "SUM": Kind.SUM,
    "AVG": Kind.AVG,
    "VARIANCE": Kind.VAR_SAMP,
    "VAR_SAMP": Kind.VAR_SAMP,
    "VAR_POP": Kind.VAR_POP,
    "STDDEV": Kind.STDDEV_SAMP,
    "STDDEV_SAMP": Kind.STDDEV_SAMP,
    "STDDEV_POP": Kind.STDDEV_POP,
    "MIN": Kind.MIN,
    "MAX": Kind.MAX,
    "MEDIAN": Kind.QUANTILE_CONT,
    "QUANTILE": Kind.QUANTILE_DISC,
    "QUANTILE_CONT": Kind.QUANTILE_CONT,
    "QUANTILE_DISC": Kind.QUANTILE_DISC,
    "PERCENTILE_CONT": Kind.QUANTILE_CONT,
    "PERCENTILE_DISC": Kind.QUANTILE_DISC,
}
FUNCTIONS = ("ABS", "COALESCE", "LOWER", "UPPER")
CLAUSES = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "OFFSET", "AS", "AND", "OR", "NOT", "IN",
    "BETWEEN", "LIKE", "ILIKE", "IS NULL", "IS NOT NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "DISTINCT", "ASC",
    "DESC", "TRUE", "FALSE", "DATE",
)  # fmt: skip


def aggregates(allowed: Collection[Kind] | None = None) -> tuple[str, ...]:
    """What an aggregate may be called; of those that are allowed, where not all of them are.

    >>> aggregates([Kind.SUM, Kind.QUANTILE_DISC])
    ('SUM', 'QUANTILE', 'QUANTILE_DISC', 'PERCENTILE_DISC')
    """
    several = {Kind.COUNT: (Kind.COUNT, Kind.COUNT_DISTINCT)}
    return tuple(
        name
        for name, kind in AGGREGATES.items()
        if allowed is None or any(one in allowed for one in several.get(kind, (kind,)))
    )
