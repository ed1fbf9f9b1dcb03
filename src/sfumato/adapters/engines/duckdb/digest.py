"""A digest of a table's rows, whatever order they lie in: equal for equal tables.

It is a guard against mistakes, such as one file registered under two names, and no proof: a copy in which one value
differs has another digest. Each row has a 64-bit hash, and the hashes are added up: one pass, tens of millions of
values a second. A query that reads one column of a large file takes less, so a large Parquet file is told by its size,
its beginning and its footer, which copies of the file have in common. A digest is keyed before it
is kept: a plain one would tell whether a person is in the data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb

from sfumato.adapters.engines.duckdb.stored_values import quoted
from sfumato.model.schema import Type

MOST_VALUES = 1_000_000  # of a Parquet file that is read row by row
MOST_IN_MEMORY, MOST_BYTES = 20_000_000, 2**28  # values of a table in memory, and bytes of a CSV file
BLOCK = 2**16  # bytes that are read at either end of a large file


def of_rows(connection: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, Type | None]) -> str:
    """The digest of every row of a table. Columns are read in the order of their names, each as a text."""
    names = sorted(columns, key=str.casefold)
    texts = ", ".join(_text(quoted(name), columns[name]) for name in names)
    count, total = connection.execute(f"SELECT COUNT(*), SUM(hash({texts})) FROM {quoted(table)}").fetchall()[0]
    return f"rows {_names_digest(names)} {count} {total or 0}"


def of_files(files: Iterable[Path]) -> str:
    """The digest of files by their sizes, and by the bytes at their ends."""
    return f"files {' '.join(sorted(map(_of_file, files)))}"


def _of_file(path: Path) -> str:
    digest, size = hashlib.sha256(), path.stat().st_size
    digest.update(str(size).encode())
    with path.open("rb") as file:
        for place in (0, max(size - BLOCK, 0)):
            file.seek(place)
            digest.update(file.read(BLOCK))
    return digest.hexdigest()


def _text(name: str, type_: Type | None) -> str:
    """A value as it would be written in a CSV, where what is missing is nothing."""
    text = f"TRY_CAST({name} AS VARCHAR)"
    if type_ is Type.NUMBER:  # pandas has 3.0 where a CSV has 3, and what is not a number where it has nothing
        whole = f"CASE WHEN {name} = ROUND({name}) THEN TRY_CAST(TRY_CAST({name} AS BIGINT) AS VARCHAR) END"
        text = f"CASE WHEN NOT isnan({name}) THEN COALESCE({whole}, {text}) END"
    return f"COALESCE({text}, '')"


def _names_digest(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(map(str.casefold, names)).encode()).hexdigest()
