"""The counts behind a private check: each row that counts in one class of each column, by an oracle of its own."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.model.data_quality import ValueClass, checked_columns, possible_classes
from sfumato.model.schema import PrivacyUnit, Schema, SchemaColumn, Type
from sfumato.release.data_quality import exact_counts, noisy_number
from tests.property.oracle import clean_rows
from tests.property.oracle_contribution import counted_rows
from tests.property.tables import examples

Row = dict[str, str | None]
COLUMNS: dict[str, dict[str, Any]] = {
    "amount": {"type": "number", "format": "1,234.56", "bounds": [0, 100]},
    "code": {"type": "integer", "bounds": [1, 5], "categories": "1..4"},
    "plain": {"type": "number"},
    "ward": {"type": "text", "categories": ["a", "b"]},
    "flag": {"type": "boolean"},
    "day": {"type": "date", "format": "31/12/2025"},
}
VALUES = {
    "amount": ["$1,400", "-3", "50.5", "x", "1e5"],
    "code": ["1", "5", "6", "0", "2.5", "nan"],
    "plain": ["1", "inf", "NaN", "-inf", "?", "x"],
    "ward": ["a", "b", "c", "A"],
    "flag": ["true", "no", "maybe"],
    "day": ["31/12/2025", "2025-12-31", "31/02/2025"],
}
rows_of = st.fixed_dictionaries(
    {name: st.sampled_from([None, "NA", *values]) for name, values in VALUES.items()}
    | {"who": st.sampled_from([None, "NA", "1", "2", "3", "03", "x"])}
)


def opened(rows: list[Row], **stated: object) -> sf.Dataset:
    columns = {"who": {"type": "integer"}} | COLUMNS
    table = pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in columns})
    return sf.open(table, {"name": "stays", "null_values": ["NA"], "columns": columns} | stated, ledger=":memory:")


def counts(dataset: sf.Dataset) -> tuple[int, ...]:
    return exact_counts(dataset._context)


def class_of(column: SchemaColumn, raw: str | None, value: Any) -> ValueClass:
    if raw is None or raw == "NA":
        return ValueClass.MISSING
    if value is None:
        return ValueClass.UNREADABLE
    if column.bounds is not None and value < column.bounds.lower:
        return ValueClass.BELOW
    if column.bounds is not None and value > column.bounds.upper:
        return ValueClass.ABOVE
    unlisted = column.categories is not None and value not in column.categories
    return ValueClass.UNLISTED if unlisted else ValueClass.READABLE


def expected(rows: list[Row], schema: Schema) -> tuple[int, ...]:
    """Literally: the class of each value, the rows of each person that count, and who has more."""
    checked, cleaned = checked_columns(schema), clean_rows(rows, schema)
    classes = [
        {c.name: class_of(c, row[c.name], value[c.name]) for c in checked}
        for row, value in zip(rows, cleaned, strict=True)
    ]
    above: list[int] = []
    if schema.unit.column is not None:
        codes = {kind: code for code, kind in enumerate(ValueClass)}
        names = [SchemaColumn(f"class {i}", Type.INTEGER) for i in range(len(checked))]
        people = [
            {"who": row["who"]} | {f"class {i}": codes[by[c.name]] for i, c in enumerate(checked)}
            for row, by in zip(rows, classes, strict=True)
        ]
        who = SchemaColumn("who", Type.INTEGER)
        unit = PrivacyUnit("who", schema.unit.max_rows)
        coded = Schema(schema.name, (who, *names), unit, null_values=("NA",))
        owners = [row["who"] for row in cleaned]
        above = [sum(owners.count(person) > schema.unit.max_rows for person in set(owners) - {None})]
        classes = [classes[place] for place in counted_rows(people, coded, [name.name for name in names])]
    each = [sum(by[c.name] is kind for by in classes) for c in checked for kind in possible_classes(c)]
    return (*each, *above)


UNITS: list[dict[str, object]] = [{}, {"unit": "who", "max_rows": 1}, {"unit": "who", "max_rows": 2}]


@pytest.mark.depth("checked tables")
@examples("checked tables")
@given(st.lists(rows_of, max_size=14), st.sampled_from(UNITS))
def test_every_row_that_counts_is_in_one_class_of_each_column(rows: list[Row], unit: dict[str, object]) -> None:
    dataset = opened(rows, **unit)
    assert counts(dataset) == expected(rows, dataset.schema)


@pytest.mark.depth("checked tables")
@examples("checked tables")
@given(st.lists(rows_of, min_size=1, max_size=14), st.sampled_from(UNITS), st.lists(rows_of, max_size=4), st.booleans())
def test_nobody_moves_the_counts_by_more_than_the_sensitivity(
    rows: list[Row], unit: dict[str, object], others: list[Row], replace: bool
) -> None:
    """Somebody leaves, or is replaced by somebody else with rows of their own."""
    relation: dict[str, object] = {"relation": "replace"} if replace else {}
    names, by_row = {"03": "3"}, not unit  # both are the person 3
    who = [names.get(row["who"] or "", row["who"]) for row in rows]
    rest = rows[1:] if by_row else [row for row, name in zip(rows, who, strict=True) if name != who[0]]
    instead = [row | {"who": "9"} for row in (others[:1] if by_row else others)] if replace else []
    before = opened(rows, **unit, **relation)
    moved = zip(counts(before), counts(opened([*rest, *instead], **unit, **relation)), strict=True)
    assert sum(abs(here - there) for here, there in moved) <= noisy_number(before.schema).sensitivity


@pytest.mark.parametrize("max_rows", [1, 3])
def test_somebody_moves_the_counts_by_their_whole_sensitivity(max_rows: int) -> None:
    """Each row that counts moves one class of each of the six columns, and the person has more rows than count."""
    row: Row = {"who": "1"}
    row |= {name: values[0] for name, values in VALUES.items()}
    unit: dict[str, object] = {"unit": "who", "max_rows": max_rows}
    crowded = counts(opened([row] * (max_rows + 1), **unit))
    assert sum(crowded) == noisy_number(opened([], **unit).schema).sensitivity == len(COLUMNS) * max_rows + 1
