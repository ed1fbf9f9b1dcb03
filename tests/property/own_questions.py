"""Random questions over each person's own rows: sub-selects by person, windows, EXISTS and IN.

Each is put twice: in the user's SQL, and in SQLite's, which computes the sub-select anew whenever a person is deleted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from sfumato.model.schema import Bounds
from sfumato.model.statement import AggregateKind
from tests.property.oracle import Literal, OracleAggregate, clamped_name
from tests.property.questions import Question, quoted
from tests.property.tables import Draw, Table

ROWS = 40  # more than anyone has
COUNTED = 3  # rows_per_person: clips a person's count
SUMMED = (-4, 9)  # per_person: clips a person's sum
K = AggregateKind


@dataclass(frozen=True)
class Own:
    """A figure of a person's own rows: in the user's words, in SQLite's, and where it is clipped."""

    user: str
    oracle: str
    bounds: tuple[Any, Any] | None = None
    whole: bool = True


def own_figures(table: Table) -> list[Own]:
    names, columns = table.names, table.schema["columns"]
    whole, real, day, group = (quoted(n) for n in (names.whole, names.real, names.day, names.group))
    clamped_whole, clamped_real = (quoted(clamped_name(n)) for n in (names.whole, names.real))
    of_whole, of_real = columns[names.whole]["bounds"], columns[names.real]["bounds"]
    listed = len(columns[names.group]["categories"])
    summed = tuple(f(end, end * COUNTED) for f, end in zip((min, max), of_real, strict=True))
    positive = f"CASE WHEN {whole} > 0 THEN {whole} END"
    return [
        Own("COUNT(*)", "COUNT(*)", (1, COUNTED)),
        Own(f"COUNT({whole})", f"COUNT({whole})", (0, COUNTED)),
        Own(f"COUNT(DISTINCT {group})", f"COUNT(DISTINCT {group})", (0, min(COUNTED, listed))),
        Own(f"SUM({whole})", f"OWN_SUM({clamped_whole})", SUMMED),
        Own(f"SUM({real})", f"OWN_SUM({clamped_real})", summed, whole=False),
        Own(f"AVG({real})", f"OWN_AVG({clamped_real})", tuple(of_real), whole=False),
        Own(f"MIN({whole})", f"MIN({whole})", tuple(of_whole)),
        Own(f"MAX({positive})", f"MAX({positive})", tuple(of_whole)),
        Own(f"FIRST({whole} ORDER BY {day})", f"OWN_FIRST({whole}, {day})", tuple(of_whole)),
        Own(f"ARG_MAX({whole}, {day})", f"OWN_LAST({whole}, {day})", tuple(of_whole)),
        Own(f"SUM({real}) / COUNT(*)", f"OWN_SUM({clamped_real}) / COUNT(*)", None, whole=False),
        Own(f"MAX({day})", f"MAX({day})", None),
    ]


def outer_aggregate(draw: Draw, name: str, figure: Own) -> tuple[str, OracleAggregate]:
    if figure.bounds is None:
        return f"COUNT({name})", OracleAggregate(K.COUNT, name)
    kinds = [K.COUNT, K.SUM, K.AVG, K.MAX, K.VAR_POP, K.QUANTILE_CONT]
    kind = draw(st.sampled_from(kinds[:4] if figure.bounds[0] == figure.bounds[1] else kinds))
    if kind is K.COUNT:
        return f"COUNT({name})", OracleAggregate(kind, name)
    low, high = (Fraction(str(end)) for end in figure.bounds)
    clamped = f"MAX(MIN({name}, {float(high)!r}), {float(low)!r})"
    user = f"MEDIAN({name})" if kind.ranks else f"{kind.value}({name})"
    at = Fraction(1, 2) if kind.ranks else None
    return user, OracleAggregate(kind, name, clamped, Bounds(low, high), at)


@st.composite
def person_questions(draw: Draw, table: Table) -> Question:
    """One row for each person: a person with any number of rows, all of which count inside."""
    names = table.names
    who, whole, level, flag = (quoted(n) for n in (names.who, names.whole, names.level, names.flag))
    figures = draw(st.lists(st.sampled_from(own_figures(table)), min_size=1, max_size=3, unique_by=lambda f: f.user))
    inner = draw(st.sampled_from(("", f" WHERE {flag}", f" WHERE {whole} > 1 OR {flag} IS NULL")))
    having = draw(st.sampled_from(("", " HAVING COUNT(*) > 1", f" HAVING MAX({whole}) > 0 AND COUNT(*) < 4")))
    keyed = draw(st.booleans())
    key = [f"FIRST({level} ORDER BY {quoted(names.day)}) AS {level}"] if keyed else []
    oracle_key = [f"OWN_FIRST({level}, {quoted(names.day)}) AS {level}"] if keyed else []
    user_inner = ", ".join([who, *(f"{f.user} AS f{i}" for i, f in enumerate(figures)), *key])
    oracle_inner = ", ".join([who, *(f"{f.oracle} AS f{i}" for i, f in enumerate(figures)), *oracle_key])
    aggregates = [outer_aggregate(draw, f"f{i}", figure) for i, figure in enumerate(figures)]
    aggregates += [("COUNT(*)", OracleAggregate(K.COUNT))] if draw(st.booleans()) else []
    aggregates += [(f"COUNT(DISTINCT {who})", OracleAggregate(K.COUNT, who))] if draw(st.booleans()) else []
    where = draw(st.sampled_from(["", *(" WHERE f0 > 1" for f in figures[:1] if f.whole and f.bounds)]))
    read, table_name = f"{inner} GROUP BY {who}{having}", quoted(names.table)
    group = f" GROUP BY {level}" if keyed else ""
    keys = f"{level}, " if keyed else ""
    sql = (
        f"SELECT {keys}{', '.join(a for a, _ in aggregates)} FROM "
        f"(SELECT {user_inner} FROM {table_name}{read}){where}{group}"
    )
    source = f"(SELECT {oracle_inner} FROM {table_name}{read}){where}"
    once = dict.fromkeys(a for _, a in aggregates)
    return Question(sql, Literal(tuple(once), source, (names.level,) if keyed else (), one_row_each=True))


@st.composite
def row_questions(draw: Draw, table: Table) -> Question:
    """Rows beside figures of the person's own rows, and several groups of a person: up to `max_rows` of them count."""
    names = table.names
    who, whole, level, day, flag = (quoted(n) for n in (names.who, names.whole, names.level, names.day, names.flag))
    t = quoted(names.table)
    low, high = (Fraction(end) for end in table.schema["columns"][names.whole]["bounds"])
    clamped = quoted(clamped_name(names.whole))
    of_whole = [("COUNT(*)", OracleAggregate(K.COUNT))]
    of_whole += [
        (f"{kind.value}({whole})", OracleAggregate(kind, whole, clamped, Bounds(low, high))) for kind in (K.SUM, K.AVG)
    ]
    same = f"{t}.{who} = own.{who}"
    user, oracle = draw(
        st.sampled_from(
            [
                (
                    f"{t} WHERE EXISTS (SELECT 1 FROM {t} AS own WHERE own.{who} = {t}.{who} AND own.{whole} > 1)",
                    f"{t} WHERE EXISTS (SELECT 1 FROM {t} AS own WHERE {same} AND own.{whole} > 1)",
                ),
                (
                    f"{t} WHERE {flag} AND {who} NOT IN (SELECT {who} FROM {t} WHERE {level} = 1)",
                    f"{t} WHERE {flag} AND {who} NOT IN (SELECT {who} FROM {t} WHERE {level} = 1)",
                ),
                (
                    f"{t} WHERE {who} IN (SELECT {who} FROM {t} WHERE {flag} GROUP BY {who} HAVING COUNT(*) > 1)",
                    f"{t} WHERE {who} IN (SELECT {who} FROM {t} WHERE {flag} GROUP BY {who} HAVING COUNT(*) > 1)",
                ),
                (
                    f"(SELECT {whole}, {level}, SUM({whole}) OVER (PARTITION BY {who}) AS n FROM {t}) WHERE n > 2",
                    f"(SELECT *, (SELECT OWN_SUM(own.{clamped}) FROM {t} AS own WHERE {same}) AS n FROM {t}) "
                    "WHERE n > 2",
                ),
                (
                    f"(SELECT {whole}, {level}, RANK() OVER (PARTITION BY {who} ORDER BY {day} DESC) AS n FROM {t}) "
                    "WHERE n = 1",
                    f"(SELECT *, RANK() OVER (PARTITION BY {who} ORDER BY {day} DESC NULLS LAST) AS n FROM {t}) "
                    "WHERE n = 1",
                ),
                (
                    f"(SELECT *, COUNT({whole}) OVER (PARTITION BY {who}, {level} ORDER BY {day}) AS n FROM {t} "
                    f"WHERE {flag}) WHERE n = 1",
                    f"(SELECT *, COUNT({whole}) OVER (PARTITION BY {who}, {level} ORDER BY {day} NULLS LAST) AS n "
                    f"FROM {t} WHERE {flag}) WHERE n = 1",
                ),
            ]
        )
    )
    asked = draw(st.lists(st.sampled_from(of_whole), min_size=1, max_size=2, unique_by=lambda a: a[0]))
    keyed = draw(st.booleans())
    keys, group = (f"{level}, ", f" GROUP BY {level}") if keyed else ("", "")
    sql = f"SELECT {keys}{', '.join(a for a, _ in asked)} FROM {user}{group}"
    return Question(sql, Literal(tuple(a for _, a in asked), oracle, (names.level,) if keyed else ()))


@st.composite
def group_questions(draw: Draw, table: Table) -> Question:
    """Each person and value of a column has a row: of one person several count, in several groups of the answer."""
    names = table.names
    who, whole, level, t = (quoted(n) for n in (names.who, names.whole, names.level, names.table))
    user, oracle, asked = draw(
        st.sampled_from(
            [
                (f"SELECT DISTINCT {who}, {level} FROM {t}", f"SELECT DISTINCT {who}, {level} FROM {t}", None),
                (
                    f"SELECT {who}, {level}, SUM({whole}) AS s FROM {t} GROUP BY {level}, {who}",
                    f"SELECT {who}, {level}, OWN_SUM({quoted(clamped_name(names.whole))}) AS s FROM {t} "
                    f"GROUP BY {level}, {who}",
                    "s",
                ),
            ]
        )
    )
    aggregates = [
        ("COUNT(*)", OracleAggregate(K.COUNT)),
        (f"COUNT(DISTINCT {who})", OracleAggregate(K.COUNT_DISTINCT, f'"{names.who}"')),
    ]
    if asked is not None:
        clamped = f"MAX(MIN(s, {SUMMED[1]}), {SUMMED[0]})"
        aggregates.append(("AVG(s)", OracleAggregate(K.AVG, "s", clamped, Bounds(*map(Fraction, SUMMED)))))
    chosen = draw(st.lists(st.sampled_from(aggregates), min_size=1, max_size=2, unique_by=lambda a: a[0]))
    sql = f"SELECT {level}, {', '.join(a for a, _ in chosen)} FROM ({user}) GROUP BY {level}"
    return Question(sql, Literal(tuple(a for _, a in chosen), f"({oracle})", (names.level,)))


def with_own_bounds(table: Table, max_rows: int | None = None) -> Table:
    """The table with what the schema may state of a person's sums and counts."""
    columns = {name: dict(facts) for name, facts in table.schema["columns"].items()}
    columns[table.names.whole]["per_person"] = list(SUMMED)
    schema = table.schema | {"columns": columns, "rows_per_person": COUNTED}
    return replace(table, schema=schema if max_rows is None else schema | {"max_rows": max_rows})
