"""One table of the escrow, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from sfumato.adapters.storage.tables import Json
from sfumato.errors import BadInput
from sfumato.ports import Row

T = TypeVar("T")


class InTransaction(Protocol):
    """Does work in the transaction that is open here, or else in one of its own."""

    def __call__(self, work: Callable[[sa.Connection], T], *, writing: bool) -> T: ...


class TableRows:
    def __init__(self, table: sa.Table, within: InTransaction) -> None:
        self._table = table
        self._order = table.c[table.info["order"]]
        self._within = within

    def add(self, row: Row) -> bool:
        return self._within(lambda connection: self._add(connection, keepable(row)), writing=True)

    def one(self, **where: object) -> Row | None:
        return next(iter(self._read(sa.select(self._table).where(*self._are(where)).limit(1))), None)

    def many(
        self, *, after: str | int | None = None, limit: int = 100, newest_first: bool = False, **where: object
    ) -> Sequence[Row]:
        order = self._order.desc() if newest_first else self._order
        query = sa.select(self._table).where(*self._are(where)).order_by(order).limit(limit)
        if after is not None:
            place = self._place(after)
            query = query.where(self._order < place if newest_first else self._order > place)
        return self._read(query)

    def change(self, where: Row, to: Row) -> int:
        return self._count(sa.update(self._table).where(*self._are(where)).values(keepable(to)))

    def remove(self, **where: object) -> int:
        return self._count(sa.delete(self._table).where(*self._are(where)))

    def _add(self, connection: sa.Connection, row: Row) -> bool:
        counts = self._table.info["counts"]
        if counts is not None and "number" not in row:
            highest = sa.select(sa.func.coalesce(sa.func.max(self._table.c.number), 0))
            among = [self._table.c[name] == row[name] for name in counts]
            row = {**row, "number": connection.execute(highest.where(*among)).scalar_one() + 1}
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        adding = insert(self._table).values(row).on_conflict_do_nothing()
        return connection.execute(adding, execution_options={"preserve_rowcount": True}).rowcount == 1

    def _read(self, query: sa.Select[Any]) -> list[Row]:
        return self._within(lambda connection: [dict(row._mapping) for row in connection.execute(query)], writing=False)

    def _count(self, statement: sa.Update | sa.Delete) -> int:
        return self._within(lambda connection: int(connection.execute(statement).rowcount), writing=True)

    def _are(self, where: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
        named = [(self._table.c[name], value) for name, value in keepable(where).items()]
        return [column.in_(value) if _is_choice(column, value) else column == value for column, value in named]

    def _place(self, after: str | int) -> str | int:
        if not isinstance(self._order.type.as_generic(), sa.Integer):
            return after
        try:
            place = int(after)
        except ValueError:
            raise BadInput.because("page-unknown") from None
        keepable({"after": place})
        return place


def _is_choice(column: sa.Column[Any], value: object) -> bool:
    return isinstance(value, list) and not isinstance(column.type, Json)


def keepable(row: Row) -> dict[str, Any]:
    """The row, if both kinds of database can hold what is in it."""
    for value in row.values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str) and ("\0" in each or each.encode("utf-8", "replace").decode() != each):
                raise BadInput.because("text-unkeepable")
            if isinstance(each, int) and each.bit_length() > 63:
                raise BadInput.because("number-unkeepable")
    return dict(row)
