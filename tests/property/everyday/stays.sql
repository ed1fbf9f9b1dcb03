-- dates
SELECT COUNT(*) FROM stays WHERE admitted >= '2026-01-01'
SELECT COUNT(*) FROM stays WHERE admitted >= DATE '2026-01-01' AND admitted < DATE '2026-02-01'
SELECT COUNT(*) FROM stays WHERE YEAR(admitted) = 2026
SELECT COUNT(*) FROM stays WHERE EXTRACT(MONTH FROM admitted) IN (6, 7, 8)
SELECT COUNT(*) FROM stays WHERE admitted BETWEEN '2025-06-01' AND '2025-08-31'
SELECT YEAR(admitted) AS y, COUNT(*) FROM stays GROUP BY y
SELECT MONTH(admitted) AS m, COUNT(*) AS n FROM stays GROUP BY m ORDER BY m
SELECT YEAR(admitted) AS y, MONTH(admitted) AS m, COUNT(*) AS n FROM stays GROUP BY y, m ORDER BY y, m
SELECT date_trunc('month', admitted) AS month, COUNT(*) AS n FROM stays GROUP BY month ORDER BY month
SELECT date_trunc('quarter', admitted) AS quarter, AVG(days) FROM stays GROUP BY quarter
SELECT date_trunc('year', admitted) AS year, SUM(cost) AS c FROM stays GROUP BY 1
SELECT date_trunc('month', admitted) AS month, ward, COUNT(*) AS n FROM stays GROUP BY month, ward
SELECT date_trunc('week', admitted) AS week, COUNT(*) FROM stays WHERE admitted BETWEEN '2026-01-01' AND '2026-03-31' GROUP BY week
SELECT EXTRACT(DOW FROM admitted) AS weekday, COUNT(*) FROM stays GROUP BY weekday
SELECT EXTRACT(QUARTER FROM admitted) AS q, COUNT(*) FROM stays GROUP BY q
SELECT admitted, COUNT(*) FROM stays WHERE admitted BETWEEN '2026-03-01' AND '2026-03-07' GROUP BY admitted
SELECT AVG(DATE_DIFF('day', admitted, discharged)) AS nights FROM stays
SELECT AVG(discharged - admitted) AS nights FROM stays
SELECT COUNT(*) FROM stays WHERE discharged - admitted > 7
SELECT COUNT(*) FROM stays WHERE discharged <= admitted + INTERVAL 7 DAY
SELECT COUNT(*) FROM stays WHERE admitted >= DATE '2026-06-30' - INTERVAL '90' DAY
SELECT COUNT(*) FROM stays WHERE admitted + INTERVAL 1 MONTH > discharged
SELECT LEAST(DATE_DIFF('day', admitted, discharged), 30) AS nights, COUNT(*) FROM stays WHERE discharged >= admitted GROUP BY nights
SELECT CASE WHEN DATE_DIFF('day', admitted, discharged) <= 3 THEN 'short' ELSE 'long' END AS kind, AVG(cost) FROM stays GROUP BY kind
SELECT MIN(days), MAX(days) FROM stays
SELECT COUNT(*) FILTER (WHERE MONTH(admitted) = 1) AS january FROM stays
SELECT DAY(admitted) AS d, COUNT(*) FROM stays GROUP BY d
SELECT ward, MONTH(admitted) AS m, 100.0 * COUNT(*) FILTER (WHERE urgent) / COUNT(*) AS p FROM stays GROUP BY ward, m
-- codes and booleans
SELECT code, COUNT(*) FROM stays GROUP BY code
SELECT code, AVG(cost) FROM stays WHERE code <> 9 GROUP BY code
SELECT urgent, COUNT(*) FROM stays GROUP BY urgent
SELECT NOT urgent AS planned, COUNT(*) FROM stays GROUP BY planned
SELECT urgent AND ward = 'Heart' AS u, COUNT(*) FROM stays GROUP BY u
SELECT AVG(urgent) AS share FROM stays
SELECT AVG(CAST(urgent AS INTEGER)) AS share FROM stays
SELECT COUNT(*) FROM stays WHERE urgent IS TRUE
SELECT COUNT(*) FROM stays WHERE urgent IS NOT FALSE
SELECT COUNT(*) FROM stays WHERE urgent = true
SELECT SUM(cost) / SUM(days) AS cost_per_day FROM stays
SELECT ward, SUM(cost) / SUM(days) AS cost_per_day FROM stays GROUP BY ward ORDER BY cost_per_day
SELECT ward, AVG(cost / beds) FROM stays GROUP BY ward
SELECT COUNT(DISTINCT patient) AS patients, COUNT(*) AS stays FROM stays
SELECT COUNT(*) * 1.0 / COUNT(DISTINCT patient) AS stays_each FROM stays
SELECT ward, COUNT(*) AS n FROM stays GROUP BY ROLLUP (ward)
SELECT main.stays.ward, COUNT(*) FROM main.stays GROUP BY main.stays.ward
SELECT COUNT(*) FROM main.stays
SELECT FLOOR(cost / 500) AS bin, COUNT(*) FROM stays GROUP BY bin
SELECT width_bucket(cost, 0, 10000, 10) AS b, COUNT(*) FROM stays GROUP BY b
-- people with many rows
SELECT AVG(total) FROM (SELECT patient, LEAST(SUM(cost), 20000) AS total FROM stays GROUP BY patient)
SELECT AVG(n) AS stays_each FROM (SELECT patient, LEAST(COUNT(*), 10) AS n FROM stays GROUP BY patient)
SELECT COUNT(*) AS frequent FROM (SELECT patient FROM stays GROUP BY patient HAVING COUNT(*) >= 3)
SELECT COUNT(*) FROM (SELECT patient, COUNT(*) AS n FROM stays GROUP BY patient) WHERE n > 2
SELECT n, COUNT(*) AS patients FROM (SELECT patient, LEAST(COUNT(*), 10) AS n FROM stays GROUP BY patient) GROUP BY n ORDER BY n
SELECT MEDIAN(total) FROM (SELECT patient, LEAST(SUM(cost), 20000) AS total FROM stays GROUP BY patient)
SELECT AVG(longest) FROM (SELECT patient, MAX(days) AS longest FROM stays GROUP BY patient)
SELECT AVG(mean_cost) FROM (SELECT patient, AVG(cost) AS mean_cost FROM stays GROUP BY patient)
SELECT AVG(least) FROM (SELECT patient, MIN(cost) AS least FROM stays WHERE urgent GROUP BY patient)
SELECT COUNT(*) FROM (SELECT DISTINCT patient FROM stays WHERE ward = 'Heart')
SELECT ward, COUNT(*) FROM (SELECT DISTINCT patient, ward FROM stays) GROUP BY ward
SELECT ward, AVG(total) FROM (SELECT patient, ward, LEAST(SUM(cost), 20000) AS total FROM stays GROUP BY patient, ward) GROUP BY ward
SELECT AVG(CASE WHEN n > 1 THEN 1 ELSE 0 END) AS readmitted FROM (SELECT patient, COUNT(*) AS n FROM stays GROUP BY patient)
SELECT 100.0 * COUNT(*) FILTER (WHERE n > 1) / COUNT(*) AS percent FROM (SELECT patient, COUNT(*) AS n FROM stays GROUP BY patient)
WITH per_patient AS (SELECT patient, LEAST(SUM(cost), 20000) AS total, LEAST(COUNT(*), 10) AS n FROM stays GROUP BY patient) SELECT AVG(total), AVG(n), COUNT(*) FROM per_patient
WITH per_patient AS (SELECT patient, LEAST(SUM(cost), 20000) AS total FROM stays WHERE ward = 'Heart' GROUP BY patient) SELECT COUNT(*), AVG(total) FROM per_patient WHERE total > 1000
SELECT COUNT(DISTINCT patient) FROM stays WHERE EXISTS (SELECT 1 FROM stays AS s WHERE s.patient = stays.patient AND s.ward = 'Heart')
SELECT COUNT(*) FROM stays WHERE patient IN (SELECT patient FROM stays WHERE ward = 'Surgery')
SELECT COUNT(*) FROM stays WHERE patient NOT IN (SELECT patient FROM stays WHERE urgent)
SELECT first_ward, COUNT(*) FROM (SELECT patient, FIRST(ward ORDER BY admitted) AS first_ward FROM stays GROUP BY patient) GROUP BY first_ward
SELECT AVG(last_cost) FROM (SELECT patient, ARG_MAX(cost, admitted) AS last_cost FROM stays GROUP BY patient)
SELECT AVG(days) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY admitted) AS nth FROM stays) WHERE nth = 1
SELECT COUNT(*) FROM (SELECT days, LAG(days) OVER (PARTITION BY patient ORDER BY admitted) AS before FROM stays) WHERE days > before
SELECT AVG(gap) FROM (SELECT LEAST(GREATEST(DATE_DIFF('day', LAG(discharged) OVER (PARTITION BY patient ORDER BY admitted), admitted), 0), 365) AS gap FROM stays)
SELECT COUNT(*) FROM (SELECT COUNT(*) OVER (PARTITION BY patient) AS n FROM stays) WHERE n > 1
SELECT years, COUNT(*) FROM (SELECT patient, YEAR(MIN(admitted)) AS years FROM stays GROUP BY patient) GROUP BY years
SELECT kind, COUNT(*) FROM (SELECT patient, CASE WHEN LEAST(SUM(days), 300) > 30 THEN 'long' ELSE 'short' END AS kind FROM stays GROUP BY patient) GROUP BY kind
SELECT AVG(wards) FROM (SELECT patient, COUNT(DISTINCT ward) AS wards FROM stays GROUP BY patient)
SELECT AVG(any_urgent) FROM (SELECT patient, MAX(CASE WHEN urgent THEN 1 ELSE 0 END) AS any_urgent FROM stays GROUP BY patient)
SELECT CASE WHEN nth = 1 THEN 'first' ELSE 'later' END AS which, AVG(cost) FROM (SELECT cost, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY admitted) AS nth FROM stays) GROUP BY 1
SELECT COUNT(*) FROM stays WHERE CAST(admitted AS TIMESTAMP) < '2025-06-01 12:00:00'
SELECT DAYNAME(admitted) AS d, COUNT(*) FROM stays GROUP BY d
SELECT MONTHNAME(admitted) AS m, AVG(days) FROM stays GROUP BY m
SELECT STRFTIME(admitted, '%Y-%m') AS month, COUNT(*) FROM stays GROUP BY month ORDER BY month
SELECT LAST_DAY(admitted) AS ends, COUNT(*) FROM stays GROUP BY ends
SELECT COUNT(*) FROM stays WHERE discharged > DATE_ADD(admitted, INTERVAL 14 DAY)
SELECT CONCAT(CAST(FLOOR(days / 10) * 10 AS INT), ' and more') AS nights, COUNT(*) FROM stays WHERE days IS NOT NULL GROUP BY nights
SELECT CAST(SUM(cost) AS DECIMAL(12, 2)) AS total FROM stays
SELECT ward, ROUND(AVG(cost)::NUMERIC, 2) AS mean FROM stays GROUP BY ward
SELECT COUNT(*) FROM stays WHERE cost::DECIMAL(10, 1) > 99.9
SELECT CAST(urgent AS VARCHAR) AS u, COUNT(*) FROM stays GROUP BY u
SELECT COUNT(*) FROM (SELECT cost, AVG(cost) OVER (PARTITION BY patient) AS mean FROM stays) WHERE cost > mean
SELECT AVG(cost / NULLIF(days, 0)) AS cost_a_night FROM stays
SELECT ward, AVG(cost / days) AS cost_a_night FROM stays WHERE days > 0 GROUP BY ward
SELECT AVG(CASE WHEN days > 0 THEN cost / days END) AS cost_a_night FROM stays
SELECT ward, AVG(cost / days) FILTER (WHERE days >= 1) AS cost_a_night FROM stays GROUP BY ward
SELECT AVG(LN(cost)) AS log_cost FROM stays WHERE cost > 1
-- over an answer
SELECT y, n FROM (SELECT YEAR(admitted) AS y, COUNT(*) AS n FROM stays GROUP BY y) WHERE n >= 0
WITH m AS (SELECT ward AS w, COUNT(*) AS n, SUM(cost) AS c FROM stays GROUP BY w) SELECT w, c / n AS mean FROM m ORDER BY mean
SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward ORDER BY n DESC FETCH FIRST 2 ROWS ONLY
SELECT COUNT(*) FROM (SELECT patient FROM stays GROUP BY patient HAVING BOOL_OR(urgent))
SELECT COUNT(*) FROM (SELECT patient, BOOL_AND(urgent) AS always FROM stays GROUP BY patient) WHERE always
SELECT ward, COUNT(*), ROUND(100.0 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS percent FROM stays GROUP BY ward ORDER BY percent DESC
SELECT ward, n, 100.0 * n / SUM(n) OVER () AS percent FROM (SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward) ORDER BY n DESC
SELECT ward, urgent, SUM(cost) / SUM(SUM(cost)) OVER () AS share FROM stays GROUP BY ward, urgent
SELECT ward, COUNT(DISTINCT patient) / SUM(COUNT(DISTINCT patient)) OVER () AS share FROM stays GROUP BY ward
-- keys from what the WHERE leaves
SELECT nth, COUNT(*) FROM (SELECT patient, ROW_NUMBER() OVER (PARTITION BY patient ORDER BY admitted) AS nth FROM stays) WHERE nth <= 2 GROUP BY nth
SELECT n, COUNT(*) AS patients FROM (SELECT patient, COUNT(*) AS n FROM stays GROUP BY patient) WHERE n < 5 GROUP BY n ORDER BY n
SELECT FLOOR(c / 5000) AS bin, COUNT(*) FROM (SELECT patient, SUM(cost) AS c FROM stays GROUP BY patient) WHERE c < 20000 GROUP BY bin
SELECT date_trunc('week', admitted) AS week, COUNT(*) FROM stays WHERE YEAR(admitted) = 2026 GROUP BY week ORDER BY week
SELECT STRFTIME(admitted, '%Y-%m') AS month, COUNT(*) FROM stays WHERE YEAR(admitted) IN (2025) GROUP BY month
SELECT ROUND(cost, -3) AS thousands, COUNT(*) FROM stays GROUP BY thousands
SELECT FLOOR(LOG10(cost + 1)) AS digits, COUNT(*) FROM stays GROUP BY digits
SELECT FLOOR(SQRT(cost)) AS root, COUNT(*) FROM stays GROUP BY root
SELECT LEAST(LENGTH(note), 10) AS letters, COUNT(*) FROM stays WHERE note IS NOT NULL GROUP BY letters
