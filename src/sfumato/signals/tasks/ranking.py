"""Tasks about an order: who comes first, do two orders agree, does it rise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar, Self

from sfumato.errors import BadInput
from sfumato.signals.tasks.table import Table, Tables
from sfumato.signals.tasks.task import ColumnTask, is_whole, names


def _from_the_top(figures: dict[str, float]) -> list[str]:
    """Labels from the largest figure down; equals by their label, so that the order of rows tells nothing."""
    return sorted(figures, key=lambda label: (-figures[label], label))


@dataclass(frozen=True, kw_only=True)
class TopK(ColumnTask):
    """The share of the `k` largest that are among the first k of a reference order; left out: of the release itself.

    >>> table = Table(("place", "n"), (("a", 9), ("b", 7), ("c", 1)), ("n",))
    >>> TopK(column="n", k=2, reference=("b", "c", "a")).score([table])
    0.5
    """

    name: ClassVar[str] = "top_k"
    k: int = 3
    reference: tuple[str, ...] = ()

    decides = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "reference", names(self.reference))
        if not is_whole(self.k) or self.k < 1:
            raise BadInput.because("task-k", task=self.name, k=repr(self.k))

    @property
    def rows(self) -> tuple[str, ...]:
        return self.reference

    def require_rows(self, labels: Sequence[str]) -> None:
        super().require_rows(labels)
        if self.k > len(labels):
            raise BadInput.because("task-k-too-large", task=self.name, rows=len(labels), k=self.k)

    def against(self, tables: Tables) -> Self:
        return self if self.reference else replace(self, reference=_release_order(self, tables))

    def _score(self, table: Table) -> float | None:
        largest, wanted = _from_the_top(table.figure(self.column))[: self.k], self.reference[: self.k]
        return len({*largest} & {*wanted}) / len(wanted) if wanted else None


@dataclass(frozen=True, kw_only=True)
class SignedTask(ColumnTask):
    """A score from -1 to 1; 0 is neither."""

    range = -1.0, 1.0
    undefined = 0.0


@dataclass(frozen=True, kw_only=True)
class RankAgreement(SignedTask):
    """Kendall's tau between the order of a column and a reference order, from the top; left out: of the release itself.

    Of all pairs in the reference, the share in the same order less the share in the other one; a tie is neither.

    >>> table = Table(("place", "n"), (("a", 9), ("b", 7), ("c", 1)), ("n",))
    >>> round(RankAgreement(column="n", reference=("b", "a", "c")).score([table]), 3)
    0.333
    """

    name: ClassVar[str] = "rank_agreement"
    reference: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "reference", names(self.reference))

    @property
    def rows(self) -> tuple[str, ...]:
        return self.reference

    def against(self, tables: Tables) -> Self:
        return self if self.reference else replace(self, reference=_release_order(self, tables))

    def _score(self, table: Table) -> float | None:
        figures = table.figure(self.column)
        known = [label for label in self.reference if label in figures]
        pairs = [(figures[first], figures[second]) for first, second in combinations(known, 2)]
        return sum((a > b) - (a < b) for a, b in pairs) / len(pairs) if pairs else None


@dataclass(frozen=True, kw_only=True)
class Trend(SignedTask):
    """Whether a column rises (1) or falls (-1) along a stated order of its rows: the sign of the slope; 0 is neither.

    Without an order the rows' labels are its places, where they are numbers.

    >>> table = Table(("year", "n"), ((2021, 5), (2022, 6), (2024, 4)), ("n",))
    >>> Trend(column="n").score([table]), Trend(column="n", order=("2024", "2021", "2022")).score([table])
    (-1.0, 1.0)
    """

    name: ClassVar[str] = "trend"
    order: tuple[str, ...] = ()

    decides = halfspace = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", names(self.order))

    @property
    def rows(self) -> tuple[str, ...]:
        return self.order

    def require_rows(self, labels: Sequence[str]) -> None:
        super().require_rows(labels)
        if not self.order and not all(map(_is_place, labels)):
            raise BadInput.because("task-order-missing", task=self.name)

    def _score(self, table: Table) -> float | None:
        figures = table.figure(self.column)
        places = {label: float(place) for place, label in enumerate(self.order)} or {x: float(x) for x in figures}
        points = [(places[label], figures[label]) for label in places if label in figures]
        middle = sum(x for x, _ in points) / len(points)
        slope = sum((x - middle) * y for x, y in points)
        return float((slope > 0) - (slope < 0))


def _is_place(label: str) -> bool:
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False


def _release_order(task: TopK | RankAgreement, tables: Tables) -> tuple[str, ...]:
    """The order of the release itself."""
    table = tables[task.table] if task.table < len(tables) else Table((), (), ())
    return tuple(_from_the_top(table.figure(task.column))) if task.column in table.columns else ()
