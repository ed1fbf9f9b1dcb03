"""Random questions, all of the dialect. Each is put twice, in the user's SQL and as the oracle asks it.

The two are written side by side: nothing translates the one into the other.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from sfumato.errors import QueryError
from sfumato.model.measurement import Measurement
from sfumato.model.schema import Bounds
from sfumato.model.statement import AggregateKind
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse
from tests.property.oracle import Literal, OracleAggregate, OracleKey, clamped_name
from tests.property.tables import CATEGORIES, DAYS, Draw, Names, Table


@dataclass(frozen=True)
class Question:
    sql: str
    literal: Literal


@dataclass(frozen=True)
class Said:
    """A piece of SQL in the user's words and in SQLite's."""

    user: str
    oracle: str


@dataclass(frozen=True)
class Interval:
    """Between which two values a number lies, and what becomes of it in arithmetic."""

    low: Fraction
    high: Fraction

    def __add__(self, other: Interval | int | Fraction) -> Interval:
        return self._with(other, operator.add)

    def __sub__(self, other: Interval | int) -> Interval:
        return self._with(other, operator.sub)

    def __mul__(self, other: Interval | int | Fraction) -> Interval:
        return self._with(other, operator.mul)

    def __truediv__(self, other: Interval | int) -> Interval:
        return self._with(other, operator.truediv)

    def __abs__(self) -> Interval:
        ends = [abs(self.low), abs(self.high), *([Fraction(0)] if self.has_zero else [])]
        return Interval(min(ends), max(ends))

    def __or__(self, other: Interval | int) -> Interval:
        """Either the one or the other."""
        other = _interval(other)
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def rising(self, function: Callable[[float], float]) -> Interval:
        """What becomes of it in a function that never decreases."""
        return Interval(Fraction(function(float(self.low))), Fraction(function(float(self.high))))

    @property
    def has_zero(self) -> bool:
        return self.low <= 0 <= self.high

    def _with(self, other: Interval | int | Fraction, operation: Callable[[Any, Any], Any]) -> Interval:
        other = _interval(other)
        ends = [operation(a, b) for a, b in product((self.low, self.high), (other.low, other.high))]
        return Interval(min(ends), max(ends))


def _interval(value: Interval | int | Fraction) -> Interval:
    return value if isinstance(value, Interval) else Interval(Fraction(value), Fraction(value))


# Numbers of a row


@dataclass(frozen=True)
class Number:
    """What may stand in an aggregate: in the user's SQL, in SQLite's, there with every column clamped, and where it
    lies then."""

    user: str
    oracle: str
    clamped: str
    interval: Interval

    def asked(self, kind: AggregateKind, at: Fraction | None) -> OracleAggregate:
        if kind.counts:
            return OracleAggregate(kind, self.oracle)
        return OracleAggregate(kind, self.oracle, self.clamped, Bounds(self.interval.low, self.interval.high), at)


@dataclass(frozen=True)
class Shape:
    """An expression of a column {a}, perhaps another one {b} and a condition {c}; and its interval."""

    sql: str
    interval: Callable[[Interval, Interval], Interval]

    def of(self, a: Number, b: Number, c: Said) -> Number:
        user = self.sql.format(a=a.user, b=b.user, c=c.user)
        oracle = self.sql.format(a=_real(a.oracle), b=_real(b.oracle), c=c.oracle)
        clamped = self.sql.format(a=_real(a.clamped), b=_real(b.clamped), c=c.oracle)  # a condition reads what is there
        return Number(user, oracle, clamped, self.interval(a.interval, b.interval))


def _real(sql: str) -> str:
    """SQLite would divide whole numbers by whole numbers."""
    return f"CAST({sql} AS REAL)"


HALF = Fraction(1, 2)


def round_half(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x)


def tenths(interval: Interval) -> Interval:
    return interval.rising(lambda x: round_half(x * 10) / 10)


OF_ONE = (
    Shape("{a} * 2 + 1", lambda a, _: a * 2 + 1),
    Shape("ABS({a}) - 1", lambda a, _: abs(a) - 1),
    Shape("3 - {a}", lambda a, _: a * -1 + 3),
    Shape("-{a}", lambda a, _: a * -1),
    Shape("{a} / 4", lambda a, _: a / 4),
    Shape("({a} + 1) * 0.1", lambda a, _: (a + 1) * Fraction("0.1")),
    Shape("COALESCE({a}, 3)", lambda a, _: a | 3),
    Shape("CASE WHEN {c} THEN {a} ELSE 0 END", lambda a, _: a | 0),
    Shape("CASE WHEN {c} THEN {a} END", lambda a, _: a),
)
OF_TWO = (
    Shape("{a} * 2 + {b}", lambda a, b: a * 2 + b),
    Shape("{a} - {b} / 2", lambda a, b: a - b / 2),
    Shape("-({a} - {b}) * 3", lambda a, b: (a - b) * -3),
    Shape("COALESCE({a}, {b})", lambda a, b: a | b),
    Shape("GREATEST({a}, {b})", lambda a, b: a | b),
    Shape("LEAST({a} + 1, {b})", lambda a, b: (a + 1) | b),
    Shape("CASE WHEN {c} THEN {a} ELSE {b} - 1 END", lambda a, b: a | (b - 1)),
    Shape("CASE WHEN {c} THEN {a} WHEN NOT ({c}) THEN {b} END", lambda a, b: a | b),
)
# Beyond the bounds these may fail to exist where they exist within them: they are not counted.
TIMES, OVER = Shape("{a} * {b}", lambda a, b: a * b), Shape("{a} / {b}", lambda a, b: a / b)
FUNCTIONS = (
    Shape("NULLIF({a}, {b})", lambda a, _: a),
    Shape("SQRT(ABS({a}))", lambda a, _: abs(a).rising(math.sqrt)),
    Shape("LN(ABS({a}) + 1)", lambda a, _: (abs(a) + 1).rising(math.log)),
    Shape("POWER({a}, 2)", lambda a, _: abs(a) * abs(a)),
    Shape("POWER({a}, 3)", lambda a, _: a.rising(lambda x: x**3)),
    Shape("FLOOR({a} / 3) + {a}", lambda a, _: (a / 3).rising(math.floor) + a),
    Shape("ROUND({a} * 2) - TRUNC({a}) / 3 + {a}", lambda a, _: (a * 2).rising(round_half) - a.rising(int) / 3 + a),
    Shape("CEIL({a} + 0.5) + ROUND({a} * 3, 1) + {a}", lambda a, _: (a + HALF).rising(math.ceil) + tenths(a * 3) + a),
)


# Where the numbers come from


@dataclass(frozen=True)
class Source:
    """What stands after FROM, with the columns it has: two numbers, and others that are counted."""

    before: str
    sql: Said
    numbers: tuple[Number, Number]
    others: tuple[str, ...]
    condition: st.SearchStrategy[Said]


def _table(table: Table) -> Source:
    names, columns = table.names, table.schema["columns"]
    numbers = [
        _named(name, quoted(name), Interval(*(Fraction(str(bound)) for bound in columns[name]["bounds"])))
        for name in (names.whole, names.real)
    ]
    others = (*names.keys, names.note, names.day, names.who)
    return Source("", _same(quoted(names.table)), (numbers[0], numbers[1]), others, conditions(names))


def _sub_select(draw: Draw, table: Table) -> Source:
    """The same numbers under other names, one of them computed, and not all of the rows; or a CTE of that."""
    names, inner = table.names, _table(table)
    whole, real = inner.numbers
    computed = draw(_OF_ONE).of(whole, whole, draw(inner.condition))
    others = [*names.keys, *([names.who] if draw(_MAYBE) else [])]
    kept = ", ".join(map(quoted, others))
    where = _spelled(" WHERE {}", draw(inner.condition)) if draw(_MAYBE) else _same("")
    user = f'SELECT {computed.user} AS x, {real.user} AS "y z", {kept} FROM {inner.sql.user}{where.user}'
    twins = f'{computed.clamped} AS "{clamped_name("x")}", {real.clamped} AS "{clamped_name("y z")}"'
    oracle = (
        f'SELECT {computed.oracle} AS x, {real.oracle} AS "y z", {twins}, {kept} FROM {inner.sql.oracle}{where.oracle}'
    )
    columns = _named("x", "x", computed.interval), _named("y z", '"y z"', real.interval)
    if draw(_MAYBE):
        return Source(f"WITH t AS ({user}) ", Said("t", f"({oracle})"), columns, tuple(others), _OF_X_AND_Y)
    alias = draw(st.sampled_from(("", " AS t")))
    return Source("", Said(f"({user}){alias}", f"({oracle})"), columns, tuple(others), _OF_X_AND_Y)


def _named(name: str, user: str, interval: Interval) -> Number:
    return Number(user, f'"{name.lower()}"', f'"{clamped_name(name)}"', interval)


# Questions

AGGREGATES: dict[str, tuple[AggregateKind, tuple[str, ...]]] = {
    "COUNT(*)": (AggregateKind.COUNT, ("COUNT(*)", "count(*)")),
    "COUNT": (AggregateKind.COUNT, ("COUNT({v})",)),
    "COUNT DISTINCT": (AggregateKind.COUNT_DISTINCT, ("COUNT(DISTINCT {v})",)),
    "SUM": (AggregateKind.SUM, ("SUM({v})", "sum({v})")),
    "AVG": (AggregateKind.AVG, ("AVG({v})", "avg({v})")),
    "VAR_POP": (AggregateKind.VAR_POP, ("VAR_POP({v})",)),
    "VAR_SAMP": (AggregateKind.VAR_SAMP, ("VAR_SAMP({v})", "VARIANCE({v})")),
    "STDDEV": (AggregateKind.STDDEV_SAMP, ("STDDEV({v})", "STDDEV_SAMP({v})", "stddev({v})")),
    "STDDEV_POP": (AggregateKind.STDDEV_POP, ("STDDEV_POP({v})",)),
    "MIN": (AggregateKind.MIN, ("MIN({v})",)),
    "MAX": (AggregateKind.MAX, ("MAX({v})",)),
    "MEDIAN": (AggregateKind.QUANTILE_CONT, ("MEDIAN({v})", "median({v})")),
    "QUANTILE_CONT": (
        AggregateKind.QUANTILE_CONT,
        ("QUANTILE_CONT({v}, {p})", "PERCENTILE_CONT({p}) WITHIN GROUP (ORDER BY {v})"),
    ),
    "QUANTILE_DISC": (
        AggregateKind.QUANTILE_DISC,
        ("QUANTILE_DISC({v}, {p})", "PERCENTILE_DISC({p}) WITHIN GROUP (ORDER BY {v})"),
    ),
    "APPROX_QUANTILE": (AggregateKind.APPROX_QUANTILE, ("APPROX_QUANTILE({v}, {p})",)),
}
SEVERAL = "SEVERAL QUANTILES"  # of one value
PLAIN = ("COUNT(*)", "COUNT", "SUM", "AVG")
ADDITIVE = tuple(
    n for n, (kind, _) in AGGREGATES.items() if not kind.selects and kind is not AggregateKind.COUNT_DISTINCT
)

_SUMMERS = (("2020-03-09", "2020-11-01"), ("2021-03-15", "2021-11-07"), ("2022-03-14", "2022-11-06"),
            ("2023-03-13", "2023-11-05"), ("2024-03-11", "2024-11-03"), ("2025-03-10", "2025-11-02"),
            ("2026-03-09", "2026-11-01"))  # fmt: skip
"""The days at whose first moment in UTC the clock of New York is ahead."""
_SUMMER = " OR ".join(f"{{day}} BETWEEN '{first}' AND '{last}'" for first, last in _SUMMERS)
_MAYBE, _SELDOM = st.booleans(), st.integers(0, 3).map(lambda i: i == 0)
_QUANTILES = st.sampled_from(("0.5", "0.25", "0.9", "0.1", "0", "1", "0.333", "0.75", "0.99"))
_OF_ONE, _OF_EITHER = st.sampled_from(OF_ONE), st.sampled_from((*OF_ONE, *OF_TWO, *OF_TWO))
_ANY, _ANY_PLAIN, _ANY_ADDITIVE = map(st.sampled_from, (tuple(AGGREGATES), PLAIN, ADDITIVE))


@st.composite
def questions(draw: Draw, table: Table, aggregate: str, levels: bool = False) -> Question:
    """One SELECT with this aggregate and perhaps another, of columns or expressions, of the table or a sub-select."""
    source = _sub_select(draw, table) if draw(_SELDOM) else _table(table)
    if aggregate == SEVERAL:
        return _question(draw, table, source, _several_quantiles(draw, source))
    chosen = [aggregate, *([draw(_ANY)] if draw(_MAYBE) else [])]
    return _question(draw, table, source, [_asked(draw, one, source) for one in chosen], levels)


@st.composite
def releasable_questions(draw: Draw, table: Table, additive: bool = False, levels: bool = False) -> Question:
    """One SELECT of one to three aggregates that are released, of whatever is asked for; or of sums over people."""
    source = _sub_select(draw, table) if draw(_SELDOM) else _table(table)
    chosen = draw(st.lists(_ANY_ADDITIVE if additive else _ANY, min_size=1, max_size=3))
    asked = [_asked(draw, one, source) for one in chosen]
    if draw(_SELDOM) and table.names.who in source.others and ("unit" in table.schema or not additive):
        who = table.names.who
        asked.append(
            (f"COUNT(DISTINCT {quoted(who)})", OracleAggregate(AggregateKind.COUNT_DISTINCT, f'"{who.lower()}"'))
        )
    return _question(draw, table, source, asked, levels)


@st.composite
def plain_questions(draw: Draw, table: Table) -> Question:
    """One SELECT of one to three counts, sums and means of columns."""
    source = _table(table)
    chosen = draw(st.lists(_ANY_PLAIN, min_size=1, max_size=3))
    return _question(draw, table, source, [_asked(draw, one, source, computed=False) for one in chosen])


def _question(
    draw: Draw, table: Table, source: Source, asked: list[tuple[str, OracleAggregate]], levels: bool = False
) -> Question:
    """With a WHERE or none, by no, one or two keys; perhaps at several levels of these, where all is added up."""
    keys: list[str | OracleKey] = draw(st.lists(st.sampled_from(table.names.keys), max_size=2, unique=True))
    items = [f"{sql} AS a{i}" for i, (sql, _) in enumerate(asked)]
    by = [quoted(str(key)) for key in keys]
    for key in by:
        if draw(_MAYBE):
            items.insert(draw(st.integers(0, len(items))), key)
    if draw(_MAYBE):
        computed, key = draw(_computed_keys(table, source))
        keys.append(key)
        shown, grouped = draw(st.sampled_from(((f"{computed} AS k", "k"), (computed, computed), ("", computed))))
        items += [shown] if shown else []
        by.append(str(len(items)) if shown and draw(_MAYBE) else grouped)
    where = _spelled(" WHERE {}", draw(source.condition)) if draw(_MAYBE) else _same("")
    sets: tuple[tuple[int, ...], ...] = ()
    group = ", ".join(by)
    added_up = all(a.kind.value in _ADDED_UP for _, a in asked)
    if levels and 0 < len(by) < 3 and added_up and draw(_MAYBE):
        group, sets = draw(st.sampled_from(LEVELS[len(by)]))
        group = group.format(*(f"({key})" if " = " in key else key for key in by))  # a condition needs parentheses
    sql = f"{source.before}SELECT {', '.join(items)} FROM {source.sql.user}{where.user}{group and f' GROUP BY {group}'}"
    measurement = _measurement(table, sql)
    grid = tuple(number.step for number in measurement.numbers)
    asked_for, read = tuple(a for _, a in asked), source.sql.oracle + where.oracle
    each = tuple(number.drawn for number in measurement.numbers)
    literal = Literal(asked_for, read, tuple(keys), measurement.cells, levels=sets, grid=grid, drawn_each=each)
    return Question(sql, literal)


@st.composite
def _computed_keys(draw: Draw, table: Table, source: Source) -> tuple[str, OracleKey]:
    """A key as the user computes it and as SQLite does, with its values."""
    condition, group = draw(source.condition), quoted(table.names.group)
    c, d = condition.user, condition.oracle
    known = table.schema["columns"][table.names.group]["categories"]
    keys = [
        (f"({c})", OracleKey(f"({d})", (False, True))),
        (
            f"CASE WHEN {c} THEN 'b' WHEN NOT ({c}) THEN 'a' END",
            OracleKey(f"iif({d}, 'b', iif(NOT ({d}), 'a', NULL))", ("b", "a")),
        ),
        (f"CASE WHEN {c} THEN 1 ELSE 0 END", OracleKey(f"iif({d}, 1, 0)", (1, 0))),
        (f"COALESCE({group}, 'none')", OracleKey(f"COALESCE({group}, 'none')", (*known, "none"))),
        (f"CASE WHEN {c} THEN {group} END", OracleKey(f"iif({d}, {group}, NULL)", tuple(known))),
    ]
    if source.numbers[0].user == quoted(table.names.whole):
        v, w = source.numbers[0].user, source.numbers[0].oracle
        low, high = table.schema["columns"][table.names.whole]["bounds"]
        wholes = range(low, high + 1)
        keys += [
            (f"{v} * 3 - 1", OracleKey(f"{w} * 3 - 1", tuple(3 * i - 1 for i in wholes))),
            (f"ABS(2 - {v})", OracleKey(f"ABS(2.0 - {w})", tuple({abs(2 - i): None for i in wholes}))),
            (
                f"CASE WHEN {c} THEN {v} ELSE -1 END",
                OracleKey(f"iif({d}, {w}, -1)", tuple(dict.fromkeys((*wholes, -1)))),
            ),
        ]
    number = source.numbers[1]
    width = (number.interval.high - number.interval.low) / 4
    if width:
        first, last = (math.floor(float(end) / float(width)) for end in (number.interval.low, number.interval.high))
        sql = f"FLOOR(CAST({number.oracle} AS REAL) / {float(width)!r})"
        keys.append((f"FLOOR({number.user} / {float(width)!r})", OracleKey(sql, tuple(range(first, last + 1)))))
    day = quoted(table.names.day)
    if table.names.day in source.others:
        month = f"CAST(strftime('%m', {day}) AS INTEGER)"
        monday = f"date({day}, '-6 days', 'weekday 1')"
        keys += [
            (f"YEAR({day})", OracleKey(f"CAST(strftime('%Y', {day}) AS INTEGER)", tuple(range(2020, 2027)))),
            (f"EXTRACT(MONTH FROM {day})", OracleKey(month, tuple(range(1, 13)))),
            (f"ISODOW({day})", OracleKey(f"(strftime('%w', {day}) + 6) % 7 + 1", tuple(range(1, 8)))),
            (
                f"DATE_TRUNC('year', {day})",
                OracleKey(f"strftime('%Y-01-01', {day})", tuple(f"{y}-01-01" for y in range(2020, 2027))),
            ),
            (
                f"CASE WHEN DATE_DIFF('day', {day}, '2020-03-10') > 9 THEN {day} - INTERVAL 1 MONTH < '2020-01-30' END",
                OracleKey(
                    f"iif({day} < '2020-03-01', date({day}, '-1 month') < '2020-01-30', NULL)",
                    (False, True),
                ),
            ),
            (f"(DATE_TRUNC('week', DATE '2020-02-05' + 7) < {day})", OracleKey(f"'2020-02-10' < {day}", (False, True))),
            (
                f"HOUR(CAST({day} AS TIMESTAMP) AT TIME ZONE 'America/New_York')",
                OracleKey(f"iif({day} IS NULL, NULL, iif({_SUMMER.format(day=day)}, 20, 19))", tuple(range(24))),
            ),
            (
                f"(CAST(CAST({day} AS TIMESTAMP) AT TIME ZONE 'America/New_York' AS DATE) < '2020-03-01')",
                OracleKey(f"date({day}, '-1 day') < '2020-03-01'", (False, True)),
            ),
            (f"(LAST_DAY({day}) = {day})", OracleKey(f"strftime('%d', {day}, '+1 day') = '01'", (False, True))),
            (
                f"STRFTIME({day}, '%Y/%m')",
                OracleKey(
                    f"strftime('%Y/%m', {day})", tuple(f"{y}/{m:02}" for y in range(2020, 2027) for m in range(1, 13))
                ),
            ),
            (f"(DATE_TRUNC('week', {day}) = DATE '2020-02-24')", OracleKey(f"{monday} = '2020-02-24'", (False, True))),
        ]
    chosen: tuple[str, OracleKey] = draw(st.sampled_from(keys))
    return chosen


_ADDED_UP = {AGGREGATES[name][0].value for name in ADDITIVE}
LEVELS: dict[int, list[tuple[str, tuple[tuple[int, ...], ...]]]] = {
    1: [("ROLLUP({})", ((0,), ())), ("GROUPING SETS ((), ({}))", ((), (0,)))],
    2: [
        ("ROLLUP({}, {})", ((0, 1), (0,), ())),
        ("CUBE({}, {})", ((0, 1), (0,), (1,), ())),
        ("{}, ROLLUP({})", ((0, 1), (0,))),
        ("GROUPING SETS (({}), ({}))", ((0,), (1,))),
        ("GROUPING SETS (({}, {}), ())", ((0, 1), ())),
    ],
}


def _measurement(table: Table, sql: str) -> Measurement:
    """With the cells that the WHERE leaves: the oracle checks that no row lies in any other. Some must be left."""
    schema = from_dict(table.schema)
    try:
        return measure(parse(sql, schema), schema)
    except QueryError as refused:
        if "excludes every group" not in refused.message:
            raise
        reject()


def _asked(draw: Draw, aggregate: str, source: Source, computed: bool = True) -> tuple[str, OracleAggregate]:
    """One aggregate, as the user spells it and as the oracle does."""
    kind, spellings = AGGREGATES[aggregate]
    spelling = draw(st.sampled_from(spellings))
    if aggregate == "COUNT(*)":
        return spelling, OracleAggregate(kind)
    if kind.counts and draw(_MAYBE):
        name = draw(st.sampled_from(source.others))
        return spelling.format(v=quoted(name)), OracleAggregate(kind, f'"{name.lower()}"')
    p = draw(_QUANTILES) if "{p}" in spelling else "0.5"
    argument = _argument(draw, source, kind) if computed and draw(_MAYBE) else draw(st.sampled_from(source.numbers))
    return spelling.format(v=argument.user, p=p), argument.asked(kind, Fraction(p) if kind.ranks else None)


def _several_quantiles(draw: Draw, source: Source) -> list[tuple[str, OracleAggregate]]:
    """Four or five quantiles of a column, and perhaps how many values it has."""
    number, name = draw(st.sampled_from(source.numbers)), "QUANTILE_CONT" if draw(_MAYBE) else "QUANTILE_DISC"
    places = ("0.1", "0.25", "0.5", "0.75", "0.9")[: draw(st.integers(4, 5))]
    asked = [(f"{name}({number.user}, {p})", number.asked(AggregateKind(name), Fraction(p))) for p in places]
    return [*asked, (f"COUNT({number.user})", number.asked(AggregateKind.COUNT, None))] if draw(_MAYBE) else asked


def _argument(draw: Draw, source: Source, kind: AggregateKind) -> Number:
    a, b = source.numbers if draw(_MAYBE) else source.numbers[::-1]
    condition = draw(source.condition)
    if kind.counts or not draw(_SELDOM):
        shape: Shape = draw(_OF_EITHER)
        return shape.of(a, b, condition)
    number = draw(st.sampled_from((TIMES if b.interval.has_zero else OVER, *FUNCTIONS))).of(a, b, condition)
    return Number(number.user, number.clamped, number.clamped, number.interval)


# Conditions


@cache
def conditions(names: Names) -> st.SearchStrategy[Said]:
    """Row-wise predicates; the parts are not always in parentheses, so that precedence counts."""
    wholes = st.integers(-21, 51).map(str)
    reals = st.one_of(st.sampled_from(("0.1", "2.25", "-1.5", "1000.5", "0", "1e2")), wholes)
    texts = st.sampled_from((*CATEGORIES, "elsewhere", "abc", "?")).map(
        lambda text: "'" + text.replace("'", "''") + "'"
    )
    patterns = st.sampled_from(("%", "a%", "_bc", "%c", "%S%", "Ü_ï", "")).map("'{}'".format)
    numeric = st.one_of(
        st.tuples(_column(names.whole, names.level), wholes), st.tuples(_column(names.whole, names.real), reals)
    )
    textual = st.tuples(_column(names.group, names.note), texts)
    days = st.sampled_from((*DAYS, "2021-07-01")).map("'{}'".format)
    dated = st.tuples(_column(names.day), days)
    same = st.one_of(
        st.builds(lambda pair, op: f"{pair[0]} {op} {pair[1]}", st.one_of(numeric, textual, dated), _COMPARED),
        st.builds(lambda pair, op: f"{pair[1]} {op} {pair[0]}", numeric, _COMPARED),
        st.builds("{} {} {}".format, _column(names.whole), _COMPARED, _column(names.real, names.level)),
        st.builds(lambda pair, end: f"{pair[0]} BETWEEN {pair[1]} AND {end}", numeric, wholes),
        st.builds(lambda pair, no, end: f"{pair[0]} {no}IN ({pair[1]}, {end})", numeric, _NO, wholes),
        st.builds(lambda pair, no, end: f"{pair[0]} {no}IN ({pair[1]}, {end})", textual, _NO, texts),
        st.builds("{} IS {}NULL".format, _column(*names.columns), _NO),
        st.builds("{} {}LIKE {}".format, _column(names.group, names.note), _NO, patterns),
        st.builds("{}({}) {} {}".format, st.sampled_from(("LOWER", "UPPER")), _column(names.group), _COMPARED, texts),
        _column(names.flag),
        _column(names.flag).map("{} = TRUE".format),
    ).map(_same)
    return _combined(
        st.one_of(
            same,
            st.builds(_of_text, _OF_TEXT, _column(names.group, names.note), _TEXT_IS),
            st.builds(_of_text, _TESTS_OF_TEXT, _column(names.group, names.note)),
            st.builds(_ilike, _column(names.group, names.note), _NO, patterns),
            st.builds(_chain, wholes, _column(names.whole, names.real), wholes),
            st.builds(
                lambda pair, op: Said(f"DATE {pair[1]} {op} {pair[0]}", f"{pair[1]} {op} {pair[0]}"), dated, _COMPARED
            ),
            st.builds(_computed, _COMPUTED, _column(names.whole), _column(names.real), _COMPARED, wholes),
        )
    )


def _combined(part: st.SearchStrategy[Said]) -> st.SearchStrategy[Said]:
    return st.recursive(
        part,
        lambda part: st.one_of(
            part.map(lambda p: _spelled("NOT ({})", p)),
            part.map(lambda p: _spelled("({})", p)),
            part.map(lambda p: _spelled("NOT {}", p)),
            st.builds(
                lambda a, word, b: _spelled(f"{{}} {word} {{}}", a, b), part, st.sampled_from(("AND", "OR")), part
            ),
        ),
        max_leaves=4,
    )


def _ilike(column: str, no: str, pattern: str) -> Said:
    return Said(f"{column} {no}ILIKE {pattern}", f"LOWER({column}) {no}LIKE {pattern.lower()}")


def _of_text(form: str, column: str, compared: str = "") -> Said:
    """To SQLite LEFT and RIGHT are joins."""
    user = f"{form.format(t=column)} {compared}".strip()
    return Said(user, user.replace("LEFT(", "FIRST_LETTERS(").replace("RIGHT(", "LAST_LETTERS("))


def _chain(low: str, column: str, high: str) -> Said:
    """As the papers write it."""
    return Said(f"{low} <= {column} < {high}", f"({low} <= {column} AND {column} < {high})")


def _computed(sql: str, a: str, b: str, op: str, number: str) -> Said:
    user, oracle = sql.format(a=a, b=b), sql.format(a=_real(a), b=_real(b))
    return Said(f"{user} {op} {number}", f"{oracle} {op} {number}")


def _spelled(form: str, *parts: Said) -> Said:
    return Said(form.format(*(p.user for p in parts)), form.format(*(p.oracle for p in parts)))


def _same(text: str) -> Said:
    return Said(text, text)


RESERVED = ("order", "select", "count", "matched", "level", "date", "rows", "unit", "value")


def quoted(name: str) -> str:
    return f'"{name}"' if not name.isidentifier() or name in RESERVED else name


def _column(*names: str) -> st.SearchStrategy[str]:
    return st.sampled_from(names).map(quoted)


_NO = st.sampled_from(("", "NOT "))
_COMPARED = st.sampled_from(("=", "==", "<>", "!=", "<", "<=", ">", ">="))
_COMPUTED = st.sampled_from(
    ("{a} * 2 - {b}", "{a} / {b}", "{b} / 2 + 1", "ABS({a}) - 1", "COALESCE({a}, {b}, 0)", "-{a}", "3 - ({a} - {b})",
     "CASE WHEN {a} > 0 THEN {b} ELSE {a} END", "GREATEST({a}, {b}, 3)", "LEAST({a}, 7, {b})", "NULLIF({a}, 3)",
     "ROUND({b}, 1)", "ROUND({b})", "ROUND({a}, -1)", "FLOOR({b} / 2)", "CEIL({b})", "TRUNC(-{b})", "SIGN({b}) * 3",
     "MOD({a}, 7)", "MOD({b}, -3)", "MOD({a}, {b})", "SQRT({a})", "LN({b})", "LOG10({a})", "LOG2({b})", "EXP({b} / 9)",
     "POWER({b}, 2)", "POWER({a}, -1)", "POWER({b}, 0.5)", "POWER({a}, 3)")
)  # fmt: skip
_OF_TEXT = st.sampled_from(
    ("SUBSTR({t}, 2, 2)", "SUBSTR({t}, 3)", "LEFT({t}, 1)", "RIGHT({t}, 2)", "TRIM({t})", "LTRIM({t})", "RTRIM({t})",
     "REPLACE({t}, 'a', 'bc')", "CONCAT({t}, '-', {t})", "{t} || 'c'", "LEFT(TRIM({t}) || 'abc', 3)")
)  # fmt: skip
_TEXT_IS = st.sampled_from(("= 'a'", "<> 'b'", "> 'S'", "IN ('abc', 'c', 'o')", "IS NULL", "LIKE '%c'"))
_TESTS_OF_TEXT = st.sampled_from(
    ("LENGTH({t}) > 3", "LENGTH(RIGHT({t}, 4)) = 4", "STARTS_WITH({t}, 'a')", "ENDS_WITH({t}, 'th')",
     "CONTAINS({t}, 'b')", "NOT CONTAINS({t}, '')", "REGEXP_MATCHES({t}, '^[a-s]+$')",
     r"REGEXP_MATCHES({t}, '\w(b|o)')", r"REGEXP_FULL_MATCH({t}, '.\S*')")
)  # fmt: skip
_OF_X_AND_Y = _combined(
    st.builds("{} {} {}".format, st.sampled_from(("x", '"y z"')), _COMPARED, st.sampled_from(("2", "0.5", "-3"))).map(
        _same
    )
)
