"""What a program writes is what we read, in blocks of any size; and no row changes how another is read."""

from __future__ import annotations

import csv
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from sfumato.adapters.engines.duckdb import csv as reader
from sfumato.adapters.engines.duckdb.engine import DuckDB

pieces = st.sampled_from(["a", "é", " ", "12", ",", ";", '"', '""', "\n", "\r", "\r\n", "x,y", "\x1f", ""])
texts = st.lists(pieces, max_size=6).map("".join)
rows = st.lists(st.tuples(texts, texts, texts), max_size=8)
Read = list[tuple[str | None, ...]]


def read(path: Path) -> Read:
    engine = DuckDB(path, None, lambda *_: "")
    return engine.rows(f'SELECT * FROM "{engine.raw}"')  # type: ignore[return-value]


def as_written(row: tuple[str, ...]) -> tuple[str | None, ...]:
    """An empty text is missing, and a carriage return before the line end belongs to it."""
    *others, last = row
    bare = last if any(sign in last for sign in ',"\n') else last.rstrip("\r")
    return tuple(text or None for text in (*others, bare))


@given(rows, st.sampled_from([1, 7, 50, 2**20]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_what_is_written_is_read(table: list[tuple[str, str, str]], block: int, quoting: int) -> None:
    whole = reader._BLOCK
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n", quoting=quoting).writerows([("a", "b", "c"), *table])  # type: ignore[arg-type]
        try:
            reader._BLOCK = block
            found = read(path)
        finally:
            reader._BLOCK = whole
    quoted = quoting == csv.QUOTE_ALL
    assert found == [tuple(text or None for text in row) if quoted else as_written(row) for row in table]


@given(rows, st.sampled_from(['1,"stray', '1,a"b,c', "1", "1,2,3,4,5", '1,"a"b,c', "\x00,\x00", "1,\ufffd"]))
def test_a_stray_line_takes_nobody_along(table: list[tuple[str, str, str]], line: str) -> None:
    """Whatever one line holds, the others are read as before; among lines without quotes of their own."""
    plain = [tuple(text.replace('"', "").replace("\n", "") for text in row) for row in table]
    ordinary = [",".join(text.replace(",", "") for text in row) for row in plain]
    with TemporaryDirectory() as folder:
        one, other = Path(folder) / "one.csv", Path(folder) / "other.csv"
        one.write_text("\n".join(["a,b,c", *ordinary]), "utf-8", newline="")
        other.write_text("\n".join(["a,b,c", *ordinary, line, *ordinary]), "utf-8", newline="")
        alone, around = read(one), read(other)
    assert around[: len(alone)] == alone
    assert around[len(around) - len(alone) :] == alone
    assert len(around) - 2 * len(alone) in (0, 1)
