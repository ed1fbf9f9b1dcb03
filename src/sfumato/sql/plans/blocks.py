"""Question -> the exact totals of disjoint blocks of people, in one pass: what a sample-and-aggregate score is made of.

Which block someone is in is an MD5 digest of a key and of who they are, the same in every engine. Where every row is a
person, it is one of all that is read of the row and of its place among rows that agree in all of that: of k such rows,
whichever leaves, the k-th place is what is gone, and every other row stays in its block.
"""

from __future__ import annotations

from sqlglot import exp

from sfumato.model.facts import Cell
from sfumato.model.statement import ColumnRef
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, column, ours, select_from
from sfumato.sql.builder.values import function, number, typed, value
from sfumato.sql.plans.contribution_bounds import field, public_field, text
from sfumato.sql.plans.exposure_summary import Rows, whole
from sfumato.sql.plans.rows import PlanInput, rows
from sfumato.sql.plans.totals import count_of, in_steps, sum_of

_BLOCK = ours("block")


def totals_by_block(question: PlanInput, blocks: int, key: str) -> exp.Select:
    """Per block and cell, the exact sum and count behind each noisy number."""
    q = question
    parts = [part for n in q.measurement.numbers for part in (sum_of(n, q), count_of(n, q))]
    source = rows(q, any_key=True, beside=[alias(_block(q, blocks, key), _BLOCK)])
    return select_from([column(_BLOCK), *map(column, q.keys), *parts], source, by=[_BLOCK, *q.keys])


def read_blocks(records: Rows, question: PlanInput, blocks: int) -> list[dict[Cell, tuple[int, ...]]]:
    """Of every block the totals of every public cell, in whole steps of each number's lattice; zero where no one is."""
    width, numbers, cells = len(question.keys), question.measurement.numbers, question.measurement.public_cells
    seen = {(whole(row[0]), tuple(row[1 : 1 + width])): in_steps(row[1 + width :], numbers) for row in records}
    nothing = (0,) * len(numbers)
    return [{cell: seen.get((block, cell), nothing) for cell in cells} for block in range(blocks)]


def _block(q: PlanInput, blocks: int, key: str) -> exp.Expr:
    pieces = [value(public_field(key))]
    if q.unit is not None:
        declared = q.schema.column(q.unit)
        assert declared is not None
        pieces += field(text(ColumnRef(declared.name, declared.type)))
    else:
        same = [text(ref) for ref in q.columns]
        place = exp.Window(this=function("ROW_NUMBER"), partition_by=same or [number(1)])
        pieces += [piece for ref in q.columns for piece in field(text(ref))]
        pieces.append(typed(place, "TEXT"))  # the last piece, so it needs no length
    return exp.Mod(this=nodes.DigestNumber(expressions=pieces), expression=number(blocks))
