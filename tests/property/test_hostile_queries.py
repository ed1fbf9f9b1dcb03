"""Queries with huge, tiny and odd constants in every place, on extreme stored values: none fails or moves too far.

Whether a query is refused follows from its text and the schema: it is refused for every table or for none.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import BadInput
from tests.depth import depth
from tests.property.tables import DAYS, NAMES, SOURCES, Table
from tests.property.test_neighbours import assert_moved_at_most, hold_totals

TABLES, QUERIES_OF_ONE = depth("hostile queries") // 5, 5
N, X, K, B, NOTE, DAY, WHO = (NAMES[0].whole, NAMES[0].real, NAMES[0].level, NAMES[0].flag, NAMES[0].note,
                              NAMES[0].day, NAMES[0].who)  # fmt: skip
NUMBERS = (
    "0", "1", "-1", "7", "0.1", ".5", "1.", "007", "-0.0", "1e1", "1E+2", "1e39", "-1e39", "1e308", "5e-324",
    "1.7976931348623157e308", "1e-400", "1e-320", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551616", "170141183460469231731687303715884105728", "4611686018427387905",
    "123456789012345678901234567890e-20", "0.30000000000000004", "9007199254740993", "99999999999999999999999.5",
)  # fmt: skip
TEXTS = (
    "''",
    "'a'",
    "'Ünï'",
    "'%'",
    "'_%_'",
    "'\\'",
    "'a\x01b'",
    "'ß'",
    "'İ'",
    "'1e39'",
    "'?'",
    "'''",
    "'x''y'",
    "'nan'",
)
DATES = ("'0001-01-01'", "'9999-12-31'", "DATE '2024-02-29'", "'2023-02-29'", "'infinity'")
STORED: dict[str, tuple[Any, ...]] = {
    N: (0, 7, 99, -(2**63), 2**63 - 1, -1, 10**6, None, "abc", 2**70),
    X: (0.5, -2.5, 8.0, float("nan"), float("inf"), -float("inf"), 5e-324, -1.7976931348623157e308, 1e39, None),
    NAMES[0].group: ("north", "South", "elsewhere", None),
    B: (True, False, None),
    K: (1, 3, 2, None),
    NOTE: ("a", "Ünï", "", "%", "x" * 300, "ß", "a\x00b", "?", None, "1e39"),
    DAY: (*DAYS, None),
    WHO: ("bo", "al", "10", None),
}
SCHEMA: dict[str, Any] = {
    "name": NAMES[0].table,
    "null_values": ["?"],
    "columns": {
        N: {"type": "integer", "bounds": [-5, 50]},
        X: {"type": "number", "bounds": [0.25, 4]},
        NAMES[0].group: {"type": "text", "keys": "private"},
        B: {"type": "boolean"},
        K: {"type": "integer", "categories": [1, 3]},
        NOTE: {"type": "text"},
        DAY: {"type": "date"},
        WHO: {"type": "text"},
    },
}


@dataclass(frozen=True)
class Writer:
    """Writes queries that are mostly of the dialect, whatever their constants are."""

    random: Random

    def one_of(self, *choices: str) -> str:
        return self.random.choice(choices)

    def number(self, deep: int = 3) -> str:
        if deep == 0 or self.random.random() < 0.2:
            return self.one_of(N, X, N, X, K, self.random.choice(NUMBERS))
        a, b = self.number(deep - 1), self.number(deep - 1)
        return self.one_of(
            f"ABS({a})", f"COALESCE({a}, {b})", f"({a} + {b})", f"{a} - ({b})", f"{a} * {b}", f"{a} / {b}", f"-({a})",
            f"CASE WHEN {self.condition(deep - 1)} THEN {a} ELSE {b} END", f"CASE {a} WHEN {b} THEN {a} END",
            f"ABS(CASE WHEN {self.condition(deep - 1)} THEN {self.random.choice(NUMBERS)} ELSE {b} END)",
        )  # fmt: skip

    def text(self) -> str:
        return self.one_of(NOTE, NOTE, f"LOWER({NOTE})", f"UPPER({WHO})", f"COALESCE({NOTE}, {self.one_of(*TEXTS)})")

    def condition(self, deep: int = 3) -> str:
        if deep == 0 or self.random.random() < 0.2:
            return self.one_of(B, f"{N} IS NULL", f"{NOTE} = {self.one_of(*TEXTS)}", f"{N} = 7")
        a, b = self.number(deep - 1), self.number(deep - 1)
        members = ", ".join(self.random.choice(NUMBERS) for _ in range(3))
        return self.one_of(
            f"{a} {self.one_of('<', '<=', '=', '<>', '>', '>=')} {b}", f"{a} IN ({members})", f"{a} IS NOT NULL",
            f"{a} BETWEEN {b} AND {self.random.choice(NUMBERS)}", f"NOT ({self.condition(deep - 1)})",
            f"({self.condition(deep - 1)} AND {self.condition(deep - 1)})", f"{self.text()} <> {self.one_of(*TEXTS)}",
            f"({self.condition(deep - 1)} OR {self.condition(deep - 1)})", f"{DAY} < {self.one_of(*DATES)}",
            f"{self.text()} {self.one_of('LIKE', 'ILIKE', 'NOT LIKE')} {self.one_of(*TEXTS)}",
        )  # fmt: skip

    def aggregate(self) -> str:
        a = self.number(2)
        clamped = self.one_of(N, X, a, f"CASE WHEN {self.condition(2)} THEN {self.one_of(N, X)} ELSE {a} END")
        return self.one_of(
            "COUNT(*)", f"COUNT({a})", f"COUNT(DISTINCT {a})", f"COUNT(DISTINCT {self.one_of(WHO, self.text())})",
            f"SUM({clamped})", f"AVG({clamped})", f"VAR_SAMP({clamped})", f"STDDEV_POP({clamped})", f"MIN({clamped})",
            f"MEDIAN({clamped})", f"QUANTILE_DISC({clamped}, 0.3)", f"MAX({clamped})",
        )  # fmt: skip

    def query(self) -> str:
        key = self.one_of("", "", K, B, NAMES[0].group)
        where = self.one_of("", f" WHERE {self.condition()}")
        having = self.one_of("", "", f" HAVING COUNT(*) > {self.random.choice(NUMBERS)}")
        shown = ", ".join([*([key] if key else []), *(self.aggregate() for _ in range(self.random.choice((1, 1, 2))))])
        return f"SELECT {shown} FROM {SCHEMA['name']}{where}{f' GROUP BY {key}' if key else ''}{having}"


@pytest.mark.depth("hostile queries")
@settings(max_examples=TABLES, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(seed=st.integers(0, 2**63), kind=st.sampled_from(SOURCES))
def test_no_accepted_query_fails_or_moves_too_far(seed: int, kind: str) -> None:
    random = Random(seed)
    unit = random.choice(({}, {"unit": WHO, "max_rows": 2}, {"relation": "replace"}))
    rows = tuple({name: random.choice(values) for name, values in STORED.items()} for _ in range(7))
    table, queries = Table(NAMES[0], SCHEMA | unit, rows), [Writer(random).query() for _ in range(QUERIES_OF_ONE)]
    people = [places for person, places in table.people().items() if person is not None]
    one = random.choice(people) if people else ()
    answers, others = (asked(each, kind, queries) for each in (table, table.without(*one)))
    for sql, answer, other in zip(queries, answers, others, strict=True):
        if isinstance(answer, str) or isinstance(other, str):
            assert answer == other, sql
        else:
            assert_moved_at_most(1 / Fraction(answer.measurement.steps), answer, other)


def asked(table: Table, kind: str, queries: list[str]) -> list[sf.Query | str]:
    """Each query with its totals, released once; or the refusal."""
    with TemporaryDirectory() as folder:
        dataset = sf.open(table.source(kind, Path(folder)), table.schema, ledger=":memory:")
        return [_asked(dataset, sql) for sql in queries]


def _asked(dataset: sf.Dataset, sql: str) -> sf.Query | str:
    try:
        query = dataset.query(sql)
        query.release(epsilon=1.0, delta=1e-6 if query._bound.has_private_keys else None)
    except BadInput as refusal:
        return str(refusal)
    return hold_totals(query)
