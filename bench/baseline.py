"""Find-epsilon-from-RDR as its authors implement it (sections 4.2, 4.3): the query is run again without each person.

Written from the paper with the parts that their program is made of: the columns that the query reads lie in SQLite,
each answer is a pandas frame, and each person's is compared with that of everyone. The paper's optimisation is
included: people with the same values in those columns share one run, but not the comparison. The paper spreads the runs
over 8 processes, which changes the time on the wall but not the CPU time; here they are one after the other.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Mapping

import pandas as pd

from bench.question import Question

CANDIDATES = (*range(10, 0, -1), *(digit / scale for scale in (10, 100, 1000) for digit in range(9, 0, -1)))
"""The 37 of section 6.2, in descending order."""

Figures = Mapping[Hashable, float]


class Baseline:
    """A table in SQLite, with numbered rows, and the same as a frame."""

    def __init__(self, question: Question, people: pd.DataFrame) -> None:
        self.question = question
        self._frame = people[list(question.reads)]
        self._database = sqlite3.connect(":memory:")
        self._frame.to_sql("adult", self._database, index_label="row_number")

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
        everybody = _figures(self._answer(self.question.sql()))
        without_one = self.question.sql(and_also="row_number <> ?")
        answers: dict[tuple[object, ...], pd.DataFrame] = {}
        influences = []
        for row_number, record in enumerate(self._frame.itertuples(index=False, name=None)):
            if record not in answers:
                answers[record] = self._answer(without_one, row_number)
            influences.append(_distance(everybody, _figures(answers[record])))
        return influences

    def _outputs(self) -> int:
        """k: the cells that the answer has."""
        return max(1, len(self._answer(self.question.sql())))

    def _sensitivity(self) -> float:
        """From the data, as the authors do: of a sum the largest value, of a mean (max - min) / rows."""
        column = self.question.argument
        if column is None or self.question.aggregate == "COUNT":
            return 1.0
        values = self._frame[column]
        low, high = float(values.min()), float(values.max())
        return max(abs(low), abs(high)) if self.question.aggregate == "SUM" else (high - low) / len(values)

    def _answer(self, sql: str, *left_out: int) -> pd.DataFrame:
        return pd.read_sql(sql, self._database, params=left_out)


def _figures(answer: pd.DataFrame) -> Figures:
    """The figure of each group; of a query without groups there is one. What does not exist counts as 0."""
    rows = answer.itertuples(index=False, name=None)
    return {tuple(key): 0.0 if pd.isna(figure) else figure for *key, figure in rows}


def _distance(one: Figures, other: Figures) -> float:
    """L1: the changes of all groups together; a group that is gone counts with all that it had."""
    return sum(abs(one.get(group, 0.0) - other.get(group, 0.0)) for group in one.keys() | other.keys())
