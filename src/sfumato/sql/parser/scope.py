"""What the names in a query mean: columns of the table, or of a row-wise selection of it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.schema import Schema, Type
from sfumato.model.statement import ColumnRef, Predicate, Scalar
from sfumato.sql.parser.expressions import Expressions


@dataclass(frozen=True)
class Scope:
    """What names mean in one SELECT: those it defined, then those of what it reads; and which rows that leaves."""

    qualifiers: tuple[str, ...] = ()
    named: Mapping[str, Scalar] | None = None  # None: the registered table itself
    through: Scope | None = None  # SELECT *: whatever is not defined anew
    where: Predicate | None = None

    def known_as(self, alias: str) -> Scope:
        return replace(self, qualifiers=(alias.lower(),)) if alias else self


class Names(Expressions):
    """Looks names up in the scope that is being read."""

    def __init__(self, text: str, schema: Schema, present: Mapping[str, Type | None] | None) -> None:
        super().__init__(text, schema)
        self.present = present
        self.scope = Scope()

    def column(self, node: exp.Column) -> Scalar:
        self.only(node, "this", "table")
        self.require_qualifier(node)
        if not isinstance(node.this, exp.Identifier):
            self.refuse("'*' outside COUNT(*)", node, hint="name the columns.")
        scalar = self.known(node.name, self.scope, trust=True)
        if scalar is None:
            raise self.unknown(node)
        return scalar

    def require_qualifier(self, node: exp.Column) -> None:
        if node.table and node.table.lower() not in self.scope.qualifiers:
            known = " and ".join(self.scope.qualifiers)
            hint = f"use the name {known}." if known else "leave it out: the sub-select has no name."
            raise QueryError(f"There is no table '{node.table}'", where=self.place(node), hint=hint)

    def known(self, name: str, scope: Scope, *, trust: bool) -> Scalar | None:
        """What a name stands for. `trust`: while the data is not read, also a column that the schema does not list."""
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

    def unknown(self, node: exp.Column) -> QueryError:
        names, of_table = self.names(self.scope), self.scope.named is None
        close = difflib.get_close_matches(node.name.lower(), [name.lower() for name in names], n=1)
        meant = next((name for name in names if close and name.lower() == close[0]), None)
        hint = f"did you mean '{meant}'?" if meant else f"use {', '.join(names)}."
        what = "There is no column" if of_table else "The sub-select has no column"
        return QueryError(f"{what} '{node.name}'", hint=hint, where=self.place(node))

    def names(self, scope: Scope) -> list[str]:
        if scope.named is None:
            return list(dict.fromkeys([*(self.present or ()), *(c.name for c in self.schema.columns)]))
        return [*scope.named, *(self.names(scope.through) if scope.through is not None else ())]

    def require_typed(self, part: Scalar, node: exp.Expr) -> Scalar:
        """Refuse a column of a type that we do not know: what it does in a comparison could depend on values."""
        if self.present is not None and isinstance(part, ColumnRef) and part.type is None:
            raise QueryError(
                f"Column '{part.name}' has no type in the schema, so it can only be counted",
                hint=f"state its type under [columns.{part.name}] in {self.schema.origin}.",
                where=self.place(node),
            )
        return part
