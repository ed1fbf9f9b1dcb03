"""What is publicly known about a table: who is protected, and what its columns may hold."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction

from sfumato.errors import SchemaError
from sfumato.model.budget import NO_BUDGET, BudgetLimit
from sfumato.model.person_budget import PersonBudget

Category = str | int | bool | date
MOST_LISTED = 10_000  # whole numbers that bounds, or categories such as "1..5", list as group keys

OURS = "sfumato "  # names that start so are ours, beside those that users gave
PERSON, RAW_TEXT, AT_LEAST, BUDGET = OURS + "person", OURS + "raw ", OURS + "people at least", OURS + "budget"
PER_PERSON = OURS + "budget per person"


class Type(StrEnum):
    """The types a schema may state; values that do not fit are missing."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"

    @property
    def numeric(self) -> bool:
        return self in (Type.INTEGER, Type.NUMBER)

    @property
    def temporal(self) -> bool:
        return self in (Type.DATE, Type.TIMESTAMP)


class Format(StrEnum):
    """How the texts of a column write a number or a day, where it is not the way that needs no format.

    A currency sign before or after an amount is passed over. Of a percentage the number before the sign counts.
    """

    COMMAS = "1,234.56"
    POINTS = "1.234,56"
    SPACES = "1 234,56"
    PERCENT = "12.5%"
    PERCENT_COMMA = "12,5%"
    DAY_FIRST = "31/12/2025"
    MONTH_FIRST = "12/31/2025"

    @property
    def is_date(self) -> bool:
        return self in (Format.DAY_FIRST, Format.MONTH_FIRST)

    def fits(self, type_: Type) -> bool:
        return type_ is Type.DATE if self.is_date else type_.numeric


class Relation(StrEnum):
    """What two neighbouring tables differ in."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"

    @property
    def steps(self) -> int:
        """Replacing a person is taking one out and putting another in: two steps of add-remove.

        See docs/theory/rows.md.
        """
        return 2 if self is Relation.REPLACE else 1

    @property
    def at_rest(self) -> float:
        """The exposure of a person who contributes nothing: another who contributes the most possible may replace
        them."""
        return 1 - 1 / self.steps


@dataclass(frozen=True)
class Bounds:
    """The lowest and the highest possible value, stated by a person who did not look."""

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise ValueError("lower bound above upper bound")

    @property
    def middle(self) -> Fraction:
        return (self.lower + self.upper) / 2

    @property
    def half_width(self) -> Fraction:
        return (self.upper - self.lower) / 2

    @property
    def reach(self) -> Fraction:
        """The furthest from zero that a value may lie."""
        return max(abs(self.lower), abs(self.upper))


FAR = Fraction(10**150)  # stands for an end of a range that is not known; no schema states bounds as wide


@dataclass(frozen=True)
class OpenRange:
    """Where the values of a person's figure lie, as far as that is known; an end that is not known is FAR."""

    bounds: Bounds
    remedy: str  # what to state in the schema for the figure to have bounds


@dataclass(frozen=True)
class DateBounds:
    """The first and the last possible day, or time in UTC: the bounds of dates and timestamps."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise ValueError("the last day is before the first")


@dataclass(frozen=True)
class SchemaColumn:
    name: str
    type: Type
    bounds: Bounds | None = None
    categories: tuple[Category, ...] | None = None
    step: Fraction | None = None  # between the candidates of medians and quantiles
    private_keys: bool = False  # its values are no public knowledge: groups are found by a thresholded release
    format: Format | None = None  # of texts; stored numbers and dates have none
    per_person: Bounds | None = None  # of the sum of a person's values
    open: OpenRange | None = None  # of a person's figure that has no bounds
    span: DateBounds | None = None  # of dates and timestamps, in place of bounds
    unit: str = ""  # shown beside its values; no rule depends on it

    @property
    def keys(self) -> tuple[Category, ...] | None:
        """The public values by which answers may be grouped; of few whole numbers the bounds list them."""
        if self.private_keys:
            return None
        if self.listed is None and self.type is Type.INTEGER and self.bounds is not None:
            first, last = math.ceil(self.bounds.lower), math.floor(self.bounds.upper)
            return tuple(range(first, last + 1)) if last - first < MOST_LISTED else None
        return self.listed

    @property
    def ends(self) -> tuple[Fraction, Fraction] | tuple[date, date] | None:
        """The lowest and the highest possible value, of numbers, dates and timestamps."""
        if self.span is not None:
            return self.span.first, self.span.last
        return None if self.bounds is None else (self.bounds.lower, self.bounds.upper)

    @property
    def listed(self) -> tuple[Category, ...] | None:
        """The public values that are listed one by one."""
        return (False, True) if self.categories is None and self.type is Type.BOOLEAN else self.categories

    def fingerprint(self) -> str:
        bounds = self.bounds and [str(self.bounds.lower), str(self.bounds.upper)]
        step = self.step and str(self.step)
        written: list[object] = [] if self.format is None else [self.format]
        own = self.per_person
        written += [] if own is None else [f"per person {own.lower} to {own.upper}"]
        written += [] if self.span is None else [[self.span.first.isoformat(), self.span.last.isoformat()]]
        return _fingerprint([self.name, self.type, bounds, self.categories, step, self.private_keys, *written])


@dataclass(frozen=True)
class PrivacyUnit:
    """Who is protected: one row, or all rows of one person, who is a value of a column.

    Contribution bounds of a person: at most `max_rows` rows count in a query, in at most `max_groups` groups of it.
    """

    column: str | None = None
    max_rows: int = 1
    max_groups: int | None = None  # None: as many as rows

    def __post_init__(self) -> None:
        groups = 1 if self.max_groups is None else self.max_groups
        if min(self.max_rows, groups) < 1 or (self.column is None and max(self.max_rows, groups) > 1):
            raise ValueError("a person counts with one row or more, in one group or more; a row is one row")

    @property
    def groups(self) -> int:
        """The most groups in which one person counts: rows that count are in no more groups than they are."""
        return self.max_rows if self.max_groups is None else min(self.max_groups, self.max_rows)

    @property
    def words(self) -> str:
        return self.column or "row"


class Uniqueness(StrEnum):
    """Why no two rows of a parent table share a key."""

    DECLARED = "declared"  # the schema says so: an assumption of the certificate
    ENFORCED = "enforced"  # checked when the data is opened


@dataclass(frozen=True)
class Parent:
    """The row of another table that each row belongs to, by a key that no two rows of that table share."""

    column: str
    table: str
    key: str
    unique: Uniqueness = Uniqueness.DECLARED


@dataclass(frozen=True)
class TableSchema:
    """One table of several: its columns, and who its rows belong to (docs/theory/joins.md).

    A row belongs to the person in the column `person`, or to whom the row of its parent belongs; the rows of a public
    table belong to no one.
    """

    name: str
    columns: tuple[SchemaColumn, ...]
    person: str | None = None
    parent: Parent | None = None
    public: bool = False

    def __post_init__(self) -> None:
        if [self.person is not None, self.parent is not None, self.public].count(True) != 1:
            raise ValueError("a table has a column of people, or a parent, or is public")

    def column(self, name: str) -> SchemaColumn | None:
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)

    def qualified(self, column: str) -> str:
        """The name of a column among those of all tables."""
        return f"{self.name}.{column}"

    @property
    def structure(self) -> list[object]:
        """What rests on every query that reads it, besides the columns."""
        parent = self.parent and [self.parent.column, self.parent.table, self.parent.key, self.parent.unique]
        return [self.name, self.person, parent, self.public]


@dataclass(frozen=True)
class Schema:
    """The public description of a table, or of several about the same people, as its TOML file states it.

    Of several tables, `columns` are those of all of them, named as in `orders.amount`, and so is the column of people.
    """

    name: str
    columns: tuple[SchemaColumn, ...]
    unit: PrivacyUnit = PrivacyUnit()
    relation: Relation = Relation.ADD_REMOVE
    null_values: tuple[str, ...] = ()
    people_at_least: int | None = None
    rule: Mapping[str, object] | None = field(default=None)
    origin: str = "the schema"
    budget: BudgetLimit = NO_BUDGET  # in no fingerprint here: the record has the stricter of this and the opening's
    per_person: PersonBudget | None = None  # in no fingerprint here either: the record has that of the opening
    looked: str = ""  # who saw values of the data while they wrote it, and when; in no fingerprint: it is a look
    disjoint_versions: bool = False  # declared: no person is in two cohorts of its data; in no fingerprint, as is
    partition: str = ""  # the column of which each person is declared to have one value in a version of the data
    rows_per_person: int | None = None  # the most rows that a person's own COUNT counts
    population: str = ""  # datasets that name the same one are about the same people, and are counted together
    tables: tuple[TableSchema, ...] = ()  # without them there is one, which has the schema's name

    def column(self, name: str) -> SchemaColumn | None:
        """The column of that name; names are the same in upper and lower case, as in SQL."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)

    def table(self, name: str) -> TableSchema | None:
        """The table of that name, in upper or lower case; a schema of one table has that one, if it has people."""
        return next((t for t in self.all_tables if t.name.lower() == name.lower()), None)

    @property
    def all_tables(self) -> tuple[TableSchema, ...]:
        """Every table with people or public rows; of one table whose rows are people there is none to be joined."""
        if self.tables or self.unit.column is None:
            return self.tables
        return (TableSchema(self.name, self.columns, person=self.unit.column),)

    @property
    def people_table(self) -> str:
        """The table in which everyone is."""
        return str(self.unit.column).partition(".")[0] if self.tables else self.name

    @property
    def people_column(self) -> str:
        """The column of that table which names them."""
        return str(self.unit.column).partition(".")[2] if self.tables else str(self.unit.column)

    def parents_of(self, table: TableSchema) -> tuple[Parent, ...]:
        """The way from a table to one whose rows name their person."""
        parent = table.parent if table.person is None else None
        above = None if parent is None else self.table(parent.table)
        return () if parent is None or above is None else (parent, *self.parents_of(above))

    @property
    def linking_columns(self) -> set[str]:
        """The columns of several tables that say whose the rows are."""
        people = {t.qualified(t.person) for t in self.tables if t.person is not None}
        parents = [(t, t.parent) for t in self.tables if t.parent is not None]
        return people | {n for t, p in parents for n in (t.qualified(p.column), f"{p.table}.{p.key}")}

    def of_table(self, table: TableSchema) -> Schema:
        """One of several tables, as a schema of its own: what it takes to read it."""
        unit = PrivacyUnit(table.person) if table.person is not None else PrivacyUnit()
        return replace(self, name=table.name, columns=table.columns, unit=unit, tables=(), rule=None)

    def section(self, column: str) -> str:
        """Where the schema file describes a column: `[columns.age]`, or `[tables.orders.columns.amount]`."""
        table, _, own = column.partition(".")
        if self.tables and self.table(table) is not None:
            return f"[tables.{table}.columns.{own}]"
        return f"[columns.{column}]"

    def bounds_of(self, name: str) -> Bounds:
        column = self.column(name)
        if column is not None and column.bounds is None and column.open is not None:
            return column.open.bounds
        if column is None or column.bounds is None:
            hint = f"add bounds = [lowest, highest] under {self.section(name)} in {self.origin}."
            raise SchemaError(f"Column '{name}' is summed but has no bounds", hint=hint)
        return column.bounds

    def span_of(self, name: str) -> DateBounds:
        column = self.column(name)
        if column is None or column.span is None:
            example = "[2020-01-01, 2029-12-31]"
            hint = (
                f"add bounds = {example}, the first and last that is possible, under {self.section(name)} in "
                f"{self.origin}."
            )
            raise SchemaError(f"Column '{name}' is computed with but has no bounds", hint=hint)
        return column.span

    def fingerprints(self) -> dict[str, str]:
        """One fingerprint per column and one ("") for the table: what a record compares.

        The column of people is in that of the table: every question reads it, also one that does not name it. How many
        people there are at least has one of its own where it is stated: nothing but a private selection reads it.
        """
        named = self.unit.column
        unit = named and [named, *(c.fingerprint() for c in self.columns if c.name == named)]
        groups: list[object] = [] if self.unit.max_groups is None else [self.unit.max_groups]
        groups += [] if self.rows_per_person is None else [f"rows per person {self.rows_per_person}"]
        table = _fingerprint([self.name, unit, self.unit.max_rows, self.relation, self.null_values, *groups])
        known = {} if self.people_at_least is None else {AT_LEAST: _fingerprint(self.people_at_least)}
        return {"": table} | known | {column.name: self._fingerprint_of(column) for column in self.columns}

    def _fingerprint_of(self, column: SchemaColumn) -> str:
        """That of a column covers whose the rows of its table are: a query reads a column of each table in it."""
        table = self.table(column.name.partition(".")[0]) if self.tables else None
        return column.fingerprint() if table is None else _fingerprint([column.fingerprint(), table.structure])


def _fingerprint(public: object) -> str:
    return hashlib.sha256(json.dumps(public, sort_keys=True).encode()).hexdigest()[:16]
