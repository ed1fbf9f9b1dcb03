"""The oracle: literal leave-one-out. It takes each person's rows out, asks SQLite, and puts them back.

Slow and exact, and it shares no code with the plan: sums, means and variances are added up as fractions.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import product
from typing import Any

from sfumato.model.confidential import Confidential
from sfumato.model.schema import Bounds, Category, Format, Schema, Type
from sfumato.model.statement import AggregateKind
from tests.property import oracle_functions

Figure = Fraction | None
Answer = tuple[tuple[Figure, ...], ...]  # one row per public cell, in the schema's order; one figure per aggregate
Value = int | float | str | None

_SELECT = re.compile(r"\s*SELECT\s(.+?)\sFROM\s", re.IGNORECASE | re.DOTALL)
_GROUP_BY = re.compile(r"\sGROUP\s+BY\s(.+)$", re.IGNORECASE | re.DOTALL)
_AGGREGATE = re.compile(
    r'\b(\w+)\s*\(\s*(DISTINCT\s+)?(\*|\w+|"[^"]+")\s*(?:,\s*([\d.]+)\s*)?\)', re.IGNORECASE | re.ASCII
)
_OTHER_NAMES = {
    "VARIANCE": AggregateKind.VAR_SAMP,
    "STDDEV": AggregateKind.STDDEV_SAMP,
    "MEDIAN": AggregateKind.QUANTILE_CONT,
}
_NUMBER = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity)", re.IGNORECASE | re.ASCII)
LISTED = "'all keys are listed'"
_TRUTHS = dict.fromkeys(("true", "t", "yes", "y", "1"), 1) | dict.fromkeys(("false", "f", "no", "n", "0"), 0)


# The question, in SQLite's words


@dataclass(frozen=True)
class OracleAggregate:
    """One aggregate. Its argument is spelled twice: as it is, and with each column in it clamped to its bounds.

    Counts read the first and everything else the second; `bounds` are those of the second.
    """

    kind: AggregateKind
    argument: str = "*"
    clamped: str = ""
    bounds: Bounds | None = None
    at: Fraction | None = None  # which quantile

    @property
    def sql(self) -> str:
        match self.kind:
            case AggregateKind.COUNT:
                return f"COUNT({self.argument})"
            case AggregateKind.COUNT_DISTINCT:
                return f"COUNT(DISTINCT {self.argument})"
            case AggregateKind.APPROX_QUANTILE:
                return f"QUANTILE_DISC({self.clamped}, '{self.at}')"
            case AggregateKind.QUANTILE_CONT | AggregateKind.QUANTILE_DISC:
                return f"{self.kind}({self.clamped}, '{self.at}')"
        return f"{self.kind}({self.clamped})"

    def numbers(self) -> dict[str, Fraction]:
        """The noisy numbers behind it, as SQL, and by how much one row may move each.

        Numbers that no row moves alone (distinct values, extremes, quantiles) stand for themselves.
        """
        if self.bounds is None:
            return {self.sql: Fraction(1)}
        low, high, middle, half = self.bounds.lower, self.bounds.upper, self.bounds.middle, self.bounds.half_width
        total = {f"SUM_FROM({self.clamped}, '{middle}')": half, f"COUNT({self.argument})": Fraction(1)}
        match self.kind:
            case AggregateKind.SUM:
                return {f"SUM_FROM({self.clamped}, '0')": self.bounds.reach}
            case AggregateKind.AVG:
                return total
            case AggregateKind.VAR_POP | AggregateKind.VAR_SAMP | AggregateKind.STDDEV_POP | AggregateKind.STDDEV_SAMP:
                return {f"SQUARES_FROM({self.clamped}, '{middle}', '{half}')": half**2 / 2} | total
        return {self.sql: max(self.bounds.reach, high - low)}


@dataclass(frozen=True)
class OracleKey:
    """A computed group key in SQLite's SQL, with its values."""

    sql: str
    values: tuple[Category, ...]


@dataclass(frozen=True)
class Literal:
    """A question as the oracle asks it: aggregates, what stands after FROM, and the keys it is grouped by.

    `cells` are those that its WHERE leaves possible, where not every combination of keys is; SQLite must find no row in
    any other. `levels` are the positions of the keys that each grouping set has; `grid` the steps of the noisy numbers.
    """

    aggregates: tuple[OracleAggregate, ...]
    source: str
    keys: tuple[str | OracleKey, ...] = ()
    cells: tuple[tuple[Category, ...], ...] | None = None
    one_row_each: bool = False  # what stands after FROM has one row for each person, whatever `max_rows` says
    levels: tuple[tuple[int, ...], ...] = ()
    grid: tuple[Fraction, ...] = ()
    drawn_each: tuple[int, ...] = ()  # how many numbers are drawn for each; without it one

    @classmethod
    def of(cls, sql: str, schema: Schema) -> Literal:
        """Plain SQL, whose aggregates take a column each, read by pattern: as little as will do."""
        select = _SELECT.match(sql)
        grouped = _GROUP_BY.search(sql)
        assert select is not None
        keys = tuple(_plain(key) for key in grouped[1].split(",")) if grouped else ()
        source = sql[select.end() : grouped.start() if grouped else None]
        return cls(tuple(_aggregate_of(call, schema) for call in _AGGREGATE.finditer(select[1])), source, keys)

    def sql(self, numbers: Iterable[str], level: Sequence[int] | None = None) -> str:
        """Keys, then answers, then noisy numbers; of one level, from the rows with all keys listed."""
        named = [spelled for place, spelled in enumerate(self.spelled) if level is None or place in level]
        keys = ", ".join(str(place + 1) for place in range(len(named)))
        items = ", ".join([*named, *(aggregate.sql for aggregate in self.aggregates), *numbers])
        source = self.source if level is None else f"(SELECT * FROM {self.source}) WHERE {LISTED}"
        return f"SELECT {items} FROM {source}" + (f" GROUP BY {keys}" if keys else "")

    @property
    def spelled(self) -> list[str]:
        """The keys in SQLite's SQL."""
        return [key.sql if isinstance(key, OracleKey) else _quoted(key) for key in self.keys]

    @property
    def leaves(self) -> tuple[int, ...]:
        return tuple(range(len(self.keys)))

    def drawn(self, groups: int) -> tuple[tuple[int, ...], ...]:
        """The levels that noise is drawn for: of few groups by all keys, those alone."""
        if not self.levels:
            return (self.leaves,)
        return (self.leaves,) if groups <= len(self.levels) ** 2 else self.levels

    def numbers(self, schema: Schema) -> dict[str, Fraction]:
        """The noisy numbers of a cell and the most that one person may move each; one that serves twice is there once.

        A person has up to `max_rows` rows, but is one person in each cell: a count of persons, and an answer at some
        rank, move by at most that in each of the cells that one person can be in.
        """
        moved = {
            sql: most
            for aggregate in self.aggregates
            for sql, most in (
                {f"COUNT(({aggregate.clamped}) + 0)": Fraction(1)}
                if self._in_histogram(aggregate)
                else aggregate.numbers()
            ).items()
        }
        ranked = {aggregate.sql for aggregate in self.aggregates if aggregate.kind.selects}
        once = {sql for sql in moved if sql in ranked or _counts_persons(sql, schema)}
        rows, cells = (1, 1) if self.one_row_each else (schema.unit.max_rows, self._cells_of_one(schema))
        levels = len(self.drawn(len(self._every(schema))))
        return {
            sql: most * (cells if sql in once else rows) * schema.relation.steps * levels for sql, most in moved.items()
        }

    def _in_histogram(self, aggregate: OracleAggregate) -> bool:
        """Whether a quantile is read from a histogram: of five quantiles of a value, or with an APPROX_QUANTILE.

        In each level of it someone has as many of the rows that they may have as in a count of the values.
        """

        def is_inner(other: OracleAggregate) -> bool:
            return other.kind.ranks and other.at not in (0, 1) and other.clamped == aggregate.clamped

        inner = list(filter(is_inner, self.aggregates))
        several = len({other.at for other in inner}) >= 5
        asked = any(other.kind is AggregateKind.APPROX_QUANTILE for other in inner)
        return is_inner(aggregate) and (several or asked)

    def distances(self, schema: Schema) -> tuple[Fraction, ...]:
        """The same as distances over all cells: of persons the root of the cells, rounded up to the grid of counts."""
        cells, one = 1 if self.one_row_each else self._cells_of_one(schema), 1024 * schema.relation.steps
        root = Fraction(math.isqrt(cells * one**2 - 1) + 1, 1024) if cells else Fraction(0)
        levels = len(self.drawn(len(self._every(schema))))
        if levels > 1:  # the root of the levels, rounded up to the grid
            pairs = zip(self.numbers(schema).values(), self.grid, strict=True)
            return tuple((math.isqrt(math.ceil((d / step) ** 2 / levels) - 1) + 1) * step for d, step in pairs)
        return tuple(root if _counts_persons(sql, schema) else d for sql, d in self.numbers(schema).items())

    def _every(self, schema: Schema) -> tuple[tuple[Category, ...], ...]:
        return tuple(product(*(_categories(key, schema) for key in self.keys))) if self.cells is None else self.cells

    def _cells_of_one(self, schema: Schema) -> int:
        """The most public cells in which one person counts: they share the column of people, if that is a key."""
        every = self._every(schema)
        others = [place for place, key in enumerate(self.keys) if str(key).lower() != str(schema.unit.column).lower()]
        return min(schema.unit.groups, len({tuple(cell[place] for place in others) for cell in every}))


def _counts_persons(sql: str, schema: Schema) -> bool:
    unit = schema.unit.column
    return unit is not None and sql.lower() == f"COUNT(DISTINCT {_quoted(unit)})".lower()


def clamped_name(name: str) -> str:
    """What the oracle calls a column whose values are within the bounds."""
    return f"{name}, clamped"


# What it finds


@dataclass(frozen=True)
class OracleAnswer:
    """What SQLite says of some of the people: the answer, and the noisy numbers without their noise."""

    answer: Answer
    numbers: Answer


@dataclass(frozen=True, repr=False)
class OracleFindings(Confidential):
    """What is found of everybody, and of everybody but one, person by person."""

    aggregates: tuple[OracleAggregate, ...]
    most: tuple[Fraction, ...]  # how much one person may move each noisy number
    furthest: tuple[Fraction, ...]  # the same, as a distance
    people: tuple[object, ...]
    everybody: OracleAnswer
    without: tuple[OracleAnswer, ...]
    drawn_each: tuple[int, ...] = ()

    @property
    def answer(self) -> Answer:
        return self.everybody.answer

    @property
    def outputs(self) -> int:
        return len(self.everybody.numbers) * (sum(self.drawn_each) or len(self.most))

    def influences(self) -> list[Fraction]:
        """By how much the answer moves when each person leaves, in all (L1, Laplace)."""
        return [sum(map(abs, self._changes(rest)), Fraction(0)) for rest in self.without]

    def influences_l2(self) -> list[float]:
        """The same as a distance (L2, Gaussian)."""
        return [math.sqrt(sum(change**2 for change in self._changes(rest))) for rest in self.without]

    def exposures(self) -> list[Fraction]:
        """Each person's share of the worst case: equal parts of it to every noisy number that is drawn."""
        return [sum(map(abs, self._parts(rest, self.most)), Fraction(0)) / len(self.most) for rest in self.without]

    def exposures_l2(self) -> list[float]:
        parts = [self._parts(rest, self.furthest) for rest in self.without]
        return [math.sqrt(sum(part**2 for part in own) / len(self.furthest)) for own in parts]

    def _changes(self, rest: OracleAnswer) -> list[Fraction]:
        return [change for row in _differences(self.answer, rest.answer) for change in row]

    def _parts(self, rest: OracleAnswer, most: Sequence[Fraction]) -> list[Fraction]:
        rows = _differences(self.everybody.numbers, rest.numbers)
        return [change / d for row in rows for change, d in zip(row, most, strict=True)]


def leave_one_out(
    rows: Sequence[Mapping[str, object]],
    schema: Schema,
    question: Literal | str,
    columns: Sequence[str] = (),
    people: Sequence[object] | None = None,
) -> OracleFindings:
    """Ask about everybody, then once per person without that person's rows.

    `rows` are those that count: where a person has more than `max_rows`, the others are gone already, and `people`
    says who is there all the same. `columns` are those that the table has beside the declared ones.
    """
    literal = Literal.of(question, schema) if isinstance(question, str) else question
    numbers = literal.numbers(schema)
    sql, every = literal.sql(numbers), list(product(*(_categories(key, schema) for key in literal.keys)))
    cells = every if literal.cells is None else [tuple(map(_plain_value, cell)) for cell in literal.cells]
    width, answers = len(literal.keys), len(literal.aggregates)
    leaves = Groups(literal, cells, [_categories(key, schema) for key in literal.keys])
    nothing = [Fraction(0) if aggregate.kind.counts else None for aggregate in literal.aggregates] + [None] * len(
        numbers
    )
    connection = _fill_table(rows, schema, columns)
    person_is = f"{_quoted(schema.unit.column)} = ?" if schema.unit.column else "rowid = ?"

    def ask() -> OracleAnswer:
        groups = {row[:width]: [_exact(value) for value in row[width:]] for row in connection.execute(sql)}
        if not groups.keys().isdisjoint(set(every).difference(cells)):
            raise AssertionError("a row lies in a group that was said to be excluded")
        assert set(cells) <= set(every)
        if literal.levels:
            return leaves.ask(connection, numbers, nothing)
        figures = [groups.get(cell, nothing) for cell in cells]
        return OracleAnswer(tuple(tuple(f[:answers]) for f in figures), tuple(tuple(f[answers:]) for f in figures))

    def ask_without(person: object) -> OracleAnswer:
        connection.execute("BEGIN")
        connection.execute(f"DELETE FROM {_quoted(schema.name)} WHERE {person_is}", (person,))
        answer = ask()
        connection.execute("ROLLBACK")
        return answer

    everyone = tuple(people_of(rows, schema) if people is None else people)
    everybody, without = ask(), tuple(map(ask_without, everyone))
    connection.close()
    most, furthest = tuple(numbers.values()), literal.distances(schema)
    return OracleFindings(literal.aggregates, most, furthest, everyone, everybody, without, literal.drawn_each)


class Groups:
    """The groups of several levels: each level is asked for by itself, of the rows whose keys are all listed."""

    def __init__(
        self, literal: Literal, leaves: Sequence[tuple[Category, ...]], categories: Sequence[Sequence[Category]]
    ) -> None:
        self.literal, self.leaves, self.categories = literal, leaves, categories

    def ask(
        self, connection: sqlite3.Connection, numbers: Mapping[str, Fraction], nothing: Sequence[Figure]
    ) -> OracleAnswer:
        width, drawn = len(self.literal.aggregates), self.literal.drawn(len(self.leaves))
        levels = {level: self._level(connection, level, numbers) for level in {*self.literal.levels, *drawn}}
        answer, noisy = (
            [levels[level].get(group, nothing) for level, group in self._groups(of)]
            for of in (self.literal.levels, drawn)
        )
        return OracleAnswer(tuple(tuple(f[:width]) for f in answer), tuple(tuple(f[width:]) for f in noisy))

    def _level(
        self, connection: sqlite3.Connection, level: tuple[int, ...], numbers: Mapping[str, Fraction]
    ) -> dict[tuple[Category, ...], list[Figure]]:
        listed = " AND ".join(
            f"({key}) IN ({', '.join('?' * len(values))})"
            for key, values in zip(self.literal.spelled, self.categories, strict=True)
        )
        sql = self.literal.sql(numbers, level).replace(LISTED, listed)
        values = [value for of_key in self.categories for value in of_key]
        found = connection.execute(sql, values)
        return {row[: len(level)]: [_exact(value) for value in row[len(level) :]] for row in found}

    def _groups(self, levels: Sequence[tuple[int, ...]]) -> list[tuple[tuple[int, ...], tuple[Category, ...]]]:
        """Each group of these levels, in the order in which the leaves have values; what is rolled up comes after."""
        values_of = [list(dict.fromkeys(leaf[place] for leaf in self.leaves)) for place in self.literal.leaves]
        groups = {(level, tuple(leaf[place] for place in level)) for level in levels for leaf in self.leaves}

        def order(group: tuple[tuple[int, ...], tuple[Category, ...]]) -> list[int]:
            own = dict(zip(*group, strict=True))
            return [values.index(own[place]) if place in own else len(values) for place, values in enumerate(values_of)]

        return sorted(groups, key=order)


def people_of(rows: Sequence[Mapping[str, object]], schema: Schema) -> list[Value]:
    """Who is in the table: the rows by number, or the distinct values of the unit's column, in order."""
    if schema.unit.column is None:
        return list(range(1, len(rows) + 1))
    people = {_clean_value(row.get(schema.unit.column), schema, schema.unit.column) for row in rows} - {None}
    return sorted(people)  # type: ignore[type-var]  # values of one column are of one type


def _fill_table(rows: Sequence[Mapping[str, object]], schema: Schema, columns: Sequence[str]) -> sqlite3.Connection:
    """The cleaned table, each column beside its clamped twin. What belongs to nobody is left out."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA case_sensitive_like = ON")
    for name, (arguments, statistic) in _STATISTICS.items():
        connection.create_aggregate(name, arguments, _sqlite_aggregate(statistic))
    for name, (arguments, own) in _OF_ONE_PERSON.items():
        connection.create_aggregate(name, arguments, _own_aggregate(own))
    connection.create_function(
        "FLOOR", 1, lambda value: None if value is None or abs(value) >= 2**63 else math.floor(value)
    )
    for name, cased in (("LOWER", str.lower), ("UPPER", str.upper)):
        connection.create_function(name, 1, lambda text, cased=cased: None if text is None else cased(text))
    oracle_functions.register(connection)
    names = list(dict.fromkeys([*(column.name for column in schema.columns), *columns]))
    stored = [*map(_quoted, names), *(_quoted(clamped_name(name)) for name in names)]
    connection.execute(f"CREATE TABLE {_quoted(schema.name)} ({', '.join(stored)})")
    places = ", ".join("?" * len(stored))
    for row in rows:
        read = {name: _clean_value(row.get(name), schema, name) for name in names}
        if schema.unit.column is None or read[schema.unit.column] is not None:
            values = [*read.values(), *(_clamped_value(value, schema, name) for name, value in read.items())]
            connection.execute(f"INSERT INTO {_quoted(schema.name)} VALUES ({places})", values)
    return connection


# Statistics, exactly: of at least one value, in order


def _variance(values: list[Fraction], lost: int) -> Figure:
    mean = sum(values, Fraction(0)) / len(values)
    squares = sum(((v - mean) ** 2 for v in values), Fraction(0))
    return squares / (len(values) - lost) if len(values) > lost else None


def _root(variance: Figure) -> Figure:
    return None if variance is None else Fraction(math.sqrt(variance))


def _quantile_cont(values: list[Fraction], p: Fraction) -> Fraction:
    """Linear between the two values around rank p (m - 1), counted from 0."""
    rank = p * (len(values) - 1)
    below = math.floor(rank)
    return values[below] + (rank - below) * (values[math.ceil(rank)] - values[below])


def _quantile_disc(values: list[Fraction], p: Fraction) -> Fraction:
    """The first value that at least a share p of the values do not exceed."""
    return values[max(1, math.ceil(p * len(values))) - 1]


_STATISTICS: dict[str, tuple[int, Callable[..., Figure]]] = {
    "SUM": (1, lambda values: sum(values, Fraction(0))),
    "AVG": (1, lambda values: sum(values, Fraction(0)) / len(values)),
    "VAR_POP": (1, lambda values: _variance(values, 0)),
    "VAR_SAMP": (1, lambda values: _variance(values, 1)),
    "STDDEV_POP": (1, lambda values: _root(_variance(values, 0))),
    "STDDEV_SAMP": (1, lambda values: _root(_variance(values, 1))),
    "QUANTILE_CONT": (2, _quantile_cont),
    "QUANTILE_DISC": (2, _quantile_disc),
    "SUM_FROM": (2, lambda values, middle: sum((v - middle for v in values), Fraction(0))),
    "SQUARES_FROM": (
        3,
        lambda values, middle, half: sum(((v - middle) ** 2 - half**2 / 2 for v in values), Fraction(0)),
    ),
}  # COUNT, COUNT(DISTINCT ...), MIN and MAX are SQLite's own


_OF_ONE_PERSON: dict[str, tuple[int, Callable[[list[tuple[Any, ...]]], Value]]] = {
    "OWN_SUM": (1, lambda rows: _plain_number(sum((Fraction(v) for (v,) in rows), Fraction(0)))),
    "OWN_AVG": (1, lambda rows: float(sum((Fraction(v) for (v,) in rows), Fraction(0)) / len(rows))),
    "OWN_FIRST": (2, lambda rows: min((day, v) for v, day in rows)[1]),
    "OWN_LAST": (2, lambda rows: max((day, v) for v, day in rows)[1]),
}  # of the rows in which nothing that they read is missing


def _plain_number(exact: Fraction) -> int | float:
    return int(exact) if exact.denominator == 1 else float(exact)


def _own_aggregate(figure: Callable[[list[tuple[Any, ...]]], Value]) -> type:
    """A figure of one person's rows, exactly, as SQLite takes it."""

    class SqliteAggregate:
        def __init__(self) -> None:
            self.rows: list[tuple[Any, ...]] = []

        def step(self, *values: Any) -> None:
            if None not in values:
                self.rows.append(values)

        def finalize(self) -> Value:
            return figure(self.rows) if self.rows else None

    return SqliteAggregate


def _sqlite_aggregate(statistic: Callable[..., Figure]) -> type:
    """A statistic as SQLite takes it; fractions travel through SQLite as text."""

    class SqliteAggregate:
        def __init__(self) -> None:
            self.values: list[Fraction] = []
            self.parameters: tuple[Fraction, ...] = ()

        def step(self, value: float | None, *parameters: str) -> None:
            if value is not None:
                self.values.append(Fraction(value))
                self.parameters = tuple(map(Fraction, parameters))

        def finalize(self) -> str | None:
            figure = statistic(sorted(self.values), *self.parameters) if self.values else None
            return None if figure is None else str(figure)

    return SqliteAggregate


def _differences(everybody: Answer, rest: Answer) -> list[list[Fraction]]:
    """Row by row, how far the figures are apart; one that does not exist counts as 0."""
    return [
        [(before or Fraction(0)) - (after or Fraction(0)) for before, after in zip(*pair, strict=True)]
        for pair in zip(everybody, rest, strict=True)
    ]


# Cleaning: what a delivered value means


def clean_rows(
    rows: Sequence[Mapping[str, object]], schema: Schema, columns: Sequence[str] | None = None
) -> list[dict[str, Value]]:
    """The declared columns, or these, with the schema's types: what does not fit is missing, like the missing texts."""
    names = [c.name for c in schema.columns] if columns is None else columns
    return [{name: _clean_value(row.get(name), schema, name) for name in names} for row in rows]


def _clean_value(value: object, schema: Schema, name: str) -> Value:
    """A value as its column's type, from the way it is written; None where it is missing or does not fit."""
    column, text = schema.column(name), str(value)
    if value is None or text in schema.null_values:
        return None
    if column is not None and column.format is not None:
        return _formatted_value(text, column.format, column.type)
    match column.type if column else Type.TEXT:
        case Type.INTEGER:
            return _whole(text.strip())
        case Type.NUMBER:
            return float(text) if _NUMBER.fullmatch(text.strip()) else None
        case Type.BOOLEAN:
            return _TRUTHS.get(text.lower())
        case Type.DATE:
            return _day(text)
    return text


def _formatted_value(text: str, format_: Format, type_: Type) -> Value:
    """A value that is written in a format, read letter by letter; up to 20 blanks may stand on either side."""
    bare = text[min(20, len(text) - len(text.lstrip(" "))) :]
    bare = bare[: len(bare) - min(20, len(bare) - len(bare.rstrip(" ")))]
    if format_ in (Format.DAY_FIRST, Format.MONTH_FIRST):
        parts = bare.replace("/", "-").replace(".", "-").split("-")
        if [len(part) for part in parts] not in [[d, m, 4] for d in (1, 2) for m in (1, 2)] or not _digits(*parts):
            return None
        day, month, year = parts if format_ is Format.DAY_FIRST else (parts[1], parts[0], parts[2])
        return _day(f"{year}-{month:0>2}-{day:0>2}")
    sign, figure = _unsigned_figure(bare, "" if "%" in format_ else "$€£¥")
    mark, thousands = (",", " \u00a0\u202f" if " " in format_ else ".") if "," in format_[-4:] else (".", ",")
    whole, point, decimals = figure.partition(mark)
    groups = "".join("|" if letter in thousands else letter for letter in whole.replace("|", "x")).split("|")
    grouped = len(groups) <= 13 and len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    fits = _digits(*groups) and (grouped if len(groups) > 1 else len(whole) <= 40)
    if (point and not (_digits(decimals) and len(decimals) <= 40)) or not (fits or (point and not whole)):
        return None
    number = f"{sign}{''.join(groups) or '0'}.{decimals or '0'}"
    return _whole(number) if type_ is Type.INTEGER else float(number)


def _unsigned_figure(text: str, currencies: str) -> tuple[str, str]:
    """A plus or minus, and what is left without the one currency or percent sign on a side and the blank beside it."""
    blanks = " \u00a0\u202f"

    def taken(letters: str) -> str:
        nonlocal text
        first = text[:1] if text[:1] and text[0] in letters else ""
        text = text[len(first) :]
        return first

    sign = taken("+-")
    if currencies:
        currency = taken(currencies)
        taken(blanks)
        sign = sign or (taken("+-") if currency else "")
    if text[-1:] and text[-1] in (currencies or "%"):
        text = text[:-2] if text[-2:-1] and text[-2] in blanks else text[:-1]
    return sign, text


def _digits(*texts: str) -> bool:
    return all(text and set(text) <= set("0123456789") for text in texts)


def _whole(text: str) -> int | None:
    """A whole number of 64 bits, however it is written; None for anything else."""
    if not _NUMBER.fullmatch(text) or "inf" in text.lower():
        return None
    exact = Fraction(text)
    return int(exact) if exact.denominator == 1 and -(2**63) <= exact < 2**63 else None


def _day(text: str) -> str | None:
    """A day as 2026-11-15: in the order of days, and of texts."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _clamped_value(value: Value, schema: Schema, name: str) -> float | None:
    """What is added up; a WHERE reads the value as it is."""
    column = schema.column(name)
    if value is None or isinstance(value, str) or column is None or column.bounds is None:
        return None
    low, high = column.bounds.lower, column.bounds.upper
    return float(low if value < low else high if value > high else value)


# Reading the SQL


def _aggregate_of(call: re.Match[str], schema: Schema) -> OracleAggregate:
    name, distinct, column, at = call.groups()
    if distinct or name.upper() == "COUNT":
        argument = column if column == "*" else _quoted(_plain(column).lower())
        return OracleAggregate(AggregateKind.COUNT_DISTINCT if distinct else AggregateKind.COUNT, argument)
    kind = _OTHER_NAMES.get(name.upper()) or AggregateKind(name.upper())
    column = _plain(column).lower()
    ranked = Fraction(at or "1/2") if kind.ranks else None
    return OracleAggregate(kind, _quoted(column), _quoted(clamped_name(column)), schema.bounds_of(column), ranked)


def _categories(key: str | OracleKey, schema: Schema) -> tuple[Category, ...]:
    if isinstance(key, OracleKey):
        return key.values
    column = schema.column(key)
    return () if column is None or column.keys is None else column.keys


def _plain_value(value: Category) -> Category:
    """A key as SQLite has it."""
    return value.isoformat() if isinstance(value, date) else value


def _exact(figure: Value) -> Figure:
    return None if figure is None else Fraction(figure)


def _plain(name: str) -> str:
    return name.strip().strip('"')


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
