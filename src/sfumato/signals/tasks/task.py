"""A task: a named score of released tables, within a stated range, with a Lipschitz constant where it has one."""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

from sfumato.errors import BadInput
from sfumato.signals.tasks.table import Table, Tables

Reference = tuple[tuple[str, float], ...]
"""Numbers by the label of their row, as they are publicly known."""

DECIMALS = 2  # of a score, as it may leave
_SHOWN = 20  # rows that an error names


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """Named, with parameters that JSON can hold. It reads the table at `table`, one per query.

    A score is a function of the tables alone and never fails: where it has no meaning it is `undefined`, a constant
    within the range. `lipschitz` is by how much the score moves at most, when the figures in `reads` move by 1 in all.
    """

    name: ClassVar[str]
    beside: ClassVar[int] = 0  # what else than a score may come, where it is told apart
    table: int = 0

    @property
    def range(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def span(self) -> float:
        low, high = self.range
        return high - low

    @property
    def undefined(self) -> float:
        return self.range[0]

    @property
    def slopes(self) -> Mapping[str, float] | None:
        """Of each column that is read, by how much the score moves at most when its figures move by 1 in all."""
        return None

    @property
    def lipschitz(self) -> float | None:
        return None if self.slopes is None else max(self.slopes.values(), default=0.0)

    @property
    def affine(self) -> bool:
        """Whether noise moves the score by as much wherever the figures are, but for the ends of the range."""
        return False

    @property
    def halfspace(self) -> bool:
        """Whether it decides by the sign of a sum of multiples of figures, and of a constant."""
        return False

    @property
    def decides(self) -> bool:
        """Whether scores are answers to a question, of which there are few, rather than amounts."""
        return False

    @property
    @abstractmethod
    def reads(self) -> tuple[str, ...]:
        """The figures that the score depends on."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows that it names: without them a score would have no meaning."""
        return ()

    def require_rows(self, labels: Sequence[str]) -> None:
        """Refuse a name that no row has: what is said of a score without meaning would mislead."""
        strange = [name for name in self.rows if name not in labels]
        if strange:
            first = list(labels[:_SHOWN])
            raise BadInput.because("task-row-unknown", task=self.name, row=strange[0], rows=first, count=len(labels))

    @abstractmethod
    def _score(self, table: Table) -> float | None:
        """The score of one table; None, or any error of arithmetic or of what is missing, means undefined."""

    def score(self, tables: Tables) -> float:
        low, high = self.range
        return min(high, max(low, self.beyond(tables)))

    def outcome(self, tables: Tables) -> float | None:
        """The score; None where there is none and that is told."""
        return self.score(tables)

    def beyond(self, tables: Tables) -> float:
        """The score before it is held within its range."""
        try:
            score = self._score(tables[self.table])
        except (ArithmeticError, LookupError, TypeError, ValueError):
            score = None
        return self.undefined if score is None or not math.isfinite(score) else float(score)

    def against(self, tables: Tables) -> Self:
        """The same task where what it compares with was left open: then that is these tables, which are public."""
        del tables
        return self

    @property
    def missing(self) -> str | None:
        """What has to be installed before it can be computed; None: nothing."""
        return None

    def as_dict(self) -> dict[str, Any]:
        return {"task": self.name} | {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def require_slopes(self) -> None:
        """Refuse constants that no float holds."""
        if not all(map(math.isfinite, (self.slopes or {}).values())):
            raise BadInput.because("task-too-steep", task=self.name)


@dataclass(frozen=True, kw_only=True)
class ColumnTask(Task):
    """A task about the figures of one column."""

    column: str

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.column,)


@dataclass(frozen=True, kw_only=True)
class ReferenceTask(ColumnTask):
    """A task that compares a column with public numbers."""

    reference: Reference = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "reference", reference(self.reference))

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.reference)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def names(value: object) -> tuple[str, ...]:
    """A list of names from JSON; a name alone is a list of one."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable) or not all(isinstance(name, str | int) for name in value):
        raise BadInput.because("task-names-not-listed")
    return tuple(map(str, value))


def reference(value: object) -> Reference:
    """Numbers by label from JSON."""
    pairs = value.items() if isinstance(value, Mapping) else value
    try:
        numbers = [(str(label), float(number)) for label, number in pairs]  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        numbers = [("", math.nan)]
    if not all(math.isfinite(number) for _, number in numbers):
        raise BadInput.because("task-reference-not-numbers")
    return tuple(sorted(dict(numbers).items()))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        pairs = bool(value) and all(isinstance(part, tuple) for part in value)
        return dict(value) if pairs else list(value)
    return value
