"""A CSV file, row by row: what a row holds is a function of its own text.

A quote opens a field only at its beginning, and such a field may run over several lines if it is closed before a
delimiter or a line end: a person who types line breaks stays one person. A quote that is not closed like that is a
stray one: its line is left out and the others stay what they are. Bytes that are not UTF-8 are replaced.
"""

from __future__ import annotations

import csv
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.adapters.engines.duckdb.snapshot import Snapshot
from sfumato.adapters.engines.duckdb.stored_values import quoted
from sfumato.errors import SchemaError, SourceError
from sfumato.model.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 8 * 2**20  # bytes read at a time
_LONGEST_FIELD = 64 * 2**20  # a quote that is not closed within so many bytes is a stray one
_LONGEST_HEADER = 2**20
_LINE_BREAK = b"\x1e"  # stands for a line break inside a quoted field until the fields are split


def require_columns(schema: Schema, names: Iterable[str], source: str) -> None:
    """Refuse a source that lacks a column of the schema."""
    present = {name.lower() for name in names}
    for column in schema.columns:
        if column.name.lower() not in present:
            raise SchemaError.because("column-not-in-source", column=column.name, schema=schema.origin, source=source)


@dataclass(frozen=True)
class CsvFile:
    """Its shape is taken from the header line, never from values."""

    path: Path
    delimiter: str
    names: tuple[str, ...]
    snapshot: Snapshot

    @classmethod
    def of(cls, path: Path, name: str = "") -> CsvFile:
        snapshot = Snapshot.of([path])
        with path.open("rb") as file:
            header = file.readline(_LONGEST_HEADER).decode("utf-8-sig").rstrip("\r\n")
        delimiter = max(",;\t|", key=header.count)
        names = tuple(next(csv.reader([header], delimiter=delimiter), []))
        if not names or not all(names):
            raise SourceError.because("header-missing", source=name or path.name)
        lowered = [column.lower() for column in names]
        if twice := [column for i, column in enumerate(names) if column.lower() in lowered[:i]]:
            raise SourceError.because("header-twice", source=name or path.name, column=twice[0])
        return cls(path, delimiter, names, snapshot)

    def at_once(self, read: Callable[[float], None] = lambda _: None) -> str | None:
        """The rows after the header, each on one line, of a file so small that pyarrow would take longer to load."""
        if self.path.stat().st_size > _BLOCK:
            return None
        return b"\n".join(self._blocks(read)).decode("utf-8", "replace")

    def lines(self, read: Callable[[float], None] = lambda _: None) -> pa.RecordBatchReader:
        """The rows after the header, each on one line, in one column, as a stream; `read` is told how far it is."""
        import pyarrow as pa

        schema = pa.schema([("line", pa.large_string())])
        return pa.RecordBatchReader.from_batches(schema, self._batches(schema, read))

    def _batches(self, schema: pa.Schema, read: Callable[[float], None]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        for block in self._blocks(read):
            text = _one_text(block.decode("utf-8", "replace").encode())
            yield pa.RecordBatch.from_arrays([pc.split_pattern(text, "\n").flatten()], schema=schema)

    def _blocks(self, read: Callable[[float], None]) -> Iterator[bytes]:
        """The file after its header, in blocks of whole rows, line breaks inside quoted fields replaced."""
        d = re.escape(self.delimiter).encode()
        # A field that is closed before a delimiter or a line end, or that the bytes so far leave open.
        quoted = re.compile(rb"(?:(?<=[" + d + rb'\n])|\A)"[^"]*(?:""[^"]*)*(?:"(?=[' + d + rb'\r\n])|"?\Z)')
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            file.readline()
            rest, more = b"", True
            while more:
                block = file.read(_BLOCK)
                read(min(file.tell() / size, 1.0) if size else 1.0)
                rest, more = rest + block, bool(block)
                rows, sure = _on_one_line(rest, quoted, at_end=not more or len(rest) > _LONGEST_FIELD)
                cut = rows.rfind(b"\n", 0, sure) + 1 if more else len(rest)
                if cut:
                    yield rows[:cut].removesuffix(b"\n")
                    rest = rest[cut:]

    def select(self, lines: str) -> str:
        """SQL for DuckDB: the columns, as text, of a relation of lines. Lines that are too short are filled up.

        A quote inside a field that does not begin with one is a sign like others.
        """
        d = "\\t" if self.delimiter == "\t" else self.delimiter
        field = f'"(?:[^"]|"")*"|[^"{d}][^{d}]*|'
        plain, whole = "NOT contains(line, '\"')", _text(f"(?:{field})(?:[{d}](?:{field}))*")
        split = f"""
            CASE WHEN {plain} THEN string_split(line, {_text(self.delimiter)})
                 ELSE list_transform(regexp_extract_all(line, {_text(f"({field})(?:[{d}]|$)")}, 1, 's'),
                      lambda f: CASE WHEN NOT starts_with(f, '"') THEN f
                           ELSE replace(replace(f[2:-2], '""', '"'), chr(30), chr(10)) END)
            END"""
        columns = ", ".join(f"nullif(fields[{i}], '') AS {quoted(name)}" for i, name in enumerate(self.names, 1))
        line = "CASE WHEN ends_with(line, chr(13)) THEN rtrim(line, chr(13)) ELSE line END"  # rtrim takes longest
        trimmed = f"SELECT {line} AS line FROM {lines}"
        read = f"line <> '' AND ({plain} OR regexp_full_match(line, {whole}, 's'))"  # of `fields`, it would split twice
        return f"SELECT {columns} FROM (SELECT {split} AS fields FROM ({trimmed}) WHERE {read})"


def _one_text(text: bytes) -> pa.Array:
    """An array made from bytes: from a list, pyarrow would load pandas first, which takes longer than a small file."""
    import pyarrow as pa

    ends = struct.pack("=qq", 0, len(text))
    return pa.Array.from_buffers(pa.large_string(), 1, [None, pa.py_buffer(ends), pa.py_buffer(text)])


def _on_one_line(rows: bytes, quoted: re.Pattern[bytes], *, at_end: bool) -> tuple[bytes, int]:
    """Rows with the line breaks of quoted fields replaced, and up to where that is sure."""
    sure = len(rows)

    def keep_on_one_line(field: re.Match[bytes]) -> bytes:
        nonlocal sure
        if field.end() == len(rows):
            sure = field.start()
            if not (at_end and field[0][1:].endswith(b'"')):
                return field[0]
        return field[0].replace(b"\n", _LINE_BREAK)

    joined = quoted.sub(keep_on_one_line, rows) if b'"' in rows else rows
    return joined, len(rows) if at_end else sure


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
