"""JOIN: private tables meet on the person, or on a reference whose key is unique; public ones on anything.

Then all private rows in a joined row have one owner (docs/theory/joins.md). Whatever would mix the rows of several
people is refused here, with what to write instead.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from sqlglot import exp

from sfumato.errors import QueryError
from sfumato.model.joined_tables import JoinedTables, JoinKind, JoinSource, RowSelection, TablesUnion
from sfumato.model.own_rows import DerivedColumn
from sfumato.model.schema import Bounds, DateBounds, SchemaColumn, TableSchema, Type
from sfumato.model.statement import All, ColumnRef, Compare, Predicate, Scalar, columns_in
from sfumato.privacy.own_ranges import computed_column
from sfumato.sql.parser.own_rows import OwnRows
from sfumato.sql.parser.scope import Scope, TableNames

MOST_JOINED = 16
_PERSON = "the person"
_METHODS = ("ASOF", "POSITIONAL")


class Joins(OwnRows):
    """Reads FROM with several tables, and selections that stand in it."""

    @abstractmethod
    def rowwise(self, select: exp.Expr, ctes: Mapping[str, Scope]) -> Scope:
        """A sub-select that computes from one row at a time, or from the rows of one person."""

    @abstractmethod
    def renames_nothing(self, alias: exp.Expr | None) -> None: ...

    # Tables

    def joined(self, first: exp.Expr, joins: Sequence[exp.Join], ctes: Mapping[str, Scope]) -> Scope:
        """The tables of a FROM; also one alone, of a schema with several."""
        if joins:
            self.require_person("JOIN", joins[0].this)
        if len(joins) >= MOST_JOINED:
            hint = "join fewer tables."
            raise QueryError(f"A query joins {MOST_JOINED} tables at most", hint=hint, where=self.place(joins[-1]))
        tables = [self.joined_table(first, JoinKind.FIRST, [], ctes)]
        for join in joins:
            tables.append(self.next_table(join, tables, ctes))
        return self.joined_scope(tables)

    def next_table(self, join: exp.Join, before: list[TableNames], ctes: Mapping[str, Scope]) -> TableNames:
        """A table that is joined with those before it, after it was checked that no two people meet in a row."""
        kind = self.join_kind(join)
        new = self.joined_table(join.this, kind, before, ctes)
        if any(new.qualifier == t.qualifier for t in before):
            hint = f"name one of them, as in {new.source.table or new.qualifier} AS other."
            raise QueryError(f"Two tables are called '{new.qualifier}'", hint=hint, where=self.place(join))
        written = join.args.get("on")
        if written is None:
            self.refuse_cross(join, new, before)
        if written.find(exp.Select) is not None:
            self.refuse("A sub-select in ON", written, hint="use it in the WHERE.")
        outside, self.scope = self.scope, _raw_scope([*before, new])
        on = self.predicate(written)
        self.scope = outside
        self.size.require_shallow(on)
        self.require_one_owner(join, new, before, on)
        return replace(new, source=replace(new.source, on=on))

    def join_kind(self, join: exp.Join) -> JoinKind:
        side, kind, method = (str(join.args.get(name) or "").upper() for name in ("side", "kind", "method"))
        if join.args.get("using"):
            self.refuse("USING", join, hint="write the condition out: ON one.column = other.column.")
        if method == "NATURAL":
            hint = "write the condition out: JOIN ... ON one.column = other.column."
            self.refuse("NATURAL JOIN", join, hint=hint)
        if method in _METHODS:
            self.refuse(f"{method} JOIN", join, hint="use JOIN ... ON the person.")
        if side in ("RIGHT", "FULL"):
            raise QueryError(
                f"{side} JOIN is not supported: whether it has a row without a match depends on all people together",
                hint="use LEFT JOIN, with a private table on its left.",
                where=self.place_of_word(side),
            )
        if kind in ("SEMI", "ANTI"):
            word = "EXISTS" if kind == "SEMI" else "NOT EXISTS"
            self.refuse(f"{kind} JOIN", join, hint=f"use WHERE {word} (SELECT 1 FROM ... WHERE ...).")
        self.only(join, "this", "on", "side", "kind")
        return JoinKind.LEFT if side == "LEFT" else JoinKind.INNER

    def joined_table(
        self, read: exp.Expr, kind: JoinKind, before: Sequence[TableNames], ctes: Mapping[str, Scope]
    ) -> TableNames:
        """A table or sub-select, with names for all its columns."""
        if isinstance(read, exp.Subquery):
            self.only(read, "this", "alias")
            self.renames_nothing(read.args.get("alias"))
            if not read.alias:
                hint = "name it, as in JOIN (SELECT ...) AS own ON ..."
                raise QueryError("A sub-select in a join has no name", hint=hint, where=self.place(read))
            return self.selected_table(self.rowwise(read.this, ctes), read.alias, kind, before, read)
        if not isinstance(read, exp.Table):
            self.refuse_node(read)
        if not isinstance(read.this, exp.Identifier):
            self.refuse("Table functions", read, hint=f"use {self.table_list()}.")
        self.only(read, "this", "alias", "db")
        self.renames_nothing(read.args.get("alias"))
        name, called = read.name.lower(), read.alias or read.name
        if name in ctes and not read.db:
            return self.selected_table(ctes[name], called, kind, before, read)
        table = self.schema.table(name)
        if table is None:
            raise QueryError(
                f"There is no table '{read.name}'", hint=f"use {self.table_list()}.", where=self.place(read)
            )
        parents = self.schema.parents_of(table)
        above = self.schema.table(parents[-1].table) if parents else None
        source = JoinSource(
            self.source_name(table.name, kind, before, table),
            table.name,
            None,
            kind,
            None,
            table.person or "",
            parents,
            "" if above is None else str(above.person),
            table.public,
        )
        columns = {c.name.lower(): ColumnRef(source.column(c.name), c.type) for c in table.columns}
        return TableNames(called.lower(), source, columns, table)

    def table_list(self) -> str:
        return " or ".join(t.name for t in self.schema.tables) or f"{self.schema.name}, the name of the table"

    def source_name(
        self, name: str, kind: JoinKind, before: Sequence[TableNames], table: TableSchema | None = None
    ) -> str:
        """What columns are called by: the table's name, with a number where another has it already.

        The column of people stands for the owner of each joined row. A table of its name whose rows may be missing, or
        whose rows are others, takes a number as well.
        """
        reserved = str(self.schema.unit.column).partition(".")[0].lower()
        is_people = table is not None and table.name == self.schema.people_table and kind is not JoinKind.LEFT
        taken = {t.source.name.lower() for t in before} | (set() if is_people and self.schema.tables else {reserved})
        called, number = name, 1
        while called.lower() in taken:
            number += 1
            called = f"{name} {number}"
        return called

    def selected_table(
        self, scope: Scope, called: str, kind: JoinKind, before: Sequence[TableNames], node: exp.Expr
    ) -> TableNames:
        """A sub-select as a table of a join."""
        if "." in called or not called.isprintable():
            raise QueryError(
                "A name with a point in it is not supported here", hint="rename it.", where=self.place(node)
            )
        selection, names = self.selection(scope, node)
        person = "" if selection.is_public else selection.person
        source = JoinSource(
            self.source_name(called.lower(), kind, before), "", selection, kind, None, person, public=not person
        )
        columns: dict[str, Scalar] = {n: ColumnRef(source.column(own), type_) for n, (own, type_) in names.items()}
        return TableNames(called.lower(), source, columns)

    def selection(self, scope: Scope, node: exp.Expr) -> tuple[RowSelection, dict[str, tuple[str, Type | None]]]:
        """A scope as a table of its own; and by each name that it has, the column and its type."""
        person, schema = str(self.require_person("A join", node)), self.schema_read(scope.derived)
        meant = dict(scope.named or {})
        if scope.through is not None:
            for name in self.names(scope.through):
                scalar = self.through_star(name, scope.through)
                if scalar is not None:
                    meant.setdefault(name.lower(), scalar)
        columns: list[DerivedColumn] = []
        names: dict[str, tuple[str, Type | None]] = {}
        for name, scalar in meant.items():
            if isinstance(scalar, ColumnRef) and scalar.name == person:
                names[name] = person, scalar.type
                continue
            self.require_typed(scalar, node)
            if name == person.lower():
                hint = "give it another name with AS."
                raise QueryError(f"'{name}' is the column that names people", hint=hint, where=self.place(node))
            columns.append(DerivedColumn(computed_column(name, scalar, schema), scalar))
            names[name] = name, scalar.type
        return RowSelection(person, tuple(columns), scope.derived, scope.where), names

    def through_star(self, name: str, scope: Scope) -> Scalar | None:
        """What a name means in SELECT *; names that several tables have, and columns without a type, are left out."""
        try:
            scalar = self.known(name, scope, trust=False)
        except QueryError:
            return None
        return None if isinstance(scalar, ColumnRef) and scalar.type is None else scalar

    # Whose the joined rows are

    def require_one_owner(self, join: exp.Join, new: TableNames, before: Sequence[TableNames], on: Predicate) -> None:
        private = [t for t in before if not t.source.public]
        if not any(part.name.startswith(f"{new.source.name}.") for part in columns_in(on)):
            self.refuse_cross(join, new, before)
        if new.source.public:
            return
        if new.source.kind is JoinKind.LEFT and not private:
            raise QueryError(
                f"LEFT JOIN of the public table {before[0].qualifier} with {new.qualifier} is not supported: a row "
                "without a match exists where no one at all matches, so it depends on all people together",
                hint=f"put {new.qualifier} on the left: FROM {new.qualifier} LEFT JOIN {before[0].qualifier} ON ...",
                where=self.place_of_word("LEFT"),
            )
        if not private or any(self.is_link(part, new, private) for part in _parts(on)):
            return
        raise QueryError(
            f"{_named(private[-1])} and {_named(new)} are private tables, and this JOIN lets rows of different people "
            "meet",
            hint=self.how_to_link(new, private),
            where=self.place(join),
        )

    def is_link(self, part: Predicate, new: TableNames, others: Sequence[TableNames]) -> bool:
        """Whether a condition says that a row of the new table has the owner of a row before it."""
        match part:
            case Compare("=", ColumnRef(one), ColumnRef(other)):
                pairs = [(one, other), (other, one)]
                return any(self.same_owner(a, new, b, t) for a, b in pairs for t in others)
        return False

    def same_owner(self, own: str, new: TableNames, other: str, table: TableNames) -> bool:
        mine = dict(self.owner_keys(own, new))
        theirs = dict(self.owner_keys(other, table))
        return any(mine[key] or theirs[key] or key == _PERSON for key in mine.keys() & theirs.keys())

    def owner_keys(self, name: str, names: TableNames) -> Iterator[tuple[str, bool]]:
        """What a column says about the owner of a row: it is the person, or the unique key of a row above it.

        With whether it is the reference to that key, and not the key itself.
        """
        source, table = names.source, names.table
        own = name.removeprefix(f"{source.name}.")
        if own == name:
            return
        if source.person and own == source.person:
            yield _PERSON, False
        if table is None:
            return
        if table.parent is not None and table.parent.column == own:
            yield f"{table.parent.table}.{table.parent.key}", True
        for child in self.schema.tables:
            if child.parent is not None and (child.parent.table, child.parent.key) == (table.name, own):
                yield f"{table.name}.{own}", False

    def how_to_link(self, new: TableNames, private: Sequence[TableNames]) -> str:
        """The condition that makes the owner of both the same."""
        if new.source.person:
            other = next((t for t in private if t.source.person), None)
            if other is not None:
                unnamed = next((t for t in (new, other) if not _person_of(t)), None)
                if unnamed is not None:
                    return f"select {self.people_names()} in {unnamed.qualifier} as well, and join them on the person."
                return f"join them on the person: ON {_person_of(new)} = {_person_of(other)}."
        for table in (new, *private):
            parent = None if table.table is None else table.table.parent
            if parent is not None:
                reference = f"{table.qualifier}.{parent.column} = {parent.table}.{parent.key}"
                return f"join {parent.table} as well: ON {reference}."
        return "join them on the person."

    def refuse_cross(self, join: exp.Join, new: TableNames, before: Sequence[TableNames]) -> NoReturn:
        if new.source.public:
            hint = f"write JOIN {new.qualifier} ON a condition that compares a column of it."
            self.refuse(f"A join with every row of {new.qualifier}", join.this, hint=hint)
        others = [t for t in before if not t.source.public]
        hint = self.how_to_link(new, others) if others else "write JOIN ... ON a condition."
        raise QueryError(
            f"A join of {before[-1].qualifier} with every row of {new.qualifier} is not supported: rows of different "
            "people would meet",
            hint=hint,
            where=self.place(join.this),
        )

    def joined_scope(self, tables: Sequence[TableNames]) -> Scope:
        """What names mean once all tables are there: columns of people that cannot be missing are the owner."""
        person = self.schema.column(str(self.require_person("A join", exp.Null())))
        assert person is not None
        private = [t.source for t in tables if not t.source.public]
        sure = [s for s in private if not s.may_be_missing]
        several = bool(self.schema.tables)
        sources = tuple(t.source for t in tables)
        if not private:
            derived = JoinedTables(person.name, sources, several)
        else:
            owner = next((s for s in sure if s.person), private[0])
            everyone = self.schema.people_table, self.schema.people_column
            known = not several or any(s.selection is not None or (s.table, s.person) == everyone for s in sure)
            derived = JoinedTables(person.name, sources, several, owner.name, None if known else everyone)
        owned = {s.column(s.person) for s in sure if s.person}
        names = tuple(
            replace(
                t, columns={n: _or_owner(c, owned, ColumnRef(person.name, person.type)) for n, c in t.columns.items()}
            )
            for t in tables
        )
        return Scope(tuple(t.qualifier for t in tables), derived=derived, tables=names)

    # UNION ALL

    def union(self, node: exp.Expr, ctes: Mapping[str, Scope]) -> Scope:
        """The rows of one sub-select after those of the other."""
        parts = list(_flat(node))
        for tree in (node, *node.find_all(exp.SetOperation)):
            if not isinstance(tree, exp.Union) or tree.args.get("distinct") is not False:
                hint = "write UNION ALL: it compares no rows."
                word = "UNION" if isinstance(tree, exp.Union) else tree.key.upper()
                raise QueryError(
                    f"{word} is not supported: it compares the rows of different people",
                    hint=hint,
                    where=self.place_of_word(word),
                )
            self.only(tree, "this", "expression", "distinct")
        for part in parts[1:]:
            _name_columns(part, parts[0])
        scopes = [self.rowwise(part, ctes) for part in parts]
        person = str(self.require_person("UNION ALL", node))
        selections = [self.selection(scope, part) for scope, part in zip(scopes, parts, strict=True)]
        first = list(selections[0][1])
        place = next((i for i, own in enumerate(selections[0][1].values()) if own[0] == person), None)
        for (selection, names), part in zip(selections, parts, strict=True):
            places = [i for i, own in enumerate(names.values()) if own[0] == person]
            if selection.is_public or len(names) != len(first) or place is None or places != [place]:
                hint = (
                    f"give each SELECT the same columns, with the person's ({self.people_names()}) in the same place."
                )
                what = "The parts of a UNION ALL do not have the person in the same place, and as many columns"
                raise QueryError(what, hint=hint, where=self.place(part))
        columns = tuple(
            self.of_all_parts([s.columns[i].declared for s, _ in selections], parts[0])
            for i in range(len(selections[0][0].columns))
        )
        derived = TablesUnion(person, tuple(s for s, _ in selections), columns)
        named: dict[str, Scalar] = {c.name.lower(): ColumnRef(c.name, c.type) for c in columns}
        who = self.schema.column(person)
        assert who is not None
        assert place is not None
        named[first[place]] = ColumnRef(person, who.type)
        return Scope((), {name: named[name] for name in first}, derived=derived)

    def of_all_parts(self, columns: Sequence[SchemaColumn], node: exp.Expr) -> SchemaColumn:
        """What is known of a column of all parts: where one of them says nothing, nothing is known."""
        first = columns[0]
        if any(c.type is not first.type for c in columns):
            types = " and ".join(sorted({str(c.type) for c in columns}))
            hint = "give each SELECT columns of the same types, in the same order."
            raise QueryError(f"Column '{first.name}' of the UNION ALL is {types}", hint=hint, where=self.place(node))
        bounds = [c.bounds for c in columns if c.bounds is not None]
        spans = [c.span for c in columns if c.span is not None]
        lists = [c.categories for c in columns if c.categories is not None]
        whole = len(columns)
        hull = Bounds(min(b.lower for b in bounds), max(b.upper for b in bounds)) if len(bounds) == whole else None
        span = DateBounds(min(s.first for s in spans), max(s.last for s in spans)) if len(spans) == whole else None
        listed = tuple(dict.fromkeys(v for values in lists for v in values)) if len(lists) == whole else None
        private = all(c.private_keys for c in columns)
        opened = next((c.open for c in columns if c.open is not None), None)
        return SchemaColumn(
            first.name,
            first.type,
            hull,
            listed,
            first.step if len({c.step for c in columns}) == 1 and hull is not None else None,
            private,
            None,
            None,
            None if hull is not None else opened,
            span,
            first.unit if len({c.unit for c in columns}) == 1 else "",
        )

    def people_names(self) -> str:
        """The columns of people, as hints name them."""
        named = [t.qualified(t.person) for t in self.schema.tables if t.person is not None]
        return " or ".join(named) or str(self.schema.unit.column)


def _flat(node: exp.Expr) -> Iterator[exp.Expr]:
    """The selects of a union, from left to right."""
    inner = node.this if isinstance(node, exp.Subquery) else node
    if isinstance(inner, exp.SetOperation):
        yield from _flat(inner.this)
        yield from _flat(inner.expression)
    else:
        yield inner


def _name_columns(part: exp.Expr, first: exp.Expr) -> None:
    """Columns without a name, of later parts of a union, take those of the first part."""
    for own, named in zip(list(part.expressions), first.expressions, strict=False):
        if not own.alias and not isinstance(own, exp.Column | exp.Star) and named.alias_or_name:
            own.replace(exp.alias_(own.copy(), named.alias_or_name, quoted=True))


def _raw_scope(tables: Sequence[TableNames]) -> Scope:
    """While a condition is read, each table has its own column of people."""
    return Scope(tuple(t.qualifier for t in tables), tables=tuple(tables))


def _or_owner(column: Scalar, owned: set[str], owner: ColumnRef) -> Scalar:
    return owner if isinstance(column, ColumnRef) and column.name in owned else column


def _parts(on: Predicate) -> tuple[Predicate, ...]:
    return on.parts if isinstance(on, All) else (on,)


def _named(table: TableNames) -> str:
    return table.source.table or table.qualifier


def _person_of(table: TableNames) -> str:
    """The column of people of a table, as the query names it; empty where a sub-select leaves it out."""
    person = table.source.column(table.source.person)
    name = next((n for n, c in table.columns.items() if isinstance(c, ColumnRef) and c.name == person), "")
    return name and f"{table.qualifier}.{name}"
