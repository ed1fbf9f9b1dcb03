"""What the names in a query mean: columns of the table, or of a row-wise selection of it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.joined_tables import JoinSource
from sfumato.model.schema import Schema, TableSchema, Type
from sfumato.model.statement import ColumnRef, DerivedTable, Predicate, Scalar
from sfumato.sql.parser.expressions import Expressions


@dataclass(frozen=True)
class TableNames:
    """What the columns of one table of a join, or of one sub-select in it, stand for."""

    qualifier: str  # what the query calls it
    source: JoinSource
    columns: Mapping[str, Scalar]  # by their names in small letters
    table: TableSchema | None = None  # None: a sub-select


@dataclass(frozen=True)
class Scope:
    """What names mean in one SELECT: those it defined, then those of what it reads; and which rows that leaves."""

    qualifiers: tuple[str, ...] = ()
    named: Mapping[str, Scalar] | None = None  # None: the registered table itself, or tables
    through: Scope | None = None  # SELECT *: whatever is not defined anew
    where: Predicate | None = None
    derived: DerivedTable | None = None  # what it reads in place of the registered table
    tables: tuple[TableNames, ...] = ()  # of a join

    def known_as(self, alias: str) -> Scope:
        return replace(self, qualifiers=(alias.lower(),)) if alias and not self.tables else self

    def names_of(self, column: str) -> list[str]:
        """What the tables of a join call a column of it, with their own names before it."""
        return [
            f"{table.qualifier}.{name}"
            for table in self.tables
            for name, scalar in table.columns.items()
            if isinstance(scalar, ColumnRef) and scalar.name == column
        ]


class Names(Expressions):
    """Looks names up in the scope that is being read."""

    def __init__(self, text: str, schema: Schema, present: Mapping[str, Type | None] | None) -> None:
        super().__init__(text, schema)
        self.present = present
        self.scope = Scope()

    def column(self, node: exp.Column) -> Scalar:
        self.only(node, "this", "table", "db")
        self.require_qualifier(node)
        if not isinstance(node.this, exp.Identifier):
            self.refuse("'*' outside COUNT(*)", node, hint="name the columns.")
        scalar = self.known(node.name, self.scope, trust=True, of=node.table)
        if scalar is None:
            raise self.unknown(node)
        return scalar

    def require_qualifier(self, node: exp.Column) -> None:
        if node.table and node.table.lower() not in self.scope.qualifiers:
            known = " and ".join(self.scope.qualifiers)
            hint = f"use the name {known}." if known else "leave it out: the sub-select has no name."
            raise QueryError(f"There is no table '{node.table}'", where=self.place(node), hint=hint)

    def known(self, name: str, scope: Scope, *, trust: bool, of: str = "") -> Scalar | None:
        """What a name stands for, in a join that of a table if one is named.

        `trust`: while the data is not read, also a column that the schema does not list.
        """
        if scope.tables:
            return self.known_of_tables(name, scope, trust=trust, of=of)
        if scope.named is not None:
            if name.lower() in scope.named:
                return scope.named[name.lower()]
            return None if scope.through is None else self.known(name, scope.through, trust=trust)
        declared = self.schema.column(name)
        if declared is not None:
            return ColumnRef(declared.name, declared.type)
        if self.present is None:
            return ColumnRef(name, None) if trust else None
        column = next((present for present in self.present if present.lower() == name.lower()), None)
        return None if column is None else ColumnRef(column, self.present[column])

    def known_of_tables(self, name: str, scope: Scope, *, trust: bool, of: str) -> Scalar | None:
        """A column of one table of a join; a name that several tables have is refused."""
        tables = [t for t in scope.tables if not of or t.qualifier == of.lower()]
        meant = [(t, scalar) for t in tables if (scalar := self.known_of_table(name, t, trust=False)) is not None]
        if len({scalar for _, scalar in meant}) > 1:
            several = [f"{t.qualifier}.{name}" for t, _ in meant]
            hint = f"write {' or '.join(several)}."
            raise QueryError(f"Several tables have a column '{name}'", hint=hint, where=self.place_of_word(name))
        if meant:
            return meant[0][1]
        own = next((t for t in tables if name.startswith(f"{t.source.name}.")), None)
        if own is not None and not of:  # as a statement's one spelling has it, outside a SELECT *
            return self.known_of_table(name.removeprefix(f"{own.source.name}."), own, trust=trust)
        return self.known_of_table(name, tables[0], trust=trust) if len(tables) == 1 else None

    def known_of_table(self, name: str, names: TableNames, *, trust: bool) -> Scalar | None:
        column = names.columns.get(name.lower())
        if column is not None or names.table is None:
            return column
        read, table = names.source, names.table
        if self.present is None:
            return ColumnRef(read.column(name), None) if trust else None
        own = table.qualified("") if self.schema.tables else ""
        delivered = next((p for p in self.present if p.lower() == f"{own}{name}".lower()), None)
        return None if delivered is None else ColumnRef(read.column(delivered[len(own) :]), self.present[delivered])

    def unknown(self, node: exp.Column) -> QueryError:
        names, of_table = self.names(self.scope, of=node.table), self.scope.named is None
        close = difflib.get_close_matches(node.name.lower(), [name.lower() for name in names], n=1)
        meant = next((name for name in names if close and name.lower() == close[0]), None)
        hint = f"did you mean '{meant}'?" if meant else f"use {', '.join(names)}."
        listed = next((c.name for c in self.schema.columns if node.name in (c.listed or ())), None)
        if listed is not None and not meant:
            hint = f"put a text in single quotes, as in {listed} = '{node.name}'."
        elif node.find_ancestor(exp.Where) is not None and self.names_figure(node):
            hint = f"write the condition on {node.name} as HAVING: WHERE is about single rows."
        what = "There is no column" if of_table else "The sub-select has no column"
        return QueryError(f"{what} '{node.name}'", hint=hint, where=self.place(node))

    def names_figure(self, node: exp.Column) -> bool:
        """Whether the SELECT around it gives this name to an aggregate."""
        select = node.find_ancestor(exp.Select)
        parts = [] if select is None else select.expressions
        return any(e.alias.lower() == node.name.lower() and e.find(exp.AggFunc) for e in parts)

    def names(self, scope: Scope, of: str = "") -> list[str]:
        if scope.tables:
            tables = [t for t in scope.tables if not of or t.qualifier == of.lower()]
            return list(dict.fromkeys(name for t in tables for name in self.names_of(t)))
        if scope.named is None:
            return list(dict.fromkeys([*(self.present or ()), *(c.name for c in self.schema.columns)]))
        return [*scope.named, *(self.names(scope.through) if scope.through is not None else ())]

    def names_of(self, names: TableNames) -> list[str]:
        """The columns of a table by their own names."""
        if names.table is None:
            return list(names.columns)
        own = names.table.qualified("").lower() if self.schema.tables else ""
        delivered = [p[len(own) :] for p in self.present or () if p.lower().startswith(own)]
        return list(dict.fromkeys([*delivered, *(c.name for c in names.table.columns)]))

    def require_typed(self, part: Scalar, node: exp.Expr) -> Scalar:
        """Refuse a column of a type that we do not know: what it does in a comparison could depend on values."""
        if self.present is not None and isinstance(part, ColumnRef) and part.type is None:
            raise QueryError(
                f"Column '{part.name}' has no type in the schema, so it can only be counted",
                hint=f"state its type under {self.schema.section(part.name)} in {self.schema.origin}.",
                where=self.place(node),
            )
        return part
