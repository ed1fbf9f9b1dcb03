SELECT * FROM adult
--> SELECT * is not supported: line 1, column 8. Hint: ask for aggregates: rows are not released.

SELECT age FROM adult
--> Column 'age' is neither aggregated nor in GROUP BY: line 1, column 8. Hint: add GROUP BY age: rows are not released.

SELECT age, COUNT(*) FROM adult
--> Column 'age' is neither aggregated nor in GROUP BY: line 1, column 8. Hint: add GROUP BY age: rows are not released.

SELECT SUM(fnlwgt) OVER () FROM adult
--> Windows over the rows of several people are not supported: line 1, column 8. Hint: use GROUP BY, with ROLLUP or SUM(COUNT(*)) OVER () for totals, or a sub-select with OVER (PARTITION BY the column of people): otherwise one person could change every row.

SELECT RANK() OVER (ORDER BY age) FROM adult
--> Windows over the rows of several people are not supported: line 1, column 8. Hint: use GROUP BY, with ROLLUP or SUM(COUNT(*)) OVER () for totals, or a sub-select with OVER (PARTITION BY the column of people): otherwise one person could change every row.

SELECT AVG(r) FROM (SELECT ROW_NUMBER() OVER (ORDER BY age) AS r FROM adult)
--> A window is not supported: each row of adult is a person of its own: line 1, column 28. Hint: state a column that names people, unit = "COLUMN" in the schema.

SELECT COUNT(*) FROM adult WHERE age > (SELECT AVG(age) FROM adult)
--> Sub-selects inside an expression are not supported: line 1, column 48. Hint: ask for it by itself, and write the value here; a total of all groups is SUM(COUNT(*)) OVER ().

SELECT CORR(age, 3) FROM adult
--> CORR of 3 is the same for everyone. Hint: leave it out.

SELECT COVAR_POP(age, 1 / age) FROM adult
--> COVAR_POP of (1 / age), which may be missing where its columns are there, is not supported. Hint: use columns, or what always has a value.

SELECT CORR(age, occupation) FROM adult
--> CORR needs numbers, but column 'occupation' is text: line 1, column 18. Hint: state type = "integer" or "number" under [columns.occupation] in the schema.

SELECT COUNT(*) FROM adult WHERE random() < 0.5
--> RANDOM() is not supported: line 1, column 34. Hint: leave it out: an answer follows from the rows and from recorded noise alone, so that it can be checked.

SELECT COUNT(*) FROM adult WHERE now() > '2020-01-01'
--> NOW() is not supported: line 1, column 34. Hint: write the day itself, as in DATE '2026-11-18': the same query must ask the same again.

SELECT COUNT(*) FROM adult WHERE CURRENT_DATE > '2020-01-01'
--> CURRENT_DATE() is not supported: line 1, column 34. Hint: write the day itself, as in DATE '2026-11-18': the same query must ask the same again.

SELECT COUNT(*) FROM adult TABLESAMPLE 10%
--> SAMPLE is not supported: line 1, column 40. Hint: leave it out: noise protects people, and an answer follows from the rows and from recorded noise alone.

SELECT COUNT(*) FROM adult USING SAMPLE 100
--> SAMPLE is not supported: line 1, column 41. Hint: leave it out: noise protects people, and an answer follows from the rows and from recorded noise alone.

SELECT COUNT(*) FROM adult a JOIN adult b ON a.age = b.age
--> JOIN is not supported: each row of adult is a person of its own: line 1, column 35. Hint: state a column that names people, unit = "COLUMN" in the schema.

SELECT COUNT(*) FROM adult, adult AS b
--> JOIN is not supported: each row of adult is a person of its own: line 1, column 29. Hint: state a column that names people, unit = "COLUMN" in the schema.

SELECT COUNT(*) FROM adult UNION SELECT COUNT(*) FROM adult
--> Only a SELECT is supported, not UNION: line 1, column 1. Hint: ask for them one at a time, or use GROUP BY GROUPING SETS.

SELECT sex, COUNT(*) FROM adult GROUP BY sex UNION ALL SELECT race, COUNT(*) FROM adult GROUP BY race
--> Only a SELECT is supported, not UNION: line 1, column 1. Hint: ask for them one at a time, or use GROUP BY GROUPING SETS.

SELECT MODE(age) FROM adult
--> MODE() is not supported: line 1, column 8. Hint: write SELECT v, COUNT(*) ... GROUP BY v ORDER BY COUNT(*) DESC LIMIT 1.

SELECT STRING_AGG(occupation, ',') FROM adult
--> STRING_AGG() is not supported: line 1, column 8. Hint: count them, as in SELECT v, COUNT(*) ... GROUP BY v: the values of single people are not released.

SELECT LIST(age) FROM adult
--> LIST() is not supported: line 1, column 8. Hint: count them, as in SELECT v, COUNT(*) ... GROUP BY v: the values of single people are not released.

SELECT ANY_VALUE(age) FROM adult
--> ANY_VALUE() is not supported: line 1, column 8. Hint: use MIN(v) of each person's rows in a sub-select, or SELECT v, COUNT(*) ... GROUP BY v.

SELECT FIRST(age) FROM adult
--> FIRST() is not supported: line 1, column 8. Hint: aggregates are COUNT, SUM, AVG, VAR_POP, VAR_SAMP, STDDEV, MIN, MAX, MEDIAN, QUANTILE_CONT and CORR.

SELECT SUM(DISTINCT age) FROM adult
--> SUM(DISTINCT ...) is not supported: line 1, column 8. Hint: write SUM(v).

SELECT occupation, COUNT(*) FROM adult GROUP BY occupation
--> GROUP BY occupation needs a public list of its values. Hint: add categories = [...] or keys = "private" under [columns.occupation] in the schema.

SELECT SUBSTR(occupation, 1, 3) AS o, COUNT(*) FROM adult GROUP BY o
--> The values of the group key SUBSTR(occupation, 1, 3) do not follow from the schema. Hint: group by CASE WHEN ... THEN 'a' ELSE 'b' END, by FLOOR(v / 10), or by a column with categories.

SELECT capital_gain / 7.0 AS g, COUNT(*) FROM adult GROUP BY g
--> The values of the group key (capital_gain / 7) do not follow from the schema. Hint: group by CASE WHEN ... THEN 'a' ELSE 'b' END, by FLOOR(v / 10), or by a column with categories.

SELECT AVG(LENGTH(occupation) / age) FROM adult WHERE age / 0 > 1 GROUP BY occupation
--> GROUP BY occupation needs a public list of its values. Hint: add categories = [...] or keys = "private" under [columns.occupation] in the schema.

SELECT AVG(fnlwgt / capital_gain) FROM adult
--> The range of (fnlwgt / capital_gain) does not follow from the bounds: its divisor may be 0. Hint: divide by something whose bounds exclude 0.

SELECT AVG(1 / (age - 40)) FROM adult
--> The range of (1 / (age - 40)) does not follow from the bounds: its divisor may be 0. Hint: divide by something whose bounds exclude 0.

SELECT SUM(SQRT(age - 200)) FROM adult
--> The range of SQRT((age - 200)) does not follow from the bounds: it is missing for everyone. Hint: take the root of what is not negative.

SELECT AVG(net) FROM (SELECT capital_gain - capital_loss AS net FROM adult LIMIT 100)
--> LIMIT inside a sub-select is not supported: line 1, column 82. Hint: use a sub-select that works row by row.

SELECT AVG(age) FROM (SELECT age FROM adult ORDER BY age LIMIT 10)
--> ORDER BY inside a sub-select is not supported: line 1, column 54. Hint: use a sub-select that works row by row.

SELECT COUNT(*) FROM adult QUALIFY ROW_NUMBER() OVER (ORDER BY age) = 1
--> QUALIFY is not supported: line 1, column 36. Hint: use it in a sub-select, with a window that is PARTITION BY the column of people.

SELECT COUNT(*) FROM adult WHERE REGEXP_MATCHES(occupation, '(a+)+$$$(((')
--> The regular expression has a ( that is not closed: line 1, column 61.

SELECT COUNT(*) FROM adult WHERE occupation SIMILAR TO 'S%'
--> SIMILAR TO is not supported: line 1, column 34. Hint: use LIKE, or REGEXP_FULL_MATCH(t, '...').

SELECT COUNT(*) FROM adult WHERE hash(occupation) % 2 = 0
--> HASH() is not supported: line 1, column 34. Hint: use another function of docs/sql.md.

SELECT COUNT(*) FROM read_csv('x.csv')
--> Table functions are not supported: line 1, column 22. Hint: use adult, the name of the table.

SELECT COUNT(*) FROM information_schema.tables
--> There is no table 'tables': line 1, column 22. Hint: use adult, the name of the table.

SELECT COUNT(*) FROM generate_series(1, 10)
--> Table functions are not supported: line 1, column 22. Hint: use adult, the name of the table.

DROP TABLE adult
--> Only a SELECT is supported, not DROP: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult.

SELECT COUNT(*) FROM adult; SELECT 1
--> Several statements are not supported: line 1, column 36. Hint: ask them one at a time.

INSERT INTO adult VALUES (1)
--> Only a SELECT is supported, not INSERT: line 1, column 1. Hint: try SELECT COUNT(*) FROM adult.

SELECT COUNT(*) FROM adult WHERE age IN (SELECT age FROM adult WHERE sex = 'Male')
--> IN with a sub-select is not supported: each row of adult is a person of its own: line 1, column 34. Hint: state a column that names people, unit = "COLUMN" in the schema.

SELECT COUNT(*) FROM adult GROUP BY ROLLUP (native_country)
--> ROLLUP, CUBE and GROUPING SETS of private keys are not supported: groups that are not shown would be missing from their totals. Hint: list the categories of its keys, or group by them without it.

SELECT sex, COUNT(DISTINCT occupation) FROM adult GROUP BY ROLLUP (sex)
--> ROLLUP, CUBE and GROUPING SETS have no total of COUNT(DISTINCT ...): the groups do not add up. Hint: ask for it in queries of their own, with a GROUP BY of one level each.

SELECT POWER(2, COUNT(*)) FROM adult WHERE POWER(age, age) > 1
--> POWER needs a number from -100 to 100, written out: line 1, column 55. Hint: write it as in POWER(v, 2).

SELECT CAST(age / 10 AS INTEGER) AS decade, COUNT(*) FROM adult GROUP BY decade
--> A cast of number to INT is not supported: line 1, column 8. Hint: use ROUND(v) or FLOOR(v): engines cut and round in different ways.

SELECT CAST(AVG(age) AS INTEGER) AS age FROM adult
--> A cast of number to INT is not supported: line 1, column 8. Hint: use ROUND(v) or FLOOR(v): engines cut and round in different ways.

SELECT education_num, RANK() OVER (ORDER BY COUNT(*) DESC) AS place FROM adult GROUP BY education_num
--> A window over the answer with an order, or with another function than SUM, is not supported: line 1, column 23. Hint: use SUM(COUNT(*)) OVER (PARTITION BY ward) for totals, ORDER BY for an order with its true ranks, and compute the rest from the released answer: that costs nothing.

SELECT age, SUM(COUNT(*)) OVER (ORDER BY age) AS so_far FROM adult GROUP BY age
--> A window over the answer with an order, or with another function than SUM, is not supported: line 1, column 13. Hint: use SUM(COUNT(*)) OVER (PARTITION BY ward) for totals, ORDER BY for an order with its true ranks, and compute the rest from the released answer: that costs nothing.

SELECT DISTINCT sex FROM adult
--> SELECT DISTINCT is not supported: line 1, column 1. Hint: use GROUP BY, as in SELECT ward, COUNT(*) ... GROUP BY ward.

SELECT SAFE_DIVIDE(SUM(capital_gain), COUNT(*)) AS gain FROM adult
--> SAFE_DIVIDE() is not supported: line 1, column 8. Hint: write a / b: a division by 0 gives no value.

SELECT COUNT(*) FROM adult WHERE ISNULL(occupation)
--> ISNULL() is not supported: line 1, column 34. Hint: write v IS NULL, or COALESCE(v, 0) for a value in its place.

SELECT TOP 5 occupation, COUNT(*) FROM adult GROUP BY occupation
--> The query is not valid SQL: line 1, column 12. Hint: write LIMIT 5 at the end of the query, in place of TOP 5.

SELECT AVG(DIV(age, 10)) FROM adult
--> The query is not valid SQL: line 1, column 15. Hint: write a // b, in place of DIV.
