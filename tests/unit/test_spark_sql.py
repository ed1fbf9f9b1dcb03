"""What our own nodes are in Spark's SQL: nothing that fails because of a value is printed without its guard."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from sfumato.model.functions import LONGEST_READ
from sfumato.sql.builder import nodes
from sfumato.sql.builder.ast import column, select_from, sub_select
from sfumato.sql.builder.values import cast, double, function, number, typed
from sfumato.sql.lowering import patterns
from sfumato.sql.lowering.spelling import spell


def stored(name: str, type_: str) -> exp.Select:
    """A table of one column `v`, as it lies in Spark."""
    read = nodes.Stored(this=column("s"), stored=exp.Literal.string(type_))
    return select_from([exp.alias_(read, name, quoted=True)], "t")


def printed(tree: exp.Expr, type_: str = "bigint") -> str:
    """A value of a column `v` of this type, as Spark runs it."""
    text = spell(select_from([tree], stored("v", type_)), "spark")
    return text.removeprefix("SELECT ").partition(" FROM (SELECT")[0]


V = column("v")
PRINTED: dict[str, tuple[exp.Expr, str, str]] = {
    "a text as a whole number is read by what is written": (
        typed(V.copy(), "BIGINT"), "string", "TRY_CAST(TRY_CAST(REGEXP_EXTRACT(`v`, ",
    ),
    "a text as a float is read by what is written": (typed(V.copy(), "DOUBLE"), "string", "TRY_CAST(REGEXP_EXTRACT("),
    "a float beyond 64 bits is no whole number": (
        typed(V.copy(), "BIGINT"), "double", "TRY_CAST(CASE WHEN `v` < 9223372036854775808D THEN `v` END AS BIGINT)",
    ),
    "a whole number as a narrower one": (typed(V.copy(), "INT"), "bigint", "TRY_CAST(`v` AS INT)"),
    "FLOOR stays a float": (
        function("FLOOR", double(V.copy())), "double", "CASE WHEN ABS(CAST(CAST(`v` AS DOUBLE) AS DOUBLE)) < ",
    ),
    "a sum of whole numbers is by limbs": (function("SUM", V.copy()), "int", "(CAST(SUM(SHIFTRIGHT(`v`, 44)) AS DEC"),
    "a sum of floats is one": (function("SUM", V.copy()), "double", "SUM(`v`)"),
    "an exact sum is by limbs": (nodes.ExactSum(this=V.copy()), "bigint", "(CAST(SUM(SHIFTRIGHT(`v`, 44)) AS DECIMA"),
    "a sum of what is not known is right for each": (nodes.ExactSum(this=column("w")), "int", "SUM(`w` * 1BD)"),
    "whole numbers are divided as floats": (
        exp.Div(this=V.copy(), expression=number(2)), "bigint", "CAST(`v` AS DOUBLE) / 2",
    ),
    "an element beyond the end is missing": (
        nodes.At(this=nodes.TwoSmallest(this=V.copy()), expression=number(2)),
        "bigint",
        "TRY_ELEMENT_AT(MIN_BY(`v`, `v`, 2), CAST(2 AS INT))",
    ),
    "a time has no zone": (cast(exp.Null(), "TIMESTAMP"), "bigint", "CAST(NULL AS TIMESTAMP_NTZ)"),
    "128 bits are 38 digits": (typed(V.copy(), "INT128"), "bigint", "TRY_CAST(`v` AS DECIMAL(38, 0))"),
    "a step too far is one out of every year": (
        nodes.Later(this=V.copy(), by=number(10**11), unit=exp.Literal.string("day"), to=exp.DataType.build("DATE")),
        "date",
        "CAST(`v` + INTERVAL '7320000' DAY AS DATE)",
    ),
    "a text with a backslash": (exp.Literal.string("a\\'b"), "bigint", "'a\\\\\\'b'"),
}  # fmt: skip


@pytest.mark.parametrize("case", PRINTED)
def test_each_node_is_printed_with_its_guard(case: str) -> None:
    tree, type_, text = PRINTED[case]
    assert printed(tree.copy(), type_).startswith(text)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("smallint", "CAST(`s` AS BIGINT)"),
        ("float", "CAST(`s` AS DOUBLE)"),
        ("decimal(38,0)", "CAST(`s` AS STRING)"),
        ("string collate UTF8_LCASE", "COLLATE(`s`, 'UTF8_BINARY')"),
        ("array<int>", "CAST(NULL AS STRING)"),
        ("timestamp", "CASE WHEN CAST(`s` AS TIMESTAMP_NTZ) >= TIMESTAMP_NTZ'0001-01-01' AND "),
    ],
)
def test_a_stored_column_is_widened_and_its_moments_are_within_the_years_that_there_are(type_: str, text: str) -> None:
    assert f"(SELECT {text}" in spell(select_from([column("v")], stored("v", type_)), "spark")


def test_a_column_is_followed_through_sub_selects_and_named_tables() -> None:
    inner = select_from([column("v")], stored("v", "double"))
    outer = select_from([function("SUM", column("v"))], "ahead")
    cte = exp.CTE(this=inner, alias=exp.TableAlias(this=exp.to_identifier("ahead", quoted=True)), materialized=True)
    outer.set("with_", exp.With(expressions=[cte]))
    assert "SELECT SUM(`v`) FROM `ahead`" in spell(outer, "spark")
    starred = select_from([function("SUM", column("v"))], select_from([exp.Star()], stored("v", "double")))
    assert spell(starred, "spark").startswith("SELECT SUM(`v`)")
    assert isinstance(sub_select(inner.copy()), exp.Subquery)


TEXTS = st.text(st.sampled_from("ab%_\n.\\ß"), max_size=8)


@given(pattern=TEXTS, text=TEXTS)
def test_a_like_without_a_way_back_matches_what_like_matches(pattern: str, text: str) -> None:
    plain = "".join(".*" if c == "%" else "." if c == "_" else re.escape(c) for c in pattern)
    assert bool(re.search(patterns.of_like(pattern, end=r"\Z"), text)) == bool(re.fullmatch(plain, text, re.DOTALL))


@pytest.mark.parametrize(
    ("pattern", "whole"),
    [("(a|aa)*b", True), ("(ab)+", True), (".*a.*b.*c", False), ("x{1,100}y{1,100}z*", False), ("^a*b*c*$", True)],
)
def test_a_pattern_that_java_may_try_for_ever_is_refused(pattern: str, whole: bool) -> None:
    with pytest.raises(patterns.TooManyWays):
        patterns.of_re2(pattern, whole=whole)
    assert LONGEST_READ**2 == patterns.MOST_WAYS


def test_java_reads_a_pattern_as_re2_does() -> None:
    assert patterns.of_re2(r"^\s\d[a&b\S]{2,3}?(x|y)?.$") == (r"^[\t\n\f\r ]\d[a\&b[^\t\n\f\r ]]{2,3}?(x|y)?[^\n]\z")
    assert patterns.of_re2("a|b", whole=True) == r"^(?:a|b)\z"
