-- The patients of a generated clinic: no one in it is real.
--
--   $rows   how many people
--   $seed   which people: the same seed gives the same rows, in the same order
--
-- die(id, column) is a number from 0 to 9,999 that the seed decides. Three people in a hundred have no district.
WITH people AS (
    SELECT id, 'P' || lpad(id::VARCHAR, 7, '0') AS patient FROM range(1, $rows + 1) AS numbers(id)
),
dice AS (
    SELECT *, hash(hash(id, 'sex', $seed)) % 10000 AS sex_die, hash(hash(id, 'born', $seed)) % 10000 AS born_die,
           hash(hash(id, 'district', $seed)) % 10000 AS district_die
    FROM people
)
SELECT patient,
       CASE WHEN sex_die < 5200 THEN 'female' ELSE 'male' END AS sex,
       1935 + floor(85 * sqrt(born_die / 10000.0))::INTEGER AS born,
       CASE WHEN district_die < 300 THEN NULL WHEN district_die < 4100 THEN 'north'
            WHEN district_die < 7300 THEN 'south' ELSE 'harbour' END AS district
FROM dice
ORDER BY id
