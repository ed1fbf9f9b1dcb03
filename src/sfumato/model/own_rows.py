"""Tables derived from each person's own rows: what a sub-select groups by person, and windows over a person's rows.

Inside them all rows of a person count, so `max_rows` has no part here: a person's figures are functions of that
person's rows alone (docs/theory/own-rows.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from sfumato.model.schema import PrivacyUnit, Schema, SchemaColumn
from sfumato.model.statement import DerivedTable, Predicate, Scalar, columns_in


class OwnKind(StrEnum):
    """What is computed from a person's own rows."""

    COUNT = "COUNT"
    COUNT_DISTINCT = "COUNT DISTINCT"
    SUM = "SUM"
    AVG = "AVG"
    MIN = "MIN"
    MAX = "MAX"
    FIRST = "FIRST"
    LAST = "LAST"
    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"
    LAG = "LAG"
    LEAD = "LEAD"

    @property
    def adds_up(self) -> bool:
        """Whether it adds values up, which is done in whole steps."""
        return self in (OwnKind.SUM, OwnKind.AVG)

    @property
    def needs_window(self) -> bool:
        return self in (OwnKind.ROW_NUMBER, OwnKind.RANK, OwnKind.DENSE_RANK, OwnKind.LAG, OwnKind.LEAD)

    @property
    def needs_order(self) -> bool:
        return self.needs_window or self in (OwnKind.FIRST, OwnKind.LAST)

    @property
    def places(self) -> bool:
        """Whether it depends on the place of each row, so that rows of equal order have to be told apart."""
        return self in (OwnKind.ROW_NUMBER, OwnKind.LAG, OwnKind.LEAD)


@dataclass(frozen=True)
class Sorted:
    """One expression by which a person's rows are put in order; NULL comes last."""

    by: Scalar
    descending: bool = False


@dataclass(frozen=True)
class OwnFigure:
    """One figure of a person's own rows: of those in a group, or of those in a window."""

    declared: SchemaColumn  # its name, and what is publicly known of it
    kind: OwnKind
    argument: Scalar | None = None
    step: Fraction | None = None  # where values are added up: each is a whole number of steps
    order: tuple[Sorted, ...] = ()
    within: tuple[Scalar, ...] = ()  # what the rows of a window have in common besides the person
    offset: int = 1  # of LAG and LEAD

    def __post_init__(self) -> None:
        if self.kind.adds_up != (self.step is not None):
            raise ValueError("what is added up has a step, and nothing else does")


@dataclass(frozen=True)
class DerivedKey:
    """What a person's rows are grouped by, beside the person."""

    declared: SchemaColumn
    expression: Scalar


@dataclass(frozen=True)
class DerivedColumn:
    """One column of the result, computed from the keys and figures of a group."""

    declared: SchemaColumn
    value: Scalar


@dataclass(frozen=True)
class OwnGroups(DerivedTable):
    """SELECT person, keys, figures FROM ... WHERE ... GROUP BY person, keys HAVING ...: one row for each group."""

    person: str
    keys: tuple[DerivedKey, ...]
    figures: tuple[OwnFigure, ...]
    columns: tuple[DerivedColumn, ...]  # beside the person
    reads: DerivedTable | None = None  # None: the registered table
    where: Predicate | None = None
    having: Predicate | None = None

    @property
    def expressions(self) -> tuple[Scalar | Predicate, ...]:
        own = (*(key.expression for key in self.keys), *_read_by(self.figures), *(c.value for c in self.columns))
        kept = tuple(part for part in (self.where, self.having) if part is not None)
        return (*own, *kept, *_expressions_of(self.reads))

    def registered_columns(self, _read: Iterable[str]) -> set[str]:
        parts = (*(key.expression for key in self.keys), *_read_by(self.figures), self.where)
        return _registered(self.reads, {self.person} | _named_in(parts))

    @property
    def one_row_each(self) -> bool:
        return not self.keys or (self.reads is not None and self.reads.one_row_each)

    def inner_schema(self, registered: Schema) -> Schema:
        """What is known of the person, the keys and the figures, from which the columns are computed."""
        keys, figures = (key.declared for key in self.keys), (figure.declared for figure in self.figures)
        return self._with(registered, (*keys, *figures))

    def schema(self, registered: Schema) -> Schema:
        return self._with(registered, (column.declared for column in self.columns))

    def _with(self, registered: Schema, columns: Iterable[SchemaColumn]) -> Schema:
        unit = PrivacyUnit() if self.one_row_each else replace(registered.unit, column=self.person)
        named = tuple(c for c in _source_of(self.reads, registered).columns if c.name == self.person)
        return replace(registered, columns=(*named, *columns), unit=unit, null_values=())


@dataclass(frozen=True)
class OwnWindows(DerivedTable):
    """SELECT *, figure OVER (PARTITION BY person ...), ... FROM ... WHERE ...: each row beside the figures."""

    person: str
    figures: tuple[OwnFigure, ...]
    reads: DerivedTable | None = None
    where: Predicate | None = None

    @property
    def expressions(self) -> tuple[Scalar | Predicate, ...]:
        kept = () if self.where is None else (self.where,)
        return (*_read_by(self.figures), *kept, *_expressions_of(self.reads))

    def registered_columns(self, read: Iterable[str]) -> set[str]:
        beside = set(read) - {figure.declared.name for figure in self.figures}
        return _registered(self.reads, {self.person} | beside | _named_in((*_read_by(self.figures), self.where)))

    @property
    def one_row_each(self) -> bool:
        return self.reads is not None and self.reads.one_row_each

    def schema(self, registered: Schema) -> Schema:
        source = _source_of(self.reads, registered)
        return replace(source, columns=(*source.columns, *(f.declared for f in self.figures)), null_values=())


def _source_of(reads: DerivedTable | None, registered: Schema) -> Schema:
    return registered if reads is None else reads.schema(registered)


def _expressions_of(reads: DerivedTable | None) -> tuple[Scalar | Predicate, ...]:
    return () if reads is None else reads.expressions


def _registered(reads: DerivedTable | None, read: set[str]) -> set[str]:
    return read if reads is None else reads.registered_columns(read)


def _read_by(figures: Iterable[OwnFigure]) -> tuple[Scalar, ...]:
    """Everything that figures read of a row."""
    return tuple(
        part
        for f in figures
        for part in (*([] if f.argument is None else [f.argument]), *(by.by for by in f.order), *f.within)
    )


def _named_in(parts: Iterable[Scalar | Predicate | None]) -> set[str]:
    return {ref.name for part in parts if part is not None for ref in columns_in(part)}
