"""The clean table: typed by the schema, what does not fit is missing. Every plan reads the table in this form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from sfumato.model.schema import RAW_TEXT, Schema, Type
from sfumato.sql.builder.ast import SQL_TYPES, alias, column, function, select_from, value


def clean(schema: Schema, present: Mapping[str, Type | None], raw: str, *, keep: Sequence[str] = ()) -> exp.Select:
    """The raw table with the schema's types: what does not fit is NULL, and so are the declared missing texts.

    A text that may be missing is also there as it was delivered, under a name of our own: engines push a comparison
    with a stored column down to the file, but not one with an expression. The columns to `keep` go through as they are.
    """
    typed = [alias(_typed(schema, name, type_), named(schema, name)) for name, type_ in present.items()]
    delivered = [
        alias(_as_text(name, type_), as_delivered(named(schema, name)))
        for name, type_ in present.items()
        if schema.null_values and _wanted(schema, name, type_) is Type.TEXT
    ]
    return select_from([*typed, *delivered, *map(column, keep)], raw)


def as_delivered(name: str) -> str:
    return RAW_TEXT + name


def named(schema: Schema, name: str) -> str:
    """The name of a column as the schema spells it."""
    declared = schema.column(name)
    return declared.name if declared else name


def _typed(schema: Schema, name: str, present: Type | None) -> exp.Expr:
    wanted = _wanted(schema, name, present)
    if wanted is None:
        return column(name)
    tree = _as_text(name, present) if wanted is Type.TEXT or present in (Type.TEXT, None) else column(name)
    if schema.null_values and (wanted is Type.TEXT or present in (Type.TEXT, None)):
        tree = _without_missing(tree, schema)
    if wanted not in (present, Type.TEXT):
        tree = try_cast(tree, wanted)
    if wanted is Type.NUMBER:
        tree = exp.case().when(exp.func("ISNAN", tree), exp.Null()).else_(tree.copy())
    return tree


def _as_text(name: str, present: Type | None) -> exp.Expr:
    return column(name) if present is Type.TEXT else try_cast(column(name), Type.TEXT)


def _wanted(schema: Schema, name: str, present: Type | None) -> Type | None:
    declared = schema.column(name)
    return declared.type if declared else present


def _without_missing(tree: exp.Expr, schema: Schema) -> exp.Expr:
    if len(schema.null_values) == 1:
        return function("NULLIF", tree, value(schema.null_values[0]))
    return exp.case().when(missing_text(tree, schema), exp.Null()).else_(tree.copy())


def missing_text(tree: exp.Expr, schema: Schema) -> exp.Expr:
    """Whether a text is one of those that mean missing."""
    if not schema.null_values:
        return exp.false()
    return exp.In(this=tree.copy(), expressions=[value(text) for text in schema.null_values])


def try_cast(tree: exp.Expr, type_: Type) -> exp.Expr:
    """A value as another type, NULL where it does not fit: errors that depend on values tell about values."""
    cast = exp.TryCast(this=tree.copy(), to=exp.DataType.build(SQL_TYPES[type_]))
    if type_ is not Type.INTEGER:
        return cast
    # What is not whole does not fit; engines would round it, and text and floats each in another way.
    real = try_cast(tree, Type.NUMBER)
    return exp.case().when(exp.EQ(this=real, expression=exp.func("ROUND", real.copy())), cast)
