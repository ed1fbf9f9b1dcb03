"""One form for one meaning: model values as what JSON can hold, so that equal values have equal digests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from fractions import Fraction


def canonical(value: object) -> object:
    """A value with the names of its types and of all its fields: a new field makes another form.

    >>> canonical((Fraction(1, 2), "1/2", None))
    [{'is': 'Fraction', 'value': '1/2'}, '1/2', None]
    """
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: canonical(getattr(value, field.name)) for field in fields(value)}
        return {"is": type(value).__name__, "fields": named}
    if isinstance(value, Enum):
        return {"is": type(value).__name__, "value": value.value}
    if isinstance(value, Fraction | date):
        return {"is": type(value).__name__, "value": str(value)}
    if isinstance(value, tuple | list):
        return [canonical(part) for part in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"{type(value).__name__} has no canonical form")


def unordered(values: Iterable[object]) -> list[object]:
    """The forms of several values in one order, whatever theirs was; equal ones once."""
    forms = (canonical(value) for value in values)
    return [json.loads(text) for text in sorted({json.dumps(form, sort_keys=True) for form in forms})]
