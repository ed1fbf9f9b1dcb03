"""Rows that are written out in each query: an engine can be checked where no table may be created."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sfumato.model.schema import Schema, Type
from sfumato.model.stored_table import StoredColumn, StoredTable
from sfumato.ports import Engine
from sfumato.sql.lowering.spelling import with_selects
from sfumato.sql.plans.delivered_table import NUMBERED, RAW, delivered_tables, with_written_rows, written_rows

if TYPE_CHECKING:
    from sfumato.sql.plans.exposure_summary import Tree

_NAME = "sfumato written"


class WrittenRows:
    """An engine, with these rows in place of its table; all else is as it does it."""

    raw, numbered, parts = RAW, NUMBERED, 1
    tables: Mapping[str, Engine] = MappingProxyType({})

    def __init__(
        self,
        engine: Engine,
        columns: Mapping[str, Type],
        rows: Iterable[Sequence[object]],
        types: Mapping[Type, str],
        schema: Schema,
    ) -> None:
        """`types` are the engine's own names of the types."""
        self._engine, self.columns = engine, columns
        self._written = engine.spell(written_rows(columns, rows))
        stored = StoredTable((_NAME,), tuple(StoredColumn(name, types[t], t) for name, t in columns.items()))
        self._tables = delivered_tables(schema, stored)

    def spell(self, tree: Tree) -> str:
        whole = with_selects(tree, self._tables)
        return self._engine.spell(with_written_rows(whole, _NAME, self._written))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)
