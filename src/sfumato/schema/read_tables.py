"""[unit] and [tables.NAME] of a schema about several tables: whose each row is, and how tables are joined."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn, Protocol

from sfumato.model.schema import Parent, SchemaColumn, TableSchema, Type, Uniqueness
from sfumato.schema.write import key

_UNIT = ("table", "column", "max_rows", "max_groups")
_TABLE = ("person", "parent", "public", "columns")
_PARENT = ("column", "table", "key", "unique")
_PARENT_EXAMPLE = 'write parent = { column = "order_id", table = "orders", key = "order_id", unique = "declared" }.'
_ONE_TABLE_ONLY = ("columns", "max_rows", "max_groups", "partition")
MOST_TABLES = 64


class Reader(Protocol):
    """What reads the columns of a table, and says what is wrong."""

    def only(self, mapping: Mapping[str, Any], known: tuple[str, ...], where: str) -> None: ...

    def ours(self, name: str) -> None: ...

    def columns(self, tables: Any, section: str = "columns") -> tuple[SchemaColumn, ...]: ...

    def wrong(self, message: str, hint: str = "", where: str = "") -> NoReturn: ...


class TablesReader:
    """Reads several tables and refuses those of which it is not clear whose the rows are."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.wrong = reader.wrong

    def tables(self, mapping: Mapping[str, Any]) -> tuple[TableSchema, ...]:
        written = mapping["tables"]
        if not isinstance(written, Mapping) or not written:
            self.wrong("tables must be [tables.NAME] tables", "write [tables.orders] and its keys below it.", "tables")
        if len(written) > MOST_TABLES:
            self.wrong(f"A schema has {MOST_TABLES} tables at most", "leave out those that no query reads.", "tables")
        for name in _ONE_TABLE_ONLY:
            if name in mapping:
                at = "under [tables.NAME]" if name == "columns" else "under [unit]"
                hint = "leave it out." if name == "partition" else f"state it {at}."
                self.wrong(f"{name} is for a schema of one table, and this one has several", hint, name)
        tables = tuple(self.table(name, facts) for name, facts in written.items())
        if len({table.name.lower() for table in tables}) < len(tables):
            self.wrong("Two tables differ only in upper and lower case", "rename one of them.", "tables")
        named = {table.name.lower(): table for table in tables}
        tables = tuple(self.with_parent(table, named) for table in tables)
        for table in tables:
            self.require_person_above(table, {t.name: t for t in tables})
        return tables

    def table(self, name: str, facts: Any) -> TableSchema:
        where = f"[tables.{key(name)}]"
        if not name or "." in name or not name.isprintable():
            self.wrong("A table needs a name without a point in it", "rename it.", where)
        self.reader.ours(name)
        if not isinstance(facts, Mapping):
            self.wrong(f"Table '{name}' must be a table", f"write {where} on a line of its own.")
        self.reader.only(facts, _TABLE, where)
        columns = self.reader.columns(facts.get("columns", {}), f"tables.{key(name)}.columns")
        public, person, parent = facts.get("public", False), facts.get("person"), facts.get("parent")
        if not isinstance(public, bool):
            self.wrong("public must be true or false", "write public = true.", where)
        owners = [n for n, has in (("person", person is not None), ("parent", parent is not None)) if has]
        if public and owners:
            hint = f"leave out public, or {' and '.join(owners)}: the rows of a public table belong to no one."
            self.wrong(f"Table '{name}' is public and has a {owners[0]}", hint, where)
        if len(owners) > 1:
            hint = "keep person where each row names its person, and parent where it does not."
            self.wrong(f"Table '{name}' has both a person and a parent", hint, where)
        if not public and not owners:
            self.wrong(
                f"The schema does not say whose the rows of table '{name}' are",
                'name the column of people as person = "customer_id", or a parent, or write public = true if no row '
                "of it is about a person.",
                where,
            )
        whose = None if person is None else self.column(columns, person, "person", where)
        if whose is not None and whose.type in (Type.NUMBER, Type.TIMESTAMP):
            what = "numbers with fractions" if whose.type is Type.NUMBER else "timestamps"
            hint = f'write type = "text" or "integer" under {self.section(name, whose.name)}.'
            self.wrong(f"A column of {what} cannot identify people", hint, where)
        read = None if parent is None else self.parent(parent, columns, where)
        return TableSchema(name, columns, None if whose is None else whose.name, read, public)

    def parent(self, written: Any, columns: tuple[SchemaColumn, ...], where: str) -> Parent:
        if not isinstance(written, Mapping):
            self.wrong("parent must be a table", _PARENT_EXAMPLE, where)
        self.reader.only(written, _PARENT, f"parent of {where}")
        for name in ("column", "table", "key"):
            if not isinstance(written.get(name), str) or not written[name]:
                self.wrong(f"The parent has no {name}", _PARENT_EXAMPLE, where)
        try:
            unique = Uniqueness(str(written.get("unique")))
        except ValueError:
            self.wrong(
                "The schema does not say why no two rows of the parent have the same key",
                'write unique = "enforced" to have it checked when the data is opened, or unique = "declared" if you '
                "know it: then it is an assumption of each certificate.",
                where,
            )
        column = self.column(columns, written["column"], "column of the parent", where)
        return Parent(column.name, written["table"], written["key"], unique)

    def with_parent(self, table: TableSchema, named: Mapping[str, TableSchema]) -> TableSchema:
        """With the parent's table and key as that table spells them."""
        parent, where = table.parent, f"[tables.{key(table.name)}]"
        if parent is None:
            return table
        above = named.get(parent.table.lower())
        if above is None or above is table:
            self.wrong(f"There is no other table '{parent.table}'", f"use one of {_list(named, table)}.", where)
        if above.public:
            hint = "join it in the query: a public table needs no parent."
            self.wrong(f"The parent '{above.name}' is a public table, so it says nothing about whose rows", hint, where)
        column = self.column(above.columns, parent.key, f"key of {above.name}", where)
        own = table.column(parent.column)
        if own is not None and own.type is not column.type:
            hint = "state the same type for both."
            self.wrong(f"'{own.name}' is {own.type} and '{above.name}.{column.name}' is {column.type}", hint, where)
        return replace(table, parent=replace(parent, table=above.name, key=column.name))

    def require_person_above(self, table: TableSchema, named: Mapping[str, TableSchema]) -> None:
        """Refuse parents that go round in a circle."""
        above, seen = table, {table.name}
        while above.person is None and above.parent is not None:
            above = named[above.parent.table]
            if above.name in seen:
                hint = "name the column of people in one of them: person = ..."
                self.wrong(f"The parents of '{table.name}' lead back to '{above.name}'", hint, "tables")
            seen.add(above.name)

    def unit(self, mapping: Mapping[str, Any], tables: tuple[TableSchema, ...]) -> dict[str, Any]:
        """[unit] as a schema of one table states it: the column of people among those of all tables."""
        unit, example = mapping.get("unit"), '[unit], then table = "customers", column = "id" and max_rows = 20'
        if not isinstance(unit, Mapping):
            self.wrong("A schema of several tables says in which of them everyone is", f"write {example}.", "unit")
        self.reader.only(unit, _UNIT, "[unit]")
        for name in ("table", "column"):
            if not isinstance(unit.get(name), str) or not unit[name]:
                self.wrong(f"[unit] has no {name}", f"write {example}.", "[unit]")
        table = next((t for t in tables if t.name.lower() == unit["table"].lower()), None)
        if table is None:
            names = ", ".join(t.name for t in tables)
            self.wrong(f"There is no table '{unit['table']}'", f"use one of {names}.", "[unit]")
        column = self.column(table.columns, unit["column"], "column", "[unit]")
        if table.person != column.name:
            hint = f'write person = "{column.name}" under [tables.{key(table.name)}].'
            self.wrong(f"The rows of '{table.name}' are not said to be those of the person in '{column.name}'", hint)
        for other in tables:
            person = None if other.person is None else other.column(other.person)
            if person is not None and person.type is not column.type:
                hint = "state the same type for both."
                what = (
                    f"'{other.name}.{person.name}' is {person.type} and '{table.name}.{column.name}' is {column.type}"
                )
                self.wrong(what, hint, f"[tables.{key(other.name)}]")
        bounds = {name: unit[name] for name in ("max_rows", "max_groups") if name in unit}
        return {**mapping, "unit": table.qualified(column.name), **bounds}

    def column(self, columns: tuple[SchemaColumn, ...], name: Any, what: str, where: str) -> SchemaColumn:
        if not isinstance(name, str):
            self.wrong(f"The {what} must be a name", "name one of the columns.", where)
        column = next((c for c in columns if c.name.lower() == name.lower()), None)
        if column is None:
            close = difflib.get_close_matches(name, [c.name for c in columns], n=1)
            hint = f"did you mean '{close[0]}'?" if close else "describe it under columns with its type."
            self.wrong(f"The {what} is a column '{name}' that the schema does not describe", hint, where)
        return column

    def section(self, table: str, column: str) -> str:
        return f"[tables.{key(table)}.columns.{key(column)}]"


def all_columns(tables: tuple[TableSchema, ...]) -> tuple[SchemaColumn, ...]:
    """The columns of all tables, by the names that they have among each other."""
    return tuple(replace(c, name=table.qualified(c.name)) for table in tables for c in table.columns)


def _list(named: Mapping[str, TableSchema], but: TableSchema) -> str:
    return ", ".join(t.name for t in named.values() if t is not but) or "those of the schema"
