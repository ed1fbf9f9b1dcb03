"""A CSV file, line by line: what a row holds is a function of its own line.

An ordinary reader follows quotes over line ends, so one person's stray quote would swallow the rows of others. Here a
line is a row; one whose quotes do not balance is left out. Bytes that are not UTF-8 are replaced.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 8 * 2**20  # bytes read at a time
_LONGEST_HEADER = 2**20


@dataclass(frozen=True)
class CsvFile:
    """Its shape is taken from the header line, never from values."""

    path: Path
    delimiter: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, path: Path) -> CsvFile:
        with path.open("rb") as file:
            header = file.readline(_LONGEST_HEADER).decode("utf-8-sig").rstrip("\r\n")
        delimiter = max(",;\t|", key=header.count)
        names = tuple(next(csv.reader([header], delimiter=delimiter), []))
        distinct = {name.lower() for name in names}
        if len(distinct) < len(names) or not all(names):
            raise SourceError(f"{path.name} has no header line with a name for each column", hint="add one.")
        return cls(path, delimiter, names)

    def lines(self) -> pa.RecordBatchReader:
        """The lines after the header, in one column, as a stream."""
        import pyarrow as pa

        schema = pa.schema([("line", pa.large_string())])
        return pa.RecordBatchReader.from_batches(schema, self._batches(schema))

    def _batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        for block in _blocks(self.path):
            text = pa.array([block.decode("utf-8", "replace")], pa.large_string())
            yield pa.RecordBatch.from_arrays([pc.split_pattern(text, "\n").flatten()], schema=schema)

    def select(self, lines: str) -> str:
        """SQL for DuckDB: the columns, as text, of a table of lines. Lines that are too short are filled up."""
        d = "\\t" if self.delimiter == "\t" else self.delimiter
        field = f'"(?:[^"]|"")*"|[^"{d}]*'
        split = f"""
            CASE WHEN NOT contains(line, '"') THEN string_split(line, {_text(self.delimiter)})
                 WHEN regexp_full_match(line, {_text(f"(?:{field})(?:[{d}](?:{field}))*")})
                 THEN list_transform(regexp_extract_all(line, {_text(f"({field})(?:[{d}]|$)")}, 1),
                      lambda f: CASE WHEN starts_with(f, '"') THEN replace(f[2:-2], '""', '"') ELSE f END)
            END"""
        columns = ", ".join(f"nullif(fields[{i}], '') AS {_name(name)}" for i, name in enumerate(self.names, 1))
        trimmed = f"SELECT rtrim(line, chr(13)) AS line FROM {_name(lines)}"
        rows = f"SELECT {split} AS fields FROM ({trimmed}) WHERE line <> ''"
        return f"SELECT {columns} FROM ({rows}) WHERE fields IS NOT NULL"


def _blocks(path: Path) -> Iterator[bytes]:
    """The file after its header, in blocks of whole lines."""
    with path.open("rb") as file:
        file.readline()
        rest = b""
        while block := file.read(_BLOCK):
            whole, newline, rest = (rest + block).rpartition(b"\n")
            if newline:
                yield whole
        if rest:
            yield rest


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
