"""What a query reads: the table, or row-wise selections of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.statement import All, Predicate, Scalar
from sfumato.sql.parser.aggregates import AGGREGATES
from sfumato.sql.parser.joins import Joins
from sfumato.sql.parser.scope import Scope

_NOT_BY_ROW = {"order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET"}
_ROW_BY_ROW = "use a sub-select that works row by row."
_NAME_IT = "rename one of them with AS."


class Relations(Joins):
    """Reads FROM, WITH and WHERE."""

    ctes: Mapping[str, Scope] = {}  # those that the SELECT which is read may name

    def source(self, select: exp.Select, ctes: Mapping[str, Scope]) -> Scope:
        with_ = select.args.get("with_")
        if with_ is not None:
            self.only(with_, "expressions")
            own: set[str] = set()
            for cte in with_.expressions:
                self.only(cte, "this", "alias", "materialized")
                self.renames_nothing(cte.args["alias"])
                if cte.alias.lower() in own:
                    where = self.place(cte.args["alias"])
                    raise QueryError(f"WITH names '{cte.alias}' twice", hint="rename one of them.", where=where)
                own.add(cte.alias.lower())
                ctes = {**ctes, cte.alias.lower(): self.rowwise(cte.this, ctes).known_as(cte.alias)}
        from_ = select.args.get("from_")
        if from_ is None:
            raise QueryError("The query has no FROM", hint=f"add FROM {self.a_table}.")
        self.ctes = ctes
        read, joins = from_.this, select.args.get("joins") or []
        is_named = isinstance(read, exp.Table) and read.name.lower() in ctes and not read.db
        if joins or (self.schema.tables and isinstance(read, exp.Table) and not is_named):
            return self.joined(read, joins, ctes)
        if isinstance(read, exp.Subquery):
            self.only(read, "this", "alias")
            self.renames_nothing(read.args.get("alias"))
            return self.rowwise(read.this, ctes).known_as(read.alias)
        if not isinstance(read, exp.Table):
            self.refuse_node(read)
        if not isinstance(read.this, exp.Identifier):
            self.refuse("Table functions", read, hint=f"use {self.schema.name}, the name of the table.")
        self.only(read, "this", "alias", "db")
        self.renames_nothing(read.args.get("alias"))
        name = read.name.lower()
        if name in ctes and not read.db:
            return ctes[name].known_as(read.alias)
        if name != self.schema.name.lower():
            hint = f"use {self.schema.name}, the name of the table."
            raise QueryError(f"There is no table '{read.name}'", hint=hint, where=self.place(read))
        return Scope((name, read.alias.lower()) if read.alias else (name,))

    def renames_nothing(self, alias: exp.Expr | None) -> None:
        if alias is not None and alias.args.get("columns"):
            self.refuse("Renamed columns", alias.args["columns"][0], hint="name them with AS inside the sub-select.")

    def rowwise(self, select: exp.Expr, ctes: Mapping[str, Scope]) -> Scope:
        """A sub-select that computes from one row at a time, or from the rows of one person."""
        if isinstance(select, exp.SetOperation):
            person = self.schema.unit.column
            if person is not None and isinstance(select, exp.Union):
                return self.union(select, ctes)
            hint = "use one sub-select, with AND, OR and NOT in its WHERE."
            if person is not None:
                name = self.schema.people_column
                hint = f"write {name} IN (SELECT {name} FROM {self.a_table} WHERE ...) with AND, OR and NOT."
            self.refuse_node(select, hint)
        if not isinstance(select, exp.Select) or not select.expressions:
            self.refuse_node(select, _ROW_BY_ROW)
        for clause, name in _NOT_BY_ROW.items():
            if select.args.get(clause):
                self.refuse(f"{name} inside a sub-select", select.args[clause], hint=_ROW_BY_ROW)
        grouped = any(select.args.get(clause) for clause in ("group", "having", "distinct"))
        more = ("group", "having", "distinct") if grouped else ("qualify",)
        self.only(select, "expressions", "from_", "where", "kind", "with_", "joins", *more)
        outside = self.scope, self.ctes
        self.scope = self.source(select, ctes)
        where = self.row_filter(select)
        scope = self.own_groups(select, where) if grouped else self.by_rows(select, where)
        self.scope, self.ctes = outside
        return scope

    def by_rows(self, select: exp.Select, where: Predicate | None) -> Scope:
        """Its names, and the rows it keeps; windows over a person's rows are columns of a derived table."""
        windows = self.reading_windows(select)
        named: dict[str, Scalar] = {}
        through = None
        with self.reading_own(windows):
            for expression in select.expressions:
                if isinstance(expression, exp.Star):
                    self.only(expression)
                    through = replace(self.scope, where=None)
                    continue
                inner, name = expression.unalias(), expression.alias_or_name
                if not expression.alias and not isinstance(inner, exp.Column):
                    raise QueryError("A computed column has no name", hint="name it with AS.", where=self.place(inner))
                if name.lower() in named:
                    self.refuse_twice(name, inner)
                if windows is not None and isinstance(inner, exp.Window):
                    named[name.lower()] = self.figure(inner, windows, name)
                else:
                    named[name.lower()] = self.by_row(inner)
            if windows is not None:
                windows.values.update(named)
            kept = select.args.get("qualify")
            qualified = None if kept is None else self.predicate(kept.this)
        for name, meant in named.items() if through is not None else ():
            if self.known(name, self.scope, trust=False) not in (None, meant):
                self.refuse_twice(name, select)
        if windows is None:
            return Scope((), named, through, where, self.scope.derived)
        return Scope((), named, through, qualified, self.own_windows(windows, where))

    def refuse_twice(self, name: str, node: exp.Expr) -> NoReturn:
        """Engines differ in which of two columns a name then means."""
        raise QueryError(f"A sub-select has two columns '{name}'", hint=_NAME_IT, where=self.place(node))

    def by_row(self, node: exp.Expr) -> Scalar:
        inside = next((n for n in node.walk() if type(n) in AGGREGATES and n.find_ancestor(exp.Window) is None), None)
        if inside is not None and not isinstance(node, exp.Window | exp.Filter):
            person = self.schema.unit.column
            hint = _ROW_BY_ROW if person is None else f"add GROUP BY {person}: then they are about one {person}."
            self.refuse("Aggregates inside a sub-select", inside, hint=hint)
        return self.shallow_scalar(node)

    def row_filter(self, select: exp.Select) -> Predicate | None:
        """The WHERE, and that of what is read."""
        own = self.predicate(select.args["where"].this) if select.args.get("where") else None
        if own is not None:
            self.size.require_shallow(own)
        both = [p for p in (self.scope.where, own) if p is not None]
        if len(both) < 2:
            return both[0] if both else None
        return All(tuple(part for p in both for part in (p.parts if isinstance(p, All) else (p,))))
