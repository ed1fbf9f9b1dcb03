"""A table in memory: pandas, polars or Arrow, with columns of types of their own, so that no value changes how another
is read."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sfumato.errors import EngineFailure, SourceError, instead

_PANDAS_KINDS = "biufmM"  # numpy's letters for the types that DuckDB takes from pandas as they are


@dataclass(frozen=True)
class Frame:
    """A table that is read in place, as often as it is asked."""

    table: Any


@dataclass
class Stream:
    """Rows that are read but once: a reader, or a lazy frame. `columns` is a table like it, without rows."""

    columns: Any
    rows: Any

    def take(self) -> Any:
        """The rows. What is left of them after a failure is not the table any more, so it is never read."""
        rows, self.rows = self.rows, None
        if rows is None:
            raise EngineFailure
        return instead(EngineFailure(), (Exception,), rows.collect) if hasattr(rows, "collect") else rows


def framed(source: Any) -> Frame | Stream:
    """A table in memory as DuckDB registers it; of a stream the names and types of its columns are read, no rows."""
    known = _pandas(source) or _polars(source) or _arrow(source)
    if known is None:
        raise SourceError(
            f"A {type(source).__name__} is no table",
            hint="open a CSV or Parquet file, a folder of Parquet files, or a pandas, polars or Arrow table.",
        )
    return known


def _pandas(source: Any) -> Frame | None:
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(source, pandas.DataFrame):
        return None
    names = [str(name) for name in source.columns]
    _all_different(names, source)
    typed = source.copy(deep=False)
    typed.columns = names
    for name, dtype in typed.dtypes.items():
        texts = _texts(typed[name], dtype)
        if texts is not None:
            typed[name] = texts
    return Frame(typed)


def _texts(column: Any, dtype: Any) -> Any:
    """A column as text, value by value, if DuckDB would guess its type from some of them or does not know it."""
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        if len(dtype.categories) and isinstance(dtype.categories.dtype, pd.StringDtype):
            return None  # DuckDB reads the codes where they lie
        texts = pd.array([*map(_as_text, dtype.categories), None], dtype="string")
        return texts.take(column.cat.codes.to_numpy())  # code -1, nothing, is the last
    plain = isinstance(dtype, pd.StringDtype | pd.ArrowDtype | pd.DatetimeTZDtype)
    if plain or (getattr(dtype, "kind", "O") in _PANDAS_KINDS and not isinstance(dtype, pd.SparseDtype)):
        return None
    return pd.array([_as_text(value) for value in column], dtype="string")


def _polars(source: Any) -> Frame | Stream | None:
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(source, polars.DataFrame | polars.LazyFrame):
        return None
    unknown = SourceError("The columns of the LazyFrame cannot be told", hint="collect it first.")
    types = instead(unknown, (Exception,), source.collect_schema)
    for name, dtype in types.items():
        if dtype == polars.Object:
            raise SourceError(
                f"Column '{name}' of the {type(source).__name__} holds Python objects",
                hint="cast it to text or numbers.",
            )
    _all_different(list(types), source)
    wide = [name for name, dtype in types.items() if str(dtype) in ("Int128", "UInt128")]  # Arrow has none so wide
    half = [name for name, dtype in types.items() if str(dtype) == "Float16"]
    readable = source.with_columns(polars.col(wide).cast(polars.String), polars.col(half).cast(polars.Float32))
    if isinstance(source, polars.DataFrame):
        return Frame(readable)
    return Stream(polars.DataFrame(schema=readable.collect_schema()), readable)


def _arrow(source: Any) -> Frame | Stream | None:
    if not type(source).__module__.startswith("pyarrow"):
        return None
    import pyarrow as pa
    import pyarrow.dataset as ds

    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    if not isinstance(source, pa.Table | pa.RecordBatchReader | ds.Dataset):
        return None
    _all_different(source.schema.names, source)
    for field in source.schema:
        if pa.types.is_float16(field.type) or pa.types.is_decimal256(field.type):
            raise SourceError(
                f"Column '{field.name}' of the {type(source).__name__} has type {field.type}, which is not read",
                hint="cast it to a double.",
            )
    return Stream(source.schema.empty_table(), source) if isinstance(source, pa.RecordBatchReader) else Frame(source)


def _all_different(names: list[str], source: Any) -> None:
    """Names are the same in upper and lower case, as in SQL."""
    twice = [name for name, count in Counter(name.lower() for name in names).items() if count > 1]
    if twice:
        raise SourceError(
            f"The {type(source).__name__} has two columns named '{twice[0]}'", hint="give each a name of its own."
        )


def _as_text(value: object) -> str | None:
    """A value as text; what has none is missing, whatever it does when it is asked."""
    try:
        missing = value is None or bool(value != value)  # noqa: PLR0124 - only what is not a number differs from itself
        return None if missing else str(value).encode("utf-8", "replace").decode("utf-8")
    except Exception:  # noqa: BLE001 - an object of the user's may raise anything
        return None
