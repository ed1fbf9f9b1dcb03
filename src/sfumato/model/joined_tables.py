"""What a statement reads of several tables: joins, selections, and tables one after the other.

Every row of a private table belongs to one person, its owner: the value in its column of people, or the owner of its
parent. Whatever is computed here from private rows is computed from those of one owner, and of public rows. So a person
who leaves takes exactly their own rows of it along (docs/theory/joins.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from sfumato.model.own_rows import DerivedColumn, OwnGroups, OwnWindows
from sfumato.model.schema import Parent, PrivacyUnit, Schema, SchemaColumn
from sfumato.model.statement import DerivedTable, Predicate, Scalar, columns_in


class JoinKind(StrEnum):
    """How a table stands beside those before it."""

    FIRST = "FIRST"
    INNER = "INNER"
    LEFT = "LEFT"


@dataclass(frozen=True)
class RowSelection(DerivedTable):
    """SELECT columns FROM ... WHERE ...: row by row."""

    person: str
    columns: tuple[DerivedColumn, ...]  # beside the person
    reads: DerivedTable | None = None
    where: Predicate | None = None

    @property
    def expressions(self) -> tuple[Scalar | Predicate, ...]:
        kept = () if self.where is None else (self.where,)
        return (*(c.value for c in self.columns), *kept, *(() if self.reads is None else self.reads.expressions))

    def registered_columns(self, read: Iterable[str]) -> set[str]:
        wanted = set(read)
        needed = {self.person} | _named_in([self.where, *(c.value for c in self.columns if c.declared.name in wanted)])
        return needed if self.reads is None else self.reads.registered_columns(needed)

    @property
    def one_row_each(self) -> bool:
        return self.reads is not None and self.reads.one_row_each

    @property
    def is_public(self) -> bool:
        """Whether none of its rows is about a person."""
        return isinstance(self.reads, JoinedTables) and self.reads.is_public

    def schema(self, registered: Schema) -> Schema:
        source = registered if self.reads is None else self.reads.schema(registered)
        named = tuple(c for c in source.columns if c.name == self.person)
        return replace(source, columns=(*named, *(c.declared for c in self.columns)), null_values=())


@dataclass(frozen=True)
class TablesUnion(DerivedTable):
    """SELECT ... UNION ALL SELECT ...: the rows of one after those of the other."""

    person: str
    parts: tuple[RowSelection, ...]
    columns: tuple[SchemaColumn, ...]  # beside the person: what is known of the parts together

    @property
    def expressions(self) -> tuple[Scalar | Predicate, ...]:
        return tuple(inner for part in self.parts for inner in part.expressions)

    def registered_columns(self, read: Iterable[str]) -> set[str]:
        places = [i for i, column in enumerate(self.columns) if column.name in set(read)]
        return {
            name
            for part in self.parts
            for name in part.registered_columns([part.columns[i].declared.name for i in places])
        }

    @property
    def one_row_each(self) -> bool:
        return False

    def schema(self, registered: Schema) -> Schema:
        column = registered.column(self.person)
        named = () if column is None else (column,)
        return replace(registered, columns=(*named, *self.columns), null_values=())


@dataclass(frozen=True)
class JoinSource:
    """One table of a join, or one sub-select; its columns are called by its name, as in `orders.amount`."""

    name: str
    table: str = ""  # its name in the schema; empty where it is a sub-select
    selection: RowSelection | None = None
    kind: JoinKind = JoinKind.FIRST
    on: Predicate | None = None
    person: str = ""  # its own column of people; empty: it has none
    parents: tuple[Parent, ...] = ()  # without one: the way to a table that has one
    above: str = ""  # the column of people of that table
    public: bool = False

    @property
    def may_be_missing(self) -> bool:
        """Whether its columns are missing where nothing matches."""
        return self.kind is JoinKind.LEFT

    def column(self, own: str) -> str:
        """The name of a column of it in the join."""
        return f"{self.name}.{own}"

    def declared(self, registered: Schema) -> tuple[SchemaColumn, ...]:
        """Its own columns, by their own names."""
        if self.selection is not None:
            return self.selection.schema(registered).columns
        table = registered.table(self.table)
        return () if table is None else table.columns


@dataclass(frozen=True)
class JoinedTables(DerivedTable):
    """FROM table JOIN table ON ...: private tables are joined on their owner, public ones on anything."""

    person: str
    sources: tuple[JoinSource, ...]
    several: bool  # whether the schema has several tables, so that their columns are called orders.amount in it too
    owner: str = ""  # the source whose rows say whose the joined rows are; empty: all tables are public
    people: tuple[str, str] | None = None  # table and column in which the owner must be; None: a source says so already

    @property
    def is_public(self) -> bool:
        return not self.owner

    @property
    def owner_source(self) -> JoinSource:
        return next(source for source in self.sources if source.name == self.owner)

    @property
    def parents(self) -> tuple[Parent, ...]:
        """The references that say whose rows are, here and in sub-selects: their keys have to be unique."""
        inner = [parent for source in self.sources for parent in parents_in(source.selection)]
        return tuple(dict.fromkeys([*inner, *(parent for source in self.sources for parent in source.parents)]))

    @property
    def expressions(self) -> tuple[Scalar | Predicate, ...]:
        inner = (part for s in self.sources if s.selection is not None for part in s.selection.expressions)
        return (*(s.on for s in self.sources if s.on is not None), *inner)

    def registered_columns(self, read: Iterable[str]) -> set[str]:
        needed = set(read) | _named_in(source.on for source in self.sources)
        columns = set() if self.people is None else {".".join(self.people)}
        for source in self.sources:
            own = {name.removeprefix(f"{source.name}.") for name in needed if name.startswith(f"{source.name}.")}
            own |= {source.person} - {""}
            if source.selection is not None:
                columns |= source.selection.registered_columns(own)
                continue
            columns |= {f"{source.table}.{name}" if self.several else name for name in own}
            columns.update(_of_parents(source))
        if not self.is_public:
            columns.add(self.person)
        return columns

    @property
    def one_row_each(self) -> bool:
        """Whether every table in it is a sub-select with one row for each person."""
        return all(s.selection is not None and s.selection.one_row_each for s in self.sources)

    def schema(self, registered: Schema) -> Schema:
        person = registered.column(self.person)
        columns = {} if person is None or self.is_public else {person.name: person}
        for source in self.sources:
            for column in source.declared(registered):
                columns.setdefault(source.column(column.name), replace(column, name=source.column(column.name)))
        unit = PrivacyUnit() if self.one_row_each else registered.unit
        return replace(registered, columns=tuple(columns.values()), unit=unit, null_values=())


def parents_in(derived: DerivedTable | None) -> tuple[Parent, ...]:
    """The references on which it rests whose rows are in a derived table."""
    match derived:
        case JoinedTables():
            return derived.parents
        case TablesUnion(_, parts):
            return tuple(dict.fromkeys(parent for part in parts for parent in parents_in(part)))
        case RowSelection() | OwnGroups() | OwnWindows():
            return parents_in(derived.reads)
    return ()


def _of_parents(source: JoinSource) -> Iterator[str]:
    """The columns that lead from a table to the owner of its rows."""
    table = source.table
    for parent in source.parents:
        yield f"{table}.{parent.column}"
        yield f"{parent.table}.{parent.key}"
        table = parent.table
    if source.above:
        yield f"{table}.{source.above}"


def _named_in(parts: Iterable[Scalar | Predicate | None]) -> set[str]:
    return {ref.name for part in parts if part is not None for ref in columns_in(part)}
