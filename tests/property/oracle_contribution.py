"""The oracle's contribution bounds: which rows of a person count, person by person and literally, by hashlib's MD5.

It shares no code with the plan (docs/theory/rows.md has the rule).
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sfumato.model.schema import Schema, Type
from tests.property.oracle import Value, clean_rows

Own = Sequence[tuple[int, str, str]]
"""The rows of a person: the place of each, the text of its group, and the text of all that is read of it."""


def counted_rows(
    rows: Sequence[Mapping[str, object]], schema: Schema, columns: Sequence[str], keys: Sequence[str] = ()
) -> list[int]:
    """The places of the rows that count, among rows that a query keeps, of which it reads these columns.

    First at most `max_groups` groups of a person, where that is fewer than rows; then at most `max_rows` rows in them.
    """
    unit = schema.unit.column
    assert unit is not None
    people: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    read = sorted(name for name in columns if name != unit)
    for place, row in enumerate(clean_rows(rows, schema, [unit, *read])):
        if row[unit] is not None:
            group, content = (_fields(_text(row[n], n, schema) for n in names) for names in (keys, read))
            people[str(_text(row[unit], unit, schema))].append((place, group, content))
    places = []
    for person, own in people.items():
        places += _first(person, _in_few_groups(person, own, schema), schema)
    return sorted(places)


def _in_few_groups(person: str, own: Own, schema: Schema) -> Own:
    groups, most = {group for _, group, _ in own}, schema.unit.groups
    if most == schema.unit.max_rows:
        return own
    order = sorted((_digest(_fields([schema.name.casefold(), person]) + group), group) for group in groups)
    first = {group for _, group in order[:most]}
    return [row for row in own if row[1] in first]


def _first(person: str, own: Own, schema: Schema) -> list[int]:
    copies: Counter[str] = Counter()
    order = []
    for place, _, text in own:
        copies[text] += 1
        digest = _digest(_fields([schema.name.casefold(), person]) + text + _fields([str(copies[text])]))
        order.append((digest, text, copies[text], place))
    return [place for *_, place in sorted(order)[: schema.unit.max_rows]]


def _digest(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def _fields(texts: Iterable[str | None]) -> str:
    return "".join("-" if text is None else f"{len(text.encode())}:{text}" for text in texts)


def _text(value: Value, name: str, schema: Schema) -> str | None:
    column = schema.column(name)
    if value is None or isinstance(value, str):
        return value
    if column is not None and column.type is Type.BOOLEAN:
        return "true" if value else "false"
    if column is not None and column.type is Type.NUMBER:
        return str(*struct.unpack(">q", struct.pack(">d", value)))
    return repr(value)
