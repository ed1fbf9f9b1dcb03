"""The values that a group key may have: from the query and the declared bounds, never from the data.

A key reads values as they are, like a WHERE. A row whose key is none of these values is left out; every value comes
back, whether a row has it or not (docs/theory/keys.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TypeVar

from sfumato.errors import QueryError, SchemaError
from sfumato.model.functions import FUNCTIONS
from sfumato.model.possible_cells import WHOLE, NotSure, possible_cells, value_of
from sfumato.model.schema import MOST_LISTED, Bounds, Category, Schema, Type
from sfumato.model.statement import (
    All,
    Arithmetic,
    Call,
    Case,
    ColumnRef,
    Compare,
    Condition,
    Constant,
    Key,
    Predicate,
    Scalar,
    Statement,
    columns_in,
    parts_of,
    replaced,
    results_of,
    with_values,
)
from sfumato.privacy.date_ranges import OTHER_SIDE, Spans, days_and_times, narrowed_spans, whole_numbers

MOST_CELLS = 100_000
_RISING = ("FLOOR", "CEIL", "TRUNC", "ROUND", "SIGN")  # of one operand; they never fall
_FEW_VALUES = ("FLOOR", "CEIL", "DATE_PART", "DATE_DIFF", "TO_DATE")
_AS_LITERALS = "group by CASE WHEN ... THEN 'a' ELSE 'b' END, by FLOOR(v / 10), or by a column with categories."
_EXAMPLES = {
    Type.INTEGER: "[lowest, highest]",
    Type.NUMBER: "[lowest, highest]",
    Type.DATE: "[2020-01-01, 2029-12-31]",
    Type.TIMESTAMP: "[2020-01-01T00:00:00, 2029-12-31T23:59:59]",
}

Ends = tuple[float, float]
Value = TypeVar("Value")


def group_cells(statement: Statement, schema: Schema) -> tuple[tuple[Category, ...], ...] | None:
    """Every combination of public keys that the WHERE allows, whether the data has it or not; one without a GROUP BY.

    A condition on the keys alone rules out a combination that it cannot be true of: a public fact, read off no one.
    None where a key is private.
    """
    known = KeyValues(schema, statement.where)
    if any(is_private(key, schema) for key in statement.keys):
        for key in statement.keys:
            if not is_private(key, schema):
                known.of(key)
        return None
    values = [known.of(key) for key in statement.keys]
    cells = math.prod(map(len, values))
    if cells > MOST_CELLS:
        raise _too_many(f"GROUP BY gives {cells:,} cells")
    every = tuple(product(*values))
    if not statement.keys:
        return every  # without a GROUP BY there is one, whatever the WHERE says
    possible = possible_cells(*_on_keys(statement), every)
    if not possible:
        raise QueryError(
            f"The WHERE excludes every group of GROUP BY {', '.join(key.name for key in statement.keys)}",
            hint=f"compare with one of the categories, spelled as in {schema.origin}.",
        )
    return possible


def public_values(key: Key, schema: Schema) -> Sequence[Category] | None:
    """The values of a key beside another that is private; None: it is private itself."""
    return None if is_private(key, schema) else KeyValues(schema, None).of(key)


def is_private(key: Key, schema: Schema) -> bool:
    """Whether its values are found in the data: a column that is declared so."""
    column = None if key.column is None else schema.column(key.column.name)
    return column is not None and column.private_keys


def _on_keys(statement: Statement) -> tuple[Predicate | None, list[str]]:
    """The WHERE with each key in it as one column, and what these columns are called."""
    names = [key.name if key.column is not None else f"{key.name}, key {i}" for i, key in enumerate(statement.keys)]
    computed: dict[Scalar | Predicate, ColumnRef] = {}
    for key, name in zip(statement.keys, names, strict=True):
        if key.column is None:
            computed[key.expression] = ColumnRef(name, key.type)
        if isinstance(key.expression, Condition):
            computed[key.expression.met] = ColumnRef(name, key.type)
    where = statement.where
    return (replaced(where, computed) if computed and where is not None else where), names


class KeyValues:
    """Reads values off expressions; the WHERE narrows the bounds of the columns in them."""

    def __init__(self, schema: Schema, where: Predicate | None) -> None:
        self.schema = schema
        self.where = where
        self.within = _narrowed(where, schema)

    @cached_property
    def spans(self) -> Spans:
        return narrowed_spans(self.where, self.schema)

    def of(self, key: Key) -> Sequence[Category]:
        if key.column is not None:
            return self.listed(key.column)
        try:
            values = self.values(key.expression)
        except NotSure:
            raise self.unknown(key.expression) from None
        if len(values) > MOST_CELLS:
            raise _too_many(f"GROUP BY {key.name} has {len(values):,} values")
        return values

    def values(self, part: Scalar) -> Sequence[Category]:
        """The values of an expression but NULL: rows without a value are in no group."""
        match part:
            case ColumnRef():
                return self.inside(part)
            case Condition():
                return (False, True)
            case Constant(value):
                return self.constant(part) if value is not None else ()
            case Case(branches, otherwise):
                return _union([*(self.values(result) for _, result in branches), self.values(otherwise)])
            case Call("COALESCE", parts):
                return _union(map(self.values, parts))
            case Call("ROUND", (_, Constant(Fraction() as digits))) if digits < 0:
                return self.mapped_wholes(part, 10 ** -int(digits))
        if is_whole(part):
            return self.whole(part)
        if part.type in (Type.DATE, Type.TIMESTAMP):
            return self.moments(part)
        return self.mapped(part)

    def listed(self, column: ColumnRef) -> Sequence[Category]:
        """The values of a column that is a key itself."""
        declared = self.schema.column(column.name)
        keys = None if declared is None else declared.keys
        if keys is not None:
            return keys
        if declared is not None and declared.ends is not None and declared.type in (Type.INTEGER, Type.DATE):
            return self.inside(column)
        if declared is not None and declared.open is not None:
            return self.opened(column)
        if column.name == self.schema.unit.column:
            name, table = column.name, self.schema.name
            hint = f"count people in a sub-select, as in SELECT AVG(n) FROM (SELECT {name}, COUNT(*) AS n FROM {table} "
            raise QueryError(f"GROUP BY {name} gives a row for each {name}", hint=f"{hint}GROUP BY {name}).")
        add = 'categories = [...] or keys = "private"'
        where = f"under {self.schema.section(column.name)} in {self.schema.origin}"
        hint = f"add {add} {where}."
        if declared is not None and declared.type is Type.NUMBER:
            hint = f'group by FLOOR({column.name} / 10), or state type = "text" and {add} {where}.'
        if declared is not None and declared.type is Type.DATE:
            hint = f"add bounds = {_EXAMPLES[Type.DATE]} {where}."
        if declared is not None and declared.type is Type.TIMESTAMP:
            hint = f"group by DATE_TRUNC('day', {column.name}), and add bounds = {_EXAMPLES[Type.TIMESTAMP]} {where}."
        raise SchemaError(f"GROUP BY {column.name} needs a public list of its values", hint=hint)

    def opened(self, column: ColumnRef) -> Sequence[Category]:
        """The values of a person's figure without bounds, as far as the WHERE gives it some."""
        try:
            return self.inside(column)
        except NotSure:
            what = f"The values of the group key {column.words} do not follow: a person may have any number of rows"
            name = column.words if column.type is Type.INTEGER else f"FLOOR({column.words} / 10)"
            raise QueryError(what, hint=f"group by LEAST({name}, 10), or by CASE WHEN ... THEN 'a' END.") from None

    def inside(self, column: ColumnRef) -> Sequence[Category]:
        """The values of a column in an expression: those that are listed, or whole numbers within its bounds."""
        declared = self.schema.column(column.name)
        if declared is None or declared.private_keys:
            raise NotSure
        if declared.listed is not None:
            return declared.listed
        if declared.type is Type.DATE and declared.span is not None:
            return self.moments(column)
        if declared.type is not Type.INTEGER or declared.name not in self.within:
            raise NotSure
        low, high = _finite(self.within[declared.name])
        return range(math.ceil(low), math.floor(high) + 1)

    def constant(self, constant: Constant) -> Sequence[Category]:
        value = constant.value
        if isinstance(value, bool | str | date):
            return (value,)
        if isinstance(value, Fraction) and value.denominator == 1 and abs(value) <= WHOLE:
            return (int(value),)
        raise QueryError(
            f"A group key is the number {constant.words}", hint="use a text in quotes or a whole number for each group."
        )

    def moments(self, part: Scalar) -> Sequence[Category]:
        moments = days_and_times(part, self.spans, MOST_CELLS)
        if moments is None:
            raise _too_many("A group key has too many days or times")
        return moments

    # Whole numbers

    def whole(self, part: Scalar) -> Sequence[Category]:
        """A range, where the values lie evenly; else each of them, in order."""
        match part:
            case Arithmetic("*", values, Constant(Fraction() as by)) | Arithmetic(
                "*", Constant(Fraction() as by), values
            ):
                return _times(self.wholes(values), int(by))
            case Arithmetic("+", values, Constant(Fraction() as by)) | Arithmetic(
                "+", Constant(Fraction() as by), values
            ):
                return _moved(self.wholes(values), int(by))
            case Arithmetic("-", values, Constant(Fraction() as by)):
                return _moved(self.wholes(values), -int(by))
            case Arithmetic("-", Constant(Fraction() as by), values):
                return _moved(_times(self.wholes(values), -1), int(by))
            case Call("DATE_PART" | "DATE_DIFF"):
                return whole_numbers(part, self.spans)
            case Call("ABS", (inner,)):
                return sorted({abs(value) for value in _few(self.wholes(inner))})
        if not isinstance(part, Call) or part.name not in _RISING or len(part.arguments) > 1:
            return self.mapped_wholes(part)
        low, high = _finite(self.ends(part))
        return range(int(low), int(high) + 1)

    def mapped_wholes(self, part: Scalar, step: int = 1) -> Sequence[Category]:
        """What a function gives, in order; of too many values all that lie between its ends, so far apart."""
        try:
            return sorted(int(value) for value in self.mapped(part) if isinstance(value, int | float))
        except NotSure:
            low, high = _finite(self.ends(part))
            return range(int(low), int(high) + 1, step)

    def wholes(self, part: Scalar) -> Sequence[int]:
        values = self.values(part)
        return values if isinstance(values, range) else [value for value in values if isinstance(value, int)]

    # Ends of ranges, computed as an engine computes: each operation is rounded to a float, and is monotone in each side

    def ends(self, part: Scalar) -> Ends:
        """The lowest and the highest value, where columns lie within their bounds."""
        match part:
            case ColumnRef(name):
                return self.bounds(name)
            case Constant(Fraction() as value):
                return float(value), float(value)
            case Arithmetic(operator, left, right):
                return _finite(_arithmetic(operator, self.ends(left), self.ends(right), part))
            case Call("DATE_PART" | "DATE_DIFF"):
                values = whole_numbers(part, self.spans)
                return float(values[0]), float(values[-1])
            case Call("ABS", (inner,)):
                low, high = self.ends(inner)
                return max(0.0, low, -high), max(-low, high)
            case Call(name, (inner,)) if name in _RISING:
                first, last = (FUNCTIONS[name].value([end]) for end in _finite(self.ends(inner)))
                assert isinstance(first, int)
                assert isinstance(last, int)
                return float(first), float(last)
            case Call("SQRT" | "LN" | "LOG10" | "LOG2" | "EXP" | "ROUND" as name, (inner, *digits)):
                to = [int(digit.value) for digit in digits if isinstance(digit, Constant)]  # type: ignore[arg-type]
                ends = [FUNCTIONS[name].value([end, *to]) for end in _finite(self.ends(inner))]
                if None in ends:  # an end has no root or logarithm
                    raise NotSure
                return float(ends[0]), float(ends[1])  # type: ignore[arg-type]
            case Call("LENGTH"):
                return 0.0, math.inf
            case Call("COALESCE" | "GREATEST" | "LEAST" as name, parts):
                low, high = _hull(map(self.ends, parts))
                constants = [float(p.value) for p in parts if isinstance(p, Constant) and isinstance(p.value, Fraction)]
                lowest = max([low, *constants]) if name == "GREATEST" else low  # a constant is always there
                return lowest, min([high, *constants]) if name == "LEAST" else high
            case Case(branches, otherwise):
                return _hull(map(self.ends, results_of(branches, otherwise)))
        raise NotSure

    def bounds(self, name: str) -> Ends:
        if name in self.within:
            return self.within[name]
        declared = self.schema.column(name)
        codes = [] if declared is None else [code for code in declared.listed or () if type(code) is int]
        if not codes:
            raise NotSure
        return float(min(codes)), float(max(codes))

    # Anything else: computed from each value of each column

    def mapped(self, part: Scalar) -> Sequence[Category]:
        """What an expression makes of the values of its columns; where these are too many, of those of its parts."""
        try:
            return self.made_of(part, dict.fromkeys(columns_in(part)))
        except NotSure:
            return self.made_of(part, dict.fromkeys(_countable(part)))

    def made_of(self, part: Scalar, read: Iterable[Scalar]) -> Sequence[Category]:
        """What an expression may be, given what it is computed from: more than it is, where one depends on another."""
        sources = {source: ColumnRef(f"part {i}", source.type) for i, source in enumerate(read)}
        values = [self.inside(s) if isinstance(s, ColumnRef) else _few(self.values(s)) for s in sources]
        if not sources or math.prod(map(len, values)) > MOST_LISTED or part in sources:
            raise NotSure
        names, computed = [ref.name for ref in sources.values()], with_values(part, sources)
        results = [value_of(computed, dict(zip(names, each, strict=True))) for each in product(*values)]
        return tuple(dict.fromkeys(_category(value) for value in results if value is not None))

    def unknown(self, part: Scalar) -> QueryError:
        columns = [self.schema.column(column.name) for column in columns_in(part)]
        without = next((c for c in columns if c is not None and c.ends is None and c.type in _EXAMPLES), None)
        hint = _AS_LITERALS
        if without is not None and without.open is not None:
            hint = f"give {without.name} a range, as in GREATEST(0, LEAST({without.name}, 100))."
        elif without is not None:
            where = f"under {self.schema.section(without.name)} in {self.schema.origin}"
            hint = f"add bounds = {_EXAMPLES[without.type]} {where}."
        return QueryError(f"The values of the group key {part.words} do not follow from the schema", hint=hint)


def _countable(part: Scalar | Predicate) -> Iterator[Scalar]:
    """The parts of an expression that have few values, where the columns in them have many: bins, days, hours."""
    if isinstance(part, ColumnRef) or (isinstance(part, Call) and part.name in _FEW_VALUES):
        yield part
        return
    for inner in parts_of(part):
        yield from _countable(inner)


def is_whole(part: Scalar) -> bool:
    """Whether its values are whole numbers, for any data."""
    match part:
        case ColumnRef() | Constant():
            return part.type is Type.INTEGER
        case Arithmetic(operator, left, right):
            return operator in ("+", "-", "*") and is_whole(left) and is_whole(right)
        case Call("GREATEST" | "LEAST", parts):
            return all(map(is_whole, parts))
        case Call("ROUND", (_, Constant(Fraction() as digits))):
            return digits <= 0
        case Call(name, parts):
            return (name in _RISING and len(parts) == 1) or part.type is Type.INTEGER
        case Case(branches, otherwise):
            return all(map(is_whole, results_of(branches, otherwise)))
    return False


def _narrowed(where: Predicate | None, schema: Schema) -> Mapping[str, Ends]:
    """The bounds of each column, as far as the conditions of the WHERE that compare it with a number leave them."""
    known = {c.name: c.open.bounds if c.open is not None else c.bounds for c in schema.columns}
    ends = {name: _floats(bounds) for name, bounds in known.items() if bounds is not None}
    for part in where.parts if isinstance(where, All) else (where,) if where is not None else ():
        match part:
            case Compare(operator, ColumnRef(name, type_), Constant(Fraction() as value)) if name in ends:
                ends[name] = _cut(ends[name], operator, float(value), whole=type_ is Type.INTEGER)
            case Compare(operator, Constant(Fraction() as value), ColumnRef(name, type_)) if name in ends:
                turned = OTHER_SIDE.get(operator, operator)
                ends[name] = _cut(ends[name], turned, float(value), whole=type_ is Type.INTEGER)
    return ends


def narrowed(where: Predicate, schema: Schema) -> Schema:
    """The schema of the rows that meet a condition.

    Comparisons narrow a column from below and from above, and clamping keeps that. It does not keep `<>`: what lies
    below the lower bound is not equal to it, and is clamped to it.
    """
    ends = _narrowed(where, schema)
    columns = [
        replace(c, bounds=Bounds(*map(Fraction, ends[c.name]))) if c.name in ends and c.bounds is not None else c
        for c in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


def _floats(bounds: Bounds) -> Ends:
    return float(bounds.lower), float(bounds.upper)


def _cut(ends: Ends, operator: str, value: float, *, whole: bool) -> Ends:
    low, high = ends
    if operator in ("<", "<=", "="):
        below = math.ceil(value) - 1.0 if whole else math.nextafter(value, -math.inf)
        high = min(high, below if operator == "<" else value)
    if operator in (">", ">=", "="):
        above = math.floor(value) + 1.0 if whole else math.nextafter(value, math.inf)
        low = max(low, above if operator == ">" else value)
    return (low, high) if low <= high else ends


def _arithmetic(operator: str, a: Ends, b: Ends, part: Scalar) -> Ends:
    if operator == "/" and b[0] <= 0 <= b[1]:
        raise QueryError(
            f"The values of the group key {part.words} do not follow from the bounds: its divisor may be 0",
            hint="divide by something whose bounds exclude 0.",
        )
    if not all(map(math.isfinite, (*a, *b))):
        raise NotSure
    pairs = product(a, b) if operator in "*/" else zip(a, b if operator == "+" else b[::-1], strict=True)
    results = [_computed(operator, x, y) for x, y in pairs]
    return min(results), max(results)


def _computed(operator: str, x: float, y: float) -> float:
    value = value_of(Arithmetic(operator, ColumnRef("x", Type.NUMBER), ColumnRef("y", Type.NUMBER)), {"x": x, "y": y})
    assert isinstance(value, float)
    return value


def _finite(ends: Ends) -> Ends:
    """Refused beyond what floats tell apart: a whole number there is not the one that was computed."""
    if max(map(abs, ends)) > WHOLE:
        raise NotSure
    return ends


def _hull(parts: Iterable[Ends]) -> Ends:
    lows, highs = zip(*parts, strict=True)
    return min(lows), max(highs)


def _times(values: Sequence[int], factor: int) -> Sequence[int]:
    if not factor:
        return (0,)
    if isinstance(values, range) and values:
        ends = sorted((values[0] * factor, values[-1] * factor))
        return range(ends[0], ends[1] + 1, abs(values.step * factor))
    return sorted(value * factor for value in values)


def _moved(values: Sequence[int], by: int) -> Sequence[int]:
    if isinstance(values, range):
        return range(values.start + by, values.stop + by, values.step)
    return [value + by for value in values]


def _union(parts: Iterable[Sequence[Category]]) -> Sequence[Category]:
    """In the order in which they are written; the same value once, and a truth is no number."""
    return tuple(dict.fromkeys(value for values in parts for value in _few(values)))


def _few(values: Sequence[Value]) -> Sequence[Value]:
    if len(values) > MOST_CELLS:
        raise _too_many(f"A group key has {len(values):,} values")
    return values


def _category(value: object) -> Category:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool | int | str | date):
        return value
    raise NotSure


def _too_many(what: str) -> QueryError:
    return QueryError(
        f"{what}, and the limit is {MOST_CELLS:,}",
        hint="use wider bins, group by fewer columns, or narrow the keys in the WHERE.",
    )
