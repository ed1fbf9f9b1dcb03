"""The queries of a request, each with its weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import BadInput

LONGEST = 100_000  # characters that all queries of a request have


@dataclass(frozen=True)
class RequestedQuery:
    """One query of a request; the most important one has the largest weight (RDR 5.2)."""

    sql: str
    weight: float = 1.0


def shares_of(queries: Sequence[RequestedQuery]) -> tuple[float, ...]:
    most = max(one.weight for one in queries)
    return tuple(one.weight / most for one in queries)


def checked_queries(tables: Sequence[Mapping[str, Any]], most: int) -> tuple[RequestedQuery, ...]:
    if not tables:
        raise BadInput.because("request-empty")
    if len(tables) > most:
        raise BadInput.because("request-queries", most=most, queries=len(tables))
    queries = tuple(RequestedQuery(str(one["sql"]), float(one.get("weight", 1.0))) for one in tables)
    if (letters := sum(len(one.sql) for one in queries)) > LONGEST:
        raise BadInput.because("request-sql-length", longest=LONGEST, letters=letters)
    for one in queries:
        if not 0 < one.weight <= 1000:
            raise BadInput.because("weight-out-of-range", weight=one.weight)
    return queries
