"""A table in memory: pandas, polars or Arrow, as Arrow with columns of types of their own, so that no value changes how
another is read."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato.adapters.engines.duckdb.arrow import readable
from sfumato.errors import SourceError, instead

if TYPE_CHECKING:
    import pyarrow as pa

_PANDAS_KINDS = "biufmM"  # numpy's letters for the types that Arrow has too


@dataclass(frozen=True)
class InMemoryTable:
    """A table that lies in memory and is read as often as it is asked."""

    table: pa.Table


def in_memory_table(source: Any) -> InMemoryTable:
    """A table in memory as the engine reads it. A reader, a lazy frame or a dataset is read here, once."""
    table = next((table for of in (_pandas, _polars, _arrow) if (table := of(source)) is not None), None)
    if table is None:
        raise SourceError.because("not-a-table", kind=type(source).__name__)
    _require_distinct(table.column_names, source)
    return InMemoryTable(readable(table, f"the {type(source).__name__}"))


def _pandas(source: Any) -> pa.Table | None:
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(source, pandas.DataFrame):
        return None
    import pyarrow as pa

    columns = [_column(source.iloc[:, place], dtype) for place, dtype in enumerate(source.dtypes)]
    return pa.table(columns, names=[str(name) for name in source.columns])


def _column(column: Any, dtype: Any) -> pa.Array:
    """A column of pandas; as text, value by value, where its type tells too little about the values."""
    import pandas as pd
    import pyarrow as pa

    if isinstance(dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy()
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), _texts(dtype.categories))
    if isinstance(dtype, pd.StringDtype | pd.ArrowDtype | pd.DatetimeTZDtype) or (
        getattr(dtype, "kind", "O") in _PANDAS_KINDS and not isinstance(dtype, pd.SparseDtype)
    ):
        try:
            return pa.array(column, from_pandas=True)
        except (pa.ArrowException, UnicodeError):  # texts that have no encoding, or a type that Arrow does not have
            return _texts(column)
    return _texts(column)


def _polars(source: Any) -> pa.Table | None:
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(source, polars.DataFrame | polars.LazyFrame):
        return None
    types = _read_source(source, source.collect_schema)
    for name, dtype in types.items():
        if dtype == polars.Object:
            raise SourceError.because("column-of-objects", column=name, kind=type(source).__name__)
    wide = [name for name, dtype in types.items() if str(dtype) in ("Int128", "UInt128")]  # Arrow has none so wide
    half = [name for name, dtype in types.items() if str(dtype) == "Float16"]
    castable = source.with_columns(polars.col(wide).cast(polars.String), polars.col(half).cast(polars.Float32))
    return _read_source(source, lambda: castable.lazy().collect().to_arrow())


def _arrow(source: Any) -> pa.Table | None:
    if not type(source).__module__.startswith("pyarrow"):
        return None
    import pyarrow as pa
    import pyarrow.dataset as ds

    if isinstance(source, pa.RecordBatch):
        return pa.Table.from_batches([source])
    if isinstance(source, pa.RecordBatchReader):
        return _read_source(source, source.read_all)
    if isinstance(source, ds.Dataset):
        return _read_source(source, source.to_table)
    return source if isinstance(source, pa.Table) else None


def _read_source(source: Any, work: Callable[[], Any]) -> Any:
    """What reading a source gives. Whatever it raises may quote values: nothing of it is left."""
    return instead(SourceError.because("table-unreadable", kind=type(source).__name__), (Exception,), work)


def _require_distinct(names: list[str], source: Any) -> None:
    """Names are the same in upper and lower case, as in SQL."""
    twice = [name for name, count in Counter(name.lower() for name in names).items() if count > 1]
    if twice:
        raise SourceError.because("columns-alike", column=twice[0], kind=type(source).__name__)


def _texts(values: Iterable[object]) -> pa.Array:
    import pyarrow as pa

    return pa.array([_as_text(value) for value in values], pa.large_string())


def _as_text(value: object) -> str | None:
    """A value as text; what has none is missing, whatever it does when it is asked."""
    try:
        if value is None or bool(value != value):  # noqa: PLR0124 - only what is not a number differs from itself
            return None
        text = str(value)
        text.encode()  # half of a surrogate pair has no encoding
    except Exception:  # noqa: BLE001 - an object of the user's may raise anything
        return None
    return text
