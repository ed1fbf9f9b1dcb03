"""SQL that is answered, in one spelling each; and SQL that is refused by name and place, before data is touched."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.errors import QueryError, SchemaError, SfumatoError
from sfumato.measure import measure
from sfumato.model.dataset import Type
from sfumato.model.statement import Statement
from sfumato.schema.load import from_dict
from sfumato.sql.parse import parse

ADULT = from_dict(
    {
        "name": "adult",
        "columns": {
            "age": {"type": "integer", "bounds": [17, 90]},
            "pay": {"type": "number", "bounds": [0, 100_000]},
            "hours per week": {"type": "integer", "bounds": [0, 100]},
            "steps": {"type": "integer"},
            "sex": {"categories": ["Female", "Male"]},
            "code": {"categories": list(range(400))},
            "married": {"type": "boolean"},
            "born": {"type": "date"},
            "city": {"type": "text"},
        },
    },
    origin="adult.toml",
)
PRESENT = dict.fromkeys((c.name for c in ADULT.columns), Type.TEXT) | {"note": Type.TEXT, "photo": None}
COUNT = "SELECT COUNT(*) FROM adult"
WHERE = f"{COUNT} WHERE "


def read(text: str) -> Statement:
    return parse(text, ADULT, PRESENT)


# What is answered

ANSWERED = {
    "a count": (COUNT, COUNT),
    "upper and lower case": ("select Count(*) from ADULT where AGE > 3", f"{WHERE}age > 3"),
    "a column of the answer by name": ("SELECT COUNT(*) AS n FROM adult", "SELECT COUNT(*) AS n FROM adult"),
    "AS left out": ("SELECT COUNT(*) n FROM adult", "SELECT COUNT(*) AS n FROM adult"),
    "a table by another name": ("SELECT COUNT(a.age) FROM adult AS a WHERE a.age > 3",
                                "SELECT COUNT(age) FROM adult WHERE age > 3"),
    "a column with its table": (f"{WHERE}adult.age > 3", f"{WHERE}age > 3"),
    "quoted names": ('SELECT SUM("hours per week") FROM "adult"', 'SELECT SUM("hours per week") FROM adult'),
    "comments": ("SELECT /* all */ COUNT(*) -- of them\nFROM adult;", COUNT),
    "parentheses": ("SELECT (COUNT(*)) FROM adult WHERE ((age > (3)))", f"{WHERE}age > 3"),
    "FROM first": ("FROM adult SELECT COUNT(*)", COUNT),
    "several aggregates": ("SELECT COUNT(*), COUNT(note), SUM(pay), AVG(age) FROM adult",
                           "SELECT COUNT(*), COUNT(note), SUM(pay), AVG(age) FROM adult"),
    "== as the papers write it": (f"{WHERE}age == 30", f"{WHERE}age = 30"),
    "!=": (f"{WHERE}age != 30", f"{WHERE}age <> 30"),
    "a chain as the papers write it": (f"{WHERE}30<=age<=40", f"{WHERE}30 <= age AND age <= 40"),
    "a longer chain": (f"{WHERE}30 < age <= 40 < 50", f"{WHERE}30 < age AND age <= 40 AND 40 < 50"),
    "BETWEEN": (f"{WHERE}age BETWEEN 30 AND 40", f"{WHERE}age >= 30 AND age <= 40"),
    "NOT BETWEEN": (f"{WHERE}age NOT BETWEEN 30 AND 40", f"{WHERE}NOT (age >= 30 AND age <= 40)"),
    "IN": (f"{WHERE}sex IN ('Male', 'Female')", f"{WHERE}sex IN ('Male', 'Female')"),
    "NOT IN": (f"{WHERE}age NOT IN (30, 40)", f"{WHERE}NOT (age IN (30, 40))"),
    "IS NULL": (f"{WHERE}photo IS NULL", f"{WHERE}photo IS NULL"),
    "IS NOT NULL": (f"{WHERE}age IS NOT NULL", f"{WHERE}NOT (age IS NULL)"),
    "LIKE": (f"{WHERE}city LIKE 'A%'", f"{WHERE}city LIKE 'A%'"),
    "NOT LIKE": (f"{WHERE}city NOT LIKE 'A%'", f"{WHERE}NOT (city LIKE 'A%')"),
    "ILIKE": (f"{WHERE}city ILIKE 'a_'", f"{WHERE}city ILIKE 'a_'"),
    "a boolean column": (f"{WHERE}married", f"{WHERE}married"),
    "a boolean constant": (f"{WHERE}married = TRUE OR FALSE", f"{WHERE}married = TRUE OR FALSE"),
    "AND and OR": (f"{WHERE}married AND (age < 20 OR age > 60)", f"{WHERE}married AND (age < 20 OR age > 60)"),
    "NOT": (f"{WHERE}NOT age > 3", f"{WHERE}NOT (age > 3)"),
    "a quote in a text": (f"{WHERE}city = 'O''Hare'", f"{WHERE}city = 'O''Hare'"),
    "arithmetic, in floating point": (f"{WHERE}age * 2 > pay",
                                      f"{WHERE}(CAST(age AS DOUBLE) * CAST(2 AS DOUBLE)) > pay"),
    "a division, missing where it divides by zero": (
        f"{WHERE}pay / age > 1", f"{WHERE}(CAST(pay AS DOUBLE) / NULLIF(CAST(age AS DOUBLE), 0)) > 1"),
    "a negative number": (f"{WHERE}pay > - 5.5", f"{WHERE}pay > -5.5e0"),
    "a whole number however it is written": (f"{WHERE}age = 4e1", f"{WHERE}age = 40"),
    "a date": (f"{WHERE}born >= DATE '2000-02-29'", f"{WHERE}born >= CAST('2000-02-29' AS DATE)"),
    "a date as a text": (f"{WHERE}'2000-02-29' < born", f"{WHERE}CAST('2000-02-29' AS DATE) < born"),
    "dates between": (f"{WHERE}born BETWEEN '2000-01-01' AND '2000-12-31'",
                      f"{WHERE}born >= CAST('2000-01-01' AS DATE) AND born <= CAST('2000-12-31' AS DATE)"),
    "GROUP BY": ("SELECT sex, AVG(age) FROM adult GROUP BY sex", "SELECT sex, AVG(age) FROM adult GROUP BY sex"),
    "GROUP BY 2": ("SELECT COUNT(*), sex AS s FROM adult GROUP BY 2",
                   "SELECT COUNT(*), sex AS s FROM adult GROUP BY sex"),
    "GROUP BY a key that is not shown": ("SELECT COUNT(*) FROM adult GROUP BY sex",
                                         "SELECT COUNT(*) FROM adult GROUP BY sex"),
    "GROUP BY a key twice": ("SELECT COUNT(*) FROM adult GROUP BY sex, SEX",
                             "SELECT COUNT(*) FROM adult GROUP BY sex"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "canonical"), ANSWERED.values(), ids=ANSWERED)
def test_a_question_is_answered_in_one_spelling(text: str, canonical: str) -> None:
    assert read(text).text == canonical


@pytest.mark.parametrize(("text", "canonical"), ANSWERED.values(), ids=ANSWERED)
def test_the_one_spelling_is_itself_the_same_question(text: str, canonical: str) -> None:
    if "CAST" not in canonical or "born" in canonical:  # arithmetic is shown as it is computed, and is not asked so
        assert read(canonical).sha256 == read(text).sha256


EQUAL = {
    "case, spaces and comments": [COUNT, "select  count( * )\nfrom Adult", f"{COUNT} -- again", f"{COUNT};"],
    "comparisons": [f"{WHERE}age = 30", f"{WHERE}age == 30", f"{WHERE}(adult.age = 30.0)", f'{WHERE}"age" = 3e1'],
    "chains": [f"{WHERE}30 <= age <= 40", f"{WHERE}30 <= age AND age <= 40", f"{WHERE}(30 <= age) AND (age <= 40)"],
    "keys": [
        "SELECT sex, COUNT(*) FROM adult GROUP BY sex",
        "SELECT a.sex, COUNT(*) FROM adult a GROUP BY 1",
        "SELECT sex AS sex, COUNT(*) FROM adult GROUP BY sex, sex",
    ],
    "dates": [f"{WHERE}born = '2000-01-01'", f"{WHERE}born = DATE '2000-01-01'", f"{WHERE}born = '2000-01-01'::DATE"],
}


@pytest.mark.parametrize("texts", EQUAL.values(), ids=EQUAL)
def test_equal_questions_have_one_hash(texts: list[str]) -> None:
    statements = [read(text) for text in texts]
    assert len({s.sha256 for s in statements}) == 1
    assert len(set(statements)) == 1


def test_different_questions_have_different_hashes() -> None:
    hashes = {read(canonical).sha256 for _, canonical in ANSWERED.values() if "DOUBLE" not in canonical}
    assert len(hashes) == len({canonical for _, canonical in ANSWERED.values() if "DOUBLE" not in canonical})
    assert read(f"{WHERE}sex = 'male'").sha256 != read(f"{WHERE}sex = 'Male'").sha256


def test_it_knows_which_columns_it_reads() -> None:
    text = "SELECT sex, SUM(pay) FROM adult WHERE AGE > 3 AND city LIKE 'A%' GROUP BY 1"
    assert read(text).columns == ("age", "city", "pay", "sex")


def test_without_the_data_a_column_is_taken_on_trust() -> None:
    assert parse(f"{WHERE}shoe_size > 3", ADULT).columns == ("shoe_size",)


# What is refused

REFUSED = {
    # Clauses
    "a window function": ("SELECT COUNT(*) OVER () FROM adult", "Window functions are not answered: line 1, column 8."),
    "HAVING": (f"{COUNT} HAVING COUNT(*) > 3", "HAVING is not answered: line 1, column 35."),
    "ORDER BY": (f"{COUNT} ORDER BY age", "ORDER BY is not answered: line 1, column 37."),
    "LIMIT": (f"{COUNT} LIMIT 3", "LIMIT is not answered: line 1, column 34."),
    "OFFSET": (f"{COUNT} OFFSET 3", "OFFSET is not answered: line 1, column 35."),
    "DISTINCT": ("SELECT DISTINCT sex FROM adult", "SELECT DISTINCT is not answered: line 1, column 1."),
    "QUALIFY": (f"{COUNT} QUALIFY age > 3", "QUALIFY is not answered: line 1, column 36."),
    "a JOIN": (f"{COUNT} JOIN adult AS b ON TRUE", "JOIN is not answered: line 1, column 33."),
    "a comma join": (f"{COUNT}, adult AS b", "JOIN is not answered: line 1, column 29."),
    "a sub-select in FROM": ("SELECT COUNT(*) FROM (SELECT age FROM adult)",
                             "Sub-selects are not answered: line 1, column 30."),
    "a sub-select in IN": (f"{WHERE}age IN (SELECT age FROM adult)",
                           "IN with a sub-select is not answered: line 1, column 34."),
    "EXISTS": (f"{WHERE}EXISTS (SELECT age FROM adult)", "Sub-selects are not answered: line 1, column 49."),
    "a scalar sub-select": (f"{WHERE}age > (SELECT AVG(age) FROM adult)",
                            "Sub-selects are not answered: line 1, column 48."),
    "a CTE": ("WITH a AS (SELECT age FROM adult) SELECT COUNT(*) FROM a", "WITH is not answered: line 1, column 6."),
    "UNION": (f"{COUNT} UNION {COUNT}", "Only a SELECT is answered, not UNION: line 1, column 1."),
    "a table function": ("SELECT COUNT(*) FROM read_csv('/etc/passwd')",
                         "Table functions are not answered: line 1, column 22."),
    "a file as a table": ("SELECT COUNT(*) FROM '/etc/passwd'",
                          "There is no table '/etc/passwd': line 1, column 22. Hint: the table is called adult."),
    "a table of another schema": ("SELECT COUNT(*) FROM main.adult",
                                  "A qualified table name is not answered: line 1, column 22."),
    "a table whose columns are renamed": ("SELECT SUM(pay) FROM adult AS a(pay, age)",
                                          "Renamed columns are not answered: line 1, column 33."),
    "SAMPLE": (f"{COUNT} USING SAMPLE 10", "SAMPLE is not answered: line 1, column 41."),
    "TABLESAMPLE": (f"{COUNT} TABLESAMPLE RESERVOIR(10)", "SAMPLE is not answered: line 1, column 50."),
    "FOR UPDATE": (f"{COUNT} FOR UPDATE", "FOR UPDATE is not answered: line 1, column 28."),
    "PIVOT in FROM": (f"{COUNT} PIVOT (COUNT(*) FOR sex IN ('Male'))", "PIVOT is not answered: line 1, column 35."),
    "GROUP BY an expression": (f"{COUNT} GROUP BY age + 1",
                               "GROUP BY an expression is not answered: line 1, column 37. Hint: group by columns."),
    "GROUP BY ALL": (f"{COUNT} GROUP BY ALL", "GROUP BY ALL is not answered: line 1, column 28."),
    "ROLLUP": (f"{COUNT} GROUP BY ROLLUP (sex)",
               "GROUP BY an expression is not answered: line 1, column 45. Hint: group by columns."),
    "CUBE": (f"{COUNT} GROUP BY CUBE (sex)",
             "GROUP BY an expression is not answered: line 1, column 43. Hint: group by columns."),
    "GROUP BY a position that is not there": (f"{COUNT} GROUP BY 2",
                                              "GROUP BY 2 points at no column: line 1, column 37."),
    # Other statements
    "COPY": ("COPY adult TO '/tmp/adult.csv'", "Only a SELECT is answered, not COPY: line 1, column 1."),
    "ATTACH": ("ATTACH '/tmp/adult.db'", "Only a SELECT is answered, not ATTACH: line 1, column 1."),
    "INSTALL": ("INSTALL httpfs", "Only a SELECT is answered, not INSTALL: line 1, column 1."),
    "PRAGMA": ("PRAGMA database_list", "Only a SELECT is answered, not PRAGMA: line 1, column 1."),
    "EXPLAIN": (f"EXPLAIN ANALYZE {COUNT}", "Only a SELECT is answered, not EXPLAIN: line 1, column 1."),
    "SUMMARIZE": ("SUMMARIZE adult", "Only a SELECT is answered, not SUMMARIZE: line 1, column 1."),
    "DESCRIBE": ("DESCRIBE adult", "Only a SELECT is answered, not DESCRIBE: line 1, column 1."),
    "PIVOT": ("PIVOT adult ON sex USING COUNT(*)", "Only a SELECT is answered, not PIVOT: line 1, column 1."),
    "SET": ("SET threads = 1", "Only a SELECT is answered, not SET: line 1, column 1."),
    "CALL": ("CALL pragma_version()", "Only a SELECT is answered, not CALL: line 1, column 1."),
    "CHECKPOINT": ("CHECKPOINT", "Only a SELECT is answered, not CHECKPOINT: line 1, column 1."),
    "CREATE": ("CREATE TABLE b AS SELECT 1", "Only a SELECT is answered, not CREATE: line 1, column 1."),
    "DROP": ("DROP TABLE adult", "Only a SELECT is answered, not DROP: line 1, column 1."),
    "ALTER": ("ALTER TABLE adult ADD COLUMN b INT", "Only a SELECT is answered, not ALTER: line 1, column 1."),
    "INSERT": ("INSERT INTO adult VALUES (1)", "Only a SELECT is answered, not INSERT: line 1, column 1."),
    "UPDATE": ("UPDATE adult SET age = 3", "Only a SELECT is answered, not UPDATE: line 1, column 1."),
    "DELETE": ("DELETE FROM adult", "Only a SELECT is answered, not DELETE: line 1, column 1."),
    "two statements": (f"{COUNT}; DROP TABLE adult", "Two statements are not answered. Hint: ask them one at a time."),
    "an empty text": ("", "The query is empty. Hint: try SELECT COUNT(*) FROM adult."),
    "nothing but a comment": ("-- age > 3", "The query is empty. Hint: try SELECT COUNT(*) FROM adult."),
    "not SQL": ("hello world", "Only a SELECT is answered, not HELLO: line 1, column 1."),
    "half of a SELECT": ("SELECT COUNT( FROM adult", "The query is not SQL that can be read: line 1, column 24."),
    "an open quote": (f"{WHERE}city = 'A", "The query is not SQL that can be read."),
    "no FROM": ("SELECT COUNT(*)", "The query has no FROM. Hint: add FROM adult."),
    # What a SELECT shows
    "a FILTER": ("SELECT COUNT(*) FILTER (WHERE age > 3) FROM adult", "FILTER is not answered: line 1, column 8."),
    "COUNT(DISTINCT)": ("SELECT COUNT(DISTINCT age) FROM adult",
                        "COUNT(DISTINCT ...) is not answered: line 1, column 8."),
    "MIN": ("SELECT MIN(age) FROM adult", "MIN() is not answered: line 1, column 12."),
    "MAX": ("SELECT MAX(age) FROM adult", "MAX() is not answered: line 1, column 12."),
    "MEDIAN": ("SELECT MEDIAN(age) FROM adult", "MEDIAN() is not answered: line 1, column 8."),
    "VAR_POP": ("SELECT VAR_POP(age) FROM adult", "VAR_POP() is not answered: line 1, column 8."),
    "SELECT *": ("SELECT * FROM adult", "SELECT * is not answered: line 1, column 8."),
    "SELECT adult.*": ("SELECT adult.* FROM adult", "SELECT * is not answered: line 1, column 8."),
    "a column by itself": (
        "SELECT age FROM adult", "Column 'age' is neither aggregated nor in GROUP BY: line 1, column 8. "
        "Hint: add GROUP BY age: rows are not released."),
    "keys alone": (
        "SELECT sex FROM adult GROUP BY sex", "A SELECT without an aggregate is not answered: line 1, column 8. "
        "Hint: ask for COUNT, SUM or AVG: rows are not released."),
    "SUM of a text": ("SELECT SUM(sex) FROM adult", "SUM needs numbers, but column 'sex' is text: line 1, column 12. "
                      'Hint: state type = "integer" or "number" under [columns.sex] in adult.toml.'),
    "SUM of an expression": (
        "SELECT SUM(age + 1) FROM adult",
        "SUM of an expression is not answered: line 1, column 8. Hint: SUM takes one column."),
    "one name for two columns": ("SELECT COUNT(*) AS n, SUM(age) AS N FROM adult",
                                 "Two columns of the answer have the same name. Hint: rename one of them with AS."),
    # What a WHERE compares
    "random()": (f"{WHERE}random() < 0.5", "RANDOM() is not answered: line 1, column 34."),
    "now()": (f"{WHERE}born < now()", "NOW() is not answered: line 1, column 41."),
    "error()": (f"{WHERE}error('leak') = 1", "ERROR() is not answered: line 1, column 34."),
    "CASE": (f"{WHERE}CASE WHEN age > 3 THEN TRUE END", "CASE is not answered: line 1, column 44."),
    "CAST": (f"{WHERE}CAST(age AS TEXT) = '3'", "CAST() is not answered: line 1, column 39."),
    "a parameter": (f"{WHERE}age = $1", "Parameters are not answered: line 1, column 40."),
    "a column that is not there": (f"{WHERE}ages > 3",
                                   "There is no column 'ages': line 1, column 34. Hint: did you mean 'age'?"),
    "a column like no other": (f"{WHERE}xyz > 3", "There is no column 'xyz': line 1, column 34. Hint: adult has: age, "
                               "pay, hours per week, steps, sex, code, married, born, city, note, photo."),
    "a table that is not there": ("SELECT COUNT(*) FROM adults",
                                  "There is no table 'adults': line 1, column 22. Hint: the table is called adult."),
    "a column of another table": (f"{WHERE}b.age > 3", "There is no table 'b': line 1, column 34."),
    "a text compared with a number": (f"{WHERE}sex = 3", "Column 'sex' is text and is compared with integer: line 1, "
                                      "column 34. Hint: compare like with like."),
    "an undeclared column compared with a number": (
        f"{WHERE}note = 3", "Column 'note' is text and is compared with integer: line 1, column 34. "
        "Hint: state its type under [columns.note] in adult.toml."),
    "a number as a condition": (f"{WHERE}age", "A condition must be true or false: line 1, column 34. "
                                "Hint: compare it with something."),
    "a date that is none": (f"{WHERE}born = '1.1.2000'", "A date is written as 2026-11-15: line 1, column 34."),
    "a number beyond 1e308": (f"{WHERE}age < 1e309", "A number is too large: line 1, column 40."),
    "a number of 5,000 digits": (f"{WHERE}age < {'9' * 5000}", "A number is too large: line 1, column 40."),
    "half a number": (f"{WHERE}age < 1e", "The query is not SQL that can be read: line 1, column 40."),
    "the place on a later line": ("SELECT COUNT(*)\nFROM adult\nWHERE age > 3\n  AND upper(city) = 'A'",
                                  "UPPER() is not answered: line 4, column 7."),
    # Size
    "100,001 characters": (f"{WHERE}city = '{'x' * 100_000}'",
                           "The query is longer than 100,000 characters. Hint: ask a shorter question."),
    "5,000 parentheses": (f"{WHERE}{'(' * 5000}married{')' * 5000}",
                          "The query is nested too deeply. Hint: ask a simpler question."),
    "5,000 sums in a row": (f"{WHERE}age < {'1 + ' * 5000}1",
                            "The query is nested too deeply. Hint: ask a simpler question."),
    "a chain of 5,000": (f"{WHERE}{'age < ' * 5000}1", "The query is nested too deeply. Hint: ask a simpler question."),
    "half a character": (f"{WHERE}city = '\ud800'", "The query is not UTF-8 text. Hint: save it as UTF-8."),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_by_name_and_place(text: str, sentence: str) -> None:
    with pytest.raises(QueryError) as refusal:
        read(text)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        ("SELECT SUM(steps) FROM adult", SchemaError,
         "Column 'steps' is added up but has no bounds. "
         "Hint: add bounds = [lowest, highest] under [columns.steps] in adult.toml."),
        ("SELECT COUNT(*) FROM adult GROUP BY city", SchemaError,
         "GROUP BY city needs a public list of its values. "
         "Hint: add categories = [...] under [columns.city] in adult.toml."),
        ("SELECT COUNT(*) FROM adult GROUP BY note", SchemaError,
         "GROUP BY note needs a public list of its values. "
         "Hint: add categories = [...] under [columns.note] in adult.toml."),
    ],
    ids=["a sum without bounds", "a key without categories", "a key that is not in the schema"],
)  # fmt: skip
def test_what_the_schema_must_state_first(text: str, error: type[SfumatoError], sentence: str) -> None:
    with pytest.raises(error) as refusal:
        measure(read(text), ADULT)
    assert str(refusal.value) == sentence


def test_too_many_cells_are_refused() -> None:
    wide = from_dict({"name": "adult", "columns": {n: {"categories": list(range(400))} for n in ("a", "b")}})
    with pytest.raises(QueryError, match="GROUP BY makes more than 100,000 cells"):
        measure(parse("SELECT COUNT(*) FROM adult GROUP BY a, b", wide), wide)


@pytest.mark.parametrize("number", ["1e2000000", "1e-2000000"])
def test_a_short_number_takes_no_long_thought(number: str) -> None:
    started = time.process_time()
    with suppress(QueryError):
        read(f"{WHERE}age < {number}")
    assert time.process_time() - started < 0.5


# Whatever is typed in

WORDS = re.findall(
    r"\S+",
    """
    SELECT FROM adult WHERE AND OR NOT GROUP BY HAVING ORDER LIMIT JOIN ON UNION WITH AS IN IS NULL LIKE BETWEEN CASE
    WHEN THEN ELSE END COUNT SUM AVG MIN DISTINCT OVER FILTER CAST DATE INTERVAL random now error read_csv COPY ATTACH
    PRAGMA EXPLAIN VALUES UNNEST LATERAL PIVOT SAMPLE ALL ROLLUP EXCLUDE COLUMNS age sex pay married born city photo a
    ( ) ( ) , , . ; * = == < <= <> + - / % || :: [ ] { } $1 ? : -> 1 2.5 1e5 1e 0x1F 'Male' '2000-01-01' '/etc/passwd'
    "age" "pay" -- /* */ ' " $$
    """,
)
PREDICATES = ["married", "age > 3", "30 < age <= pay * 2", "sex IN ('Male')", "city LIKE 'A%'", "born IS NULL",
              "error(city) = 1", "CAST(age AS TEXT) = '3'", "age > (SELECT 1)", "photo = 1"]  # fmt: skip
CONNECTORS = ["AND", "OR", "AND NOT", "OR NOT", "= ", ") AND ("]
FUNCTIONS = {"COUNT", "SUM", "AVG", "CAST", "NULLIF"}
KEYWORDS = {"AND", "IN", "NOT", "OR", "WHERE"}
soups = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)
pairs = st.tuples(st.sampled_from(PREDICATES), st.sampled_from(CONNECTORS)).map(" ".join)
conditions = st.lists(pairs, max_size=8).map(lambda parts: " ".join(["(", *parts, "married )"]))


@example("SELECT COUNT(*) FROM adult WHERE age <")
@given(st.text() | soups | (soups | conditions).map(WHERE.__add__) | soups.map("SELECT COUNT(*), {} FROM adult".format))
def test_nothing_typed_in_does_more_than_it_may(text: str) -> None:
    try:
        statement = read(text)
    except SfumatoError:
        return
    bare = re.sub(r"""'(''|[^'])*'|"(""|[^"])*\"""", "x", statement.text)
    assert set(re.findall(r"(\w+) ?\(", bare)) <= FUNCTIONS | KEYWORDS
    assert set(statement.columns) <= set(PRESENT)
