"""The clean table: typed by the schema, what does not fit is missing. Every plan reads the table in this form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from sfumato.model.schema import RAW_TEXT, Format, Schema, Type
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import alias, column, select_from
from sfumato.sql.builder.values import SQL_TYPES, function, typed, value


def clean(schema: Schema, present: Mapping[str, Type | None], raw: str, *, keep: Sequence[str] = ()) -> exp.Select:
    """The raw table with the schema's types: what does not fit is NULL, and so are the declared missing texts.

    A text that may be missing is also there as it was delivered, under a name of our own: engines push a comparison
    with a stored column down to the file, but not one with an expression. The columns to `keep` go through as they are.
    """
    typed = [alias(typed_value(schema, name, type_), named(schema, name)) for name, type_ in present.items()]
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


def typed_value(schema: Schema, name: str, present: Type | None) -> exp.Expr:
    """A stored column with the type of the schema: NULL where a value is missing or does not fit."""
    wanted = _wanted(schema, name, present)
    if wanted is None:
        return column(name)
    tree = _as_text(name, present) if wanted is Type.TEXT or present in (Type.TEXT, None) else column(name)
    if schema.null_values and (wanted is Type.TEXT or present in (Type.TEXT, None)):
        tree = _without_missing(tree, schema)
    if wanted not in (present, Type.TEXT) or wanted is Type.TIMESTAMP:  # stored in any unit, and perhaps with a zone
        tree = try_cast(_plainly_written(tree, schema, name, present), wanted, present or Type.TEXT)
    if wanted is Type.NUMBER:
        tree = exp.case().when(nodes.IsNaN(this=tree), exp.Null()).else_(tree.copy())
    return tree


def _plainly_written(tree: exp.Expr, schema: Schema, name: str, present: Type | None) -> exp.Expr:
    """A stored text as a cast reads it, where its column has a format."""
    declared = schema.column(name)
    if declared is None or declared.format is None or present is not Type.TEXT:
        return tree
    return plain_text(tree, declared.format, declared.type)


def _as_text(name: str, present: Type | None) -> exp.Expr:
    return column(name) if present is Type.TEXT else try_cast(column(name), Type.TEXT, present)


def _wanted(schema: Schema, name: str, present: Type | None) -> Type | None:
    declared = schema.column(name)
    return declared.type if declared else present


def _without_missing(tree: exp.Expr, schema: Schema) -> exp.Expr:
    if len(schema.null_values) == 1:
        return function("NULLIF", tree, value(schema.null_values[0]))
    return exp.case().when(missing_text(tree, schema), exp.Null()).else_(tree.copy())


def stored_missing(schema: Schema, name: str, present: Type | None) -> exp.Expr:
    """Whether a stored value is missing: NULL, or one of the texts that mean it."""
    is_null = exp.Is(this=column(name), expression=exp.Null())
    if not schema.null_values or (present not in (Type.TEXT, None) and _wanted(schema, name, present) is not Type.TEXT):
        return is_null
    return exp.or_(is_null, missing_text(_as_text(name, present), schema), copy=False)


def missing_text(tree: exp.Expr, schema: Schema) -> exp.Expr:
    """Whether a text is one of those that mean missing."""
    if not schema.null_values:
        return exp.false()
    return exp.In(this=tree.copy(), expressions=[value(text) for text in schema.null_values])


def try_cast(tree: exp.Expr, type_: Type, source: Type | None = None) -> exp.Expr:
    """A value as another type, NULL where it does not fit: errors that depend on values tell about values.

    `source` is the type that it has.
    """
    cast = typed(tree.copy(), SQL_TYPES[type_], source)
    if type_ is not Type.INTEGER:
        return cast
    # What is not whole does not fit; engines would round it, and text and floats each in another way.
    real = try_cast(tree, Type.NUMBER, source)
    return exp.case().when(exp.EQ(this=real, expression=function("FLOOR", real.copy())), cast)


_SPACE, _CURRENCY = "[ \u00a0\u202f]", "[$€£¥]"
_YEAR = "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})"  # 0001 to 9999
_AMOUNT = f"(?:[+-]?{_CURRENCY}?{_SPACE}?|{_CURRENCY}{_SPACE}?[+-])", f"(?:{_SPACE}?{_CURRENCY})?"
_SHARE = "[+-]?", f"(?:{_SPACE}?%)?"
_MARKS = {  # what separates thousands, the decimal mark, and what may stand around the number
    Format.COMMAS: (",", "[.]", _AMOUNT),
    Format.POINTS: ("[.]", ",", _AMOUNT),
    Format.SPACES: (_SPACE, ",", _AMOUNT),
    Format.PERCENT: (",", "[.]", _SHARE),
    Format.PERCENT_COMMA: ("[.]", ",", _SHARE),
}


def plain_text(tree: exp.Expr, format_: Format, type_: Type) -> exp.Expr:
    """A text in a format as a cast reads it; an empty one where it is not in that format, which no cast reads.

    Repetitions are bounded: what does not fit is left after a few letters, however long it is.
    """
    if format_.is_date:
        pattern = f"([0-9]{{1,2}})[/.-]([0-9]{{1,2}})[/.-]({_YEAR})"
        day, month = (1, 2) if format_ is Format.DAY_FIRST else (2, 1)
        whole = f"^[ ]{{0,20}}{pattern}[ ]{{0,20}}$"
        return _rewritten(_extracted(tree, whole), whole, rf"\3-\{month}-\{day}")
    thousand, decimal, (before, after) = _MARKS[format_]
    whole_part = f"(?:[0-9]{{1,3}}(?:{thousand}[0-9]{{3}}){{1,12}}|[0-9]{{1,40}})"
    figure = f"(?:{whole_part}(?:{decimal}[0-9]{{1,40}})?|{decimal}[0-9]{{1,40}})"
    matching = _extracted(tree, f"^[ ]{{0,20}}{before}{figure}{after}[ ]{{0,20}}$")
    mark = decimal.strip("[]")
    bare = _rewritten(matching, f"[^0-9{mark}+-]", "", every=True)
    plain = bare if mark == "." else nodes.Replaced(this=bare, expression=value(mark), replacement=value("."))
    if type_ is not Type.INTEGER:
        return plain
    return _extracted(plain, "^[+-]?[0-9]*(?:[.]0+)?$")  # as a double, 1e15 and a bit is whole


def _extracted(tree: exp.Expr, pattern: str) -> exp.Expr:
    return nodes.Extracted(this=tree.copy(), expression=value(pattern))


def _rewritten(tree: exp.Expr, pattern: str, by: str, *, every: bool = False) -> exp.Expr:
    return nodes.Rewritten(this=tree.copy(), expression=value(pattern), replacement=value(by), every=every)
