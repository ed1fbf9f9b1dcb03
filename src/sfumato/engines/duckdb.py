"""Embedded DuckDB: CSV is loaded once, as text; Parquet is scanned where it lies; tables are read in place."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from sfumato.errors import EngineFailure, SchemaError, SfumatoError, SourceError
from sfumato.model.dataset import Schema, Type

if TYPE_CHECKING:
    import pyarrow as pa

RAW = "raw table"
Columns = Mapping[str, Type | None]

_TYPES = {
    Type.INTEGER: ("TINYINT", "SMALLINT", "INTEGER", "BIGINT"),
    Type.NUMBER: ("FLOAT", "DOUBLE"),
    Type.TEXT: ("VARCHAR",),
    Type.BOOLEAN: ("BOOLEAN",),
    Type.DATE: ("DATE",),
}
_LONGEST_LINE = 16_000_000  # bytes
_TYPE_OF = {name: type_ for type_, names in _TYPES.items() for name in names}


@dataclass(frozen=True)
class Invented:
    """A population that the engine makes up itself: a SELECT and its parameters."""

    sql: str
    parameters: Mapping[str, int] = field(default_factory=dict)


class DuckDB:
    """One table. Only the names and types of its columns are read before the first query."""

    dialect = "duckdb"
    raw = RAW

    def __init__(self, source: object, schema: Schema | None, clean: Callable[[Schema, Columns, str], str]) -> None:
        self._connection = duckdb.connect(":memory:")
        with _instead(SourceError(f"{named(source)} cannot be read as a table", hint=_readable(source))):
            self._show(source)
            described = self._connection.execute(f'DESCRIBE "{RAW}"').fetchall()
        self.columns: Columns = {str(name): _TYPE_OF.get(str(type_)) for name, type_, *_ in described}
        self._cleaning = ""
        if schema is not None:
            self._fits(schema, named(source))
            kind = "TABLE" if _is_csv(source) else "VIEW"
            quoted = schema.name.replace('"', '""')
            self._cleaning = f'CREATE {kind} "{quoted}" AS {clean(schema, self.columns, RAW)}'

    def rows(self, sql: str) -> Sequence[tuple[object, ...]]:
        with _instead(EngineFailure()):
            self._clean()
            return self._connection.execute(sql).fetchall()

    def table(self, sql: str) -> pa.Table:
        with _instead(EngineFailure()):
            self._clean()
            return self._connection.sql(sql).to_arrow_table()

    def close(self) -> None:
        self._connection.close()

    def _clean(self) -> None:
        if self._cleaning:
            self._connection.execute(self._cleaning)
            self._cleaning = ""

    def _show(self, source: object) -> None:
        """Make the raw table known under its name."""
        if isinstance(source, Invented):
            self._connection.execute(f'CREATE TABLE "{RAW}" AS {source.sql}', dict(source.parameters))
        elif not isinstance(source, str | Path):
            self._connection.register(RAW, _columns_of_one_type(source))
        elif _is_csv(source):
            self._connection.read_csv(str(source), **_as_text(Path(source))).create_view(RAW)  # type: ignore[arg-type]
        else:
            self._connection.read_parquet(str(source)).create_view(RAW)

    def _fits(self, schema: Schema, source: str) -> None:
        present = {name.lower() for name in self.columns}
        for column in schema.columns:
            if column.name.lower() not in present:
                raise SchemaError(
                    f"Column '{column.name}' is in {schema.origin} but not in {source}",
                    hint="compare the two; the first line of a CSV must name its columns.",
                )


def write_parquet(population: Invented, path: Path) -> None:
    """An invented population as a Parquet file, streamed."""
    failure = SourceError(f"{path} cannot be written", hint="name a file in a folder that exists.")
    with _instead(failure), duckdb.connect(":memory:") as connection:
        connection.execute(
            f"COPY ({population.sql}) TO $path (FORMAT parquet)", {"path": str(path), **population.parameters}
        )


def named(source: object) -> str:
    """What a sentence calls a source: a file by its name, a table by its kind."""
    return Path(source).name if isinstance(source, str | Path) else f"the {type(source).__name__}"


def _is_csv(source: object) -> bool:
    return isinstance(source, str | Path) and Path(source).suffix.lower() in (".csv", ".tsv", ".txt")


def _as_text(path: Path) -> dict[str, object]:
    """How a CSV file is read: every column as text, its shape taken from the header line, never from values.

    Lines that are too short or too long are filled up or cut, and a line that is not UTF-8 or beyond all measure is
    left out: an error would tell about the data. One thread reads, because several cannot do this.
    """
    with path.open("rb") as file:
        header = file.readline(_LONGEST_LINE).decode("utf-8-sig")
    delimiter = max(",;\t|", key=header.count)
    names = next(csv.reader([header], delimiter=delimiter), [])
    if len(set(names)) < len(names) or not all(names):
        raise SourceError(f"{path.name} has no header line with a name for each column", hint="add one.")
    return {
        "sep": delimiter,
        "header": True,
        "columns": dict.fromkeys(names, "VARCHAR"),
        "auto_detect": False,
        "quotechar": '"',
        "escapechar": '"',
        "strict_mode": False,
        "null_padding": True,
        "ignore_errors": True,
        "max_line_size": _LONGEST_LINE,
        "parallel": False,
    }


def _columns_of_one_type(source: Any) -> Any:
    """A table whose columns have types of their own: pandas' columns of mixed objects become text, value by value.

    DuckDB would guess a type for such a column from its values, and one person's value would change how the
    others' are read.
    """
    if not type(source).__module__.startswith("pandas"):
        return source
    mixed = [name for name, dtype in source.dtypes.items() if dtype == object]
    return source.assign(**{name: source[name].map(_as_plain_text).astype("str") for name in mixed})


def _as_plain_text(value: object) -> str | None:
    if value is None or value != value:  # noqa: PLR0124 - only what is not a number differs from itself
        return None
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _readable(source: object) -> str:
    if isinstance(source, str | Path) and not Path(source).exists():
        return "there is no such file."
    return "a CSV in UTF-8 with a header line, a Parquet file, a pandas or Arrow table will do."


@contextmanager
def _instead(failure: SfumatoError) -> Iterator[None]:
    """Whatever DuckDB says quotes lines and values: one constant sentence stands in for it, with no trace behind."""
    try:
        yield
    except SfumatoError:
        raise
    except (duckdb.Error, OSError, UnicodeError, RuntimeError, ValueError, TypeError):
        raise failure from None
