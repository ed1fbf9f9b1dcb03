"""Schema -> the TOML file that states it; read again, it is the same schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from sfumato.errors import SchemaError
from sfumato.model.schema import Category, Schema, SchemaColumn

_LONGEST_WHOLE = 10**18  # beyond, 1e100 is easier to read than its digits


def write(schema: Schema, remark: str = "") -> str:
    """The text of a schema file, with a remark on its first lines."""
    blocks = [_comment(remark), _table(schema), _rule(schema.rule), *map(_column, schema.columns)]
    return "\n".join("".join(f"{line}\n" for line in block) for block in map(list, blocks) if block)


def key(name: str) -> str:
    """A name as it is written in [columns.NAME]."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else text(name)


def text(value: str) -> str:
    """A text as TOML writes it: as JSON does, but for one control character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def texts(values: Iterable[object]) -> str:
    """A list of texts, whole numbers or truth values."""
    return f"[{', '.join(map(_value, values))}]"


def _comment(remark: str) -> Iterator[str]:
    return (f"# {line}" for line in remark.splitlines())


def _table(schema: Schema) -> Iterator[str]:
    yield f"name = {text(schema.name)}"
    if schema.population:
        yield f"population = {text(schema.population)}"
    if schema.looked:
        yield f"looked = {text(schema.looked)}"
    yield f"unit = {text(schema.unit.words)}"
    if schema.unit.column is not None:
        yield f"max_rows = {schema.unit.max_rows}"
        if schema.unit.max_groups is not None:
            yield f"max_groups = {schema.unit.max_groups}"
    yield f"relation = {text(schema.relation)}"
    yield f"null_values = {texts(schema.null_values)}"
    if schema.people_at_least is not None:
        yield f"people_at_least = {schema.people_at_least}"
    for name, limit in (("budget", schema.budget.epsilon), ("budget_delta", schema.budget.delta)):
        if limit is not None:
            yield f"{name} = {_number(limit, name)}"


def _rule(rule: Mapping[str, object] | None) -> Iterator[str]:
    if rule is not None:
        yield "[rule]"
        yield from (f"{key(name)} = {_value(value)}" for name, value in rule.items())


def _column(column: SchemaColumn) -> Iterator[str]:
    yield (where := f"[columns.{key(column.name)}]")
    yield f"type = {text(column.type)}"
    if column.format is not None:
        yield f"format = {text(column.format)}"
    if column.bounds is not None:
        yield f"bounds = [{_number(column.bounds.lower, where)}, {_number(column.bounds.upper, where)}]"
    if column.step is not None:
        yield f"step = {_number(column.step, where)}"
    if column.categories is not None:
        yield f"categories = {_categories(column.categories)}"
    if column.private_keys:
        yield 'keys = "private"'


def _categories(categories: Sequence[Category]) -> str:
    """As a list; consecutive whole numbers as a range."""
    first = categories[0]
    if len(categories) > 2 and type(first) is int and categories == (*range(first, first + len(categories)),):
        return text(f"{first}..{categories[-1]}")
    return texts(categories)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return text(value) if isinstance(value, str) else str(value)


def _number(value: Fraction, where: str) -> str:
    """The number in the digits that are read back as it: a schema file holds whole numbers and doubles."""
    if value.denominator == 1 and abs(value) < _LONGEST_WHOLE:
        return str(value)
    if Fraction(str(float(value))) == value:
        return str(float(value))
    if value.denominator == 1:
        return str(value)
    raise SchemaError(f"{value} cannot be written exactly as a decimal", hint="round it.", where=where)
