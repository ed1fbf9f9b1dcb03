-- What was prescribed at the visits of `visits.sql`, from none to three drugs each. The person of a prescription is the
-- person of its visit.
WITH people AS (
    SELECT id,
           1935 + floor(85 * sqrt((hash(hash(id, 'born', $seed)) % 10000) / 10000.0))::INTEGER AS born,
           hash(hash(id, 'visits', $seed)) % 10000 AS visits_die
    FROM range(1, $rows + 1) AS numbers(id)
),
counted AS (
    SELECT *, least(9, floor((2026 - born) / 60.0 - 1.2 * ln((visits_die + 1) / 10001.0)))::INTEGER AS visits FROM people
),
each AS (
    SELECT id, number, line
    FROM counted, range(1, 10) AS numbers(number), range(1, 4) AS lines(line)
    WHERE number <= visits AND line <= floor(4 * ((hash(hash(id, number, 'lines', $seed)) % 10000) / 10000.0) ** 1.3)
)
SELECT 'V' || lpad((10 * id + number)::VARCHAR, 8, '0') AS visit,
       'D' || lpad((1 + floor(24 * ((hash(hash(id, number, line, 'drug', $seed)) % 10000) / 10000.0) ** 1.7)::INTEGER)::VARCHAR, 2, '0') AS drug,
       1 + (hash(hash(id, number, line, 'packs', $seed)) % 3)::INTEGER AS packs
FROM each
ORDER BY id, number, line
