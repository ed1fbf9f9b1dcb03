"""Uploads: files are streamed unchanged, tables are written as Parquet in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sfumato.client.connection import Content
from sfumato.errors import SourceError, instead

CSV, PARQUET, ZIP = "text/csv", "application/vnd.apache.parquet", "application/zip"
_KINDS = {".csv": CSV, ".parquet": PARQUET, ".pq": PARQUET, ".zip": ZIP}
_ENDINGS = {CSV: "csv", PARQUET: "parquet"}
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Delivery:
    content: Content
    kind: str


def delivery(source: object) -> Delivery:
    """Content and media type of a source; anything but a CSV file, a Parquet file or a table is refused.

    Several tables by their names are sent as a ZIP file.
    """
    if isinstance(source, Mapping):
        tables = {str(name): delivery(table) for name, table in source.items()}
        return Delivery(partial(_zipped, tables), ZIP)
    if isinstance(source, str | Path):
        return _of_file(Path(source))
    return Delivery(partial(_pieces, _parquet(source)), PARQUET)


def _of_file(path: Path) -> Delivery:
    kind = _KINDS.get(path.suffix.lower())
    if path.is_dir():
        raise SourceError(f"{path} is a folder", hint="deliver one Parquet or CSV file.")
    if not path.is_file():
        raise SourceError(f"There is no file {path}", hint="check the path.")
    if kind is None:
        raise SourceError(f"{path} is neither .csv nor .parquet", hint="convert it to CSV or Parquet.")
    try:
        path.open("rb").close()
    except OSError:
        raise SourceError(f"{path} cannot be read", hint="check its permissions.") from None
    return Delivery(partial(_chunks, path), kind)


def _zipped(tables: Mapping[str, Delivery]) -> Iterator[bytes]:
    """A ZIP file with a file for each table, as it is written: none of it is kept."""
    written = _Written()
    with zipfile.ZipFile(written, "w") as archive:
        for name, table in tables.items():
            if table.kind == ZIP:
                raise SourceError(
                    f"The table {name} is a ZIP file", hint="deliver a CSV or Parquet file for each table."
                )
            with archive.open(f"{name}.{_ENDINGS[table.kind]}", "w", force_zip64=True) as file:
                for chunk in table.content():
                    file.write(chunk)
                    yield written.taken()
    yield written.taken()


class _Written(io.RawIOBase):
    """Holds what was written until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, chunk: Any) -> int:
        self._written += chunk
        return len(chunk)

    def taken(self) -> bytes:
        chunk, self._written = bytes(self._written), bytearray()
        return chunk


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _pieces(whole: bytes) -> Iterator[bytes]:
    view = memoryview(whole)
    for start in range(0, len(view), _CHUNK):
        yield bytes(view[start : start + _CHUNK])


def _parquet(source: object) -> bytes:
    """A pandas, polars or Arrow table; an index is no column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table: pa.Table
    unfit = SourceError("This table cannot be written as Parquet", hint="give each column values of one type.")
    if isinstance(source, pa.Table):
        table = source
    elif hasattr(source, "to_arrow"):
        table = source.to_arrow()
    elif type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "columns"):
        table = instead(unfit, (Exception,), lambda: pa.Table.from_pandas(source, preserve_index=False))
    else:
        hint = "use a .csv or .parquet file, or a pandas, polars or Arrow table."
        raise SourceError(f"A {type(source).__name__} is not a table", hint=hint)
    file = io.BytesIO()
    instead(unfit, (Exception,), lambda: pq.write_table(table.replace_schema_metadata(None), file))
    return file.getvalue()
