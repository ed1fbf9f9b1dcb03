"""Columns of every stored type, with values that an engine may fail at; in every kind of source that holds such values.

Arrow builds most of these values from buffers only: a person who delivers a file may have any of them in it.
"""

from __future__ import annotations

import csv
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

LARGEST, SMALLEST = 2**63 - 1, -(2**63)
_FAR = (LARGEST, SMALLEST, SMALLEST + 1, 2**62, -(2**62), 10**15, -(10**15))
_TEXTS = (b"\xff\xfe", b"\xed\xa0\x80", b"abc\xc3", b"\xf4\x90\x80\x80", b"a\x00b", b"", b"x" * 70_000, "Ünï".encode())
Wrap = Callable[[pa.Array], pa.Array]


@dataclass(frozen=True)
class Stored:
    """A type, ordinary values and odd ones, as they are stored: whole numbers, or bytes."""

    kind: pa.DataType
    ordinary: Sequence[Any]
    odd: Sequence[Any]

    def array(self, values: Sequence[Any]) -> pa.Array:
        """An array from its buffers: nothing checks the values."""
        present = bytearray(-(-len(values) // 8))
        for place, value in enumerate(values):
            present[place // 8] |= (value is not None) << place % 8
        return pa.Array.from_buffers(self.kind, len(values), [pa.py_buffer(bytes(present)), *self._buffers(values)])

    def _buffers(self, values: Sequence[Any]) -> list[pa.Buffer]:
        if pa.types.is_string(self.kind) or pa.types.is_large_string(self.kind):
            texts, ends = [value or b"" for value in values], [0]
            for text in texts:
                ends.append(ends[-1] + len(text))
            letter = "i" if pa.types.is_string(self.kind) else "q"
            return [pa.py_buffer(struct.pack(f"={len(ends)}{letter}", *ends)), pa.py_buffer(b"".join(texts))]
        width = self.kind.bit_width // 8
        numbers = (int(value or 0).to_bytes(width, "little", signed=int(value or 0) < 0) for value in values)
        return [pa.py_buffer(b"".join(numbers))]


def _moments(unit: str, zone: str | None = None) -> Stored:
    return Stored(pa.timestamp(unit, zone), (0, 1_600_000_000), _FAR)


STORED: dict[str, Stored] = {
    **{f"moment {unit}": _moments(unit) for unit in ("s", "ms", "us", "ns")},
    **{f"moment {unit} UTC": _moments(unit, "UTC") for unit in ("s", "ms", "us", "ns")},
    **{f"duration {unit}": Stored(pa.duration(unit), (0, 60), _FAR) for unit in ("s", "ms", "us", "ns")},
    **{f"time {u}": Stored(pa.time32(u), (0, 3600), (-1, 86_400_000, 2**31 - 1, -(2**31))) for u in ("s", "ms")},
    **{f"time {u}": Stored(pa.time64(u), (0, 3600), (-1, 86_400 * 10**9, LARGEST, SMALLEST)) for u in ("us", "ns")},
    "date": Stored(pa.date32(), (0, 18_000), (2**31 - 1, -(2**31), -719_163, -719_529, 10**8, -(10**8))),
    "date in milliseconds": Stored(pa.date64(), (0, 86_400_000), (LARGEST, SMALLEST, 5, -1, 10**17)),
    **{
        f"decimal {digits}": Stored(pa.decimal128(digits, 2), (0, 150), (2**127 - 1, -(2**127), 10**digits, -1))
        for digits in (3, 18, 38)
    },
    "decimal of 32 bits": Stored(pa.decimal32(5, 0), (0, 12), (2**31 - 1, -(2**31), 10**5)),
    "decimal of 64 bits": Stored(pa.decimal64(10, 0), (0, 12), (LARGEST, SMALLEST, 10**10)),
    "text": Stored(pa.string(), (b"1", b"2020-02-29"), _TEXTS),
    "long text": Stored(pa.large_string(), (b"1", b"abc"), _TEXTS),
    "whole": Stored(pa.int64(), (1, 2), (LARGEST, SMALLEST)),
    "whole without sign": Stored(pa.uint64(), (1, 2), (2**64 - 1, 2**63)),
    "half": Stored(pa.float16(), (0x3C00, 0x4000), (0x7E00, 0x7C00, 0xFC00, 0x8000, 1)),
    "number": Stored(pa.float64(), (0x3FF << 52, 0x400 << 52), (0x7FF8 << 48, 0x7FF << 52, 0xFFF << 52, 1 << 63, 1)),
    "uuid": Stored(pa.binary(16), (1, 2), (2**128 - 1, 0)),
}


def _plain(array: pa.Array) -> pa.Array:
    return array


def _list(array: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(range(len(array) + 1), pa.int32()), array)


def _struct(array: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays([array], ["inside"])


def _map(array: pa.Array) -> pa.Array:
    """Each value twice under one key."""
    twice = array.take(pa.array([place // 2 for place in range(2 * len(array))]))
    ends = pa.array(range(0, 2 * len(array) + 1, 2), pa.int32())
    return pa.MapArray.from_arrays(ends, pa.array(["key"] * len(twice)), twice)


def _dictionary(array: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(range(len(array)), pa.int32()), array)


WRAPS: dict[str, Wrap] = {"plain": _plain, "list": _list, "struct": _struct, "map": _map, "dictionary": _dictionary}


# Sources


def _as_parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def _as_bare_parquet(table: pa.Table, folder: Path) -> Path:
    """Without statistics: only the values themselves tell what they are."""
    pq.write_table(table, folder / "t.parquet", write_statistics=False, use_dictionary=False)
    return folder / "t.parquet"


def _as_folder(table: pa.Table, folder: Path) -> Path:
    half = table.num_rows // 2
    for name, part in {"a": table.slice(0, half), "b": table.slice(half)}.items():
        pq.write_table(part, folder / f"{name}.parquet")
    return folder


def _as_csv(table: pa.Table, folder: Path) -> Path:
    with (folder / "t.csv").open("w", newline="", encoding="utf-8", errors="surrogateescape") as file:
        rows = zip(table["n"].to_pylist(), _texts(table["v"]), strict=True)
        csv.writer(file).writerows([table.column_names, *rows])
    return folder / "t.csv"


def _texts(column: pa.ChunkedArray) -> list[str | None]:
    """Bytes that are not UTF-8 as halves of surrogate pairs, as Python reads them from the system."""
    view = pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()
    stored = [value for chunk in column.chunks for value in chunk.view(view).to_pylist()]
    return [value and value.decode("utf-8", "surrogateescape") for value in stored]


def _as_pandas(table: pa.Table, folder: Path) -> pd.DataFrame:
    return pd.DataFrame({name: pd.array(table[name], dtype=pd.ArrowDtype(table[name].type)) for name in ("n", "v")})


def _as_numpy(table: pa.Table, folder: Path) -> pd.DataFrame:
    """Columns of numpy's types; texts as Python's."""
    column = table["v"].combine_chunks()
    if pa.types.is_timestamp(column.type) or pa.types.is_duration(column.type):
        letter = "M" if pa.types.is_timestamp(column.type) else "m"
        whole = column.view(pa.int64()).fill_null(SMALLEST)  # which means nothing
        return pd.DataFrame({"n": table["n"], "v": whole.to_numpy().view(f"{letter}8[{column.type.unit}]")})
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return pd.DataFrame({"n": table["n"], "v": pd.array(_texts(table["v"]), dtype=pd.StringDtype("python"))})
    return pd.DataFrame({"n": table["n"], "v": column.to_pandas()})


FILES: dict[str, Callable[[pa.Table, Path], object]] = {
    "parquet": _as_parquet,
    "bare parquet": _as_bare_parquet,
    "folder": _as_folder,
}
SOURCES: dict[str, Callable[[pa.Table, Path], object]] = FILES | {
    "csv": _as_csv,
    "arrow": lambda table, _: table,
    "chunks": lambda table, _: pa.concat_tables([table.slice(0, 1), table.slice(1)]),
    "reader": lambda table, _: table.to_reader(max_chunksize=1),
    "dataset": lambda table, _: ds.dataset(table),
    "pandas": _as_pandas,
    "numpy": _as_numpy,
    "polars": lambda table, _: pl.from_arrow(table),
}


def holds(source: str, stored: str, wrap: str) -> bool:
    """Whether there are such values in such a source: what cannot be written is in none."""
    is_text = "text" in stored
    if source == "csv":
        return is_text and wrap == "plain"
    if source == "numpy":
        return wrap == "plain" and (is_text or ("UTC" not in stored and stored.startswith(("moment", "duration"))))
    if source == "polars":
        return wrap in ("plain", "list", "struct") and not is_text and "bits" not in stored
    return source not in FILES or wrap != "dictionary"


def of(source: str, stored: str) -> Sequence[Any]:
    """The odd values of a type that such a source can hold: Parquet has milliseconds, and no seconds."""
    odd = STORED[stored].odd
    return [value for value in odd if abs(value) < 2**63 // 1000] if source in FILES and "moment s" in stored else odd
