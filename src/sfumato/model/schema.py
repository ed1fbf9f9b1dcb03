"""What is publicly known about a table: who is protected, and what its columns may hold."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from sfumato.errors import SchemaError
from sfumato.model.budget import NO_BUDGET, BudgetLimit

Category = str | int | bool
MOST_LISTED = 10_000  # whole numbers that bounds, or categories such as "1..5", list as group keys

OURS = "sfumato "  # names that start so are ours, beside those that users gave
PERSON, RAW_TEXT, AT_LEAST, BUDGET = OURS + "person", OURS + "raw ", OURS + "people at least", OURS + "budget"


class Type(StrEnum):
    """The types a schema may state; values that do not fit are missing."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"

    @property
    def numeric(self) -> bool:
        return self in (Type.INTEGER, Type.NUMBER)


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


@dataclass(frozen=True)
class SchemaColumn:
    name: str
    type: Type
    bounds: Bounds | None = None
    categories: tuple[Category, ...] | None = None
    step: Fraction | None = None  # between the candidates of medians and quantiles
    private_keys: bool = False  # its values are no public knowledge: groups are found by a thresholded release
    format: Format | None = None  # of texts; stored numbers and dates have none

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
    def listed(self) -> tuple[Category, ...] | None:
        """The public values that are listed one by one."""
        return (False, True) if self.categories is None and self.type is Type.BOOLEAN else self.categories

    def fingerprint(self) -> str:
        bounds = self.bounds and [str(self.bounds.lower), str(self.bounds.upper)]
        step = self.step and str(self.step)
        written = [] if self.format is None else [self.format]
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


@dataclass(frozen=True)
class Schema:
    """A table's public description, as its TOML file states it."""

    name: str
    columns: tuple[SchemaColumn, ...]
    unit: PrivacyUnit = PrivacyUnit()
    relation: Relation = Relation.ADD_REMOVE
    null_values: tuple[str, ...] = ()
    people_at_least: int | None = None
    rule: Mapping[str, object] | None = field(default=None)
    origin: str = "the schema"
    budget: BudgetLimit = NO_BUDGET  # in no fingerprint here: the record has the stricter of this and the opening's
    looked: str = ""  # who saw values of the data while they wrote it, and when; in no fingerprint: it is a look
    population: str = ""  # datasets that name the same one are about the same people, and are counted together

    def column(self, name: str) -> SchemaColumn | None:
        """The column of that name; names are the same in upper and lower case, as in SQL."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)

    def bounds_of(self, name: str) -> Bounds:
        column = self.column(name)
        if column is None or column.bounds is None:
            hint = f"add bounds = [lowest, highest] under [columns.{name}] in {self.origin}."
            raise SchemaError(f"Column '{name}' is summed but has no bounds", hint=hint)
        return column.bounds

    def fingerprints(self) -> dict[str, str]:
        """One fingerprint per column and one ("") for the table: what a record compares.

        The column of people is in that of the table: every question reads it, also one that does not name it. How many
        people there are at least has one of its own where it is stated: nothing but a private selection reads it.
        """
        named = self.unit.column
        unit = named and [named, *(c.fingerprint() for c in self.columns if c.name == named)]
        groups = [] if self.unit.max_groups is None else [self.unit.max_groups]
        table = _fingerprint([self.name, unit, self.unit.max_rows, self.relation, self.null_values, *groups])
        known = {} if self.people_at_least is None else {AT_LEAST: _fingerprint(self.people_at_least)}
        return {"": table} | known | {column.name: column.fingerprint() for column in self.columns}


def _fingerprint(public: object) -> str:
    return hashlib.sha256(json.dumps(public, sort_keys=True).encode()).hexdigest()[:16]
