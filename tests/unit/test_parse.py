"""SQL that is answered, in one spelling each. What is refused is in test_refused.py."""

from __future__ import annotations

import math
from datetime import date

import pytest

from sfumato.errors import QueryError
from sfumato.model.schema import Type
from sfumato.model.statement import Statement
from sfumato.schema.read import from_dict
from sfumato.sql.parser.parameters import Parameters
from sfumato.sql.parser.statement import parse

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
    "arithmetic": (f"{WHERE}age * 2 > pay", f"{WHERE}(age * 2) > pay"),
    "a division": (f"{WHERE}pay / (age - 1) > 1", f"{WHERE}(pay / (age - 1)) > 1"),
    "parentheses that matter": (f"{WHERE}age - (pay - (age + 1)) > 1", f"{WHERE}(age - (pay - (age + 1))) > 1"),
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
    "GROUP BY a name that the SELECT gives": ("SELECT sex AS s, COUNT(*) FROM adult GROUP BY s",
                                              "SELECT sex AS s, COUNT(*) FROM adult GROUP BY sex"),
    "a SELECT in parentheses": (f"({COUNT})", COUNT),
    # Aggregates
    "COUNT(1)": ("SELECT COUNT(1) FROM adult", COUNT),
    "COUNT() as DuckDB has it": ("SELECT COUNT() FROM adult", COUNT),
    "COUNT(DISTINCT v)": ("SELECT COUNT(DISTINCT city) FROM adult", "SELECT COUNT(DISTINCT city) FROM adult"),
    "COUNT(DISTINCT ...) of an expression": ("SELECT COUNT(DISTINCT LOWER(city)) FROM adult",
                                             "SELECT COUNT(DISTINCT LOWER(city)) FROM adult"),
    "MIN and MAX": ("SELECT min(age), max(pay) FROM adult", "SELECT MIN(age), MAX(pay) FROM adult"),
    "MIN(DISTINCT v) is MIN(v)": ("SELECT MIN(DISTINCT age) FROM adult", "SELECT MIN(age) FROM adult"),
    "MEDIAN": ("SELECT MEDIAN(age) FROM adult", "SELECT MEDIAN(age) FROM adult"),
    "a quantile of one half is the median": ("SELECT QUANTILE_CONT(age, 0.50) FROM adult",
                                             "SELECT MEDIAN(age) FROM adult"),
    "QUANTILE_CONT": ("SELECT QUANTILE_CONT(age, 0.25) FROM adult", "SELECT QUANTILE_CONT(age, 0.25) FROM adult"),
    "QUANTILE_DISC": ("SELECT QUANTILE_DISC(age, 0.123456) FROM adult",
                      "SELECT QUANTILE_DISC(age, 0.123456) FROM adult"),
    "QUANTILE as DuckDB has it": ("SELECT QUANTILE(age, 1) FROM adult", "SELECT QUANTILE_DISC(age, 1) FROM adult"),
    "PERCENTILE_CONT": ("SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) FROM adult",
                        "SELECT QUANTILE_CONT(age, 0.9) FROM adult"),
    "PERCENTILE_DISC": ("SELECT PERCENTILE_DISC(0) WITHIN GROUP (ORDER BY age + 1) FROM adult",
                        "SELECT QUANTILE_DISC(age + 1, 0) FROM adult"),
    "VAR_POP": ("SELECT VAR_POP(age) FROM adult", "SELECT VAR_POP(age) FROM adult"),
    "VARIANCE is that of a sample": ("SELECT VARIANCE(age) FROM adult", "SELECT VAR_SAMP(age) FROM adult"),
    "STDDEV is that of a sample": ("SELECT STDDEV(age) FROM adult", "SELECT STDDEV_SAMP(age) FROM adult"),
    "STDDEV_POP": ("SELECT STDDEV_POP(age) FROM adult", "SELECT STDDEV_POP(age) FROM adult"),
    # Expressions
    "an expression inside an aggregate": ("SELECT SUM((age + pay) * 2) FROM adult",
                                          "SELECT SUM((age + pay) * 2) FROM adult"),
    "a sign": ("SELECT SUM(-age) FROM adult", "SELECT SUM(0 - age) FROM adult"),
    "ABS": ("SELECT AVG(ABS(age - 50)) FROM adult", "SELECT AVG(ABS(age - 50)) FROM adult"),
    "COALESCE": ("SELECT SUM(COALESCE(age, 0)) FROM adult", "SELECT SUM(COALESCE(age, 0)) FROM adult"),
    "IFNULL": ("SELECT SUM(IFNULL(age, 0)) FROM adult", "SELECT SUM(COALESCE(age, 0)) FROM adult"),
    "LOWER and UPPER": (f"{WHERE}LOWER(city) = 'a' OR UPPER(city) LIKE 'B%'",
                        f"{WHERE}LOWER(city) = 'a' OR UPPER(city) LIKE 'B%'"),
    "CASE": ("SELECT SUM(CASE WHEN married THEN age ELSE 0 END) FROM adult",
             "SELECT SUM(CASE WHEN married THEN age ELSE 0 END) FROM adult"),
    "CASE without ELSE": ("SELECT COUNT(CASE WHEN age > 3 THEN 1 END) FROM adult",
                          "SELECT COUNT(CASE WHEN age > 3 THEN 1 ELSE NULL END) FROM adult"),
    "CASE of something": ("SELECT AVG(CASE sex WHEN 'Male' THEN age WHEN 'Female' THEN pay END) FROM adult",
                          "SELECT AVG(CASE WHEN sex = 'Male' THEN age WHEN sex = 'Female' THEN pay ELSE NULL END) "
                          "FROM adult"),
    "CASE as a condition": (f"{WHERE}CASE WHEN age > 3 THEN married ELSE FALSE END",
                            f"{WHERE}(CASE WHEN age > 3 THEN married ELSE FALSE END)"),
    "COALESCE as a condition": (f"{WHERE}NOT COALESCE(married, FALSE)", f"{WHERE}NOT (COALESCE(married, FALSE))"),
    # Shorthands
    "FILTER": ("SELECT COUNT(*) FILTER (WHERE age > 3), SUM(pay) FILTER (WHERE married) FROM adult",
               'SELECT COUNT(CASE WHEN age > 3 THEN 1 ELSE NULL END) AS "count(*) FILTER(WHERE age > 3)", '
               'SUM(CASE WHEN married THEN pay ELSE NULL END) AS "sum(pay) FILTER(WHERE married)" FROM adult'),
    "FILTER of a quantile": (
        "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age) FILTER (WHERE married) FROM adult",
        "SELECT QUANTILE_CONT(CASE WHEN married THEN age ELSE NULL END, 0.9) FROM adult"),
    "COUNT_IF": ("SELECT COUNT_IF(age > 3) FROM adult",
                 'SELECT COUNT(CASE WHEN age > 3 THEN 1 ELSE NULL END) AS "count_if(age > 3)" FROM adult'),
    "IF": ("SELECT SUM(IF(married, age, 0)) FROM adult",
           "SELECT SUM(CASE WHEN married THEN age ELSE 0 END) FROM adult"),
    "the mean of a boolean": (
        "SELECT AVG(married) AS share FROM adult",
        "SELECT AVG(CASE WHEN married THEN 1 WHEN NOT (married) THEN 0 ELSE NULL END) AS share FROM adult"),
    "the sum of a condition": (
        "SELECT SUM(age > 3) AS share FROM adult",
        "SELECT SUM(CASE WHEN age > 3 THEN 1 WHEN NOT (age > 3) THEN 0 ELSE NULL END) AS share FROM adult"),
    "a cast that cannot fail": ("SELECT SUM(age::DOUBLE), AVG(CAST(pay AS DOUBLE)) FROM adult",
                                "SELECT SUM(age), AVG(pay) FROM adult"),
    "a boolean as a number": (
        "SELECT SUM(married::INT) AS share FROM adult",
        "SELECT SUM(CASE WHEN married THEN 1 WHEN NOT (married) THEN 0 ELSE NULL END) AS share FROM adult"),
    "IS TRUE": (f"{WHERE}married IS TRUE AND (age > 3) IS NOT FALSE",
                f"{WHERE}(CASE WHEN married THEN TRUE ELSE FALSE END) "
                "AND NOT ((CASE WHEN NOT (age > 3) THEN TRUE ELSE FALSE END))"),
    "IS NOT DISTINCT FROM": (f"{WHERE}age IS NOT DISTINCT FROM 3", f"{WHERE}NOT (age IS NULL) AND age = 3"),
    "IS DISTINCT FROM": (f"{WHERE}age IS DISTINCT FROM pay",
                         f"{WHERE}NOT ((age IS NULL AND pay IS NULL) OR "
                         "(NOT (age IS NULL) AND NOT (pay IS NULL) AND age = pay))"),
    "a table with its schema": ("SELECT COUNT(*) FROM main.adult", COUNT),
    # Computed from the answer
    "a ratio": ("SELECT SUM(pay) / SUM(age) FROM adult", "SELECT SUM(pay) / SUM(age) FROM adult"),
    "a percentage": ("SELECT sex, 100.0 * COUNT(*) FILTER (WHERE age > 60) / COUNT(*) AS old FROM adult GROUP BY sex",
                     "SELECT sex, 100 * COUNT(CASE WHEN age > 60 THEN 1 ELSE NULL END) / COUNT(*) AS old FROM adult "
                     "GROUP BY sex"),
    "CASE of an aggregate": ("SELECT CASE WHEN COUNT(*) > 20 THEN AVG(age) END AS m FROM adult",
                             "SELECT CASE WHEN COUNT(*) > 20 THEN AVG(age) ELSE NULL END AS m FROM adult"),
    "COALESCE of a ratio": ("SELECT COALESCE(SUM(pay) / COUNT(*), 0) FROM adult",
                            "SELECT COALESCE(SUM(pay) / COUNT(*), 0) FROM adult"),
    "a computed key": ("SELECT UPPER(sex), COUNT(*) FROM adult GROUP BY sex",
                       "SELECT UPPER(sex), COUNT(*) FROM adult GROUP BY sex"),
    "a constant": ("SELECT COUNT(*), 3 AS year FROM adult", "SELECT COUNT(*), 3 AS year FROM adult"),
    "a name of the SELECT": ("SELECT COUNT(*) AS n, SUM(pay) / n AS mean, mean * 12 FROM adult",
                             "SELECT COUNT(*) AS n, SUM(pay) / COUNT(*) AS mean, SUM(pay) / COUNT(*) * 12 FROM adult"),
    "HAVING a computed column": ("SELECT SUM(pay) / COUNT(*) AS mean FROM adult HAVING mean > 3",
                                 "SELECT SUM(pay) / COUNT(*) AS mean FROM adult HAVING mean > 3"),
    "ORDER BY an expression": ("SELECT sex, AVG(age) FROM adult GROUP BY sex ORDER BY AVG(age) * -1 NULLS FIRST",
                               "SELECT sex, AVG(age) FROM adult GROUP BY sex ORDER BY AVG(age) * -1 ASC NULLS FIRST"),
    "ORDER BY ALL": ("SELECT sex, AVG(age) FROM adult GROUP BY ALL ORDER BY ALL DESC",
                     "SELECT sex, AVG(age) FROM adult GROUP BY sex ORDER BY sex DESC, AVG(age) DESC"),
    # Sub-selects and CTEs, row by row
    "a sub-select": ("SELECT SUM(age) FROM (SELECT age FROM adult WHERE pay > 3) WHERE age > 4",
                     "SELECT SUM(age) FROM adult WHERE pay > 3 AND age > 4"),
    "a sub-select by name": ("SELECT t.sex, SUM(t.age) FROM (SELECT sex, age FROM adult) AS t GROUP BY t.sex",
                             "SELECT sex, SUM(age) FROM adult GROUP BY sex"),
    "a computed name": ("SELECT SUM(twice) FROM (SELECT age * 2 AS twice FROM adult) WHERE twice < 9",
                        "SELECT SUM(age * 2) FROM adult WHERE (age * 2) < 9"),
    "a computed key keeps its column": ("SELECT s, COUNT(*) FROM (SELECT sex AS s FROM adult) GROUP BY s",
                                        "SELECT sex AS s, COUNT(*) FROM adult GROUP BY sex"),
    "a CTE": ("WITH t AS (SELECT age FROM adult WHERE married) SELECT AVG(age) FROM t",
              "SELECT AVG(age) FROM adult WHERE married"),
    "a CTE by another name": ("WITH t AS (SELECT age FROM adult) SELECT AVG(u.age) FROM t AS u",
                              "SELECT AVG(age) FROM adult"),
    "CTEs one after the other": (
        "WITH t AS (SELECT age + 1 AS a FROM adult WHERE married), u AS (SELECT a * 2 AS b FROM t WHERE a > 3) "
        "SELECT SUM(b) FROM u WHERE b < 9",
        "SELECT SUM((age + 1) * 2) FROM adult WHERE married AND (age + 1) > 3 AND ((age + 1) * 2) < 9"),
    "a CTE inside a CTE": ("WITH t AS (WITH u AS (SELECT pay FROM adult) SELECT pay AS p FROM u) SELECT SUM(p) FROM t",
                           "SELECT SUM(pay) FROM adult"),
    "a CTE that is called like the table": ("WITH adult AS (SELECT pay AS age FROM adult) SELECT SUM(age) FROM adult",
                                            "SELECT SUM(pay) FROM adult"),
    "a CTE that hides another": (
        "WITH t AS (SELECT age AS v FROM adult) "
        "SELECT SUM(v) FROM (WITH t AS (SELECT pay AS v FROM adult) SELECT v FROM t)",
        "SELECT SUM(pay) FROM adult"),
    "a CTE that is not read": ("WITH t AS (SELECT age FROM adult WHERE FALSE) SELECT COUNT(*) FROM adult", COUNT),
    "a name that means something else outside": (
        "SELECT SUM(age) FROM (SELECT pay AS age FROM adult WHERE age > 3) WHERE age > 4",
        "SELECT SUM(pay) FROM adult WHERE age > 3 AND pay > 4"),
    "SELECT * inside": ("WITH t AS (SELECT *, age * 2 AS twice FROM adult) SELECT SUM(twice), SUM(age) FROM t",
                        "SELECT SUM(age * 2), SUM(age) FROM adult"),
    # Afterwards
    "HAVING": ("SELECT sex, COUNT(*) FROM adult GROUP BY sex HAVING COUNT(*) > 3",
               "SELECT sex, COUNT(*) FROM adult GROUP BY sex HAVING COUNT(*) > 3"),
    "HAVING by a name of the answer": (
        "SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex HAVING N > 3 OR sex = 'Male'",
        "SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex HAVING n > 3 OR sex = 'Male'"),
    "HAVING with what is not shown": ("SELECT COUNT(*) FROM adult GROUP BY sex HAVING AVG(age) > 3 AND sex LIKE 'M%'",
                                      "SELECT COUNT(*) FROM adult GROUP BY sex HAVING AVG(age) > 3 AND sex LIKE 'M%'"),
    "HAVING with arithmetic": ("SELECT SUM(age) AS s FROM adult HAVING s / COUNT(*) > 3",
                               "SELECT SUM(age) AS s FROM adult HAVING (s / COUNT(*)) > 3"),
    "HAVING without GROUP BY": (f"{COUNT} HAVING COUNT(*) > 3", f"{COUNT} HAVING COUNT(*) > 3"),
    "ORDER BY": ("SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex ORDER BY n DESC, sex",
                 "SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex ORDER BY n DESC, sex ASC"),
    "ORDER BY a position": ("SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex ORDER BY 2 DESC NULLS LAST",
                            "SELECT sex, COUNT(*) AS n FROM adult GROUP BY sex ORDER BY n DESC"),
    "ORDER BY an aggregate": ("SELECT sex, AVG(age) FROM adult GROUP BY 1 ORDER BY AVG(age)",
                              "SELECT sex, AVG(age) FROM adult GROUP BY sex ORDER BY AVG(age) ASC"),
    "ORDER BY an aggregate that is not shown": ("SELECT sex, AVG(age) FROM adult GROUP BY 1 ORDER BY SUM(pay)",
                                                "SELECT sex, AVG(age) FROM adult GROUP BY sex ORDER BY SUM(pay) ASC"),
    "ORDER BY a key that is not shown": ("SELECT AVG(age) FROM adult GROUP BY sex ORDER BY adult.sex",
                                         "SELECT AVG(age) FROM adult GROUP BY sex ORDER BY sex ASC"),
    "ORDER BY a key by the name it had inside": (
        "SELECT COUNT(*) FROM (SELECT sex AS s FROM adult) GROUP BY s ORDER BY s",
        "SELECT COUNT(*) FROM adult GROUP BY sex ORDER BY sex ASC"),
    "LIMIT and OFFSET": ("SELECT code, COUNT(*) FROM adult GROUP BY code LIMIT 10 OFFSET 5",
                         "SELECT code, COUNT(*) FROM adult GROUP BY code LIMIT 10 OFFSET 5"),
    "LIMIT 0": (f"{COUNT} LIMIT 0", f"{COUNT} LIMIT 0"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "canonical"), ANSWERED.values(), ids=ANSWERED)
def test_a_question_is_answered_in_one_spelling(text: str, canonical: str) -> None:
    assert read(text).text == canonical


@pytest.mark.parametrize(("text", "canonical"), ANSWERED.values(), ids=ANSWERED)
def test_the_one_spelling_is_itself_the_same_question(text: str, canonical: str) -> None:
    assert read(canonical) == read(text)


EQUAL = {
    "case, spaces and comments": [COUNT, "select  count( * )\nfrom Adult", f"{COUNT} -- again", f"{COUNT};"],
    "comparisons": [f"{WHERE}age = 30", f"{WHERE}age == 30", f"{WHERE}(adult.age = 30.0)", f'{WHERE}"age" = 3e1'],
    "chains": [f"{WHERE}30 <= age <= 40", f"{WHERE}30 <= age AND age <= 40", f"{WHERE}(30 <= age) AND (age <= 40)"],
    "keys": [
        "SELECT sex, COUNT(*) FROM adult GROUP BY sex",
        "SELECT a.sex, COUNT(*) FROM adult a GROUP BY 1",
        "SELECT sex AS sex, COUNT(*) FROM adult GROUP BY sex, sex",
    ],
    "quantiles": [
        "SELECT QUANTILE_CONT(age, 0.5) AS q FROM adult",
        "SELECT MEDIAN(age) AS q FROM adult",
        "SELECT PERCENTILE_CONT(5e-1) WITHIN GROUP (ORDER BY adult.age) AS q FROM adult",
    ],
    "sub-selects": [
        "SELECT SUM(age + 1) FROM adult WHERE married AND age > 3",
        "SELECT SUM(a + 1) FROM (SELECT age AS a, married FROM adult WHERE married) WHERE a > 3",
        "WITH t AS (SELECT * FROM adult WHERE married), u AS (SELECT age + 1 AS b FROM t WHERE age > 3) "
        "SELECT SUM(b) FROM u",
    ],
    "orders": [
        "SELECT sex, COUNT(*) FROM adult GROUP BY sex ORDER BY COUNT(*)",
        "SELECT sex, COUNT(*) FROM adult GROUP BY sex ORDER BY 2",
        'SELECT sex, COUNT(*) FROM adult GROUP BY sex ORDER BY "count(*)" ASC NULLS LAST',
    ],
    "dates": [f"{WHERE}born = '2000-01-01'", f"{WHERE}born = DATE '2000-01-01'", f"{WHERE}born = '2000-01-01'::DATE"],
}


@pytest.mark.parametrize("texts", EQUAL.values(), ids=EQUAL)
def test_equal_questions_have_one_hash(texts: list[str]) -> None:
    statements = [read(text) for text in texts]
    assert len({s.sha256 for s in statements}) == 1
    assert len(set(statements)) == 1


def test_different_questions_have_different_hashes() -> None:
    hashes = {read(canonical).sha256 for _, canonical in ANSWERED.values()}
    assert len(hashes) == len({canonical for _, canonical in ANSWERED.values()})
    assert read(f"{WHERE}sex = 'male'").sha256 != read(f"{WHERE}sex = 'Male'").sha256


def test_it_knows_which_columns_it_reads() -> None:
    text = "SELECT sex, SUM(pay) FROM adult WHERE AGE > 3 AND city LIKE 'A%' GROUP BY 1"
    assert read(text).columns == ("age", "city", "pay", "sex")


def test_what_only_having_and_order_by_read_is_not_shown() -> None:
    text = "SELECT AVG(age) FROM adult GROUP BY sex HAVING COUNT(*) > 3 ORDER BY sex, SUM(pay)"
    outputs = read(text).outputs
    assert [(o.name, o.visible) for o in outputs] == [
        ("avg(age)", True), ("count(*), not shown", False), ("sex, not shown", False), ("sum(pay), not shown", False),
    ]  # fmt: skip
    assert read(text).columns == ("age", "pay", "sex")


def test_a_name_of_the_answer_comes_before_a_key() -> None:
    by_name = read("SELECT COUNT(*) AS sex FROM adult GROUP BY sex ORDER BY sex")
    by_key = read("SELECT COUNT(*) AS sex FROM adult GROUP BY sex ORDER BY adult.sex")
    assert [by_name.afterwards.order[0].output, by_key.afterwards.order[0].output] == ["sex", "sex, not shown"]


def test_nobody_can_take_the_name_of_what_is_not_shown() -> None:
    taken = read('SELECT SUM(age) AS "count(*), not shown" FROM adult HAVING COUNT(*) > 3')
    assert [o.name for o in taken.outputs] == ["count(*), not shown", "count(*), not shown either"]


def test_without_the_data_a_column_is_taken_on_trust() -> None:
    assert parse(f"{WHERE}shoe_size > 3", ADULT).columns == ("shoe_size",)


# Parameters

FILLED = {
    "in order": ("age > ? AND pay < ?", [3, -0.5], "age > 3 AND pay < -0.5e0"),
    "numbered": ("age > $2 AND pay < $1", [4, 3], "age > 3 AND pay < 4"),
    "by name": ("city = :city AND city <> $city", {"city": "O'Hare"}, "city = 'O''Hare' AND city <> 'O''Hare'"),
    "a date": ("born > :day", {"day": date(2000, 2, 29)}, "born > CAST('2000-02-29' AS DATE)"),
    "a boolean": ("married = ?", [True], "married = TRUE"),
    "in a list and a pattern": ("age IN (?, ?) AND city LIKE ?", [1, 2, "A%"], "age IN (1, 2) AND city LIKE 'A%'"),
    "no SQL": ("city = ?", ["x' OR '1'='1"], "city = 'x'' OR ''1''=''1'"),
}


@pytest.mark.parametrize(("condition", "values", "filled"), FILLED.values(), ids=FILLED)
def test_a_parameter_is_a_constant(condition: str, values: Parameters, filled: str) -> None:
    statement = parse(f"{WHERE}{condition} LIMIT 5", ADULT, PRESENT, values)
    assert statement.text == f"{WHERE}{filled} LIMIT 5"
    assert statement == parse(statement.text, ADULT, PRESENT)


@pytest.mark.parametrize(
    ("text", "values", "sentence"),
    [
        (f"{WHERE}age > ?", [], "The parameter 1 has no value: line 1, column 40"),
        (f"{WHERE}age > ?", [1, 2], "The query has no parameter 2: line 1, column 40"),
        (f"{WHERE}age > :a", {"b": 1}, "The parameter a has no value: line 1, column 40"),
        (f"{WHERE}age > ?", [math.nan], "The value of the parameter 1 is not supported: line 1, column 40"),
        (f"{WHERE}age > ?", "12", "Parameters are a list of values, or values by name: line 1, column 40"),
        (f"{WHERE}age > ?", ["x"], "Column 'age' is integer and is compared with text: line 1, column 34"),
        (f"WITH t AS (SELECT age FROM adult WHERE age > ?) {COUNT}", [1],
         "The order of ? is not clear in a query with WITH: line 1, column 46"),
    ],
)  # fmt: skip
def test_every_parameter_has_a_value_and_every_value_a_parameter(text: str, values: Parameters, sentence: str) -> None:
    with pytest.raises(QueryError) as refusal:
        parse(text, ADULT, PRESENT, values)
    assert str(refusal.value).partition(". Hint")[0] == sentence
