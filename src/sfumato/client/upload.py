"""Uploads: files are streamed unchanged, tables are written as Parquet in memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sfumato.client.connection import Content
from sfumato.errors import SourceError, instead

CSV, PARQUET = "text/csv", "application/vnd.apache.parquet"
_KINDS = {".csv": CSV, ".parquet": PARQUET, ".pq": PARQUET}
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Delivery:
    content: Content
    kind: str


def delivery(source: object) -> Delivery:
    """Content and media type of a source; anything but a CSV file, a Parquet file or a table is refused."""
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
