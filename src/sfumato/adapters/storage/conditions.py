"""What rows a list has, as conditions of SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from sfumato.adapters.storage.tables import Json, metadata
from sfumato.errors import BadInput
from sfumato.ports import Among, Containing, Lacking, Other, Row, Selection

_LONGEST_NUMBER = 18  # digits


def conditions(table: sa.Table, selection: Selection, dialect: str) -> list[sa.ColumnElement[bool]]:
    """Conditions of a selection in the SQL of a dialect."""
    either = [sa.and_(*matches(table, keepable(where), dialect)) for where in selection.either]
    every = [one for where in selection.every for one in matches(table, keepable(where), dialect)]
    every += [sa.or_(*either)] if either else []
    for word in keepable({"search": selection.search})["search"].split():
        every.append(sa.or_(*(_has_word(table, name, word, dialect) for name in selection.within)))
    return every


def matches(table: sa.Table, where: Mapping[str, Any], dialect: str = "") -> list[sa.ColumnElement[bool]]:
    return [_matches(table, table.c[name], value, dialect) for name, value in where.items()]


def _matches(table: sa.Table, column: sa.Column[Any], value: object, dialect: str) -> sa.ColumnElement[bool]:
    match value:
        case Containing(text):
            return _text(column).contains(f'"{text}"', autoescape=True)
        case Other(than):
            return column.not_in(list(than))
        case Among(name, of, where):
            other = metadata.tables[name]
            return column.in_(sa.select(other.c[of]).where(*matches(other, keepable(where), dialect)))
        case Lacking(values, of_row):
            each = _objects(column, dialect)
            same = [_field(each, name, dialect) == text for name, text in values.items()]
            same += [_field(each, name, dialect) == table.c[name] for name in of_row]
            return ~sa.exists(sa.select(sa.literal(1)).select_from(each).where(*same))
        case list() if not isinstance(column.type, Json):
            return column.in_(value)
        case None if isinstance(column.type, Json):  # a null that is stored is a text
            return _text(column) == "null"
    return column == value


def _has_word(table: sa.Table, name: str, word: str, dialect: str) -> sa.ColumnElement[bool]:
    column_name, _, field = name.partition(".")
    column = table.c[column_name]
    if not isinstance(column.type, Json) and isinstance(column.type.as_generic(), sa.Integer):
        digits = word.removeprefix("#")
        is_number = digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_NUMBER
        return column == int(digits) if is_number else sa.false()
    if not field:
        return _text(column).icontains(word, autoescape=True)
    each = _objects(column, dialect)
    has = _field(each, field, dialect).icontains(word, autoescape=True)
    return sa.exists(sa.select(sa.literal(1)).select_from(each).where(has))


def _text(column: sa.Column[Any]) -> sa.ColumnElement[str]:
    return sa.type_coerce(column, sa.Text)


def _objects(column: sa.Column[Any], dialect: str) -> sa.TableValuedAlias:
    """The objects in a list, a row each."""
    if dialect == "postgresql":
        stored = sa.cast(sa.func.nullif(_text(column), "null"), JSONB)
        return sa.func.jsonb_array_elements(stored).table_valued(sa.column("value", JSONB))
    return sa.func.json_each(_text(column)).table_valued("value")


def _field(each: sa.TableValuedAlias, name: str, dialect: str) -> sa.ColumnElement[str]:
    if dialect == "postgresql":
        return sa.type_coerce(each.c.value[name].astext, sa.Text)
    return sa.type_coerce(sa.func.json_extract(each.c.value, f"$.{name}"), sa.Text)


def keepable(row: Row) -> dict[str, Any]:
    """The row, if both kinds of database can hold what is in it."""
    for value in row.values():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str) and ("\0" in each or each.encode("utf-8", "replace").decode() != each):
                raise BadInput.because("text-unkeepable")
            if isinstance(each, int) and each.bit_length() > 63:
                raise BadInput.because("number-unkeepable")
    return dict(row)
