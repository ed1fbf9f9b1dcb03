"""Statement + Measurement -> the SQL that an engine runs, as a tree; and the reading of its rows.

Every plan reads the table in its *clean* form (`clean`): typed by the schema, values that do not fit missing. A value
is clamped to its bounds where it is added up; a WHERE reads it as it is. The WHERE stays a WHERE, so that engines can
push it down, and the people it leaves out are counted by subtraction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from sfumato.model.dataset import Bounds, Schema, Type
from sfumato.model.facts import Cell, Facts, Summary, Totals
from sfumato.model.measurement import Measurement, NoisyNumber, NumberKind
from sfumato.model.statement import Aggregate, Kind, Statement
from sfumato.sql.tree import SQL_TYPES, column, double, listed, number, predicate, value

Rows = Sequence[tuple[Any, ...]]

L1, L2 = "L1", "L2"
"""How a person's changes of several numbers add up: L1 under Laplace noise, L2 under Gaussian."""

_ROWS, _CELLS = "sfumato rows", "sfumato cells"


# The clean table


def clean(schema: Schema, present: Mapping[str, Type | None], raw: str, *, keep: Sequence[str] = ()) -> exp.Select:
    """The raw table with the schema's types: what does not fit is NULL, and so are the declared missing texts.

    Texts also stand in it as they are written ("sfumato raw x"), for a WHERE that engines can push down. The columns
    to `keep` are no part of the schema and go through untouched.
    """
    typed = [tree for name, type_ in present.items() for tree in _typed(schema, name, type_)]
    return exp.select(*typed, *map(column, keep)).from_(table(raw))


def _typed(schema: Schema, name: str, present: Type | None) -> list[exp.Expr]:
    declared = schema.column(name)
    wanted = declared.type if declared else present
    called = declared.name if declared else name
    tree: exp.Expr = column(name)
    if present is None and wanted is not None:
        tree, present = try_cast(tree, Type.TEXT), Type.TEXT
    written = tree if present is Type.TEXT else try_cast(tree, Type.TEXT)
    if present is Type.TEXT:
        tree = _or_missing(tree, schema)
    if wanted is not None and wanted is not present:
        tree = try_cast(tree, wanted)
    if wanted is Type.NUMBER:
        tree = exp.case().when(exp.func("ISNAN", tree), exp.Null()).else_(tree.copy())
    named = [exp.alias_(tree, called, quoted=True)]
    if wanted is Type.TEXT and schema.null_values:
        named.append(exp.alias_(written.copy(), _ours("raw", called), quoted=True))
    return named


def _or_missing(tree: exp.Expr, schema: Schema) -> exp.Expr:
    """A text, or NULL if it is one of those that mean missing."""
    if len(schema.null_values) == 1:
        return exp.func("NULLIF", tree.copy(), value(schema.null_values[0]))
    if not schema.null_values:
        return tree
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


def people_count(name: str) -> exp.Select:
    """How many people the table has: one row, one person."""
    return exp.select(exp.func("COUNT", exp.Star())).from_(table(name))


# Totals: what a release draws noise around


def totals(statement: Statement, measurement: Measurement) -> exp.Select:
    """Per cell, the exact sum and count behind each noisy number."""
    parts = [part for n in measurement.numbers for part in (_sum_of(n), _count_of(n))]
    return _by_cell(statement, measurement, parts)


def read_totals(rows: Rows, statement: Statement, measurement: Measurement) -> Totals:
    """Whole steps of each number's grid, for every public cell; zero where the data has nobody."""
    found = {cell: _in_steps(values, measurement) for cell, values in _cells(rows, statement)}
    nothing = (0,) * len(measurement.numbers)
    return Totals({cell: found.get(cell, nothing) for cell in measurement.cells})


def _in_steps(values: Sequence[Any], measurement: Measurement) -> tuple[int, ...]:
    pairs = zip(values[::2], values[1::2], strict=True)
    return tuple(
        _steps(n, whole(total), whole(count)) for n, (total, count) in zip(measurement.numbers, pairs, strict=True)
    )


def _steps(n: NoisyNumber, total: int, count: int) -> int:
    if n.rounded:
        return total  # the engine has rounded to whole steps already, value by value
    return int(((count if n.kind is NumberKind.COUNT else total) - n.centre * count) / n.step)


def _sum_of(n: NoisyNumber) -> exp.Expr:
    if n.kind is NumberKind.COUNT:
        return exp.Null()
    return exp.func("SUM", _rounded(n) if n.rounded else clamped(n))


def _count_of(n: NoisyNumber) -> exp.Expr:
    return exp.func("COUNT", exp.Star() if n.column is None else column(n.column))


def _rounded(n: NoisyNumber) -> exp.Expr:
    """`(v - centre) / step` as a whole number within bounds, a function of this record alone."""
    bounds = n.bounds or Bounds(-n.sensitivity, n.sensitivity)
    low, high = (round((b - n.centre) / n.step) for b in (bounds.lower, bounds.upper))
    shifted = exp.Paren(this=exp.Sub(this=double(column(_name(n))), expression=number(n.centre)))
    steps = exp.func("ROUND", exp.Div(this=shifted, expression=double(number(n.step))))
    return exp.cast(_within(steps, Fraction(low), Fraction(high)), "BIGINT")


def clamped(n: NoisyNumber) -> exp.Expr:
    """A value within its bounds; NULL stays NULL (LEAST and GREATEST would turn it into a bound)."""
    tree = column(_name(n))
    return tree if n.bounds is None else _within(tree, n.bounds.lower, n.bounds.upper)


def _within(tree: exp.Expr, low: Fraction, high: Fraction) -> exp.Expr:
    return (
        exp.case()
        .when(exp.LT(this=tree.copy(), expression=number(low)), number(low))
        .when(exp.GT(this=tree.copy(), expression=number(high)), number(high))
        .else_(tree)
    )


# Facts: what each person carries, summarised


def facts(statement: Statement, measurement: Measurement, norm: str = L1) -> exp.Select:
    """Per cell: the answer's parts, then count, min, max, sum and sum of squares of influence and exposure.

    A mean's influence needs the mean: then the cells are computed first and joined, else it is a single scan.
    """
    influence, exposure = _influence(statement, measurement, norm), _exposure(measurement, norm)
    parts = [*_answer_parts(statement, measurement), *_summary(influence), *_summary(exposure)]
    if not _has_mean(statement):
        return _by_cell(statement, measurement, parts)
    return _by_cell(statement, measurement, parts, joined=True)


def read_facts(rows: Rows, statement: Statement, measurement: Measurement, people: int) -> Facts:
    """Join the cells; whoever is in none of them counts with zero."""
    answers: dict[Cell, list[object]] = {}
    influence = exposure = Summary.nobody()
    width = 2 * len(statement.aggregates)
    for cell, values in _cells(rows, statement):
        answers[cell] = _answer(statement, values[:width])
        influence = influence.join(_read_summary(values[width : width + 5]))
        exposure = exposure.join(_read_summary(values[width + 5 :]))
    left_out = people - influence.people
    empty = _answer(statement, [0, None] * len(statement.aggregates))
    answer = tuple(tuple(answers.get(cell, empty)) for cell in measurement.cells)
    return Facts(answer, influence.and_zeros(left_out), exposure.and_zeros(left_out))


def people(statement: Statement, measurement: Measurement, norm: str = L1) -> exp.Select:
    """One row per person, those whom the WHERE leaves out included: person, influence, exposure."""
    matches = exp.func("COALESCE", exp.and_(exp.true(), *_conditions(statement, measurement)), exp.false())
    numbered = exp.select(
        "*",
        exp.alias_("ROW_NUMBER() OVER ()", _ours("person"), quoted=True),
        exp.alias_(matches, _ours("matches"), quoted=True),
    ).from_(table(statement.table))
    figures = {"influence": _influence(statement, measurement, norm), "exposure": _exposure(measurement, norm)}
    carried = [
        exp.alias_(exp.case().when(_own("matches"), double(tree)).else_(double(number(0))), name)
        for name, tree in figures.items()
    ]
    query = exp.select(exp.alias_(_own("person"), "person"), *carried).from_(table(_ROWS))
    query = _with(query, _ROWS, numbered).order_by(exp.column("person"))
    if not _has_mean(statement):
        return query
    return _with_means(query, _means(statement, measurement).where(_own("matches")), statement, "LEFT")


def _influence(statement: Statement, measurement: Measurement, norm: str) -> exp.Expr:
    """The change of the printed answer when this person leaves (methods 1)."""
    return _norm([_change(a, measurement) for a in statement.aggregates], norm)


def _change(aggregate: Aggregate, measurement: Measurement) -> exp.Expr:
    if aggregate.argument is None:
        return number(1)
    name = aggregate.argument.name
    missing = exp.Is(this=column(name), expression=exp.Null())
    if aggregate.kind is Kind.COUNT:
        return exp.case().when(missing, number(0)).else_(number(1))
    own = double(clamped(_number_of(name, measurement)))
    if aggregate.kind is Kind.SUM:
        return exp.case().when(missing, number(0)).else_(exp.func("ABS", own))
    others = exp.Paren(this=exp.Sub(this=_own("n", name), expression=number(1)))
    mean = exp.Div(this=double(_own("s", name)), expression=_own("n", name))
    moved = exp.Div(this=exp.func("ABS", exp.Sub(this=own.copy(), expression=mean)), expression=others)
    alone = exp.EQ(this=_own("n", name), expression=number(1))  # without its last row a mean counts as 0
    return exp.case().when(missing, number(0)).when(alone, exp.func("ABS", own)).else_(moved)


def _exposure(measurement: Measurement, norm: str) -> exp.Expr:
    """`sum_j w_j |phi_ij| / D_j`, or the root of `sum_j w_j (phi_ij / D_j)^2`: 0 to 1."""
    return _norm(
        [_carried(n, float(n.share) if norm == L1 else float(n.share) ** 0.5) for n in measurement.numbers], norm
    )


def _carried(n: NoisyNumber, weight: float) -> exp.Expr:
    if n.column is None:
        return double(number(weight))
    missing = exp.Is(this=column(n.column), expression=exp.Null())
    if n.kind is NumberKind.COUNT:
        return exp.case().when(missing, number(0)).else_(double(number(weight)))
    away = exp.func("ABS", exp.Sub(this=double(clamped(n)), expression=number(n.centre)))
    part = exp.Mul(this=away, expression=double(number(weight / float(n.sensitivity) if n.sensitivity else 0.0)))
    return exp.case().when(missing, number(0)).else_(part)


def _norm(parts: Sequence[exp.Expr], norm: str) -> exp.Expr:
    if len(parts) == 1:
        return double(parts[0])
    if norm == L2:
        parts = [exp.Mul(this=double(p), expression=double(p.copy())) for p in parts]
    total = parts[0]
    for part in parts[1:]:
        total = exp.Add(this=total, expression=part)
    return exp.func("SQRT", total) if norm == L2 else double(exp.Paren(this=total))


def _summary(figure: exp.Expr) -> list[exp.Expr]:
    square = exp.Mul(this=exp.Paren(this=figure.copy()), expression=exp.Paren(this=figure.copy()))
    return [
        exp.func("COUNT", exp.Star()),
        *(exp.func(name, figure.copy()) for name in ("MIN", "MAX", "SUM")),
        exp.func("SUM", square),
    ]


def _read_summary(values: Sequence[Any]) -> Summary:
    count, *figures = values
    if not count:
        return Summary.nobody()
    return Summary(whole(count), *(float(f) for f in figures))


def _answer_parts(statement: Statement, measurement: Measurement) -> list[exp.Expr]:
    parts: list[exp.Expr] = []
    for aggregate in statement.aggregates:
        name = aggregate.argument and aggregate.argument.name
        parts.append(exp.func("COUNT", column(name) if name else exp.Star()))
        summed = aggregate.kind is not Kind.COUNT and name
        parts.append(exp.func("SUM", clamped(_number_of(name, measurement))) if summed and name else exp.Null())
    return parts


def _answer(statement: Statement, parts: Sequence[Any]) -> list[object]:
    answer: list[object] = []
    for aggregate, count, total in zip(statement.aggregates, parts[::2], parts[1::2], strict=True):
        if aggregate.kind is Kind.COUNT:
            answer.append(whole(count))
        elif not count:
            answer.append(None)
        else:
            answer.append(total if aggregate.kind is Kind.SUM else total / count)
    return answer


# As the authors do: bounds and keys read off the table


def extremes(statement: Statement, names: Sequence[str]) -> exp.Select:
    """How many rows there are, and the smallest and largest value of each named column, over the whole table."""
    parts = [exp.func(f, column(name)) for name in names for f in ("MIN", "MAX")]
    return exp.select(exp.func("COUNT", exp.Star()), *parts).from_(table(statement.table))


def observed_keys(statement: Statement) -> exp.Select:
    """The combinations of keys that the WHERE leaves, as they are in the data."""
    query = exp.select(*_keys(statement)).distinct().from_(table(statement.table))
    conditions = [] if statement.where is None else [predicate(statement.where)]
    present = [exp.Not(this=exp.Is(this=k, expression=exp.Null())) for k in _keys(statement)]
    return query.where(*conditions, *present)


# Shared by the plans above


def _by_cell(
    statement: Statement, measurement: Measurement, parts: Sequence[exp.Expr], joined: bool = False
) -> exp.Select:
    keys = _keys(statement)
    conditions = _conditions(statement, measurement)
    if not joined:
        return exp.select(*keys, *parts).from_(table(statement.table)).where(*conditions).group_by(*keys)
    matched = exp.select(*map(column, statement.columns)).from_(table(statement.table)).where(*conditions)
    query = _with(exp.select(*keys, *parts).from_(table(_ROWS)), _ROWS, matched)
    return _with_means(query, _means(statement, measurement), statement, "INNER").group_by(*keys)


def _means(statement: Statement, measurement: Measurement) -> exp.Select:
    """Per cell, count and sum of each column whose mean is asked for; the cell's keys under other names."""
    keys = [exp.alias_(column(k.name), _ours("k", k.name), quoted=True) for k in statement.keys]
    names = sorted({a.argument.name for a in statement.aggregates if a.kind is Kind.AVG and a.argument})
    counts = [exp.alias_(exp.func("COUNT", column(name)), _ours("n", name), quoted=True) for name in names]
    values = [(name, clamped(_number_of(name, measurement))) for name in names]
    sums = [exp.alias_(exp.func("SUM", tree), _ours("s", name), quoted=True) for name, tree in values]
    return exp.select(*keys, *counts, *sums).from_(table(_ROWS)).group_by(*_keys(statement))


def _with_means(query: exp.Select, means: exp.Select, statement: Statement, kind: str) -> exp.Select:
    on = [exp.EQ(this=column(k.name), expression=_own("k", k.name)) for k in statement.keys]
    return _with(query, _CELLS, means).join(table(_CELLS), on=exp.and_(exp.true(), *on), join_type=kind)


def _with(query: exp.Select, name: str, as_: exp.Select) -> exp.Select:
    return query.with_(exp.to_identifier(name, quoted=True), as_=as_)


def _ours(*words: str) -> str:
    """A name of our own beside the names that users gave."""
    return " ".join(("sfumato", *words))


def _own(*words: str) -> exp.Column:
    return column(_ours(*words))


def _conditions(statement: Statement, measurement: Measurement) -> list[exp.Expr]:
    conditions = [] if statement.where is None else [predicate(statement.where)]
    if not measurement.cells:
        return [exp.false()]
    for position, key in enumerate(statement.keys):
        conditions.append(listed(column(key.name), list(dict.fromkeys(cell[position] for cell in measurement.cells))))
    return conditions


def _cells(rows: Rows, statement: Statement) -> list[tuple[Cell, tuple[Any, ...]]]:
    width = len(statement.keys)
    return [(tuple(row[:width]), row[width:]) for row in rows]


def _keys(statement: Statement) -> list[exp.Expr]:
    return [column(key.name) for key in statement.keys]


def table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _has_mean(statement: Statement) -> bool:
    return any(a.kind is Kind.AVG for a in statement.aggregates)


def _number_of(name: str, measurement: Measurement) -> NoisyNumber:
    return next(n for n in measurement.numbers if n.column == name and n.kind is not NumberKind.COUNT)


def _name(n: NoisyNumber) -> str:
    assert n.column is not None
    return n.column


def whole(total: Any) -> int:
    """A whole number that an engine returned, of whatever type; nothing is 0."""
    return int(total) if total is not None else 0
