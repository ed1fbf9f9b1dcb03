"""What an engine does with any stored value: it is read, or missing, or its file is refused at opening, by column."""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyarrow.csv import ReadOptions

from sfumato.adapters.engines.duckdb.engine import DuckDB
from sfumato.composition import engines, local
from sfumato.errors import EngineFailure, SourceError
from sfumato.schema.read import from_dict
from tests.property.stored import STORED, WRAPS, Stored, of

TYPES = ("integer", "number", "text", "boolean", "date")
PARTS = (
    *(
        "COUNT({v})",
        "COUNT_IF({v} IS NULL)",
        "COUNT(DISTINCT {v})",
        "MIN(hash({v}))",
        "COUNT(TRY_CAST({v} AS VARCHAR))",
    ),
    "COUNT(TRY_CAST(TRY_CAST({v} AS VARCHAR) AS DOUBLE))",
)


def opened(source: object, types: dict[str, str]) -> DuckDB:
    columns = {name: {"type": type_} for name, type_ in types.items()}
    return engines.duckdb(source, from_dict({"name": "t", "columns": columns}))


def answers(engine: DuckDB, *columns: str) -> bool:
    """Whether nothing fails that a query may do with these columns, on each form of the table."""
    parts = [part.format(v=f'"{column}"') for column in columns for part in PARTS]
    try:
        for table in ("t", engine.numbered, engine.raw):
            engine.rows(f'SELECT {", ".join(parts)} FROM "{table}"')
            engine.rows(f'SELECT COUNT(*) FROM "{table}" WHERE "{columns[0]}" IS NULL OR hash("{columns[0]}") > 9')
    except EngineFailure:
        return False
    return True


# In memory: every value is read or missing

ROWS = 3 + max(len(of_type.odd) for of_type in STORED.values())
ODD = {
    wrap: {
        name: wrapped(of_type.array(([*of_type.ordinary, None, *of_type.odd] + [None] * ROWS)[:ROWS]))
        for name, of_type in STORED.items()
    }
    for wrap, wrapped in WRAPS.items()
}


@pytest.mark.parametrize("declared", ["", *TYPES])
def test_no_value_of_a_table_in_memory_fails_a_query(declared: str) -> None:
    """One table of all of them: wherever they are asked for, each has its row."""
    for odd in ODD.values() if declared in ("", "text") else [ODD["plain"]]:
        engine = opened(pa.table(odd), dict.fromkeys(odd, declared) if declared else {})
        assert answers(engine, *odd)
        assert engine.rows("SELECT COUNT(*) FROM t") == [(ROWS,)]


def test_what_cannot_be_read_is_missing() -> None:
    table = pa.table(
        {
            "moment": STORED["moment s"].array([0, 2**62]),
            "time": STORED["time s"].array([60, -1]),
            "duration": STORED["duration s"].array([60, 2**62]),
            "decimal": STORED["decimal 3"].array([150, 2**127 - 1]),
            "text": STORED["text"].array([b"a", b"\xff"]),
            "code": pa.DictionaryArray.from_arrays(pa.array([0, 9]), pa.array(["a"]), safe=False),
        }
    )
    engine = opened(table, dict.fromkeys(table.column_names, "text"))
    first = ("1970-01-01 00:00:00", "00:01:00", "00:01:00", "1.50", "a", "a")
    assert engine.rows("SELECT * FROM t") == [first, (None,) * 6]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_of_numpy(unit: str) -> None:
    """NaT among them; seconds of pandas reach further than years have names."""
    moments = np.array([0, np.iinfo("i8").min, 2**62 if unit != "ns" else np.iinfo("i8").min], f"M8[{unit}]")
    frame = pd.DataFrame({"moment": moments, "duration": moments.view(f"m8[{unit}]")})
    engine = opened(frame, {"moment": "date"})
    assert engine.rows("SELECT moment FROM t") == [(dt.date(1970, 1, 1),), (None,), (None,)]
    assert answers(engine, "duration")


def test_half_of_a_surrogate_pair_is_missing() -> None:
    for dtype in (pd.StringDtype("python"), object):
        frame = pd.DataFrame({"v": pd.Series(["a", "\ud800", "Ünï", None], dtype=dtype)})
        assert opened(frame, {}).rows("SELECT v FROM t") == [("a",), (None,), ("Ünï",), (None,)]


def test_categories_that_are_odd_or_twice() -> None:
    words = pd.Categorical.from_codes([0, 1, 2, -1], ["a", "\ud800", 7])
    assert opened(pd.DataFrame({"v": words}), {}).rows("SELECT v FROM t") == [("a",), (None,), ("7",), (None,)]
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "a", "b"]))
    assert opened(pa.table({"v": twice}), {}).rows("SELECT COUNT(DISTINCT v) FROM t") == [(2,)]


# Files: where a scan would fail, they are not opened


def write(path: Path, array: pa.Array, **how: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"n": pa.array(range(len(array))), "v": array}), path, **how)
    return path


def refusal(source: object, types: dict[str, str] | None = None) -> str:
    with pytest.raises(SourceError) as refused:
        opened(source, types or {})
    assert refused.value.__context__ is None
    return str(refused.value)


def refusal_or_none(source: object) -> str | None:
    try:
        opened(source, {"v": "text"})
    except SourceError as refused:
        return str(refused)
    return None


REFUSED = {
    "text": "text that is not UTF-8",
    "long text": "text that is not UTF-8",
    "moment s": "a date and time out of range",
    "moment s UTC": "a date and time out of range",
    "moment ms": "a date and time out of range",
    "moment ms UTC": "a date and time out of range",
    "time s": "a time of day that does not exist",
    "time ms": "a time of day that does not exist",
    "time us": "a time of day that does not exist",
    "time ns": "a time of day that does not exist",
}


BARE = {"write_statistics": False, "use_dictionary": False}


@pytest.mark.parametrize(
    ("name", "how"),
    [*((name, {}) for name in STORED), *((name, BARE) for name in REFUSED)],
    ids=[*STORED, *(f"{name} bare" for name in REFUSED)],
)
def test_no_value_of_a_file_fails_a_query(name: str, how: dict[str, Any], tmp_path: Path) -> None:
    """It is read or missing; or the file is refused at opening, whatever of it would be asked."""
    of_type, path, kept = STORED[name], tmp_path / "t.parquet", []
    for odd in of("parquet", name):
        write(path, of_type.array([*of_type.ordinary, None, odd]), **how)
        said = refusal_or_none(path)
        if said is None:
            kept.append(odd)
        else:
            assert said.startswith(
                f"Column 'v' of t.parquet has {REFUSED[name]}, or is damaged. Hint: write the table again"
            )
    assert (len(kept) < len(of("parquet", name))) == (name in REFUSED)
    write(path, of_type.array([*of_type.ordinary, None, *kept]), **how)
    for types in ({}, {"v": "text"}):
        assert answers(opened(path, types), "v")


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_moments_of_any_unit_are_read_from_files(unit: str, zone: str | None, tmp_path: Path) -> None:
    noon = pa.array([1_582_977_600, None]).cast(pa.timestamp("s", zone)).cast(pa.timestamp(unit, zone))
    path = write(tmp_path / "t.parquet", noon)
    assert opened(path, {"v": "date"}).rows("SELECT v FROM t") == [(dt.date(2020, 2, 29),), (None,)]


def test_a_moment_that_cannot_be_written_out_is_missing(tmp_path: Path) -> None:
    """Microseconds are scanned whatever they are, and then fail when they become a text or a date."""
    for zone in (None, "UTC"):
        array = STORED["moment us"].array([0, -(2**63), 2**63 - 1, 300_000 * 10**12]).view(pa.timestamp("us", zone))
        engine = opened(write(tmp_path / "t.parquet", array), {"v": "date"})
        for table in ("t", engine.numbered):
            assert engine.rows(f'SELECT v FROM "{table}"') == [(dt.date(1970, 1, 1),), (None,), (None,), (None,)]


@pytest.mark.parametrize(
    "moment", [b"\xff" * 12, b"\x00" * 8 + b"\xff\xff\xff\x7f", b"\xff" * 7 + b"\x7f" + b"\x00" * 4]
)
def test_moments_of_ninety_six_bits_are_read_or_missing(moment: bytes, tmp_path: Path) -> None:
    """As Spark wrote them: a day and its nanoseconds, either of which may be anything."""
    path = tmp_path / "t.parquet"
    how = {"use_deprecated_int96_timestamps": True, "compression": "none"}
    write(path, pa.array([10**15], pa.timestamp("ns")), **how, **BARE)
    stored = struct.pack("<qi", 49_600 * 10**9, 2_440_588 + 11)
    whole = path.read_bytes()
    assert whole.count(stored) == 1
    path.write_bytes(whole.replace(stored, moment))
    for types in ({}, {"v": "text"}, {"v": "date"}):
        assert answers(opened(path, types), "v")


@pytest.mark.parametrize("name", ["text", "moment ms", "time us"])
@pytest.mark.parametrize("wrap", ["list", "struct"])
def test_a_value_inside_of_another_refuses_its_file_too(name: str, wrap: str, tmp_path: Path) -> None:
    of_type = STORED[name]
    for how in ({}, {"write_statistics": False}):
        path = write(tmp_path / "t.parquet", WRAPS[wrap](of_type.array([*of_type.ordinary, of_type.odd[0]])), **how)
        if name == "moment ms":
            path = write(path, WRAPS[wrap](of_type.array([*of_type.ordinary, 2**62])), **how)
        assert refusal(path).startswith("Column 'v' of t.parquet has ")


def test_which_of_several_columns_it_is(tmp_path: Path) -> None:
    good, bad = STORED["moment ms"].array([0, 5]), STORED["moment ms"].array([0, 2**62])
    for how in ({}, {"write_statistics": False}):
        pq.write_table(pa.table({"a": good, "b": ["x", "y"], "c": bad, "d": good}), tmp_path / "t.parquet", **how)
        assert refusal(tmp_path / "t.parquet").startswith("Column 'c' of t.parquet has a date and time")
        pq.write_table(pa.table({"a": good, "b.c": bad}), tmp_path / "t.parquet", **how)
        assert refusal(tmp_path / "t.parquet").startswith("Column 'b.c' of t.parquet has a date and time")
        text = STORED["text"].array([b"x", b"\xff"])
        pq.write_table(pa.table({"a": good, "b": ["x", "y"], "c": text, "d": good}), tmp_path / "t.parquet", **how)
        assert refusal(tmp_path / "t.parquet").startswith("Column 'c' of t.parquet has text")


def test_a_name_of_a_folder_may_be_no_text(tmp_path: Path) -> None:
    for name in ("v=a", "v=%FF"):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"n": [1]}), tmp_path / name / "a.parquet")
    assert refusal(tmp_path).startswith(f"Column 'v' of {tmp_path.name} has text that is not UTF-8")


def test_json_that_is_none(tmp_path: Path) -> None:
    json = pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a": 1}', "Anna, 41"]))
    assert refusal(write(tmp_path / "t.parquet", json)).startswith("Column 'v' of t.parquet has text that is not JSON")


def test_the_smallest_of_all_decimals_is_missing(tmp_path: Path) -> None:
    """It has more digits than decimals have, and cannot be written out."""
    for behind in (0, 2, 38):
        stored = Stored(pa.decimal128(38, behind), (), ()).array([5, -(2**127), 2**127 - 1])
        path = write(tmp_path / "t.parquet", stored)
        assert opened(path, {"v": "number"}).rows("SELECT v FROM t") == [(5 / 10**behind,), (None,), (None,)]


def damaged(path: Path) -> Path:
    """Rubbish where the values lie."""
    whole = path.read_bytes()
    footer = 8 + int.from_bytes(whole[-8:-4], "little")
    path.write_bytes(whole[:4] + b"\xff" * (len(whole) - footer - 4) + whole[-footer:])
    return path


def test_opening_reads_no_numbers(tmp_path: Path) -> None:
    """No scan fails at a number: whole files of them open at once."""
    table = pa.table({"n": range(3000), "x": [i / 8 for i in range(3000)], "b": [i % 2 == 0 for i in range(3000)]})
    pq.write_table(
        table.append_column("d", pa.array(range(3000), pa.int32()).view(pa.date32())), tmp_path / "a.parquet"
    )
    engine = opened(damaged(tmp_path / "a.parquet"), {})
    assert engine.rows("SELECT COUNT(*) FROM t") == [(3000,)]
    with pytest.raises(EngineFailure):
        engine.rows("SELECT SUM(n) FROM t")


def test_damage_among_texts_shows_at_opening(tmp_path: Path) -> None:
    path = damaged(write(tmp_path / "t.parquet", pa.array(["a", "b"] * 99)))
    assert refusal(path).startswith("Column 'v' of t.parquet has text that is not UTF-8, or is damaged.")


# What is read once is read at opening


def test_a_dataset_of_files_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    """Of a CSV file Arrow takes the type from the first values, and fails at others."""
    (tmp_path / "t.csv").write_text("\n".join(["v", *["1"] * 99, "Anna"]), "utf-8")
    format = ds.CsvFileFormat(read_options=ReadOptions(block_size=32))
    assert refusal(ds.dataset(tmp_path / "t.csv", format=format)) == (
        "The FileSystemDataset cannot be read as a table. Hint: convert it to an Arrow table first, which shows "
        "where it fails."
    )


def test_every_way_to_open_a_file_refuses_it(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", STORED["text"].array([b"\xff"]))
    with pytest.raises(SourceError) as refused:
        local.open(path, {"name": "t"}, ledger=":memory:")
    assert str(refused.value) == (
        "Column 'v' of t.parquet has text that is not UTF-8, or is damaged. "
        "Hint: write the table again with NULL in place of such values, or without the column."
    )
    with pytest.raises(SourceError, match=r"^Column 'v' of t\.parquet has text"):
        local.draft_schema(path, "t")


def test_a_file_is_read_to_its_end_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ledger remembers the state in which every value could be read. In another state it is read again."""
    path, ledger, read = tmp_path / "t.parquet", tmp_path / "t.ledger", list[Sequence[str]]()
    reads = DuckDB._reads

    def count(engine: DuckDB, table: str, columns: Sequence[str]) -> bool:
        read.append(columns)
        return reads(engine, table, columns)

    monkeypatch.setattr(DuckDB, "_reads", count)

    def times_read(value: bytes, *, anew: bool) -> int:
        if anew:
            write(path, STORED["text"].array([b"a", value]))
        read.clear()
        local.open(path, {"name": "t"}, ledger=ledger).query("SELECT COUNT(*) FROM t").release(epsilon=1)
        return len(read)

    assert times_read(b"b", anew=True) == 1
    assert times_read(b"b", anew=False) == 0, "whatever process opens it next"
    assert times_read(b"c", anew=True) == 1
    assert times_read(b"c", anew=False) == 0
    with pytest.raises(SourceError, match=r"^Column 'v' of t\.parquet has text"):
        times_read(b"\xff", anew=True)
    with pytest.raises(SourceError, match=r"^Column 'v' of t\.parquet has text"):
        times_read(b"\xff", anew=False)
