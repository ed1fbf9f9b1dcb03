"""SQL that is refused by name and place, before data is touched, with what to do instead."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from sfumato.errors import QueryError, SchemaError, SfumatoError
from sfumato.privacy.sensitivity import measure
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse, parse_condition
from tests.unit.test_parse import ADULT, COUNT, PRESENT, WHERE, read

REFUSED = {
    # Clauses
    "a window function": (
        "SELECT COUNT(*) OVER () FROM adult",
        "Windows over the rows of several people are not supported: line 1, column 8. Hint: use GROUP BY, "
        "with ROLLUP or SUM(COUNT(*)) OVER () for totals, or a sub-select with OVER "
        "(PARTITION BY the column of people): otherwise one person "
        "could change every row."),
    "DISTINCT": (
        "SELECT DISTINCT sex FROM adult",
        "SELECT DISTINCT is not supported: line 1, column 1. Hint: use GROUP BY, as in "
        "SELECT ward, COUNT(*) ... GROUP BY ward."),
    "QUALIFY": (f"{COUNT} QUALIFY age > 3", "QUALIFY is not supported: line 1, column 36. Hint: use it in a "
        "sub-select, with a window that is PARTITION BY the column of people."),
    "a JOIN": (
        f"{COUNT} JOIN adult AS b ON TRUE",
        "JOIN is not supported: each row of adult is a person of its own: line 1, column 33. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "a LEFT JOIN": (
        f"{COUNT} LEFT JOIN adult AS b USING (age)",
        "JOIN is not supported: each row of adult is a person of its own: line 1, column 38. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "a comma join": (
        f"{COUNT}, adult AS b",
        "JOIN is not supported: each row of adult is a person of its own: line 1, column 29. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "a sub-select in IN": (
        f"{WHERE}age IN (SELECT age FROM adult)",
        "IN with a sub-select is not supported: each row of adult is a person of its own: line 1, column 34. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "EXISTS": (
        f"{WHERE}EXISTS (SELECT age FROM adult)",
        "EXISTS is not supported: each row of adult is a person of its own: line 1, column 49. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "a scalar sub-select": (
        f"{WHERE}age > (SELECT AVG(age) FROM adult)",
        "Sub-selects inside an expression are not supported: line 1, column 48. Hint: ask for it by itself, and "
        "write the value here; a total of all groups is SUM(COUNT(*)) OVER ()."),
    "ANY": (
        f"{WHERE}age = ANY (SELECT age FROM adult)",
        "A comparison with ANY or ALL is not supported: line 1, column 52. Hint: list the values, as in "
        "v IN (30, 40)."),
    "UNION": (
        f"{COUNT} UNION {COUNT}",
        "Only a SELECT is supported, not UNION: line 1, column 1. Hint: ask for them one at a time, or use GROUP BY "
        "GROUPING SETS."),
    "a sub-select that is a UNION": (
        "SELECT COUNT(*) FROM (SELECT age FROM adult UNION SELECT age FROM adult)",
        "UNION is not supported: line 1, column 30. Hint: use one sub-select, with AND, OR and NOT in its WHERE."),
    "GROUP BY inside": (
        "SELECT COUNT(*) FROM (SELECT age FROM adult GROUP BY age)",
        "GROUP BY inside a sub-select is not supported: each row of adult is a person of its own: line 1, column 54. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "HAVING inside": (
        "SELECT COUNT(*) FROM (SELECT age FROM adult HAVING age > 3)",
        "GROUP BY inside a sub-select is not supported: each row of adult is a person of its own: line 1, column 30. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "ORDER BY inside": (
        "SELECT COUNT(*) FROM (SELECT age FROM adult ORDER BY age)",
        "ORDER BY inside a sub-select is not supported: line 1, column 54. Hint: use a sub-select that works row "
        "by row."),
    "LIMIT inside": (
        "WITH t AS (SELECT age FROM adult LIMIT 3) SELECT COUNT(*) FROM t",
        "LIMIT inside a sub-select is not supported: line 1, column 40. Hint: use a sub-select that works row by row."),
    "OFFSET inside": (
        "WITH t AS (SELECT age FROM adult OFFSET 3) SELECT COUNT(*) FROM t",
        "OFFSET inside a sub-select is not supported: line 1, column 41. Hint: use a sub-select that works row "
        "by row."),
    "DISTINCT inside": (
        "SELECT COUNT(*) FROM (SELECT DISTINCT age FROM adult)",
        "GROUP BY inside a sub-select is not supported: each row of adult is a person of its own: line 1, column 39. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "an aggregate inside": (
        "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM adult)",
        "Aggregates inside a sub-select are not supported: line 1, column 28. Hint: use a sub-select that works "
        "row by row."),
    "a window function inside": (
        "SELECT SUM(n) FROM (SELECT ROW_NUMBER() OVER () AS n FROM adult)",
        "A window is not supported: each row of adult is a person of its own: line 1, column 28. "
        'Hint: state a column that names people, unit = "COLUMN" in adult.toml.'),
    "a computed column without a name": (
        "SELECT COUNT(*) FROM (SELECT age + 1 FROM adult)",
        "A computed column has no name: line 1, column 30. Hint: name it with AS."),
    "a column twice inside": (
        "SELECT SUM(age) FROM (SELECT age, pay AS age FROM adult)",
        "A sub-select has two columns 'age': line 1, column 35. Hint: rename one of them with AS."),
    "a column beside * that has its name": (
        "SELECT SUM(age) FROM (SELECT *, pay AS age FROM adult)",
        "A sub-select has two columns 'age': line 1, column 30. Hint: rename one of them with AS."),
    "a column that is not inside": (
        "SELECT SUM(pay) FROM (SELECT age FROM adult)",
        "The sub-select has no column 'pay': line 1, column 12. Hint: use age."),
    "* EXCLUDE": (
        "SELECT COUNT(*) FROM (SELECT * EXCLUDE (age) FROM adult)",
        "* EXCLUDE is not supported: line 1, column 41. Hint: name the columns."),
    "a CTE twice": (
        "WITH t AS (SELECT age FROM adult), t AS (SELECT pay FROM adult) SELECT COUNT(*) FROM t",
        "WITH names 't' twice: line 1, column 36. Hint: rename one of them."),
    "a CTE that reads itself": (
        "WITH t AS (SELECT age FROM t) SELECT COUNT(*) FROM t",
        "There is no table 't': line 1, column 28. Hint: use adult, the name of the table."),
    "WITH RECURSIVE": (
        "WITH RECURSIVE t AS (SELECT age FROM adult) SELECT COUNT(*) FROM t",
        "WITH RECURSIVE is not supported: line 1, column 16."),
    "a CTE that is no SELECT": (
        "WITH t AS (DELETE FROM adult) SELECT COUNT(*) FROM t",
        "DELETE is not supported: line 1, column 24. Hint: use a sub-select that works row by row."),
    "a CTE whose columns are renamed": (
        "WITH t(a, b) AS (SELECT age, pay FROM adult) SELECT SUM(a) FROM t",
        "Renamed columns are not supported: line 1, column 8. Hint: name them with AS inside the sub-select."),
    "VALUES": (
        "SELECT COUNT(*) FROM (VALUES (1)) AS t",
        "VALUES is not supported: line 1, column 31. Hint: read the table itself."),
    "a table function": (
        "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
        "Table functions are not supported: line 1, column 22. Hint: use adult, the name of the table."),
    "a file as a table": (
        "SELECT COUNT(*) FROM '/etc/passwd'",
        "There is no table '/etc/passwd': line 1, column 22. Hint: use adult, the name of the table."),
    "a table of another database": (
        "SELECT COUNT(*) FROM lake.main.adult",
        "A table name with two qualifiers is not supported: line 1, column 22."),
    "a table whose columns are renamed": (
        "SELECT SUM(pay) FROM adult AS a(pay, age)",
        "Renamed columns are not supported: line 1, column 33. Hint: name them with AS inside the sub-select."),
    "SAMPLE": (f"{COUNT} USING SAMPLE 10", "SAMPLE is not supported: line 1, column 41. Hint: leave it out: noise "
        "protects people, and an answer follows from the rows and from recorded noise alone."),
    "TABLESAMPLE": (f"{COUNT} TABLESAMPLE RESERVOIR(10)", "SAMPLE is not supported: line 1, column 50. Hint: leave it "
        "out: noise protects people, and an answer follows from the rows and from recorded noise alone."),
    "FOR UPDATE": (f"{COUNT} FOR UPDATE", "FOR UPDATE is not supported: line 1, column 28."),
    "PIVOT in FROM": (f"{COUNT} PIVOT (COUNT(*) FOR sex IN ('Male'))", "PIVOT is not supported: line 1, column 35."),
    "GROUP BY a constant": (
        f"{COUNT} GROUP BY 'all'",
        "GROUP BY a constant is not supported: line 1, column 37. Hint: leave it out."),
    "a grouping set twice": (
        f"{COUNT} GROUP BY GROUPING SETS ((sex), sex)",
        "The same grouping set twice is not supported: line 1, column 53. Hint: write each set once."),
    "more grouping sets than may be": (
        f"{COUNT} GROUP BY CUBE (sex, code, steps, married, born, city, note)",
        "GROUP BY has more than 64 grouping sets: line 1, column 43. Hint: group by fewer keys."),
    "GROUPING of another column": (
        "SELECT GROUPING(city), COUNT(*) FROM adult GROUP BY ROLLUP (sex)",
        "GROUPING() of anything but group keys is not supported: line 1, column 8. "
        "Hint: name columns of the GROUP BY."),
    "WITH ROLLUP": (
        f"{COUNT} GROUP BY sex WITH ROLLUP",
        "WITH ROLLUP is not supported: line 1, column 41. Hint: write GROUP BY ROLLUP(...)."),
    "GROUP BY an aggregate": (
        f"{COUNT} GROUP BY 1",
        "GROUP BY 1 is an aggregate: line 1, column 37. Hint: group by the position of a column."),
    "GROUP BY a position that is not there": (
        f"{COUNT} GROUP BY 2",
        "GROUP BY 2 is not a column: line 1, column 37. Hint: check the position; columns of the "
        "answer count from 1."),
    "HAVING with an unknown name": (
        f"{COUNT} HAVING ages > 3",
        "The answer has no column 'ages': line 1, column 35. Hint: use count(*)."),
    "HAVING with a column that is not grouped by": (
        "SELECT sex, AVG(age) FROM adult GROUP BY sex HAVING age > 3",
        "The answer has no column 'age': line 1, column 53. Hint: use sex, avg(age)."),
    "HAVING with another table": (
        "SELECT sex, AVG(age) FROM adult GROUP BY sex HAVING b.sex = 'Male'",
        "There is no table 'b': line 1, column 53. Hint: use the name adult."),
    "HAVING with a sub-select": (
        f"{COUNT} HAVING COUNT(*) > (SELECT 1)",
        "Sub-selects inside an expression are not supported: line 1, column 54. Hint: ask for it by itself, and "
        "write the value here; a total of all groups is SUM(COUNT(*)) OVER ()."),
    "HAVING of a text and a number": (
        "SELECT sex, COUNT(*) FROM adult GROUP BY sex HAVING sex > 3",
        "Column 'sex' is text and is compared with integer: line 1, column 53. Hint: put the value in quotes."),
    "ORDER BY a position that is not there": (
        "SELECT sex, AVG(age) FROM adult GROUP BY sex ORDER BY 3",
        "ORDER BY 3 is not a column: line 1, column 55. Hint: check the position; columns of the "
        "answer count from 1."),
    "LIMIT a percentage": (
        f"{COUNT} LIMIT 10%",
        "LIMIT by a percentage is not supported: line 1, column 28. Hint: write the number of rows."),
    "LIMIT below 0": (
        f"{COUNT} LIMIT -1",
        "LIMIT with anything but a whole number is not supported: line 1, column 35. Hint: write a whole number."),
    "FETCH": (
        f"{COUNT} FETCH FIRST 2 PERCENT ROWS ONLY",
        "FETCH of this kind is not supported: line 1, column 40. Hint: use LIMIT."),
    # Other statements
    "COPY": (
        "COPY adult TO '/tmp/adult.csv'",
        "Only a SELECT is supported, not COPY: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "ATTACH": (
        "ATTACH '/tmp/adult.db'",
        "Only a SELECT is supported, not ATTACH: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "INSTALL": (
        "INSTALL httpfs",
        "Only a SELECT is supported, not INSTALL: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "PRAGMA": (
        "PRAGMA database_list",
        "Only a SELECT is supported, not PRAGMA: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "EXPLAIN": (
        "EXPLAIN ANALYZE SELECT COUNT(*) FROM adult",
        "Only a SELECT is supported, not EXPLAIN: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "SUMMARIZE": (
        "SUMMARIZE adult",
        "Only a SELECT is supported, not SUMMARIZE: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "DESCRIBE": (
        "DESCRIBE adult",
        "Only a SELECT is supported, not DESCRIBE: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "PIVOT": (
        "PIVOT adult ON sex USING COUNT(*)",
        "Only a SELECT is supported, not PIVOT: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "SET": (
        "SET threads = 1",
        "Only a SELECT is supported, not SET: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "CALL": (
        "CALL pragma_version()",
        "Only a SELECT is supported, not CALL: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "CHECKPOINT": (
        "CHECKPOINT",
        "Only a SELECT is supported, not CHECKPOINT: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "CREATE": (
        "CREATE TABLE b AS SELECT 1",
        "Only a SELECT is supported, not CREATE: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "DROP": (
        "DROP TABLE adult",
        "Only a SELECT is supported, not DROP: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "ALTER": (
        "ALTER TABLE adult ADD COLUMN b INT",
        "Only a SELECT is supported, not ALTER: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "INSERT": (
        "INSERT INTO adult VALUES (1)",
        "Only a SELECT is supported, not INSERT: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "UPDATE": (
        "UPDATE adult SET age = 3",
        "Only a SELECT is supported, not UPDATE: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "DELETE": (
        "DELETE FROM adult",
        "Only a SELECT is supported, not DELETE: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "two statements": (
        f"{COUNT}; DROP TABLE adult",
        "Several statements are not supported: line 1, column 40. Hint: ask them one at a time."),
    "an empty text": ("", "The query is empty. Hint: try SELECT COUNT(*) FROM adult."),
    "nothing but a comment": ("-- age > 3", "The query is empty. Hint: try SELECT COUNT(*) FROM adult."),
    "not SQL": (
        "hello world",
        "Only a SELECT is supported, not HELLO: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult."),
    "half of a SELECT": (
        "SELECT COUNT( FROM adult",
        'The query is not valid SQL: line 1, column 24. Hint: check the text before this place; put a name that '
        'is also a keyword of SQL in quotes, as in "select".'),
    "an open quote": (
        f"{WHERE}city = 'A",
        "The query is not valid SQL. Hint: close every quote and parenthesis."),
    "no FROM": ("SELECT COUNT(*)", "The query has no FROM. Hint: add FROM adult."),
    # What a SELECT shows
    "SUM(DISTINCT v)": (
        "SELECT SUM(DISTINCT age) FROM adult",
        "SUM(DISTINCT ...) is not supported: line 1, column 8. Hint: write SUM(v)."),
    "MEDIAN(DISTINCT v)": (
        "SELECT MEDIAN(DISTINCT age) FROM adult",
        "MEDIAN(DISTINCT ...) is not supported: line 1, column 8. Hint: write MEDIAN(v)."),
    "SUM(*)": ("SELECT SUM(*) FROM adult", "SUM(*) is not supported: line 1, column 8. Hint: write SUM(v)."),
    "COUNT(DISTINCT a, b)": (
        "SELECT COUNT(DISTINCT age, pay) FROM adult",
        "COUNT(DISTINCT ...) of several columns is not supported: line 1, column 8. Hint: count one column."),
    "COUNT(DISTINCT (a, b))": (
        "SELECT COUNT(DISTINCT (age, pay)) FROM adult",
        "COUNT(DISTINCT ...) of several columns is not supported: line 1, column 8. Hint: count one column."),
    "COUNT(DISTINCT *)": (
        "SELECT COUNT(DISTINCT *) FROM adult",
        "COUNT(DISTINCT *) is not supported: line 1, column 8. Hint: count the values of one column."),
    "MAX of two columns": (
        "SELECT MAX(age, pay) FROM adult",
        "An aggregate of several columns is not supported: line 1, column 17. Hint: aggregate one column, or a "
        "computation with several."),
    "a quantile above 1": (
        "SELECT QUANTILE_CONT(age, 1.5) FROM adult",
        "A quantile is a number between 0 and 1, of at most six digits: line 1, column 27. Hint: write "
        "QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."),
    "a quantile below 0": (
        "SELECT PERCENTILE_DISC(-0.5) WITHIN GROUP (ORDER BY age) FROM adult",
        "A quantile is a number between 0 and 1, of at most six digits: line 1, column 25. Hint: write "
        "QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."),
    "a quantile that is not constant": (
        "SELECT QUANTILE_CONT(age, pay) FROM adult",
        "A quantile is a number between 0 and 1, of at most six digits: line 1, column 27. Hint: write "
        "QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."),
    "a quantile of seven digits": (
        "SELECT QUANTILE_CONT(age, 0.1234567) FROM adult",
        "A quantile is a number between 0 and 1, of at most six digits: line 1, column 27. Hint: write "
        "QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."),
    "a list of quantiles": (
        "SELECT QUANTILE_CONT(age, [0.1, 0.9]) FROM adult",
        "A quantile is a number between 0 and 1, of at most six digits: line 1, column 28. Hint: write "
        "QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."),
    "which quantile is not said": (
        "SELECT QUANTILE_CONT(age) FROM adult",
        "A quantile is a number between 0 and 1, of at most six digits: line 1, column 22. Hint: write "
        "QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."),
    "a quantile from above": (
        "SELECT PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY age DESC) FROM adult",
        "WITHIN GROUP with anything but ORDER BY one column is not supported: line 1, column 8. Hint: write "
        "QUANTILE_CONT(v, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v)."),
    "another aggregate": (
        "SELECT MODE(age) FROM adult",
        "MODE() is not supported: line 1, column 8. Hint: write SELECT v, COUNT(*) ... GROUP BY v ORDER BY COUNT(*) "
        "DESC LIMIT 1."),
    "an aggregate in order": (
        "SELECT STRING_AGG(city, ',' ORDER BY city) FROM adult",
        "STRING_AGG() is not supported: line 1, column 8. Hint: count them, as in SELECT v, COUNT(*) ... GROUP BY v: "
        "the values of single people are not released."),
    "an aggregate of an aggregate": (
        "SELECT SUM(AVG(age)) FROM adult",
        "An aggregate in this place is not supported: line 1, column 12. Hint: use aggregates only in SELECT, "
        "HAVING and ORDER BY."),
    "an unknown function of an aggregate": (
        "SELECT CBRT(AVG(age)) FROM adult",
        "CBRT() is not supported: line 1, column 8. Hint: use another function of docs/sql.md."),
    "a regular expression on the answer": (
        "SELECT REGEXP_MATCHES(sex, 'a'), COUNT(*) FROM adult GROUP BY sex",
        "REGEXP_MATCHES on the answer is not supported: line 1, column 8. Hint: use LIKE, or compute with the answer."),
    "two types in a CASE": (
        "SELECT SUM(CASE WHEN age > 3 THEN 'x' ELSE 1 END) FROM adult",
        "One expression gives integer and text: line 1, column 22. Hint: use the same type in every branch."),
    "a CASE of nothing": (
        "SELECT SUM(CASE WHEN age > 3 THEN NULL END) FROM adult",
        "A CASE with NULL in every branch is not supported: line 1, column 22. Hint: use a value that is not "
        "NULL."),
    "a column beside an aggregate that is computed with": (
        "SELECT age + COUNT(*) FROM adult",
        "Column 'age' is neither aggregated nor in GROUP BY: line 1, column 8. Hint: add GROUP BY age: rows are "
        "not released."),
    "a computed column that takes long": (
        f"SELECT CASE WHEN COUNT(*) IN ({', '.join(map(str, range(250)))}) THEN 1 END FROM adult",
        "A column computed from the answer has 255 operations and constants, and the limit is 200. Hint: apply it to "
        "the answer instead."),
    "SELECT *": (
        "SELECT * FROM adult",
        "SELECT * is not supported: line 1, column 8. Hint: ask for aggregates: rows are not released."),
    "SELECT adult.*": (
        "SELECT adult.* FROM adult",
        "SELECT * is not supported: line 1, column 8. Hint: ask for aggregates: rows are not released."),
    "a column by itself": (
        "SELECT age FROM adult",
        "Column 'age' is neither aggregated nor in GROUP BY: line 1, column 8. Hint: add GROUP BY age: rows are "
        "not released."),
    "keys alone": (
        "SELECT sex FROM adult GROUP BY sex",
        "A SELECT without an aggregate is not supported: line 1, column 8. Hint: ask for COUNT, SUM or AVG: rows "
        "are not released."),
    "SUM of a text": (
        "SELECT SUM(sex) FROM adult",
        "SUM needs numbers, but column 'sex' is text: line 1, column 12. Hint: state type = \"integer\" or \"number\" "
        "under [columns.sex] in adult.toml."),
    "one name for two columns": (
        "SELECT COUNT(*) AS n, SUM(age) AS N FROM adult",
        "Two columns of the answer have the same name. Hint: rename one of them with AS."),
    # What a WHERE compares
    "random()": (
        f"{WHERE}random() < 0.5",
        "RANDOM() is not supported: line 1, column 34. Hint: leave it out: an answer follows from the rows and from "
        "recorded noise alone, so that it can be checked."),
    "now()": (
        f"{WHERE}born < now()",
        "NOW() is not supported: line 1, column 41. Hint: write the day itself, as in DATE '2026-11-18': the same "
        "query must ask the same again."),
    "error()": (
        f"{WHERE}error('leak') = 1",
        "ERROR() is not supported: line 1, column 34. Hint: use another function of docs/sql.md."),
    "an aggregate in WHERE": (
        f"{WHERE}AVG(age) > 3",
        "An aggregate in this place is not supported: line 1, column 34. Hint: use aggregates only in SELECT, "
        "HAVING and ORDER BY."),
    "a function with a similar name": (
        f"{WHERE}SUFFIX(city, 'a')",
        "SUFFIX() is not supported: line 1, column 34. Hint: use ENDS_WITH(t, 'a')."),
    "a logarithm to an unknown base": (
        f"{WHERE}LOG(age) > 3",
        "LOG() is not supported: line 1, column 34. Hint: write LN(v), LOG10(v) or LOG2(v): databases differ in the "
        "base of LOG."),
    "a power of a column": (
        f"{WHERE}age ** pay = 0",
        "POWER needs a number from -100 to 100, written out: line 1, column 41. Hint: write it as in POWER(v, 2)."),
    "a place before the first": (
        f"{WHERE}SUBSTR(city, 0) = 'a'",
        "SUBSTR needs a whole number from 1, written out: line 1, column 47. Hint: write it as in SUBSTR(t, 1, 3)."),
    "too many operands": (
        f"{WHERE}SUBSTR(city) = 'a'",
        "SUBSTR has 1 operands: line 1, column 34. Hint: write it as in SUBSTR(t, 1, 3)."),
    "a number in a text": (
        f"{WHERE}city || pay = 'a'",
        "'||' needs texts, not number: line 1, column 34. Hint: use a whole number, as in ROUND(v)."),
    "a text that grows": (
        f"{WHERE}CONCAT({', '.join(['city'] * 11)}) = 'a'",
        "A text may have 110,000 characters once CONCAT has made it, and the limit is 100,000: line 1, column 34. "
        "Hint: shorten the text first, as in LEFT(t, 100)."),
    "the operator ~": (
        f"{WHERE}city ~ 'a'",
        "The operator ~ is not supported: line 1, column 34. Hint: write REGEXP_MATCHES(t, '...') for a part of a "
        "text, or REGEXP_FULL_MATCH for all of it: databases differ."),
    "an open regular expression": (
        f"{WHERE}REGEXP_MATCHES(city, '(a')",
        "The regular expression has a ( that is not closed: line 1, column 55."),
    "a regular expression that looks ahead": (
        f"{WHERE}REGEXP_MATCHES(city, '(?=a)')",
        "The regular expression has a group that begins with (?, of which only (?: ...) is supported: "
        "line 1, column 55."),
    "a regular expression that repeats too much": (
        f"{WHERE}REGEXP_MATCHES(city, '(a{{90}}){{90}}')",
        "With its repetitions the regular expression has 8,100 characters; the limit is 1,000: line 1, column 55. "
        "Hint: use a shorter one."),
    "SIMILAR TO": (
        f"{WHERE}city SIMILAR TO 'a'",
        "SIMILAR TO is not supported: line 1, column 34. Hint: use LIKE, or REGEXP_FULL_MATCH(t, '...')."),
    "ESCAPE": (
        f"{WHERE}city LIKE 'a' ESCAPE 'b'",
        "LIKE with ESCAPE is not supported: line 1, column 34. Hint: leave ESCAPE out."),
    "NULL": (
        f"{WHERE}age = NULL",
        "NULL by itself is not supported: line 1, column 40. Hint: use IS NULL or IS NOT NULL."),
    "NULL in a list": (
        f"{WHERE}age IN (1, NULL)",
        "NULL by itself is not supported: line 1, column 45. Hint: use IS NULL or IS NOT NULL."),
    "a column in a list": (
        f"{WHERE}age IN (pay)",
        "IN with anything but constants is not supported: line 1, column 42. Hint: compare with = and OR."),
    "ABS of a text": (f"{WHERE}ABS(city) = 3", "ABS needs numbers, not text: line 1, column 34."),
    "LOWER of a number": (f"{WHERE}LOWER(age) = 'x'", "LOWER needs a text, not integer: line 1, column 34."),
    "arithmetic on a date": (
        f"{WHERE}born * 2 > 3",
        "'*' does not work on date and integer: line 1, column 34. Hint: use DATE_DIFF('day', a, b), or add an "
        "INTERVAL such as INTERVAL 3 MONTH."),
    "an hour of a date": (
        f"{COUNT} WHERE HOUR(born) = 3",
        'A date has no hour: line 1, column 34. Hint: state type = "timestamp" in the schema, if the column has '
        "times."),
    "a unit of time that there is not": (
        f"{COUNT} WHERE DATE_TRUNC('decade', born) = '2020-01-01'",
        "DATE_TRUNC of 'decade' is not supported: line 1, column 34. Hint: use one of year, quarter, month, week, day, "
        "hour, minute, second."),
    "COALESCE of two types": (
        f"{WHERE}COALESCE(age, 'x') = 3",
        "One expression gives integer and text: line 1, column 34. Hint: use the same type in every branch."),
    "today": (
        f"{WHERE}born < CURRENT_DATE",
        "CURRENT_DATE() is not supported: line 1, column 41. Hint: write the day itself, as in DATE '2026-11-18': the "
        "same query must ask the same again."),
    "CAST": (
        "SELECT SUM(CAST(age / 2 AS INT)) FROM adult",
        "A cast of number to INT is not supported: line 1, column 12. Hint: use ROUND(v) or FLOOR(v): engines cut and "
        "round in different ways."),
    "TRY_CAST": (
        "SELECT SUM(TRY_CAST(city AS INT)) FROM adult",
        "A cast of text to INT is not supported: line 1, column 12. Hint: use the same type or a wider one, or state "
        "the type in the schema file."),
    "a parameter": (
        f"{WHERE}age = $1",
        "The parameter 1 has no value: line 1, column 40. Hint: give a value for each parameter, and no others."),
    "a named parameter": (
        f"{WHERE}age = :x",
        "The parameter x has no value: line 1, column 40. Hint: give a value for each parameter, and no others."),
    "a column that is not there": (
        f"{WHERE}ages > 3",
        "There is no column 'ages': line 1, column 34. Hint: did you mean 'age'?"),
    "a column like no other": (
        f"{WHERE}xyz > 3",
        "There is no column 'xyz': line 1, column 34. Hint: use age, pay, hours per week, steps, sex, code, "
        "married, born, city, note, photo."),
    "a column called select": (
        "SELECT SUM(select) FROM adult",
        'The query is not valid SQL: line 1, column 12. Hint: check the text before this place; put a name that '
        'is also a keyword of SQL in quotes, as in "select".'),
    "a condition on a column called select": (
        f"{WHERE}select > 3",
        'The query is not valid SQL: line 1, column 39. Hint: check the text before this place; put a name that '
        'is also a keyword of SQL in quotes, as in "select".'),
    "a table called select": (
        "SELECT COUNT(*) FROM select",
        'The query is not valid SQL: line 1, column 22. Hint: check the text before this place; put a name that '
        'is also a keyword of SQL in quotes, as in "select".'),
    "the place on a later line": (
        "SELECT COUNT(*)\nFROM adult\nWHERE age > 3\n  AND repeat(city, 2) = 'A'",
        "REPEAT() is not supported: line 4, column 7. Hint: use another function of docs/sql.md."),
    "a table that is not there": (
        "SELECT COUNT(*) FROM adults",
        "There is no table 'adults': line 1, column 22. Hint: use adult, the name of the table."),
    "a column of another table": (
        f"{WHERE}b.age > 3",
        "There is no table 'b': line 1, column 34. Hint: use the name adult."),
    "a text compared with a number": (
        f"{WHERE}sex = 3",
        "Column 'sex' is text and is compared with integer: line 1, column 34. Hint: put the value in quotes."),
    "an undeclared column compared with a number": (
        f"{WHERE}note = 3",
        "Column 'note' is text and is compared with integer: line 1, column 34. Hint: state its type under "
        "[columns.note] in adult.toml."),
    "a number as a condition": (
        f"{WHERE}age",
        "A condition must be true or false: line 1, column 34. Hint: compare it with a value."),
    "a date that is none": (f"{WHERE}born = '1.1.2000'",
                        "The date is not valid; dates look like 2026-11-15: line 1, column 34."),
    "a number beyond 1e308": (f"{WHERE}age < 1e309", "The number is too large: line 1, column 40."),
    "a number of 5,000 digits": (f"{WHERE}age < {'9' * 5000}", "The number is too large: line 1, column 40."),
    "half a number": (f"{WHERE}age < 1e", "The query is not valid SQL: line 1, column 40."),
    # Size
    "100,001 characters": (
        f"{WHERE}city = '{'x' * 100_000}'",
        "The query is longer than 100,000 characters. Hint: shorten the query."),
    "5,000 parentheses": (
        f"{WHERE}{'(' * 5000}married{')' * 5000}",
        "The query has parentheses and CASE 5,000 deep, and the limit is 24. Hint: simplify the query."),
    "5,000 sums in a row": (
        f"{WHERE}age < {'1 + ' * 5000}1",
        "The query is nested too deeply. Hint: simplify the query."),
    "a chain of 5,000": (f"{WHERE}{'age < ' * 5000}1", "The query is nested too deeply. Hint: simplify the query."),
    "names that multiply": (
        "WITH t0 AS (SELECT age AS a FROM adult)"
        + "".join(f", t{i} AS (SELECT a + a AS a FROM t{i - 1})" for i in range(1, 40))
        + " SELECT SUM(a) FROM t39",
        "The query has 8,191 operations once its sub-selects are written out, and the limit is 5,000. Hint: use "
        "each computed column less often, or ask several queries."),
    "names upon names": (
        "WITH t0 AS (SELECT age AS a FROM adult)"
        + "".join(f", t{i} AS (SELECT a + 1 AS a FROM t{i - 1})" for i in range(1, 90))
        + " SELECT SUM(a) FROM t89",
        "The query has 51 operations inside one another, and the limit is 50. Hint: simplify the query."),
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
         "Column 'steps' is summed but has no bounds. "
         "Hint: add bounds = [lowest, highest] under [columns.steps] in adult.toml."),
        ("SELECT COUNT(*) FROM adult GROUP BY city", SchemaError,
         "GROUP BY city needs a public list of its values. "
         'Hint: add categories = [...] or keys = "private" under [columns.city] in adult.toml.'),
        ("SELECT COUNT(*) FROM adult GROUP BY note", SchemaError,
         "GROUP BY note needs a public list of its values. "
         'Hint: add categories = [...] or keys = "private" under [columns.note] in adult.toml.'),
        ("SELECT COUNT(*) FROM adult GROUP BY born", SchemaError,
         "GROUP BY born needs a public list of its values. "
         'Hint: add bounds = [2020-01-01, 2029-12-31] under [columns.born] in adult.toml.'),
        ("SELECT MEDIAN(age * steps) FROM adult", SchemaError,
         "Column 'steps' is summed but has no bounds. "
         "Hint: add bounds = [lowest, highest] under [columns.steps] in adult.toml."),
        ("SELECT SUM(pay / pay) FROM adult", QueryError,
         "The range of (pay / pay) does not follow from the bounds: its divisor may be 0. Hint: divide by "
         "something whose bounds exclude 0."),
        ("SELECT AVG(3) FROM adult", QueryError,
                        "AVG of 3 is the same for everyone. Hint: leave it out."),
    ],
    ids=["a sum without bounds", "a key without categories", "a key that is not in the schema", "a key that is a date",
         "a median without bounds", "a divisor that may be 0", "a constant"],
)  # fmt: skip
def test_what_the_schema_must_state_first(text: str, error: type[SfumatoError], sentence: str) -> None:
    with pytest.raises(error) as refusal:
        measure(read(text), ADULT)
    assert str(refusal.value) == sentence


def test_too_many_cells_are_refused() -> None:
    wide = from_dict({"name": "adult", "columns": {n: {"categories": list(range(400))} for n in ("a", "b")}})
    with pytest.raises(QueryError, match="GROUP BY gives 160,000 cells, and the limit is 100,000"):
        measure(parse("SELECT COUNT(*) FROM adult GROUP BY a, b", wide), wide)


@pytest.mark.parametrize("number", ["1e2000000", "1e-2000000"])
def test_a_short_number_takes_no_long_thought(number: str) -> None:
    started = time.process_time()
    with suppress(QueryError):
        read(f"{WHERE}age < {number}")
    assert time.process_time() - started < 0.5


# Conditions, which say who belongs to a group


def test_a_condition_is_what_a_where_takes() -> None:
    said = "30 <= age <= 40 AND LOWER(city) LIKE 'a%'"
    assert parse_condition(said, ADULT, PRESENT) == read(f"{WHERE}{said}").where


@pytest.mark.parametrize(("text", "sentence"), [
    ("ages > 3", "There is no column 'ages': the condition 'ages > 3'. Hint: did you mean 'age'?"),
    ("age >", "The condition is not valid SQL: the condition 'age >'. Hint: check the text before this place; "
              "put a name that is also a keyword of SQL in quotes, as in \"select\"."),
    ("age > 3\nGROUP BY sex", "The condition is followed by something else: the condition 'age > 3 GROUP BY sex'. "
     "Hint: leave out the rest."),
    ("married LIMIT 3", "The condition is followed by something else: the condition 'married LIMIT 3'. "
     "Hint: leave out the rest."),
    ("age", "A condition must be true or false: the condition 'age'. Hint: compare it with a value."),
    ("married; DROP TABLE adult", "Several statements are not supported: the condition 'married; DROP TABLE adult'. "
     "Hint: ask them one at a time."),
    ("NOT " * 99 + "married", "The condition is nested too deeply. Hint: simplify it."),
])  # fmt: skip
def test_a_condition_that_is_none(text: str, sentence: str) -> None:
    with pytest.raises(QueryError) as refusal:
        parse_condition(text, ADULT, PRESENT)
    assert str(refusal.value) == sentence
