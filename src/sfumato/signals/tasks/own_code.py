"""An analyst's own function as a task: scored elsewhere, known by its hash, within a range that they state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, ClassVar

from sfumato.errors import BadInput
from sfumato.signals.tasks.table import Table, Tables
from sfumato.signals.tasks.task import DECIMALS, Task, is_number

Run = Callable[[Table], float | None]


@dataclass(frozen=True, kw_only=True)
class OwnCode(Task):
    """The number that a function makes of a table, rounded and held within a range; None, no_score, is the lowest.

    Nothing is known of how it moves: it has no Lipschitz constant. `run` is where it is computed.

    >>> ours = OwnCode(sha256="ab12", low=0.0, high=1.0, run=lambda table: len(table.rows) / 4)
    >>> ours.score([Table(("n",), ((3,),), ("n",))]), ours.as_dict()
    (0.25, {'task': 'own_code', 'sha256': 'ab12', 'low': 0.0, 'high': 1.0})
    """

    name: ClassVar[str] = "own_code"
    beside: ClassVar[int] = 1
    sha256: str
    low: float
    high: float
    run: Run = field(repr=False, compare=False)

    reads = ()

    def __post_init__(self) -> None:
        ends = (self.low, self.high)
        met = all(is_number(end) and round(end, DECIMALS) == end and abs(end) <= 1e9 for end in ends)
        if not met or not self.low < self.high:
            raise BadInput.because("own-code-range", task=self.name, decimals=DECIMALS)

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.high

    def _score(self, table: Table) -> float | None:
        return self.run(table)

    def outcome(self, tables: Tables) -> float | None:
        score = self._score(tables[self.table])
        return None if score is None or not isfinite(score) else min(self.high, max(self.low, score))

    def as_dict(self) -> dict[str, Any]:
        return {"task": self.name, "sha256": self.sha256, "low": self.low, "high": self.high}
