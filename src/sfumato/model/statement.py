"""A question in SQL, taken apart: only `sql/parser` makes a Statement, and nothing downstream re-checks it."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import Any

from sfumato.model.levels import Level
from sfumato.model.schema import Schema, Type


@dataclass(frozen=True)
class ColumnRef:
    name: str
    type: Type | None  # None: a column whose type answers no comparison, only IS NULL and COUNT

    @property
    def words(self) -> str:
        return self.name


@dataclass(frozen=True)
class Constant:
    value: bool | Fraction | str | date | None
    type: Type

    @property
    def words(self) -> str:
        return f"{float(self.value):g}" if isinstance(self.value, Fraction) else repr(self.value)


@dataclass(frozen=True)
class Arithmetic:
    """Row-wise arithmetic in floating point: total, a division by zero is missing."""

    operator: str
    left: Scalar
    right: Scalar
    type: Type = Type.NUMBER

    @property
    def words(self) -> str:
        return f"({self.left.words} {self.operator} {self.right.words})"


@dataclass(frozen=True)
class Call:
    """A row-wise function of the table in `model/functions.py`."""

    name: str
    arguments: tuple[Scalar, ...]
    type: Type

    @property
    def words(self) -> str:
        if self.name in ("TO_DATE", "TO_TIMESTAMP"):
            return f"CAST({self.arguments[-1].words} AS {self.type.upper()})"
        if not self.name.isidentifier():
            return f"({f' {self.name} '.join(a.words for a in self.arguments)})"
        return f"{self.name}({', '.join(a.words for a in self.arguments)})"


@dataclass(frozen=True)
class Case:
    """CASE WHEN ... THEN ... ELSE ... END; without an ELSE the rest is missing."""

    branches: tuple[tuple[Predicate, Scalar], ...]
    otherwise: Scalar
    type: Type

    @property
    def words(self) -> str:
        return f"{self.branches[0][1].words} where a condition holds" if len(self.branches) == 1 else "CASE"


@dataclass(frozen=True)
class Condition:
    """A condition as a value: true, false, or missing where it is unknown."""

    met: Predicate
    type: Type = Type.BOOLEAN

    @property
    def words(self) -> str:
        return "a condition"


class PairKind(StrEnum):
    """How two columns go together."""

    CORR = "CORR"
    COVAR_POP = "COVAR_POP"
    COVAR_SAMP = "COVAR_SAMP"
    REGR_SLOPE = "REGR_SLOPE"
    REGR_INTERCEPT = "REGR_INTERCEPT"
    REGR_R2 = "REGR_R2"

    @property
    def squares(self) -> int:
        """How many of the two columns have their squares added up; the second column comes first."""
        return {PairKind.CORR: 2, PairKind.REGR_R2: 2, PairKind.REGR_SLOPE: 1, PairKind.REGR_INTERCEPT: 1}.get(self, 0)

    @property
    def lost(self) -> int:
        """The degrees of freedom that the covariance of a sample gives up."""
        return int(self is PairKind.COVAR_SAMP)


@dataclass(frozen=True)
class PairStatistic:
    """A correlation, a covariance or a part of a regression line, computed from noisy totals (docs/theory/pairs.md).

    `totals` are outputs, by name: how many rows have both values, the sums of both and of their product, and the sums
    of the squares of the second and of the first where `kind` needs them. Values are taken off their middles before,
    and half the square of the half width off each square.
    """

    kind: PairKind
    first: Scalar
    second: Scalar
    totals: tuple[ColumnRef, ...]
    middles: tuple[Fraction, Fraction]
    half_widths: tuple[Fraction, Fraction]
    type: Type = Type.NUMBER

    @property
    def words(self) -> str:
        return f"{self.kind}({self.first.words}, {self.second.words})"


@dataclass(frozen=True)
class SumOverGroups:
    """SUM(...) OVER (): a count or a sum of the noisy answer, by its name, added up over all groups with these keys."""

    of: ColumnRef
    within: tuple[ColumnRef, ...] = ()

    @property
    def type(self) -> Type | None:
        return self.of.type

    @property
    def words(self) -> str:
        same = "".join(f" with the same {key.words}" for key in self.within)
        return f"the sum of {self.of.words} over all groups{same}"


Scalar = ColumnRef | Constant | Arithmetic | Call | Case | Condition | PairStatistic | SumOverGroups


@dataclass(frozen=True)
class Compare:
    operator: str
    left: Scalar
    right: Scalar


@dataclass(frozen=True)
class Membership:
    operand: Scalar
    members: tuple[Constant, ...]


@dataclass(frozen=True)
class Missing:
    operand: Scalar


@dataclass(frozen=True)
class Pattern:
    operand: Scalar
    pattern: str
    ignore_case: bool = False


@dataclass(frozen=True)
class Truth:
    """A boolean that stands alone."""

    operand: Scalar


@dataclass(frozen=True)
class Not:
    part: Predicate


@dataclass(frozen=True)
class All:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class AnyOf:
    parts: tuple[Predicate, ...]


Predicate = Compare | Membership | Missing | Pattern | Truth | Not | All | AnyOf


def parts_of(part: Scalar | Predicate) -> tuple[Scalar | Predicate, ...]:
    """What a scalar or a predicate is directly made of."""
    match part:
        case Arithmetic(_, left, right) | Compare(_, left, right):
            return (left, right)
        case Call(_, parts) | All(parts) | AnyOf(parts):
            return parts
        case PairStatistic(_, _, _, totals):
            return totals
        case SumOverGroups(of, within):
            return (of, *within)
        case Case(branches, otherwise):
            return (*(inner for branch in branches for inner in branch), otherwise)
        case Condition(met):
            return (met,)
        case Membership(operand) | Missing(operand) | Pattern(operand) | Truth(operand) | Not(operand):
            return (operand,)
    return ()


def results_of(branches: Iterable[tuple[Predicate, Scalar]], otherwise: Scalar) -> list[Scalar]:
    """What a CASE may give, but NULL."""
    results = [*(result for _, result in branches), otherwise]
    return [result for result in results if not (isinstance(result, Constant) and result.value is None)]


def columns_in(part: Scalar | Predicate) -> Iterator[ColumnRef]:
    """Every column that a scalar or a predicate reads."""
    if isinstance(part, ColumnRef):
        yield part
    for inner in parts_of(part):
        yield from columns_in(inner)


def sums_over_groups(part: Scalar | Predicate) -> Iterator[SumOverGroups]:
    """Every sum over groups that a computed column reads."""
    if isinstance(part, SumOverGroups):
        yield part
    for inner in parts_of(part):
        yield from sums_over_groups(inner)


def calls_in(part: Any) -> Iterator[str]:
    """The names of the functions that a statement calls, or a part of one."""
    if isinstance(part, Call):
        yield part.name
    if isinstance(part, tuple):
        for inner in part:
            yield from calls_in(inner)
    elif is_dataclass(part):
        for field_ in fields(part):
            yield from calls_in(getattr(part, field_.name))


def replaced(part: Predicate, by: Mapping[Any, Scalar]) -> Predicate:
    """The same condition, with a value in place of each part that is named."""
    in_place: Predicate = _replaced(part, by)
    return in_place


def with_values(part: Scalar, by: Mapping[Any, Scalar]) -> Scalar:
    """The same of a value."""
    in_place: Scalar = _replaced(part, by)
    return in_place


def _replaced(part: Any, by: Mapping[Any, Scalar]) -> Any:
    if isinstance(part, tuple):
        return tuple(_replaced(inner, by) for inner in part)
    if not isinstance(part, Scalar | Predicate):
        return part
    if part in by:
        return Truth(by[part]) if isinstance(part, Predicate) else by[part]
    return replace(part, **{field.name: _replaced(getattr(part, field.name), by) for field in fields(part)})


class AggregateKind(StrEnum):
    """The aggregates that are answered."""

    COUNT = "COUNT"
    COUNT_DISTINCT = "COUNT DISTINCT"
    SUM = "SUM"
    AVG = "AVG"
    VAR_POP = "VAR_POP"
    VAR_SAMP = "VAR_SAMP"
    STDDEV_POP = "STDDEV_POP"
    STDDEV_SAMP = "STDDEV_SAMP"
    MIN = "MIN"
    MAX = "MAX"
    QUANTILE_CONT = "QUANTILE_CONT"
    QUANTILE_DISC = "QUANTILE_DISC"
    APPROX_QUANTILE = "APPROX_QUANTILE"

    @property
    def counts(self) -> bool:
        """Whether it takes values of any type, and is 0 where there are none."""
        return self in (AggregateKind.COUNT, AggregateKind.COUNT_DISTINCT)

    @property
    def spreads(self) -> bool:
        """Whether it is a variance or the root of one."""
        return self.is_root or self in (AggregateKind.VAR_POP, AggregateKind.VAR_SAMP)

    @property
    def is_root(self) -> bool:
        return self in (AggregateKind.STDDEV_POP, AggregateKind.STDDEV_SAMP)

    @property
    def lost(self) -> int:
        """The degrees of freedom that a variance of a sample gives up."""
        return 1 if self in (AggregateKind.VAR_SAMP, AggregateKind.STDDEV_SAMP) else 0

    @property
    def ranks(self) -> bool:
        return self in (AggregateKind.QUANTILE_CONT, AggregateKind.QUANTILE_DISC, AggregateKind.APPROX_QUANTILE)

    @property
    def selects(self) -> bool:
        """Whether the answer is a value at some rank, and no sum."""
        return self.ranks or self in (AggregateKind.MIN, AggregateKind.MAX)


@dataclass(frozen=True)
class Aggregate:
    kind: AggregateKind
    argument: Scalar | None = None  # None: COUNT(*)
    at: Fraction | None = None  # which quantile

    def __post_init__(self) -> None:
        if self.argument is None and self.kind is not AggregateKind.COUNT:
            raise ValueError(f"{self.kind} needs an argument")
        if self.kind.ranks != (self.at is not None):
            raise ValueError("a quantile says which, and nothing else does")

    @property
    def extreme(self) -> AggregateKind | None:
        """MIN or MAX, where it is one of them; the quantiles at 0 and 1 are."""
        if self.at is None:
            return self.kind
        return {Fraction(0): AggregateKind.MIN, Fraction(1): AggregateKind.MAX}.get(self.at)

    @property
    def words(self) -> str:
        if self.kind is AggregateKind.QUANTILE_CONT and self.at == Fraction(1, 2):
            return "MEDIAN"
        return f"{self.kind}{'' if self.at is None else f' at {float(self.at):g}'}"


@dataclass(frozen=True)
class Key:
    """What rows are grouped by: a column, under its name, or a computed value, under its SQL."""

    name: str
    expression: Scalar

    @property
    def type(self) -> Type | None:
        return self.expression.type

    @property
    def column(self) -> ColumnRef | None:
        """The column that it is; None: it is computed."""
        return self.expression if isinstance(self.expression, ColumnRef) else None


@dataclass(frozen=True)
class Computation:
    """A column computed from others of the noisy answer: columns in `expression` are outputs, by name."""

    expression: Scalar

    @property
    def type(self) -> Type | None:
        return self.expression.type


@dataclass(frozen=True)
class Grouping:
    """GROUPING(a, b): which of these keys are rolled up in a row, as the digits of a binary number."""

    keys: tuple[Key, ...]


Source = Key | Aggregate | Computation | Grouping


@dataclass(frozen=True)
class Output:
    """One column of the answer: a group key, an aggregate, or computed from others.

    What only HAVING, ORDER BY and computed columns read is not visible.
    """

    name: str
    source: Source
    visible: bool = True


@dataclass(frozen=True)
class Order:
    """One column of the noisy answer by which its rows are sorted; what is missing comes last, or first."""

    output: str
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True)
class Afterwards:
    """What is done to the noisy answer: HAVING, ORDER BY, LIMIT. Columns in `having` are outputs, by name."""

    having: Predicate | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0

    @property
    def picks(self) -> bool:
        """Whether it leaves rows out."""
        return self.having is not None or self.limit is not None or self.offset > 0


NOTHING = Afterwards()


class DerivedTable(ABC):
    """What a statement reads in place of the registered table.

    Each of its rows is computed from the rows of one person, so a person who leaves takes these rows along and changes
    no other (docs/theory/own-rows.md). Everything downstream reads it as it would read a registered table.
    """

    person: str  # the column that names the person

    @abstractmethod
    def schema(self, registered: Schema) -> Schema:
        """What is publicly known of it. Where it has one row for each person, a row is the privacy unit."""

    @abstractmethod
    def registered_columns(self, read: Iterable[str]) -> set[str]:
        """The columns of the registered table that it is computed from, where these of its own are read."""

    @property
    @abstractmethod
    def expressions(self) -> tuple[Scalar | Predicate, ...]:
        """Everything that is computed in it and in what it reads."""

    @property
    @abstractmethod
    def one_row_each(self) -> bool:
        """Whether a person has one row at most."""


@dataclass(frozen=True)
class Statement:
    """One SELECT of aggregates over one table; `text` is regenerated from these parts."""

    table: str
    outputs: tuple[Output, ...]
    where: Predicate | None
    keys: tuple[Key, ...]
    columns: tuple[str, ...]  # every column of the registered table that it reads
    text: str
    afterwards: Afterwards = NOTHING
    derived: DerivedTable | None = None  # None: it reads the registered table itself
    levels: tuple[Level, ...] = ()  # of ROLLUP, CUBE and GROUPING SETS; without them it groups by all keys

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        return tuple(o.source for o in self.outputs if isinstance(o.source, Aggregate))

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()

    def schema(self, registered: Schema) -> Schema:
        """What is publicly known of the table that it reads."""
        return registered if self.derived is None else self.derived.schema(registered)


_SQUARED = (AggregateKind.VAR_POP, AggregateKind.VAR_SAMP)


def units_of(statement: Statement, schema: Schema) -> Iterator[str]:
    """The unit of each visible column of an answer: that of the column it aggregates; empty: none is stated."""
    for output in statement.outputs:
        if output.visible:
            source = output.source
            column = source.argument if isinstance(source, Aggregate) and not source.kind.counts else None
            known = schema.column(column.name) if isinstance(column, ColumnRef) else None
            unit = "" if known is None else known.unit
            yield f"{unit}²" if unit and isinstance(source, Aggregate) and source.kind in _SQUARED else unit
