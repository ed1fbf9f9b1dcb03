"""Find-epsilon-from-RDR as its authors implement it (sections 4.2, 4.3): the query is run again without each person.

Written from the paper with Python and SQLite, its optimisation included: people with the same values in the columns
that the query reads share one run. The paper spreads the runs over 8 processes, which changes the time on the wall
but not the CPU time; here they are one after the other.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from bench.question import Question

CANDIDATES = (*range(10, 0, -1), *(digit / scale for scale in (10, 100, 1000) for digit in range(9, 0, -1)))
"""The 37 of section 6.2, in descending order."""

Answer = Mapping[Hashable, float]


class Baseline:
    """A SQLite table of the columns that one question reads, with numbered rows."""

    def __init__(self, question: Question, people: Iterable[Sequence[object]]) -> None:
        """`people` have the values of `question.reads`, in that order; a missing one is None."""
        self.question = question
        self._database = sqlite3.connect(":memory:")
        columns = ", ".join(question.reads)
        self._database.execute(f"CREATE TABLE adult (row_number INTEGER PRIMARY KEY, {columns})")
        values = ", ".join("?" * len(question.reads))
        self._database.executemany(f"INSERT INTO adult ({columns}) VALUES ({values})", people)

    def find_epsilon(self, tau: float) -> float | None:
        """Algorithm 1: the largest candidate under which RDRmin / RDRmax >= tau, by Laplace noise."""
        influences = self.influences()
        noise = self._outputs() * self._sensitivity()
        for epsilon in CANDIDATES:
            risks = [influence + noise / epsilon for influence in influences]
            if max(risks) == 0 or min(risks) / max(risks) >= tau:
                return float(epsilon)
        return None

    def influences(self) -> list[float]:
        """The per-instance sensitivity of each person, in the order of the rows: lines 2 to 5."""
        everybody = self._answer(self.question.sql())
        without_one = self.question.sql(and_also="row_number <> ?")
        found: dict[tuple[object, ...], float] = {}
        influences = []
        for row_number, *values in self._rows(f"SELECT row_number, {', '.join(self.question.reads)} FROM adult"):
            record = tuple(values)
            if record not in found:
                found[record] = _distance(everybody, self._answer(without_one, row_number))
            influences.append(found[record])
        return influences

    def _outputs(self) -> int:
        """k: the cells that the answer has."""
        return max(1, len(self._answer(self.question.sql())))

    def _sensitivity(self) -> float:
        """From the data, as the authors do: of a sum the largest value, of a mean (max - min) / rows."""
        column = self.question.argument
        if column is None or self.question.aggregate == "COUNT":
            return 1.0
        rows, low, high = self._rows(f"SELECT COUNT(*), MIN({column}), MAX({column}) FROM adult")[0]
        return float(max(abs(low), abs(high)) if self.question.aggregate == "SUM" else (high - low) / rows)

    def _answer(self, sql: str, *left_out: int) -> Answer:
        """The figure of each group; of a query without groups there is one. What does not exist counts as 0."""
        return {tuple(key): figure or 0.0 for *key, figure in self._rows(sql, *left_out)}

    def _rows(self, sql: str, *parameters: int) -> list[tuple[Any, ...]]:
        return self._database.execute(sql, parameters).fetchall()


def _distance(one: Answer, other: Answer) -> float:
    """L1: the changes of all groups together; a group that is gone counts with all that it had."""
    return sum(abs(one.get(group, 0.0) - other.get(group, 0.0)) for group in one.keys() | other.keys())
