"""A released answer by its columns, each with its type, and with its noise intervals if they are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.model.release import Answer
from sfumato.model.schema import Type

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class AnswerColumn:
    name: str
    type: Type | None  # None: what there is tells
    values: tuple[object, ...]


def answer_columns(answer: Answer, *, intervals: bool) -> list[AnswerColumn]:
    """With `intervals`, each figure is followed by its interval as NAME_low and NAME_high; empty if withheld."""
    columns, taken = [], set(answer.columns)
    for i, (name, type_) in enumerate(zip(answer.columns, answer.types, strict=True)):
        columns.append(AnswerColumn(name, type_, tuple(row[i] for row in answer.rows)))
        if not intervals or not answer.ranged[i]:
            continue
        within = [None] * len(answer.rows) if answer.intervals is None else [row[i] for row in answer.intervals]
        for end, called in enumerate(("low", "high")):
            new = _new(f"{name}_{called}", taken)
            columns.append(
                AnswerColumn(new, Type.NUMBER, tuple(interval and float(interval[end]) for interval in within))
            )
    return columns


def arrow(column: AnswerColumn) -> pa.Array:
    import pyarrow as pa

    types = {
        Type.INTEGER: pa.int64(),
        Type.NUMBER: pa.float64(),
        Type.TEXT: pa.string(),
        Type.BOOLEAN: pa.bool_(),
        Type.DATE: pa.date32(),
        Type.TIMESTAMP: pa.timestamp("us"),
    }
    return pa.array(column.values, None if column.type is None else types[column.type])


def _new(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name
