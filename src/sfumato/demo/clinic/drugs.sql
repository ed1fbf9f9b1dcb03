-- A public table: the drugs that the clinic has, their kind and what a pack costs. No row is about a person.
SELECT 'D' || lpad(number::VARCHAR, 2, '0') AS drug,
       ['pain', 'heart', 'antibiotic', 'skin', 'allergy', 'other'][1 + (number - 1) % 6] AS kind,
       round(4 + 2.35 * ((number * 7) % 24), 2) AS price
FROM range(1, 25) AS numbers(number)
ORDER BY number
