"""One form for one meaning: model values as what JSON can hold, so that equal values have equal digests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from fractions import Fraction

_STORED_NAMES = {"AggregateKind": "Kind", "Compare": "Comparison"}  # of renamed classes, as ledgers have them


def canonical(value: object) -> object:
    """A value with the names of its types and of all its fields: a new field makes another form.

    >>> canonical((Fraction(1, 2), "1/2", None))
    [{'is': 'Fraction', 'value': '1/2'}, '1/2', None]
    """
    name = _STORED_NAMES.get(type(value).__name__, type(value).__name__)
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: canonical(getattr(value, field.name)) for field in fields(value)}
        return {"is": name, "fields": named}
    if isinstance(value, Enum):
        return {"is": name, "value": value.value}
    if isinstance(value, Fraction | date):
        return {"is": name, "value": str(value)}
    if isinstance(value, tuple | list):
        return [canonical(part) for part in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"{name} has no canonical form")


def unordered(values: Iterable[object]) -> list[object]:
    """The forms of several values in one order, whatever theirs was; equal ones once."""
    forms = (canonical(value) for value in values)
    return [json.loads(text) for text in sorted({json.dumps(form, sort_keys=True) for form in forms})]
