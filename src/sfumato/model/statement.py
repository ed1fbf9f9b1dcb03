"""A question in SQL, taken apart: only `sql/parser` makes a Statement, and nothing downstream re-checks it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction

from sfumato.model.schema import Type


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
    """A row-wise function of the allow-list: ABS, COALESCE, LOWER, UPPER."""

    name: str
    arguments: tuple[Scalar, ...]
    type: Type

    @property
    def words(self) -> str:
        return f"{self.name}({', '.join(a.words for a in self.arguments)})"


@dataclass(frozen=True)
class Case:
    """CASE WHEN ... THEN ... ELSE ... END; without an ELSE the rest is missing."""

    branches: tuple[tuple[Predicate, Scalar], ...]
    otherwise: Scalar
    type: Type

    @property
    def words(self) -> str:
        return "CASE"


Scalar = ColumnRef | Constant | Arithmetic | Call | Case


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
        case Case(branches, otherwise):
            return (*(inner for branch in branches for inner in branch), otherwise)
        case Membership(operand) | Missing(operand) | Pattern(operand) | Truth(operand) | Not(operand):
            return (operand,)
    return ()


def columns_in(part: Scalar | Predicate) -> Iterator[ColumnRef]:
    """Every column that a scalar or a predicate reads."""
    if isinstance(part, ColumnRef):
        yield part
    for inner in parts_of(part):
        yield from columns_in(inner)


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
        return self in (AggregateKind.QUANTILE_CONT, AggregateKind.QUANTILE_DISC)

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
class Output:
    """One column of the answer: a group key or an aggregate. What only HAVING or ORDER BY read is not visible."""

    name: str
    source: ColumnRef | Aggregate
    visible: bool = True


@dataclass(frozen=True)
class Order:
    """One column of the noisy answer by which its rows are sorted; what is missing comes last."""

    output: str
    descending: bool = False


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


@dataclass(frozen=True)
class Statement:
    """One SELECT of aggregates over one table; `text` is regenerated from these parts."""

    table: str
    outputs: tuple[Output, ...]
    where: Predicate | None
    keys: tuple[ColumnRef, ...]
    columns: tuple[str, ...]  # every column it reads
    text: str
    afterwards: Afterwards = NOTHING

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        return tuple(o.source for o in self.outputs if isinstance(o.source, Aggregate))

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()
