"""A question in SQL, taken apart: only `sql/parse.py` makes a Statement, and nothing downstream re-checks it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction

from sfumato.model.dataset import Type


@dataclass(frozen=True)
class ColumnRef:
    name: str
    type: Type | None  # None: a column whose type answers no comparison, only IS NULL and COUNT


@dataclass(frozen=True)
class Constant:
    value: bool | Fraction | str | date
    type: Type


@dataclass(frozen=True)
class Arithmetic:
    """Row-wise arithmetic in floating point: total, a division by zero is missing."""

    operator: str
    left: Scalar
    right: Scalar
    type: Type = Type.NUMBER


Scalar = ColumnRef | Constant | Arithmetic


@dataclass(frozen=True)
class Comparison:
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
    """A boolean column or constant that stands alone."""

    operand: ColumnRef | Constant


@dataclass(frozen=True)
class Not:
    part: Predicate


@dataclass(frozen=True)
class All:
    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class AnyOf:
    parts: tuple[Predicate, ...]


Predicate = Comparison | Membership | Missing | Pattern | Truth | Not | All | AnyOf


class Kind(StrEnum):
    """The aggregates that are answered."""

    COUNT = "COUNT"
    SUM = "SUM"
    AVG = "AVG"


@dataclass(frozen=True)
class Aggregate:
    kind: Kind
    argument: ColumnRef | None = None  # None: COUNT(*)

    def __post_init__(self) -> None:
        if self.argument is None and self.kind is not Kind.COUNT:
            raise ValueError(f"{self.kind} needs a column")


@dataclass(frozen=True)
class Output:
    """One column of the answer: a group key or an aggregate."""

    name: str
    source: ColumnRef | Aggregate


@dataclass(frozen=True)
class Statement:
    """One SELECT of aggregates over one table; `text` is regenerated from these parts."""

    table: str
    outputs: tuple[Output, ...]
    where: Predicate | None
    keys: tuple[ColumnRef, ...]
    columns: tuple[str, ...]  # every column it reads
    text: str

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        return tuple(o.source for o in self.outputs if isinstance(o.source, Aggregate))

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()
