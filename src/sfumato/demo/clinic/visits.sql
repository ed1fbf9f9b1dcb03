-- The visits of the patients in `patients.sql`, from none to nine each, in 2026. Old people come more often.
WITH people AS (
    SELECT id, 'P' || lpad(id::VARCHAR, 7, '0') AS patient,
           1935 + floor(85 * sqrt((hash(hash(id, 'born', $seed)) % 10000) / 10000.0))::INTEGER AS born,
           hash(hash(id, 'visits', $seed)) % 10000 AS visits_die
    FROM range(1, $rows + 1) AS numbers(id)
),
counted AS (
    SELECT *, least(9, floor((2026 - born) / 60.0 - 1.2 * ln((visits_die + 1) / 10001.0)))::INTEGER AS visits FROM people
),
each AS (
    SELECT id, patient, born, number FROM counted, range(1, 10) AS numbers(number) WHERE number <= visits
),
dice AS (
    SELECT *, hash(hash(id, number, 'day', $seed)) % 365 AS day,
           hash(hash(id, number, 'ward', $seed)) % 10000 AS ward_die,
           hash(hash(id, number, 'minutes', $seed)) % 10000 AS minutes_die,
           hash(hash(id, number, 'cost', $seed)) % 10000 AS cost_die
    FROM each
)
SELECT 'V' || lpad((10 * id + number)::VARCHAR, 8, '0') AS visit,
       patient,
       CASE WHEN 2026 - born < 18 AND ward_die < 7000 THEN 'children' WHEN ward_die < 2500 THEN 'surgery'
            WHEN ward_die < 4500 THEN 'heart' WHEN ward_die < 6000 THEN 'skin' ELSE 'general' END AS ward,
       DATE '2026-01-01' + day::INTEGER AS day,
       (10 + floor(-18 * ln((minutes_die + 1) / 10001.0)))::INTEGER AS minutes,
       round(40 - 90 * ln((cost_die + 1) / 10001.0), 2) AS cost
FROM dice
ORDER BY id, number
