"""The exact answer, without noise: for tasks' eyes only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from sfumato.model.choice import Noise
from sfumato.model.facts import Cell
from sfumato.release import answer
from sfumato.release.bound_query import BoundQuery
from sfumato.release.noise import Noisy
from sfumato.signals.signal_request import table_of
from sfumato.signals.tasks.table import Table
from sfumato.sql.plans import blocks as plan


class ExactAnswer(Protocol):
    """Where exact answers come from, for tasks' eyes only: the data, unless someone else reads it."""

    def table(self) -> Table: ...

    def blocks(self, many: int) -> list[Table]: ...


@dataclass(frozen=True)
class AnswerFromData:
    """From the data itself."""

    query: BoundQuery

    def table(self) -> Table:
        return exact_table(self.query)

    def blocks(self, many: int) -> list[Table]:
        return block_tables(self.query, many, self.query.context.services.salt())


def exact_table(query: BoundQuery) -> Table:
    """S': the answer put together as releases are, from numbers without noise."""
    steps = [n.step for n in query.measurement.numbers]
    return _exact_figures(query, query.totals().cells, steps)


def block_tables(query: BoundQuery, blocks: int, key: str) -> list[Table]:
    """The same for each disjoint block of people, as if all people were like those in the block.

    Sums are multiplied by the number of blocks. Adding or removing a person changes one block.
    """
    question, engine = query.survey(Noise()).question, query.context.engine
    rows = engine.rows(engine.spell(plan.totals_by_block(question, blocks, key)))
    steps = [n.step * (blocks if n.kind.additive else 1) for n in query.measurement.numbers]
    return [_exact_figures(query, block, steps) for block in plan.read_blocks(rows, question, blocks)]


def _exact_figures(query: BoundQuery, cells: Mapping[Cell, Sequence[int]], steps: Sequence[Fraction]) -> Table:
    numbers = tuple(tuple(n * step for n, step in zip(cell, steps, strict=True)) for cell in cells.values())
    seen = answer.answer(query.measurement, Noisy(tuple(cells), numbers), None, query.statement.afterwards)
    return table_of(seen, query.measurement)
