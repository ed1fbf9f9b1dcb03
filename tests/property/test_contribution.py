"""Which rows of a person count: every row has the same chance, and the rule is that of the literal oracle."""

from __future__ import annotations

import math
import random
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.schema import Type
from sfumato.model.statement import ColumnRef
from sfumato.schema.read import from_dict
from sfumato.sql.lowering.spelling import spell
from sfumato.sql.plans.contribution_bounds import text
from sfumato.sql.plans.rows import PlanInput
from sfumato.sql.plans.totals import read_totals, totals
from tests.depth import depth
from tests.property.oracle import clean_rows
from tests.property.oracle_contribution import counted_rows
from tests.property.questions import AGGREGATES, questions
from tests.property.tables import Table, examples, tables
from tests.property.test_people import places_of_kept
from tests.statistical.audit import least_rate, most_rate

NINE_SHORT_ONE_LONG = [1] * 9 + [60]
STAYS: dict[str, Any] = {
    "name": "stays",
    "unit": "patient",
    "max_rows": 1,
    "columns": {
        "patient": {"type": "integer"},
        "ward": {"categories": ["north", "south", "east"]},
        "days": {"type": "integer", "bounds": [0, 365]},
    },
}


def opened(patients: int, stays: Sequence[tuple[str, int]], schema: dict[str, Any]) -> sf.Dataset:
    """Every patient has these stays: a ward and days."""
    rows = [(patient, ward, days) for patient in range(patients) for ward, days in stays]
    return sf.open(pd.DataFrame(rows, columns=["patient", "ward", "days"]), schema, ledger=":memory:")


def answer(patients: int, stays: Sequence[tuple[str, int]], schema: dict[str, Any], sql: str) -> list[tuple[Any, ...]]:
    """The exact answer of the rows that count."""
    return [tuple(row) for row in opened(patients, stays, schema).query(sql).answer()]


def test_a_long_stay_among_nine_short_ones_counts_once_in_ten() -> None:
    """AVG(days) is near 6.9. Ordered by content alone, of two different stays each would count half of the time: 30.5.

    The long stay counts of a binomial number of patients, whose limits hold but for a chance below 1e-8.
    """
    [(mean,)] = answer(1000, [("north", days) for days in NINE_SHORT_ONE_LONG], STAYS, "SELECT AVG(days) FROM stays")
    long = round((mean * 1000 - 1000) / 59)
    assert least_rate(long, 1000) <= 0.1 <= most_rate(long, 1000), mean


@pytest.mark.depth("dataset names")
def test_the_mean_over_many_dataset_names_is_that_of_all_rows() -> None:
    """The name is the public key of the order: over many of them, long stays count as often as there are."""
    names, patients = depth("dataset names"), 100
    dataset = opened(patients, [("north", days) for days in NINE_SHORT_ONE_LONG], STAYS | {"max_rows": 2})
    asked = dataset.query("SELECT SUM(days) FROM stays")
    long = 0
    for n in range(names):
        question = PlanInput(replace(dataset.schema, name=f"stays {n}"), asked.statement, asked.measurement)
        [(_, found)] = read_totals(dataset._context.engine.rows(spell(totals(question), "duckdb")), question)
        long += round((found[0] * asked.measurement.numbers[0].step - 2 * patients) / 59)
    assert least_rate(long, names * patients) <= 0.2 <= most_rate(long, names * patients)


@pytest.mark.parametrize("max_rows", [1, 2, 4])
def test_every_row_counts_with_the_same_chance(max_rows: int) -> None:
    """Of five stays, three of them equal, each counts in max_rows of five patients; a patient with fewer has all."""
    stays, patients = [("north", 3), ("north", 3), ("north", 3), ("south", 3), ("east", 9)], 2000
    sql, schema = "SELECT ward, COUNT(*), SUM(days) FROM stays GROUP BY ward", STAYS | {"max_rows": max_rows}
    counted = [count for count, _ in answer(patients, stays, schema, sql)]
    assert sum(counted) == patients * max_rows
    for count, copies in zip(counted, (3, 1, 1), strict=True):
        # Of three equal rows the counts depend on each other, which makes the sum vary less than if they did not.
        assert least_rate(count, copies * patients) <= max_rows / 5 <= most_rate(count, copies * patients)
    assert [count for count, _ in answer(9, stays, STAYS | {"max_rows": 5}, sql)] == [27, 9, 9]


def test_the_order_of_rows_differs_between_datasets_and_between_people() -> None:
    """Otherwise the same stays of everybody would count everywhere."""
    stays, sql = [("north", days) for days in range(8)], "SELECT SUM(days) FROM {}"
    one, other = (answer(40, stays, STAYS | {"name": n}, sql.format(n))[0][0] for n in ("stays", "visits"))
    assert one != other
    each = {answer(n, stays, STAYS, sql.format("stays"))[0][0] for n in (1, 2, 3)}
    assert len(each) == 3
    assert answer(40, stays, STAYS | {"name": "STAYS"}, sql.format("stays"))[0][0] == one


def test_every_group_counts_with_the_same_chance() -> None:
    """Of three wards, with one, two and five stays in them, two count of each patient; then all of their rows."""
    patients, wards = 1000, {"north": 1, "south": 2, "east": 5}
    stays = [(ward, 3) for ward, many in wards.items() for _ in range(many)]
    schema = STAYS | {"max_rows": 9, "max_groups": 2}
    found = answer(patients, stays, schema, "SELECT ward, COUNT(DISTINCT patient), COUNT(*) FROM stays GROUP BY ward")
    assert sum(persons for persons, _ in found) == 2 * patients
    for (persons, rows), many in zip(found, wards.values(), strict=True):
        assert least_rate(persons, patients) <= 2 / 3 <= most_rate(persons, patients)
        assert rows == many * persons
    [(everybody,)] = answer(patients, stays, schema, "SELECT COUNT(*) FROM stays")
    assert everybody == 8 * patients, "without a GROUP BY there are no groups to bound"


VALUES: dict[str, pa.Array] = {
    "moments": pa.array([datetime(2020, 1, 1, n, tzinfo=UTC) for n in range(6)]),
    "decimals": pa.array([Decimal("1.50"), Decimal("1.5"), None] * 2, pa.decimal128(9, 2)),
    "lists": pa.array([[0.0], [-0.0], None] * 2),
    "bytes": pa.array([b"\xff", b"\xfe", None] * 2),
    "large": pa.array([2**64 - 1, 0, None] * 2, pa.uint64()),
    "narrow": pa.array([1.5, -0.0, None] * 2, pa.float32()),
    "structs": pa.array([{"a": 1}, {"a": None}, None] * 2),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_that_can_only_be_counted_have_an_order(kind: str) -> None:
    """Of a type that no schema states, in any order of the file."""
    schema = {"name": "t", "unit": "who", "max_rows": 3, "columns": {"who": {"type": "text"}}}
    values = pa.table({"who": ["a"] * 6, "v": VALUES[kind]})
    found = set()
    for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 0, 4, 1, 5, 3]):
        dataset = sf.open(values.take(order), schema, ledger=":memory:")
        found.add(dataset.query("SELECT COUNT(v), COUNT(*) FROM t").answer())
    [[[there, rows]]] = found
    assert rows == 3
    assert there in range(4)


# The literal oracle


@pytest.mark.depth("crowded tables")
@examples("crowded tables")
@given(data=st.data())
def test_the_rows_that_count_are_those_of_the_oracle(data: st.DataObject) -> None:
    """At most `max_groups` groups of a person, where that is fewer than rows, then at most `max_rows` rows in them."""
    table = data.draw(tables(crowded=True, groups=True))
    sql = data.draw(st.sampled_from(tuple(AGGREGATES)).flatmap(lambda aggregate: questions(table, aggregate))).sql
    source, schema = table.source("pandas", Path()), from_dict(table.schema)
    unbounded = Table(table.names, table.schema | {"max_rows": 10**9, "max_groups": 10**9}, table.rows)
    kept = places_of_kept(source, unbounded.schema, sql)
    statement = sf.open(source, table.schema, ledger=":memory:").query(sql).statement
    assume(all(key.column is not None for key in statement.keys))  # others are computed: tests/property/test_oracle.py
    read, keys = statement.columns, [key.name for key in statement.keys]
    expected = counted_rows([table.rows[place] for place in kept], schema, read, keys)
    found = places_of_kept(source, table.schema, sql)
    assert alike(table, read, found) == alike(table, read, [kept[place] for place in expected])
    if keys:
        own = {row[schema.unit.column or ""]: set[str]() for row in clean_rows(table.rows, schema)}
        for row in clean_rows([table.rows[place] for place in found], schema):
            own[row[schema.unit.column or ""]].add(repr([row[key] for key in keys]))
        assert max(map(len, own.values()), default=0) <= schema.unit.groups


def alike(table: Table, read: Sequence[str], places: Sequence[int]) -> Counter[str]:
    """The rows at these places by all that is read of them: rows that agree in it are interchangeable."""
    names = [table.names.who, *read]
    return Counter(map(repr, clean_rows([table.rows[place] for place in places], from_dict(table.schema), names)))


def bits(number: float) -> str:
    return str(*struct.unpack(">q", struct.pack(">d", number)))


def test_a_double_has_one_text() -> None:
    """Its bits, also of what was stored in half the width."""
    draw = random.Random(20)
    doubles = [struct.unpack("<d", draw.randbytes(8))[0] for _ in range(5000)]
    doubles += [0.0, -0.0, 1e15, 1e16, 1e17, 1e-4, 1e-5, 5e-324, float("inf"), 2.0**53, 0.1, 123456.789]
    numbers = [x for x in doubles if not math.isnan(x)]
    spelled = spell(text(ColumnRef("x", Type.NUMBER)), "duckdb")
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {spelled} FROM (SELECT UNNEST($x::DOUBLE[]) AS x)", {"x": numbers})
        assert [row[0] for row in found.fetchall()] == list(map(bits, numbers))
        narrow = connection.execute(f"SELECT {spelled} FROM (SELECT 0.1::FLOAT AS x)").fetchall()
        assert narrow == [(bits(struct.unpack("<f", struct.pack("<f", 0.1))[0]),)]
