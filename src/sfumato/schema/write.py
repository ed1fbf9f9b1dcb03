"""Schema -> the TOML file that states it; read again, it is the same schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from sfumato.errors import SchemaError
from sfumato.model.budget import BudgetLimit
from sfumato.model.person_budget import DELTA_NAME, NAME
from sfumato.model.schema import Category, Schema, SchemaColumn, TableSchema

_LONGEST_WHOLE = 10**18  # beyond, 1e100 is easier to read than its digits


def write(schema: Schema, remark: str = "") -> str:
    """The text of a schema file, with a remark on its first lines."""
    tables = [block for table in schema.tables for block in _one_of_several(table)]
    columns = [] if tables else [_column(column, "columns") for column in schema.columns]
    blocks = [_comment(remark), _table(schema), _unit(schema), _rule(schema.rule), *tables, *columns]
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
    if schema.disjoint_versions:
        yield 'versions = "disjoint people"'
    if schema.partition:
        yield f"partition = {text(schema.partition)}"
    if schema.looked:
        yield f"looked = {text(schema.looked)}"
    if not schema.tables:
        yield f"unit = {text(schema.unit.words)}"
        yield from _contribution(schema)
    if schema.unit.column is not None and schema.rows_per_person is not None:
        yield f"rows_per_person = {schema.rows_per_person}"
    yield f"relation = {text(schema.relation)}"
    yield f"null_values = {texts(schema.null_values)}"
    if schema.people_at_least is not None:
        yield f"people_at_least = {schema.people_at_least}"
    yield from _budget(schema.budget)
    if schema.per_person is not None:
        limits = {NAME: schema.per_person.epsilon, DELTA_NAME: schema.per_person.delta or None}
        yield from (f"{name} = {_number(most, name)}" for name, most in limits.items() if most is not None)


def _contribution(schema: Schema) -> Iterator[str]:
    if schema.unit.column is not None:
        yield f"max_rows = {schema.unit.max_rows}"
        if schema.unit.max_groups is not None:
            yield f"max_groups = {schema.unit.max_groups}"


def _unit(schema: Schema) -> Iterator[str]:
    """[unit] of several tables."""
    if schema.tables:
        yield "[unit]"
        yield f"table = {text(schema.people_table)}"
        yield f"column = {text(schema.people_column)}"
        yield from _contribution(schema)


def _one_of_several(table: TableSchema) -> Iterator[Iterator[str]]:
    yield _whose(table)
    yield from (_column(column, f"tables.{key(table.name)}.columns") for column in table.columns)


def _whose(table: TableSchema) -> Iterator[str]:
    """Whose the rows of a table are."""
    yield f"[tables.{key(table.name)}]"
    if table.public:
        yield "public = true"
    if table.person is not None:
        yield f"person = {text(table.person)}"
    if (parent := table.parent) is not None:
        parts = [f"{name} = {text(getattr(parent, name))}" for name in ("column", "table", "key", "unique")]
        yield f"parent = {{ {', '.join(parts)} }}"


def _budget(budget: BudgetLimit) -> Iterator[str]:
    """A number; with a period, a table. Several periods hold together only where several budgets are stated."""
    for limit in budget.per[:1]:
        both = (("epsilon", limit.epsilon), ("delta", limit.delta), ("in_all", budget.epsilon))
        parts = [f"{name} = {_number(most, 'budget')}" for name, most in both if most is not None]
        yield f"budget = {{ {', '.join([*parts, f'per = {text(limit.period)}'])} }}"
    if not budget.per and budget.epsilon is not None:
        yield f"budget = {_number(budget.epsilon, 'budget')}"
    if budget.delta is not None:
        yield f"budget_delta = {_number(budget.delta, 'budget_delta')}"


def _rule(rule: Mapping[str, object] | None) -> Iterator[str]:
    if rule is not None:
        yield "[rule]"
        yield from (f"{key(name)} = {_value(value)}" for name, value in rule.items())


def _column(column: SchemaColumn, section: str) -> Iterator[str]:
    yield (where := f"[{section}.{key(column.name)}]")
    yield f"type = {text(column.type)}"
    if column.format is not None:
        yield f"format = {text(column.format)}"
    if column.bounds is not None:
        yield f"bounds = [{_number(column.bounds.lower, where)}, {_number(column.bounds.upper, where)}]"
    if column.per_person is not None:
        yield f"per_person = [{_number(column.per_person.lower, where)}, {_number(column.per_person.upper, where)}]"
    if column.span is not None:
        yield f"bounds = [{column.span.first.isoformat()}, {column.span.last.isoformat()}]"
    if column.unit:
        yield f"unit = {text(column.unit)}"
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
