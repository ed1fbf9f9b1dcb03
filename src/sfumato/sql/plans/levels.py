"""Rows of several levels: each row once for each level, with the keys that the level rolls up left out.

A key that is rolled up stands for its first value: the level beside it tells such rows from others, and NULL, which
would never equal itself, is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sfumato.model.facts import Cell
from sfumato.model.levels import ALL, Level
from sfumato.sql.builder.ast import alias, column, join_with, ours, select_from, sub_select, values_table
from sfumato.sql.builder.term import Term, col, term, when
from sfumato.sql.builder.values import number, value
from sfumato.sql.plans.rows import PlanInput

LEVEL = ours("level")
_LEVELS, _EACH = ours("levels"), ours("each")


@dataclass(frozen=True)
class AtLevels:
    """The levels of a question: those that are drawn, and those that are shown."""

    question: PlanInput

    @property
    def levels(self) -> tuple[Level, ...]:
        """Each once, by its number."""
        levels = self.question.measurement.levels
        return () if levels is None else tuple(dict.fromkeys((*levels.drawn, *levels.shown)))

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that name a cell."""
        return (LEVEL, *self.question.keys) if self.levels else self.question.keys

    def expanded(self, source: str | exp.Query, beside: Sequence[exp.Expr], *, drawn_only: bool = False) -> exp.Select:
        """The rows of a table at every level, with these columns of it beside the keys."""
        every = select_from([exp.Star()], source)
        levels = self.question.measurement.levels
        wanted = self.levels if levels is None or not drawn_only else levels.drawn
        numbers = values_table(_LEVELS, [LEVEL], ([number(self.levels.index(level))] for level in wanted))
        each = join_with(
            exp.Select(expressions=[exp.Star()], from_=exp.From(this=sub_select(every, _EACH))), numbers, []
        )
        return select_from([column(LEVEL), *self._keys(), *beside], each)

    def _keys(self) -> Iterator[exp.Expr]:
        first = self.question.measurement.public_cells[0]
        for position, name in enumerate(self.question.keys):
            grouped = [number(i) for i, level in enumerate(self.levels) if position in level]
            is_grouped = Term(lambda grouped=grouped: exp.In(this=column(LEVEL), expressions=grouped))  # type: ignore[misc]
            stands_for = Term(lambda position=position: value(first[position]))  # type: ignore[misc]
            yield (
                alias(when((is_grouped, col(name)), otherwise=stands_for).tree, name)
                if grouped
                else (alias(value(first[position]), name))
            )

    def where_drawn(self, figure: Term, of: str) -> Term:
        """A figure of a table, and 0 at levels that noise is not drawn for."""
        levels = self.question.measurement.levels
        return figure if levels is None else self._where(figure, levels.drawn, of)

    def where_shown(self, figure: Term, of: str) -> Term:
        levels = self.question.measurement.levels
        return figure if levels is None else self._where(figure, levels.shown, of)

    def _where(self, figure: Term, some: Sequence[Level], of: str) -> Term:
        if set(some) == set(self.levels):
            return figure
        numbers = [i for i, level in enumerate(self.levels) if level in some]
        is_some = Term(lambda: exp.In(this=column(LEVEL, of), expressions=[number(i) for i in numbers]))
        return when((is_some, figure), otherwise=term(0))

    def cell(self, row: Sequence[Any]) -> Cell:
        """The cell that a row's first columns name."""
        if not self.levels:
            return tuple(row[: len(self.question.keys)])
        level = self.levels[int(row[0])]
        keys = row[1 : 1 + len(self.question.keys)]
        return tuple(key if position in level else ALL for position, key in enumerate(keys))
