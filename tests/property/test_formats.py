"""Formats of columns: the engine reads each text as the oracle does, hostile ones included, and never fails."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.composition import engines
from sfumato.model.schema import Format, Schema, SchemaColumn, Type
from tests.depth import depth
from tests.property.oracle import clean_rows

READINGS = [(format_, type_) for format_ in Format for type_ in Type if format_.fits(type_)]
READ: dict[Format, dict[str, float | str]] = {
    Format.COMMAS: {"1,400": 1400, "$140.00": 140, "-$1,234,567.5": -1234567.5, "£ .5": 0.5, "7": 7, "$-3": -3},
    Format.POINTS: {"1.400": 1400, "1.234,5 €": 1234.5, "0,25": 0.25, "€ 12": 12},
    Format.SPACES: {"1 400": 1400, "12\u00a0345,5": 12345.5, "1\u202f000 €": 1000, "3": 3},
    Format.PERCENT: {"12.5%": 12.5, "12 %": 12, "-3%": -3, "1,200%": 1200, "7": 7},
    Format.PERCENT_COMMA: {"12,5%": 12.5, "12,5 %": 12.5},
    Format.DAY_FIRST: {"31/12/2025": "2025-12-31", "1.2.2025": "2025-02-01", "05-06-2025": "2025-06-05"},
    Format.MONTH_FIRST: {"12/31/2025": "2025-12-31", "05/06/2025": "2025-05-06"},
}
UNREAD = ["", " ", "x", "1e5", "inf", "NaN", "1,40,0", "1,,400", "--1", "$$1", "1-", "31/13/2025", "30/02/2025",
          "1/1/25", "01/01/0000", "2025-12-31", "1'000", "%", "$", "+", ".", ",", "٣", "9" * 41,
          "1" + ",000" * 13, "(5)"]  # fmt: skip

NEARLY_WHOLE = ["1200000000000000,05", "1200000000000000.05", "9007199254740993.00", "9223372036854775808", "-.0"]

digits = st.text("0123456789", min_size=1, max_size=4)
hostile = st.text("0123456789.,$€%+-/ \u00a0\u202f'xeE٣", max_size=12)
near = st.lists(st.one_of(digits, st.sampled_from([",", ".", "/", "-", " ", "$", "%", "€", "+", "000"])), max_size=8)
texts = st.one_of(
    hostile,
    near.map("".join),
    st.sampled_from([*UNREAD, *NEARLY_WHOLE]),
    st.text(max_size=8).map(lambda t: t.replace("\0", "")),
)


def read_by_engine(values: list[str], format_: Format, type_: Type) -> list[object]:
    schema = Schema("t", (SchemaColumn("v", type_, format=format_), SchemaColumn("i", Type.INTEGER)))
    engine = engines.duckdb(pa.table({"v": pa.array(values, pa.string()), "i": range(len(values))}), schema)
    return [
        str(v) if type_ is Type.DATE and v is not None else v for (v,) in engine.rows('SELECT v FROM "t" ORDER BY i')
    ]


def read_by_oracle(values: list[str], format_: Format, type_: Type) -> list[object]:
    schema = Schema("t", (SchemaColumn("v", type_, format=format_),))
    return [row["v"] for row in clean_rows([{"v": value} for value in values], schema)]


@pytest.mark.parametrize(("format_", "type_"), READINGS)
def test_what_each_format_reads(format_: Format, type_: Type) -> None:
    shown = READ[format_]
    expected = [v if type_ is not Type.INTEGER or v == int(v) else None for v in shown.values()]
    assert read_by_engine([*shown], format_, type_) == expected == read_by_oracle([*shown], format_, type_)
    assert set(read_by_engine(UNREAD, format_, type_)) <= {None}


@settings(max_examples=depth("formatted values"))
@pytest.mark.depth("formatted values")
@given(st.sampled_from(READINGS), st.lists(texts, min_size=40, max_size=120))
def test_the_engine_reads_as_the_oracle(reading: tuple[Format, Type], values: list[str]) -> None:
    assert read_by_engine(values, *reading) == read_by_oracle(values, *reading)
