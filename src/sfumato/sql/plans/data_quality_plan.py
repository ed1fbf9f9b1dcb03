"""Schema -> how many rows that count are in which class of values, column by column (docs/theory/data-quality.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from sfumato.model.data_quality import ValueClass, checked_columns, possible_classes
from sfumato.model.schema import PERSON, Schema, SchemaColumn, Type
from sfumato.model.statement import ColumnRef
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, column, is_among, ours, select_from, sub_select
from sfumato.sql.builder.term import col, row_count
from sfumato.sql.builder.values import number, value
from sfumato.sql.plans.clean import stored_missing, typed_value
from sfumato.sql.plans.contribution_bounds import Contribution
from sfumato.sql.plans.exposure_summary import Rows, whole
from sfumato.sql.plans.row_values import is_present

_MANY = ours("many")
_CODES = {kind: code for code, kind in enumerate(ValueClass)}


def rows_by_class(schema: Schema, present: Mapping[str, Type | None], raw: str) -> exp.Select:
    """One row: of each column and each class that its values may be in, the rows that count."""
    checked = checked_columns(schema)
    names = [ours("class", str(i)) for i in range(len(checked))]
    counted = [
        nodes.CountTrue(this=exp.EQ(this=column(name), expression=number(_CODES[kind])))
        for name, declared in zip(names, checked, strict=True)
        for kind in possible_classes(declared)
    ]
    classes = [alias(_class_of(schema, c, present), name) for c, name in zip(checked, names, strict=True)]
    return select_from(counted, _rows_that_count(schema, present, raw, classes, names))


def people_above(schema: Schema, present: Mapping[str, Type | None], raw: str) -> exp.Select:
    """One row: the people with more rows than count."""
    own = select_from([alias(_person(schema, present), PERSON)], raw)
    many = select_from([row_count().named(_MANY)], own, where=[is_present(column(PERSON))], by=[PERSON])
    return select_from([row_count().tree], many, where=[(col(_MANY) > schema.unit.max_rows).tree])


def read_counts(*results: Rows) -> tuple[int, ...]:
    return tuple(whole(count) for rows in results for count in rows[0])


def _rows_that_count(
    schema: Schema, present: Mapping[str, Type | None], raw: str, classes: Sequence[exp.Expr], names: Sequence[str]
) -> exp.Select:
    """All rows; or of each person as many as count, by digests of the classes that they are in."""
    if schema.unit.column is None:
        return select_from(classes, raw)
    declared = schema.column(schema.unit.column)
    assert declared is not None
    person = ColumnRef(ours("whose row"), declared.type)
    owned = select_from([alias(_person(schema, present), person.name), *classes], raw)

    def kept(parts: Sequence[exp.Expr]) -> exp.Select:
        read = exp.Select(expressions=list(parts), from_=exp.From(this=sub_select(owned.copy())))
        read.set("where", exp.Where(this=is_present(column(person.name))))
        return read

    read = tuple(ColumnRef(name, Type.INTEGER) for name in names)
    bounds = Contribution(schema.name.casefold(), person, read, schema.unit.max_rows)
    return bounds.bounded(kept, lambda: [alias(column(person.name), PERSON), *map(column, names)])


def _person(schema: Schema, present: Mapping[str, Type | None]) -> exp.Expr:
    name = str(schema.unit.column)
    return typed_value(schema, *_stored(name, present))


def _class_of(schema: Schema, declared: SchemaColumn, present: Mapping[str, Type | None]) -> exp.Expr:
    """The class that a value is in, as a number: every stored value is in one."""
    stored, type_ = _stored(declared.name, present)
    typed = typed_value(schema, stored, type_)
    tests = [
        (ValueClass.MISSING, stored_missing(schema, stored, type_)),
        (ValueClass.UNREADABLE, exp.Is(this=typed.copy(), expression=exp.Null())),
    ]
    if declared.ends is not None:
        low, high = map(value, declared.ends)
        tests.append((ValueClass.BELOW, exp.LT(this=typed.copy(), expression=low)))
        tests.append((ValueClass.ABOVE, exp.GT(this=typed.copy(), expression=high)))
    if declared.categories is not None:
        tests.append((ValueClass.UNLISTED, exp.Not(this=is_among(typed.copy(), declared.categories))))
    ifs = [exp.If(this=test, true=number(_CODES[kind])) for kind, test in tests]
    return exp.Case(ifs=ifs, default=number(_CODES[ValueClass.READABLE]))


def _stored(name: str, present: Mapping[str, Type | None]) -> tuple[str, Type | None]:
    return next((stored, type_) for stored, type_ in present.items() if stored.lower() == name.lower())
