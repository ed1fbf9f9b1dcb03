"""The queries of a request, each with its weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import BadInput

LONGEST = 100_000  # characters that all queries of a request have


@dataclass(frozen=True)
class Asked:
    """One query of a request; the most important one has the largest weight (RDR 5.2)."""

    sql: str
    weight: float = 1.0


def shares_of(queries: Sequence[Asked]) -> tuple[float, ...]:
    most = max(one.weight for one in queries)
    return tuple(one.weight / most for one in queries)


def checked_queries(stated: Sequence[Mapping[str, Any]], most: int) -> tuple[Asked, ...]:
    if not stated:
        raise BadInput("A request has one query at least", hint="state what you ask in SQL.")
    if len(stated) > most:
        raise BadInput(f"A request has {most} queries at most, not {len(stated)}", hint="submit several.")
    queries = tuple(Asked(str(one["sql"]), float(one.get("weight", 1.0))) for one in stated)
    if (letters := sum(len(one.sql) for one in queries)) > LONGEST:
        raise BadInput(f"A request has {LONGEST:,} characters of SQL at most, not {letters:,}", hint="submit several.")
    for one in queries:
        if not 0 < one.weight <= 1000:
            raise BadInput(f"A weight lies above 0 and not above 1000, not at {one.weight:g}", hint="try 1 and 2.")
    return queries
