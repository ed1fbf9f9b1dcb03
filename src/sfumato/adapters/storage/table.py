"""One table of the escrow, row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from sfumato.adapters.storage.conditions import conditions, keepable, matches
from sfumato.errors import BadInput
from sfumato.ports import Row, RowGroup, Selection

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
        return next(iter(self.listed(Selection((where,)), limit=1)), None)

    def many(
        self, *, after: str | int | None = None, limit: int = 100, newest_first: bool = False, **where: object
    ) -> Sequence[Row]:
        return self.listed(Selection((where,)), after=after, limit=limit, newest_first=newest_first)

    def listed(
        self,
        selection: Selection,
        *,
        after: str | int | None = None,
        skip: int = 0,
        limit: int = 100,
        newest_first: bool = False,
        by: str = "",
        columns: Sequence[str] = (),
    ) -> Sequence[Row]:
        order = [self._order.desc() if newest_first else self._order]
        order = [self._table.c[by].asc().nulls_last(), *order] if by else order
        query = sa.select(*(self._table.c[name] for name in columns)) if columns else sa.select(self._table)
        query = query.order_by(*order).offset(skip or None).limit(limit)
        if after is not None:
            place = self._place(after)
            query = query.where(self._order < place if newest_first else self._order > place)

        def read(connection: sa.Connection) -> list[Row]:
            matching = query.where(*conditions(self._table, selection, connection.dialect.name))
            return [dict(row._mapping) for row in connection.execute(matching)]

        return self._within(read, writing=False)

    def counts(self, selection: Selection, *by: str) -> dict[tuple[Any, ...], int]:
        columns = [self._table.c[name] for name in by]
        query = sa.select(sa.func.count(), *columns).select_from(self._table).group_by(*columns)

        def read(connection: sa.Connection) -> dict[tuple[Any, ...], int]:
            matching = query.where(*conditions(self._table, selection, connection.dialect.name))
            return {tuple(values): rows for rows, *values in connection.execute(matching)}

        return self._within(read, writing=False)

    def groups(
        self,
        selection: Selection,
        by: Sequence[str],
        *,
        skip: int = 0,
        limit: int = 100,
        newest_first: bool = False,
        due_first: bool = False,
    ) -> tuple[Sequence[RowGroup], int]:
        first, person, to = sa.func.min(self._order), self._table.c.analyst, self._table.c.assigned_to
        due = sa.func.min(self._table.c.due)
        of_all = sa.and_(sa.func.count(to) == sa.func.count(), sa.func.min(to) == sa.func.max(to))
        figures: list[Any] = [first, sa.func.max(self._order), sa.func.count()]
        figures += [sa.func.count(person.distinct()), sa.func.min(person)]
        figures += [due, sa.case((of_all, sa.func.min(to)), else_=None)]
        order: list[Any] = [due.asc().nulls_last()] if due_first else []
        order.append(first.desc() if newest_first else first)
        by_columns = [self._table.c[name] for name in by]

        def read(connection: sa.Connection) -> tuple[Sequence[RowGroup], int]:
            matching = conditions(self._table, selection, connection.dialect.name)
            query = sa.select(*figures).where(*matching).group_by(*by_columns)
            query = query.order_by(*order).offset(skip or None).limit(limit)
            every = sa.select(*by_columns).where(*matching).distinct().subquery()
            many = connection.execute(sa.select(sa.func.count()).select_from(every)).scalar_one()
            return [RowGroup(*row) for row in connection.execute(query)], many

        return self._within(read, writing=False)

    def newest(self, by: str) -> Sequence[Row]:
        column = self._table.c[by]
        last = sa.select(column.label("of"), sa.func.max(self._order).label("last")).group_by(column).subquery()
        query = sa.select(self._table).join(last, sa.and_(column == last.c.of, self._order == last.c.last))
        return self._within(lambda connection: [dict(row._mapping) for row in connection.execute(query)], writing=False)

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

    def _count(self, statement: sa.Update | sa.Delete) -> int:
        return self._within(lambda connection: int(connection.execute(statement).rowcount), writing=True)

    def _are(self, where: Mapping[str, Any]) -> list[sa.ColumnElement[bool]]:
        return matches(self._table, keepable(where))

    def _place(self, after: str | int) -> str | int:
        if not isinstance(self._order.type.as_generic(), sa.Integer):
            return after
        try:
            place = int(after)
        except ValueError:
            raise BadInput.because("page-unknown") from None
        keepable({"after": place})
        return place
