"""Tasks that decide: is one above another, do counts fit, do two means differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sfumato.errors import BadInput
from sfumato.signals.tasks.distributions import chi_square_tail, student_tail
from sfumato.signals.tasks.table import Table
from sfumato.signals.tasks.task import ColumnTask, ReferenceTask, Task, is_number


@dataclass(frozen=True, kw_only=True)
class Above(ColumnTask):
    """Is the figure of one row above that of another, or above a stated number? 1 is yes.

    With a `width` above 0 the answer is gradual: 0 at so much below, 1 at so much above. Then
    `clamp(1/2 + (a - b) / (2 width))` moves by at most `1 / (2 width)` for each 1 that a figure moves.

    >>> table = Table(("place", "n"), (("here", 30), ("there", 20)), ("n",))
    >>> Above(column="n", a="here", b="there").score([table]), Above(column="n", a="here", b=26, width=8).score([table])
    (1.0, 0.75)
    >>> Above(column="n", a="here", b="there", width=8).lipschitz
    0.0625
    """

    name: ClassVar[str] = "above"
    a: str = ""
    b: str | float = 0.0
    width: float = 0.0

    def __post_init__(self) -> None:
        if not is_number(self.width) or self.width < 0:
            raise BadInput.because("task-width", task=self.name, width=str(self.width))
        if not isinstance(self.b, str) and not is_number(self.b):
            raise BadInput.because("task-compared-with", task=self.name)
        self.require_slopes()

    @property
    def rows(self) -> tuple[str, ...]:
        return (self.a, self.b) if isinstance(self.b, str) else (self.a,)

    @property
    def slopes(self) -> Mapping[str, float] | None:
        return {self.column: 1 / (2 * self.width)} if self.width else None

    @property
    def affine(self) -> bool:
        return self.width > 0

    @property
    def decides(self) -> bool:
        return not self.width

    @property
    def halfspace(self) -> bool:
        return self.decides

    @property
    def undefined(self) -> float:
        return 0.0 if self.decides else 0.5

    def _score(self, table: Table) -> float | None:
        figures = table.figure(self.column)
        apart = figures[self.a] - (figures[self.b] if isinstance(self.b, str) else self.b)
        return 0.5 + apart / (2 * self.width) if self.width else float(apart > 0)


@dataclass(frozen=True, kw_only=True)
class ChiSquare(ReferenceTask):
    """Does a chi-square test at `level` reject that counts are shared out as the reference says? 1 is yes.

    Without a reference, that all rows are alike. Noise is not allowed for: the test is the analyst's, as they would run
    it on exact counts.

    >>> table = Table(("place", "n"), (("here", 60), ("there", 40)), ("n",))
    >>> ChiSquare(column="n").score([table]), ChiSquare(column="n", level=0.01).score([table])
    (1.0, 0.0)
    """

    name: ClassVar[str] = "chi_square"
    level: float = 0.05

    decides = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not all(n > 0 for _, n in self.reference):
            raise BadInput.because("task-reference-not-positive", task=self.name)
        _require_level(self, self.level)

    def _score(self, table: Table) -> float | None:
        figures = table.figure(self.column)
        shares = dict(self.reference) or dict.fromkeys(figures, 1.0)
        counts = {label: figures.get(label, 0.0) for label in shares}
        everyone, whole = sum(counts.values()), sum(shares.values())
        if len(shares) < 2 or everyone <= 0:
            return None
        expected = {label: everyone * share / whole for label, share in shares.items()}
        statistic = sum((counts[label] - expected[label]) ** 2 / expected[label] for label in shares)
        return float(chi_square_tail(statistic, len(shares) - 1) < self.level)


@dataclass(frozen=True, kw_only=True)
class TTest(Task):
    """Does Welch's t-test at `level` find that the means of two rows differ? 1 is yes.

    It reads mean, variance and count of each from the columns of these names.

    >>> rows = (("a", 10.0, 4.0, 50), ("b", 11.0, 4.0, 50))
    >>> table = Table(("who", "m", "v", "n"), rows, ("m", "v", "n"))
    >>> TTest(mean="m", variance="v", count="n", a="a", b="b").score([table])
    1.0
    """

    name: ClassVar[str] = "t_test"
    mean: str
    variance: str
    count: str
    a: str
    b: str
    level: float = 0.05

    decides = True

    def __post_init__(self) -> None:
        _require_level(self, self.level)

    @property
    def reads(self) -> tuple[str, ...]:
        return self.mean, self.variance, self.count

    @property
    def rows(self) -> tuple[str, ...]:
        return self.a, self.b

    def _score(self, table: Table) -> float | None:
        means, variances, counts = (table.figure(name) for name in self.reads)
        errors = [variances[row] / counts[row] for row in (self.a, self.b)]
        freedoms = [counts[row] - 1 for row in (self.a, self.b)]
        if min(freedoms) <= 0 or min(errors) < 0 or not sum(errors):
            return None
        statistic = (means[self.a] - means[self.b]) / math.sqrt(sum(errors))
        freedom = sum(errors) ** 2 / sum(e * e / f for e, f in zip(errors, freedoms, strict=True))
        return float(student_tail(statistic, freedom) < self.level)


def _require_level(task: Task, level: float) -> None:
    if not is_number(level) or not 0 < level < 1:
        raise BadInput.because("task-level", task=task.name, level=str(level))
