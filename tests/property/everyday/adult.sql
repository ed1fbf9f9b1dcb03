-- counts and simple aggregates
SELECT COUNT(*) FROM adult
SELECT COUNT(*) AS n FROM adult WHERE age >= 65
SELECT COUNT(1) FROM adult WHERE sex = 'Female' AND income = '>50K'
SELECT COUNT(age) FROM adult
SELECT COUNT(DISTINCT occupation) FROM adult
SELECT SUM(capital_gain) AS total_gain FROM adult
SELECT AVG(age) FROM adult
SELECT AVG(age) AS mean_age, STDDEV(age) AS sd_age, COUNT(*) AS n FROM adult
SELECT MIN(age), MAX(age) FROM adult
SELECT MEDIAN(hours_per_week) FROM adult
SELECT QUANTILE_CONT(age, 0.25) AS q1, QUANTILE_CONT(age, 0.75) AS q3 FROM adult
SELECT VARIANCE(hours_per_week) FROM adult
SELECT SUM(hours_per_week) / 40 AS full_time_equivalents FROM adult
SELECT SUM(age), AVG(age), COUNT(*) FROM adult WHERE age BETWEEN 30 AND 40
SELECT CORR(hours_per_week, age) FROM adult
SELECT ROUND(CORR(capital_gain, age), 2) AS r, COVAR_POP(capital_gain, age) AS c, COUNT(*) AS n FROM adult
SELECT sex, COVAR_SAMP(age, capital_gain) AS c FROM adult GROUP BY sex
SELECT REGR_SLOPE(hours_per_week, age) AS slope, REGR_INTERCEPT(hours_per_week, age) AS at_0, REGR_R2(hours_per_week, age) AS r2 FROM adult
SELECT income, REGR_SLOPE(hours_per_week, age) FILTER (WHERE sex = 'Male') AS slope FROM adult GROUP BY income HAVING CORR(age, hours_per_week) > -1 ORDER BY REGR_R2(age, hours_per_week)
SELECT CORR(age, capital_gain - capital_loss) AS r FROM adult
-- GROUP BY public categories
SELECT sex, COUNT(*) FROM adult GROUP BY sex
SELECT sex, AVG(age) AS age FROM adult GROUP BY sex
SELECT marital_status, AVG(hours_per_week) AS hours, COUNT(*) AS n FROM adult GROUP BY marital_status
SELECT race, sex, COUNT(*) AS n FROM adult GROUP BY race, sex ORDER BY n DESC
SELECT race, COUNT(*) AS n FROM adult GROUP BY 1 ORDER BY 2 DESC LIMIT 3
SELECT sex, income, COUNT(*) AS n FROM adult GROUP BY ALL
SELECT sex, income, COUNT(*) AS n FROM adult GROUP BY ALL ORDER BY ALL
SELECT workclass, COUNT(*) AS n FROM adult GROUP BY workclass HAVING n > 100
SELECT workclass, AVG(age) AS a FROM adult GROUP BY workclass HAVING COUNT(*) > 50 ORDER BY a
SELECT education_num, COUNT(*) AS n FROM adult GROUP BY education_num ORDER BY education_num
SELECT sex, SUM(capital_gain) AS g FROM adult GROUP BY sex ORDER BY g DESC NULLS FIRST
SELECT sex, AVG(age) AS a FROM adult GROUP BY sex ORDER BY a NULLS LAST
SELECT sex, AVG(hours_per_week) AS h FROM adult GROUP BY sex ORDER BY AVG(hours_per_week) DESC
SELECT race, COUNT(*) AS n FROM adult GROUP BY race ORDER BY -n
SELECT income AS outcome, COUNT(*) AS n FROM adult GROUP BY outcome
SELECT a.sex, COUNT(*) FROM adult AS a GROUP BY a.sex
-- GROUP BY CASE, conditions, bins, codes
SELECT CASE WHEN age < 25 THEN 'young' WHEN age < 65 THEN 'working age' ELSE 'older' END AS band, COUNT(*) AS n FROM adult GROUP BY band
SELECT CASE WHEN age < 25 THEN 'young' WHEN age < 65 THEN 'working age' ELSE 'older' END AS band, COUNT(*) AS n FROM adult GROUP BY 1
SELECT CASE WHEN age < 25 THEN 'young' WHEN age < 65 THEN 'working age' ELSE 'older' END AS band, AVG(hours_per_week) AS h FROM adult GROUP BY 1 ORDER BY h
SELECT CASE sex WHEN 'Female' THEN 'F' WHEN 'Male' THEN 'M' END AS s, COUNT(*) FROM adult GROUP BY s
SELECT CASE WHEN education_num >= 13 THEN 1 ELSE 0 END AS degree, COUNT(*) FROM adult GROUP BY degree
SELECT CASE WHEN capital_gain > 0 OR capital_loss > 0 THEN 'investor' ELSE 'none' END AS kind, sex, COUNT(*) FROM adult GROUP BY kind, sex
SELECT age >= 65 AS retired, COUNT(*) FROM adult GROUP BY retired
SELECT age >= 65, COUNT(*) FROM adult GROUP BY age >= 65
SELECT income = '>50K' AS rich, AVG(age) FROM adult GROUP BY rich
SELECT education_num > 12 AND hours_per_week > 40 AS busy, COUNT(*) FROM adult GROUP BY busy
SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM adult GROUP BY decade ORDER BY decade
SELECT FLOOR(age / 10) AS decade, AVG(hours_per_week) FROM adult GROUP BY 1
SELECT age - age % 10 AS decade, COUNT(*) FROM adult GROUP BY decade
SELECT age // 10 AS decade, COUNT(*) FROM adult GROUP BY decade
SELECT FLOOR(hours_per_week / 5.0) AS bin, COUNT(*) FROM adult GROUP BY bin ORDER BY bin
SELECT width_bucket(age, 20, 80, 6) AS b, COUNT(*) FROM adult GROUP BY b
SELECT age, COUNT(*) AS n FROM adult GROUP BY age ORDER BY age
SELECT age, sex, COUNT(*) AS n FROM adult WHERE age BETWEEN 20 AND 24 GROUP BY age, sex
SELECT education_num, AVG(age) FROM adult WHERE education_num IN (9, 10, 13) GROUP BY education_num
SELECT sex || ' ' || income AS who, COUNT(*) FROM adult GROUP BY who
SELECT CONCAT(sex, '/', race) AS who, COUNT(*) FROM adult GROUP BY who
SELECT UPPER(sex) AS s, COUNT(*) FROM adult GROUP BY s
SELECT LEFT(marital_status, 7) AS m, COUNT(*) FROM adult GROUP BY m
SELECT COALESCE(workclass, 'unknown') AS w, COUNT(*) FROM adult GROUP BY w
SELECT IF(age < 40, 'under 40', '40 and over') AS half, COUNT(*) FROM adult GROUP BY half
SELECT LEAST(education_num, 14) AS e, COUNT(*) FROM adult GROUP BY e
SELECT GREATEST(LEAST(FLOOR(age / 5) * 5, 80), 20) AS five, COUNT(*) FROM adult GROUP BY five
SELECT ROUND(age / 10) AS about, COUNT(*) FROM adult GROUP BY about
SELECT sex = 'Male' AND race = 'White' AS majority, AVG(capital_gain) FROM adult GROUP BY 1
SELECT CASE WHEN workclass LIKE '%gov' THEN 'public' WHEN workclass LIKE 'Self%' THEN 'self' ELSE 'private' END AS sector, COUNT(*) AS n, AVG(hours_per_week) AS h FROM adult GROUP BY sector HAVING n > 10
-- ratios, percentages, FILTER
SELECT SUM(capital_gain) / COUNT(*) AS gain_each FROM adult
SELECT SUM(capital_gain) / SUM(hours_per_week) AS gain_per_hour FROM adult
SELECT SUM(capital_gain) - SUM(capital_loss) AS net FROM adult
SELECT AVG(capital_gain) - AVG(capital_loss) AS net FROM adult
SELECT 100.0 * COUNT(*) FILTER (WHERE income = '>50K') / COUNT(*) AS percent_rich FROM adult
SELECT sex, 100.0 * COUNT(*) FILTER (WHERE income = '>50K') / COUNT(*) AS percent_rich FROM adult GROUP BY sex
SELECT sex, ROUND(100.0 * COUNT(*) FILTER (WHERE income = '>50K') / COUNT(*), 1) AS percent_rich FROM adult GROUP BY sex
SELECT COUNT(*) FILTER (WHERE age < 30) AS young, COUNT(*) FILTER (WHERE age >= 30) AS older FROM adult
SELECT SUM(capital_gain) FILTER (WHERE sex = 'Female') AS f, SUM(capital_gain) FILTER (WHERE sex = 'Male') AS m FROM adult
SELECT AVG(hours_per_week) FILTER (WHERE income = '>50K') AS rich_hours FROM adult
SELECT COUNT_IF(age >= 65) AS retired FROM adult
SELECT COUNTIF(sex = 'Female') AS women, COUNT(*) AS n FROM adult
SELECT AVG(income = '>50K') AS share FROM adult
SELECT AVG(CASE WHEN income = '>50K' THEN 1 ELSE 0 END) AS share FROM adult
SELECT AVG(CASE WHEN income = '>50K' THEN 1.0 ELSE 0.0 END) * 100 AS percent FROM adult
SELECT SUM(CASE WHEN income = '>50K' THEN 1 ELSE 0 END) AS rich FROM adult
SELECT SUM(IF(sex = 'Female', 1, 0)) AS women FROM adult
SELECT SUM(CASE WHEN sex = 'Female' THEN 1 ELSE 0 END) * 1.0 / COUNT(*) AS share FROM adult
SELECT COUNT(*) / 1000 AS thousands FROM adult
SELECT ROUND(AVG(age), 1) AS age FROM adult
SELECT ROUND(AVG(age)) AS age, FLOOR(AVG(hours_per_week)) AS h FROM adult
SELECT COALESCE(AVG(capital_gain), 0) AS g FROM adult WHERE age > 85
SELECT race, COALESCE(SUM(capital_gain), 0) AS g FROM adult GROUP BY race
SELECT SUM(capital_gain) / NULLIF(COUNT(*), 0) AS g FROM adult
SELECT SQRT(VAR_POP(age)) AS sd FROM adult
SELECT STDDEV(age) / AVG(age) AS variation FROM adult
SELECT MAX(age) - MIN(age) AS spread FROM adult
SELECT (QUANTILE_CONT(age, 0.75) - QUANTILE_CONT(age, 0.25)) AS iqr FROM adult
SELECT CASE WHEN COUNT(*) > 100 THEN 'many' ELSE 'few' END AS size FROM adult
SELECT race, CASE WHEN COUNT(*) > 100 THEN 'large' ELSE 'small' END AS size FROM adult GROUP BY race
SELECT GREATEST(COUNT(*), 0) AS n FROM adult
SELECT ABS(AVG(capital_gain) - 1000) AS off FROM adult
SELECT AVG(age) > 40 AS old FROM adult
SELECT sex, COUNT(*) AS n, COUNT(*) * 100.0 / 32561 AS percent FROM adult GROUP BY sex
SELECT sex, SUM(capital_gain) AS g FROM adult GROUP BY sex HAVING SUM(capital_gain) / COUNT(*) > 500
SELECT race FROM adult GROUP BY race HAVING COUNT(*) > 1000
SELECT sex, COUNT(*) AS n, AVG(age) * 2 + 1 AS x FROM adult GROUP BY sex ORDER BY x DESC LIMIT 1
SELECT 2 * COUNT(*) + 3 * SUM(age) AS mix FROM adult
SELECT LN(AVG(capital_gain) + 1) AS l FROM adult
SELECT COUNT(*) IS NULL AS nothing FROM adult
-- ROLLUP and kin
SELECT sex, race, COUNT(*) AS n FROM adult GROUP BY ROLLUP (sex, race)
SELECT sex, income, COUNT(*) AS n FROM adult GROUP BY CUBE (sex, income)
SELECT sex, race, SUM(hours_per_week) AS h FROM adult GROUP BY GROUPING SETS ((sex, race), (sex), ())
SELECT sex, AVG(age) AS a, COUNT(*) AS n FROM adult GROUP BY ROLLUP (sex)
SELECT sex, income, COUNT(*) AS n, GROUPING(sex) AS every_sex FROM adult GROUP BY ROLLUP (sex, income)
-- WHERE
SELECT COUNT(*) FROM adult WHERE NOT (age < 30 OR age > 60)
SELECT COUNT(*) FROM adult WHERE occupation IS NULL
SELECT COUNT(*) FROM adult WHERE occupation IS NOT NULL AND workclass IN ('Private', 'Local-gov')
SELECT COUNT(*) FROM adult WHERE education LIKE '%th'
SELECT COUNT(*) FROM adult WHERE occupation ILIKE '%tech%'
SELECT COUNT(*) FROM adult WHERE (sex = 'Male') IS TRUE
SELECT COUNT(*) FROM adult WHERE (age > 50) IS NOT TRUE
SELECT COUNT(*) FROM adult WHERE occupation IS DISTINCT FROM 'Sales'
SELECT COUNT(*) FROM adult WHERE occupation IS NOT DISTINCT FROM 'Sales'
SELECT COUNT(*) FROM adult WHERE age % 2 = 0
SELECT COUNT(*) FROM adult WHERE MOD(age, 10) = 0
SELECT COUNT(*) FROM adult WHERE LENGTH(occupation) > 12
SELECT COUNT(*) FROM adult WHERE STARTS_WITH(occupation, 'Exec')
SELECT COUNT(*) FROM adult WHERE SUBSTR(education, 1, 2) = '11'
SELECT COUNT(*) FROM adult WHERE SUBSTRING(education FROM 1 FOR 2) = '11'
SELECT COUNT(*) FROM adult WHERE TRIM(occupation) = 'Sales'
SELECT COUNT(*) FROM adult WHERE LOWER(occupation) = 'sales'
SELECT COUNT(*) FROM adult WHERE RIGHT(occupation, 7) = 'service'
SELECT COUNT(*) FROM adult WHERE REGEXP_MATCHES(occupation, '^(Exec|Prof)')
SELECT COUNT(*) FROM adult WHERE POWER(age - 40, 2) < 100
SELECT COUNT(*) FROM adult WHERE SQRT(capital_gain) > 50
SELECT COUNT(*) FROM adult WHERE ABS(age - 40) <= 5
SELECT COUNT(*) FROM adult WHERE hours_per_week * 52 > 2000
SELECT COUNT(*) FROM adult WHERE CAST(age AS VARCHAR) = '40'
SELECT COUNT(*) FROM adult WHERE age::DOUBLE / 2 > 20
SELECT COUNT(*) FROM adult WHERE 3 <= education_num <= 10
SELECT COUNT(*) FROM adult WHERE (sex, income) IN (('Female', '>50K'), ('Male', '<=50K'))
SELECT COUNT(*) FROM adult WHERE NULLIF(capital_gain, 0) IS NULL
SELECT COUNT(*) FROM adult WHERE EXP(education_num / 4.0) > 20
SELECT COUNT(*) FROM adult WHERE true
SELECT COUNT(*) FROM adult WHERE age = 40.0
-- aggregated expressions
SELECT SUM(hours_per_week * 52) AS yearly FROM adult
SELECT AVG(capital_gain - capital_loss) AS net FROM adult
SELECT SUM(LEAST(capital_gain, 10000)) AS capped FROM adult
SELECT AVG(LN(capital_gain + 1)) AS log_gain FROM adult
SELECT AVG(SQRT(capital_gain)) AS root_gain FROM adult
SELECT AVG(POWER(age - 38, 2)) AS second_moment FROM adult
SELECT SUM(ROUND(hours_per_week / 8.0, 1)) AS days FROM adult
SELECT AVG(LENGTH(occupation)) AS letters FROM adult
SELECT SUM(GREATEST(hours_per_week - 40, 0)) AS overtime FROM adult
SELECT AVG(FLOOR(age / 10)) AS decade FROM adult
SELECT AVG(age % 10) AS last_digit FROM adult
SELECT AVG(COALESCE(capital_gain, 0)) FROM adult
SELECT AVG(CAST(education_num AS DOUBLE)) FROM adult
SELECT SUM(CAST(sex = 'Female' AS INTEGER)) AS women FROM adult
SELECT AVG(ABS(age - 40)) AS away FROM adult
SELECT COUNT(DISTINCT LOWER(occupation)) FROM adult
SELECT SUM(-capital_loss) AS loss FROM adult
SELECT AVG(EXP(education_num / 8.0)) AS e FROM adult
SELECT SUM(SIGN(capital_gain)) AS gainers FROM adult
-- sub-selects row by row, WITH
SELECT AVG(net) FROM (SELECT capital_gain - capital_loss AS net FROM adult WHERE age > 30)
WITH workers AS (SELECT * FROM adult WHERE hours_per_week >= 35) SELECT sex, COUNT(*) FROM workers GROUP BY sex
WITH banded AS (SELECT CASE WHEN age < 40 THEN 'a' ELSE 'b' END AS band, hours_per_week AS h FROM adult) SELECT band, AVG(h) FROM banded GROUP BY band
SELECT b, COUNT(*) FROM (SELECT FLOOR(age / 20) AS b FROM adult) GROUP BY b
SELECT SUM(n) / COUNT(*) AS m FROM (SELECT hours_per_week AS n FROM adult)
-- private keys
SELECT native_country, COUNT(*) AS n FROM adult GROUP BY native_country
SELECT native_country, AVG(age) AS a FROM adult GROUP BY native_country ORDER BY a DESC LIMIT 5
SELECT native_country, sex, COUNT(*) FROM adult GROUP BY native_country, sex
SELECT native_country, 100.0 * COUNT(*) FILTER (WHERE income = '>50K') / COUNT(*) AS p FROM adult GROUP BY native_country
-- shares of a total
SELECT sex, income, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER (PARTITION BY sex) AS percent FROM adult GROUP BY sex, income
SELECT sex, race, income, n / SUM(n) OVER (PARTITION BY sex, race) AS share FROM (SELECT sex, race, income, COUNT(*) AS n FROM adult GROUP BY sex, race, income)
SELECT FLOOR(age / 10) * 10 AS decade, income, SUM(hours_per_week) / SUM(SUM(hours_per_week)) OVER (PARTITION BY decade) AS share FROM adult GROUP BY decade, income
-- whole numbers as text and as INT
SELECT CAST(FLOOR(age / 10) * 10 AS VARCHAR) || '-' || CAST(FLOOR(age / 10) * 10 + 9 AS VARCHAR) AS decade, COUNT(*) FROM adult GROUP BY decade
SELECT sex, ROUND(AVG(age), 0)::INT AS age FROM adult GROUP BY sex
SELECT ROUND(age / 10, 0)::INT AS about, COUNT(*) FROM adult GROUP BY about
-- as tutorials of SmartNoise SQL begin: counts, sums, means and spreads, by groups
SELECT sex, COUNT(*) AS n, SUM(capital_gain) AS gain FROM adult GROUP BY sex
SELECT income, AVG(age) AS age, VARIANCE(age) AS v, STDDEV(age) AS sd FROM adult GROUP BY income
SELECT marital_status, COUNT(*) AS n, AVG(capital_gain) AS gain FROM adult GROUP BY marital_status ORDER BY n DESC
SELECT sex, education_num, AVG(capital_gain) AS gain FROM adult WHERE education_num > 8 GROUP BY sex, education_num
-- as those of Tumult Analytics go on: filters, distinct values, bins, clamped sums, groups by a key set
SELECT COUNT(*) AS adults FROM adult WHERE age >= 18 AND age < 30
SELECT COUNT(DISTINCT education) AS levels FROM adult
SELECT FLOOR(age / 10) * 10 AS binned_age, COUNT(*) AS n, AVG(hours_per_week) AS hours FROM adult GROUP BY binned_age
SELECT education_num, QUANTILE_CONT(age, 0.5) AS median_age FROM adult GROUP BY education_num
SELECT sex, SUM(GREATEST(LEAST(capital_gain, 20000), 0)) AS clamped FROM adult GROUP BY sex
