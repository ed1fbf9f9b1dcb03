"""The queries of a request, each with its weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sfumato.errors import BadInput

LONGEST = 100_000  # characters that all queries of a request have


@dataclass(frozen=True)
class RequestedQuery:
    """One query of a request; the most important one has the largest weight (RDR 5.2).

    `index` is the width of its noise relative to the others (DIFF), and `expected` a public guess of its answer.
    `signal` is asked for when its answer is released: a task or a function, its kind, and what it may be charged.
    """

    sql: str
    weight: float = 1.0
    index: float | None = None
    expected: float | None = None
    signal: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> RequestedQuery:
        index, expected = (None if stored.get(name) is None else float(stored[name]) for name in ("index", "expected"))
        signal = None if stored.get("signal") is None else dict(stored["signal"])
        return cls(str(stored["sql"]), float(stored.get("weight", 1.0)), index, expected, signal)

    @property
    def terms(self) -> list[object]:
        """What an approval of it binds."""
        also = [self.index, self.expected, *([] if self.signal is None else [dict(self.signal)])]
        return [self.sql, self.weight, *(also if any(each is not None for each in also) else [])]


def shares_of(queries: Sequence[RequestedQuery]) -> tuple[float, ...]:
    most = max(one.weight for one in queries)
    return tuple(one.weight / most for one in queries)


def checked_queries(tables: Sequence[Mapping[str, Any]], most: int) -> tuple[RequestedQuery, ...]:
    if not tables:
        raise BadInput.because("request-empty")
    if len(tables) > most:
        raise BadInput.because("request-queries", most=most, queries=len(tables))
    queries = tuple(map(RequestedQuery.of, tables))
    if (letters := sum(len(one.sql) for one in queries)) > LONGEST:
        raise BadInput.because("request-sql-length", longest=LONGEST, letters=letters)
    for one in queries:
        if not 0 < one.weight <= 1000:
            raise BadInput.because("weight-out-of-range", weight=one.weight)
        if one.expected is not None and not (isfinite(one.expected) and one.expected):
            raise BadInput.because("expected-answer-of-zero", sql=one.sql)
        if one.index is not None and not (isfinite(one.index) and one.index > 0):
            raise BadInput.because("request-index-not-positive", index=one.index)
    return queries
