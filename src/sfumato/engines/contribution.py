"""The oracle's contribution bounds: which rows of a person count, person by person and literally, by hashlib's MD5.

It shares no code with the plan (docs/theory/rows.md has the rule).
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sfumato.engines.reference import Value, cleaned
from sfumato.model.dataset import Schema, Type


def counting(rows: Sequence[Mapping[str, object]], schema: Schema, columns: Sequence[str]) -> list[int]:
    """The places of the rows that count, among rows that a query keeps and of which it reads these columns."""
    unit = schema.unit.column
    assert unit is not None
    people: dict[str, list[tuple[int, str]]] = defaultdict(list)
    read = sorted(name for name in columns if name != unit)
    for place, row in enumerate(cleaned(rows, schema, [unit, *read])):
        if row[unit] is not None:
            texts = [_text(row[name], name, schema) for name in read]
            people[str(_text(row[unit], unit, schema))].append((place, _fields(texts)))
    return sorted(place for person, own in people.items() for place in _first(person, own, schema))


def _first(person: str, own: Sequence[tuple[int, str]], schema: Schema) -> list[int]:
    copies: Counter[str] = Counter()
    order = []
    for place, text in own:
        copies[text] += 1
        copy = copies[text]
        order.append((row_digest(schema.name.casefold(), person, text, copy), text, copy, place))
    return [place for *_, place in sorted(order)[: schema.unit.max_rows]]


def row_digest(dataset: str, person: str, text: str, copy: int) -> str:
    return hashlib.md5(f"{_fields([dataset, person])}{text}{_fields([str(copy)])}".encode()).hexdigest()


def _fields(texts: Iterable[str | None]) -> str:
    return "".join("-" if text is None else f"{len(text.encode())}:{text}" for text in texts)


def _text(value: Value, name: str, schema: Schema) -> str | None:
    column = schema.column(name)
    if value is None or isinstance(value, str):
        return value
    if column is not None and column.type is Type.BOOLEAN:
        return "true" if value else "false"
    return repr(value)
