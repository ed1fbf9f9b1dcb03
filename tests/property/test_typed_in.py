"""Whatever is typed in is a question of our own kind, or it is refused in words: nothing else comes of it."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfumato.errors import QueryError, SchemaError
from sfumato.model.statement import columns_in
from sfumato.privacy.sensitivity import measure
from sfumato.sql.parser.statement import parse_condition
from tests.depth import depth
from tests.unit.test_parse import ADULT, PRESENT, WHERE, read

WORDS = re.findall(
    r"\S+",
    """
    SELECT FROM adult WHERE AND OR NOT GROUP BY HAVING ORDER LIMIT OFFSET JOIN ON UNION WITH AS IN IS NULL LIKE BETWEEN
    CASE WHEN THEN ELSE END COUNT SUM AVG MIN MEDIAN QUANTILE_CONT PERCENTILE_CONT WITHIN STDDEV ABS COALESCE UPPER
    DISTINCT OVER FILTER CAST DATE INTERVAL random now error read_csv COPY ATTACH PRAGMA EXPLAIN VALUES UNNEST LATERAL
    PIVOT SAMPLE ALL ROLLUP EXCLUDE COLUMNS NULLS FIRST DESC select age sex pay married born city photo a t
    ( ) ( ) , , . ; * = == < <= <> + - / % || :: [ ] { } $1 ? : -> 1 2.5 0.5 1e5 1e 0x1F 'Male' '2000-01-01' ''
    '/etc/passwd' "age" "pay" "" -- /* */ ' " $$
    """,
)
PREDICATES = ["married", "age > 3", "30 < age <= pay * 2", "sex IN ('Male')", "city LIKE 'A%'", "born IS NULL",
              "error(city) = 1", "CAST(age AS TEXT) = '3'", "age > (SELECT 1)", "photo = 1", "COUNT(*) > 3",
              "CASE WHEN married THEN age > 3 END", "COALESCE(married, TRUE)", "n > 3"]  # fmt: skip
CONNECTORS = ["AND", "OR", "AND NOT", "OR NOT", "= ", ") AND ("]
FUNCTIONS = {"COUNT", "SUM", "AVG", "VAR_SAMP", "VAR_POP", "STDDEV_SAMP", "STDDEV_POP", "MIN", "MAX", "MEDIAN",
             "QUANTILE_CONT", "QUANTILE_DISC", "ABS", "COALESCE", "LOWER", "UPPER", "CAST"}  # fmt: skip
KEYWORDS = {"AND", "IN", "NOT", "OR", "WHERE", "HAVING", "WHEN", "THEN", "ELSE", "DISTINCT", "BY"}
soups = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
pairs = st.tuples(st.sampled_from(PREDICATES), st.sampled_from(CONNECTORS)).map(" ".join)
conditions = st.lists(pairs, max_size=8).map(lambda parts: " ".join(["(", *parts, "married )"]))
scalars = st.recursive(
    st.sampled_from(["age", "pay", "sex", "married", "born", "photo", "a", "b", "t.a", "1", "-2.5", "'Male'", "NULL"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*", "/", "%", "=", "<", "AND"]), inner),
        st.builds("{}({})".format, st.sampled_from(["ABS", "LOWER", "COALESCE", "SUM", "random"]), inner),
        st.builds("CASE WHEN {} THEN {} ELSE {} END".format, conditions | inner, inner, inner),
        st.builds("CASE {} WHEN {} THEN {} END".format, inner, inner, inner),
        st.builds("COALESCE({}, {})".format, inner, inner),
    ),
    max_leaves=6,
)
AGGREGATES = ["COUNT(*)", "COUNT({})", "COUNT(DISTINCT {})", "SUM({})", "AVG({})", "VAR_POP({})", "STDDEV({})",
              "MIN({})", "MEDIAN({})", "QUANTILE_DISC({}, 0.3)", "PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY {})",
              "{}", "SUM({}) OVER ()", "COUNT({}) FILTER (WHERE married)"]  # fmt: skip
aggregates = st.builds(str.format, st.sampled_from(AGGREGATES), scalars)
sources = st.recursive(
    st.sampled_from(["adult", "adult AS t", "t", "select"]),
    lambda inner: (
        st.builds("(SELECT {} AS a, {} AS b FROM {}) AS t".format, scalars, scalars, inner)
        | st.builds("(SELECT *, {} AS a FROM {} WHERE {})".format, scalars, inner, conditions)
    ),
    max_leaves=3,
)
tails = st.sampled_from(
    ["", "WHERE {p}", "GROUP BY sex", "GROUP BY 1", "GROUP BY {s}", "HAVING {p}",
     "GROUP BY sex HAVING {p} ORDER BY {s}", "GROUP BY sex, married ORDER BY {a} DESC LIMIT 3 OFFSET 1",
     "ORDER BY {s} NULLS FIRST", "LIMIT {s}"]
)  # fmt: skip
questions = st.builds(
    lambda shown, aggregate, source, tail, p, s: (
        f"SELECT {shown}, {aggregate} AS n FROM {source} {tail.format(p=p, s=s, a=aggregate)}"
    ),
    aggregates | scalars, aggregates, sources, tails, conditions | scalars, scalars | aggregates,
)  # fmt: skip


@pytest.mark.depth("typed in")
@settings(max_examples=depth("typed in"))
@example("SELECT COUNT(*) FROM adult WHERE age <")
@given(
    st.text()
    | soups
    | (soups | conditions).map(WHERE.__add__)
    | soups.map("SELECT COUNT(*), {} FROM adult".format)
    | questions
)
def test_nothing_typed_in_does_more_than_it_may(text: str) -> None:
    """It is refused in words, or it is a question of our own kind whose one spelling is the same question."""
    try:
        statement = read(text)
    except QueryError:
        return
    bare = re.sub(r"""'(''|[^'])*'|"(""|[^"])*\"""", "x", statement.text)
    assert set(re.findall(r"(\w+) ?\(", bare)) <= FUNCTIONS | KEYWORDS
    assert set(statement.columns) <= set(PRESENT)
    assert read(statement.text) == statement
    with suppress(QueryError, SchemaError):
        measure(statement, ADULT)


numbers = st.recursive(
    st.sampled_from(["age", "pay", "1", "2.5", "-3"]),
    lambda inner: st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from("+-*/"), inner),
        st.builds("({})".format, inner),
        st.builds("-({})".format, inner),
        st.builds("ABS({})".format, inner),
        st.builds("COALESCE({}, {})".format, inner, inner),
        st.builds("CASE WHEN {} < {} AND NOT married THEN {} ELSE {} END".format, inner, inner, inner, inner),
        st.builds("CASE {} WHEN 1 THEN {} END".format, inner, inner),
    ),
    max_leaves=5,
)
facts = st.recursive(
    st.builds("{} {} {}".format, numbers, st.sampled_from(["=", "<>", "<", "<=", "BETWEEN 1 AND"]), numbers)
    | st.sampled_from(["married", "sex IN ('Male', 'O''Hare')", "sex LIKE '_e%'", "age IS NOT NULL", "2 < age <= pay"]),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["AND", "OR"]), inner)
        | st.builds("NOT ({})".format, inner)
    ),
    max_leaves=4,
)
figures = st.builds(
    str.format,
    st.sampled_from(["COUNT(*)", "COUNT({})", "COUNT(DISTINCT {})", "SUM({})", "AVG({})", "VAR_SAMP({})",
                     "STDDEV_POP({})", "MAX({})", "MEDIAN({})", "QUANTILE_CONT({}, 0.9)",
                     "PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY {})"]),
    numbers,
)  # fmt: skip
tables = st.recursive(
    st.just("adult"),
    lambda inner: (
        st.builds(
            "(SELECT {} AS age, {} AS pay, sex, married FROM {} WHERE {}) AS t".format, numbers, numbers, inner, facts
        )
        | st.builds("(SELECT * FROM {} WHERE {})".format, inner, facts)
    ),
    max_leaves=3,
)


@pytest.mark.depth("typed in")
@settings(max_examples=depth("typed in"))
@given(figures, figures, tables, facts, figures, st.booleans())
def test_a_sound_question_is_answered_in_one_spelling(
    first: str, second: str, table: str, where: str, other: str, descending: bool
) -> None:
    tail = f"HAVING {other} > 3 OR n IS NULL ORDER BY sex, {other} {'DESC' if descending else ''} LIMIT 3"
    statement = read(f"SELECT {first} AS n, {second} AS m FROM {table} WHERE {where} GROUP BY sex {tail}")
    assert read(statement.text) == statement
    assert [output.name for output in statement.outputs if output.visible] == ["n", "m"]


@settings(max_examples=depth("typed in"))
@given(st.text() | soups | conditions | scalars)
def test_no_condition_does_more_than_it_may(text: str) -> None:
    with suppress(QueryError):
        assert {column.name for column in columns_in(parse_condition(text, ADULT, PRESENT))} <= set(PRESENT)
