"""How large a query may be: what exceeds a limit is refused when it is read; what is within all of them is released."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import QueryError
from sfumato.model.functions import LONGEST_MADE
from sfumato.model.functions import LONGEST_READ as LONGEST_MATCHED
from sfumato.model.measurement import GROUPS
from sfumato.privacy.key_values import MOST_CELLS
from sfumato.privacy.sensitivity import MOST_CANDIDATES, MOST_FIGURES, MOST_SELECTED
from sfumato.sql.parser.size import (
    ALL_PATTERNS,
    DEEPEST,
    LARGEST,
    LONGEST,
    LONGEST_PATTERN,
    LONGEST_TEXT,
    MOST_AFTERWARDS,
    MOST_STEPS,
    MOST_WILDCARDS,
    NESTED,
)
from sfumato.sql.parser.statement import MOST_OUTPUTS, parse
from tests.unit.test_parse import ADULT, PRESENT, WHERE, read

LONG = "x" * LONGEST_TEXT
IN_ALL = ALL_PATTERNS // LONGEST_PATTERN  # patterns of full length that one query may have


def doubled(times: int) -> str:
    """A short query that is long once its sub-selects are written out: each one names the column before it twice."""
    read_from = "SELECT age AS a0 FROM adult"
    for i in range(times):
        read_from = f"SELECT a{i} + a{i} AS a{i + 1} FROM ({read_from})"
    return f"SELECT COUNT(*) FROM ({read_from}) WHERE a{times} > 3"


def repeated(text: str, times: int) -> str:
    """A text that stands in the query once, and as often as this once its sub-select is written out."""
    patterns = " OR ".join(f"told LIKE '%{i}'" for i in range(times))
    told = f"CASE WHEN married THEN '{text}' ELSE '' END AS told"
    return f"WITH t AS (SELECT {told} FROM adult) SELECT COUNT(*) FROM t WHERE {patterns}"


def patterns(many: int, length: int = LONGEST_PATTERN) -> str:
    return " OR ".join(f"city LIKE '{str(i).rjust(length, '_')}'" for i in range(many))


BEYOND = {
    "a text": (
        f"{WHERE}city = '{LONG}y'",
        "A text has 1,001 characters, and the limit is 1,000: line 1, column 41. Hint: compare with a shorter text."),
    "a text in a list": (
        f"{WHERE}city IN ('a', '{LONG}y')",
        "A text has 1,001 characters, and the limit is 1,000: line 1, column 48. Hint: compare with a shorter text."),
    "a text in a CASE": (
        f"{WHERE}CASE WHEN married THEN '{LONG}y' ELSE '' END LIKE '%x'",
        "A text has 1,001 characters, and the limit is 1,000: line 1, column 57. Hint: compare with a shorter text."),
    "a text in COALESCE": (
        f"SELECT COUNT(COALESCE(city, '{LONG}y')) FROM adult",
        "A text has 1,001 characters, and the limit is 1,000: line 1, column 29. Hint: compare with a shorter text."),
    "a text in HAVING": (
        f"SELECT sex, COUNT(*) FROM adult GROUP BY sex HAVING sex = '{LONG}y'",
        "A text has 1,001 characters, and the limit is 1,000: line 1, column 59. Hint: compare with a shorter text."),
    "a pattern": (
        f"{WHERE}city LIKE '{'x' * 201}'",
        "A LIKE pattern has 201 characters, and the limit is 200: line 1, column 44. Hint: use a shorter pattern."),
    "wildcards": (
        f"{WHERE}city NOT ILIKE '{'%a' * 21}'",
        "A LIKE pattern has 21 wildcards %, and the limit is 20: line 1, column 49. Hint: use fewer wildcards."),
    "all patterns": (
        f"{WHERE}{patterns(51)}",
        "The patterns of the query have 10,200 characters in all once its sub-selects are written out, and the "
        "limit is 10,000. Hint: use fewer or shorter patterns, or ask several queries."),
    "operations": (
        doubled(12),
        "The query has 8,191 operations once its sub-selects are written out, and the limit is 5,000. Hint: use "
        "each computed column less often, or ask several queries."),
    "characters, once it is written out": (
        repeated(LONG, 120),
        "The query has 126,519 characters once its sub-selects are written out, and the limit is 100,000. Hint: use "
        "shorter texts, or ask several queries."),
    "operations of HAVING": (
        f"SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex HAVING {' OR '.join(f'n = {i}' for i in range(67))}",
        "HAVING has 202 operations and constants, and the limit is 200. Hint: apply it to the answer instead."),
    "constants of HAVING": (
        f"SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex HAVING n IN ({', '.join(map(str, range(300)))})",
        "HAVING has 302 operations and constants, and the limit is 200. Hint: apply it to the answer instead."),
    "operations inside one another": (
        f"{WHERE}age{' + 1' * 50} > 3",
        "The query has 51 operations inside one another, and the limit is 50. Hint: simplify the query."),
    "divisors, each of which an engine writes out twice": (
        f"{WHERE}{'1 / (' * 24}age{')' * 24} > 3",
        "The query has 50,331,648 operations once its sub-selects are written out, and the limit is 5,000. Hint: "
        "use each computed column less often, or ask several queries."),
    "parentheses": (
        f"{WHERE}{'NOT (age > 1 AND ' * 25}married{')' * 25}",
        "The query has parentheses and CASE 25 deep, and the limit is 24. Hint: simplify the query."),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), BEYOND.values(), ids=BEYOND)
def test_what_exceeds_a_limit_is_refused_with_its_reason_and_remedy(text: str, sentence: str) -> None:
    with pytest.raises(QueryError) as refusal:
        read(text)
    assert str(refusal.value) == sentence


TALL = {
    **{f"sub-selects doubled {n} times": doubled(n) for n in (5, 11, 14)},
    **{f"a text written out {n} times": repeated(LONG, n) for n in (3, 90, 99, 110)},
    **{f"a text of 10,000 written out {n} times": repeated("x" * 10_000, n) for n in (3, 11)},
    **{f"{n} additions": f"{WHERE}age{' + 1' * n} > 3" for n in (30, 45, 50)},
    **{f"{n} subtractions to the right": f"{WHERE}{'1 - (' * n}age{')' * n} > 3" for n in (20, 24, 30)},
    **{f"{n} NOT": f"{WHERE}{'NOT (age > 1 AND ' * n}married{')' * n}" for n in (20, 24, 30)},
    **{f"{n} ABS": f"{WHERE}{'ABS(' * n}age{')' * n} > 3" for n in (20, 24, 30)},
    **{f"{n} CASE": f"{WHERE}{'CASE WHEN married THEN ' * n}age{' ELSE 0 END' * n} > 3" for n in (12, 24, 49)},
    **{f"{n} conditions": f"{WHERE}{' AND '.join(f'age <> {i}' for i in range(n))}" for n in (1000, 1600, 2000)},
    **{f"{n} patterns": f"{WHERE}{patterns(n)}" for n in (10, 50, 60)},
    **{f"a number after {n} zeros": f"{WHERE}age > {'0' * n}7" for n in (4300, 5000)},
    "a number of 5,000 digits": f"{WHERE}age > {'7' * 5000}",
}


@pytest.mark.parametrize("text", TALL.values(), ids=TALL)
def test_the_one_spelling_of_what_is_accepted_is_accepted_too(text: str) -> None:
    """A worker reads the one spelling: what it would refuse is refused at submission."""
    with suppress(QueryError):
        spelled = read(text).text
        assert read(spelled).text == spelled


def test_whether_a_query_is_accepted_does_not_depend_on_who_reads_it() -> None:
    """A reader that is called from a deep stack has fewer calls left."""
    deepest = f"{WHERE}{'NOT (age > 1 AND ' * NESTED}married{')' * NESTED}"

    def called(depth: int) -> str:
        return called(depth - 1) if depth else read(deepest).text

    assert called(60) == read(deepest).text


# At the limits

PEOPLE = {"age": [30, 40], "pay": [1.0, 2.0], "married": [True, False], "city": ["a", "b"]}
COLUMNS = {
    "age": {"type": "integer", "bounds": [0, 99]},
    "pay": {"type": "number", "bounds": [0, 9]},
    "married": {"type": "boolean"},
    "city": {"type": "text"},
}
AT_THE_LIMITS = {
    "a text": f"{WHERE}city <> '{LONG}'",
    "a pattern": f"{WHERE}city NOT LIKE '{'%a' * MOST_WILDCARDS}{'_' * (LONGEST_PATTERN - 2 * MOST_WILDCARDS)}'",
    "all patterns": f"{WHERE}NOT ({patterns(IN_ALL)})",
    "operations": f"{WHERE}{' AND '.join(f'age <> {-i}' for i in range((LARGEST - 1) // 3))}",
    "additions inside one another": f"SELECT SUM(age{' + pay' * DEEPEST}), AVG(pay{' * 1' * DEEPEST}) FROM adult",
    "divisions": f"{WHERE}{'1 / (' * 9}age{')' * 9} <> 3 AND age{' / 2' * (DEEPEST - 2)} <> 3",
    "NOT": f"{WHERE}{'NOT (age < 1 OR ' * NESTED}married{')' * NESTED}",
    "functions": f"SELECT SUM({'ABS(' * (NESTED - 2)}age{')' * (NESTED - 2)}) FROM adult",
    "CASE": f"SELECT SUM({'CASE WHEN married THEN ' * (NESTED - 2)}age{' ELSE 0 END' * (NESTED - 2)}) FROM adult",
    "texts": f"{WHERE}{'LOWER(' * (NESTED - 1)}city{')' * (NESTED - 1)} <> 'c'",
}


@pytest.mark.parametrize("sql", AT_THE_LIMITS.values(), ids=AT_THE_LIMITS)
def test_what_is_at_a_limit_is_released(sql: str) -> None:
    dataset = sf.open(pd.DataFrame(PEOPLE), {"name": "adult", "columns": COLUMNS}, ledger=":memory:")
    query = dataset.query(sql)
    assert dataset.query(query.sql).sql == query.sql
    assert len(query.release(epsilon=1).rows) == 1


# Texts as they are stored


def test_a_stored_text_beyond_the_limit_is_missing() -> None:
    """To patterns and functions: what one person stored does not decide how long they take. Comparisons read it all."""
    texts = ["a" * LONGEST_MATCHED, "a" * (LONGEST_MATCHED + 1), "a" * 10**6, "é" * LONGEST_MATCHED, "b", None]
    schema = {"name": "adult", "columns": {"city": {"type": "text"}}}
    dataset = sf.open(pd.DataFrame({"city": texts}), schema, ledger=":memory:")

    def count(condition: str) -> object:
        return dataset.query(f"{WHERE}{condition}").answer()[0][0]

    assert count("city LIKE 'a%'") == 1
    assert count("city NOT LIKE 'a%'") == 1
    assert count("city ILIKE '%A'") == 1
    assert count("LOWER(city) > ''") == 2
    assert count("UPPER(COALESCE(city, 'c')) = 'C'") == 4
    assert count("city > ''") == 5


def test_the_limits_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sql.md").read_text("utf-8")
    table = next(part for part in page.split("## Limits")[1].split("\n\n") if part.startswith("| limit"))
    stated = [int(row.split("|")[2].replace(",", "")) for row in table.splitlines()[2:]]
    assert stated == [
        LONGEST, LONGEST_TEXT, LONGEST_PATTERN, MOST_WILDCARDS, MOST_STEPS, ALL_PATTERNS, LONGEST_MADE, LARGEST,
        MOST_AFTERWARDS, DEEPEST, NESTED, MOST_OUTPUTS,
        MOST_CELLS, MOST_CANDIDATES, MOST_FIGURES, MOST_SELECTED,
    ]  # fmt: skip
    assert f"up to {LONGEST_MATCHED:,} bytes" in page
    assert f"counts as {GROUPS} groups" in page


def test_the_limits_are_told_to_whoever_plans_without_data() -> None:
    with pytest.raises(QueryError, match="the limit is 1,000"):
        parse(BEYOND["a text"][0], ADULT, None)
    assert parse(f"{WHERE}city = '{LONG}'", ADULT, PRESENT).where is not None
