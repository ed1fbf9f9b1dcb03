SELECT COUNT(*) FROM flights
SELECT carrier, COUNT(*) AS n, AVG(dep_delay) AS delay FROM flights GROUP BY carrier ORDER BY delay DESC
SELECT origin, month, COUNT(*) AS n FROM flights GROUP BY origin, month
SELECT carrier, 100.0 * COUNT(*) FILTER (WHERE arr_delay > 15) / COUNT(*) AS late FROM flights GROUP BY carrier
SELECT AVG(arr_delay - dep_delay) AS lost FROM flights
SELECT origin, MEDIAN(dep_delay) FROM flights GROUP BY origin
SELECT dest, COUNT(*) AS n FROM flights GROUP BY dest ORDER BY n DESC LIMIT 10
SELECT SUM(distance) / SUM(air_time) * 60 AS speed FROM flights
SELECT carrier, SUM(distance) / SUM(air_time) * 60 AS speed FROM flights GROUP BY carrier
SELECT EXTRACT(HOUR FROM time_hour) AS hour, AVG(dep_delay) FROM flights GROUP BY hour ORDER BY hour
SELECT HOUR(time_hour) AS hour, COUNT(*) FROM flights GROUP BY hour
SELECT date_trunc('month', time_hour) AS first, COUNT(*) FROM flights GROUP BY first
SELECT date_trunc('day', time_hour) AS day, COUNT(*) FROM flights WHERE time_hour < '2013-02-01' GROUP BY day
SELECT DAYOFWEEK(time_hour) AS weekday, AVG(dep_delay) FROM flights GROUP BY weekday
SELECT COUNT(*) FROM flights WHERE time_hour >= TIMESTAMP '2013-06-01 00:00:00'
SELECT FLOOR(distance / 500) * 500 AS miles, COUNT(*) FROM flights GROUP BY miles
SELECT CASE WHEN dep_delay <= 0 THEN 'on time' WHEN dep_delay <= 15 THEN 'a little late' ELSE 'late' END AS state, COUNT(*) FROM flights GROUP BY state
SELECT CASE WHEN HOUR(time_hour) < 12 THEN 'morning' ELSE 'later' END AS part, AVG(dep_delay) FROM flights GROUP BY part
SELECT COUNT(DISTINCT tailnum) AS planes FROM flights
SELECT carrier, COUNT(DISTINCT tailnum) AS planes FROM flights GROUP BY carrier
SELECT AVG(n) FROM (SELECT tailnum, LEAST(COUNT(*), 50) AS n FROM flights GROUP BY tailnum)
SELECT AVG(far) FROM (SELECT tailnum, MAX(distance) AS far FROM flights GROUP BY tailnum)
SELECT COUNT(*) FROM (SELECT tailnum, LEAST(SUM(distance), 100000) AS miles FROM flights GROUP BY tailnum) WHERE miles > 50000
SELECT origin, carrier, COUNT(*) AS n FROM flights GROUP BY CUBE (origin, carrier)
SELECT origin, AVG(dep_delay) - AVG(arr_delay) AS made_up FROM flights GROUP BY origin
SELECT month, SUM(distance) AS miles FROM flights GROUP BY month HAVING miles > 1000
SELECT STDDEV(dep_delay) FROM flights WHERE origin = 'JFK'
SELECT COUNT(*) FROM flights WHERE dep_delay IS NULL
SELECT CAST(time_hour AS DATE) AS day, COUNT(*) FROM flights WHERE time_hour < '2013-02-01' GROUP BY day
SELECT COUNT(*) FROM flights WHERE time_hour::DATE = '2013-07-04'
SELECT STRFTIME(time_hour, '%Y-%m') AS first, AVG(dep_delay) AS delay FROM flights GROUP BY first ORDER BY first
SELECT HOUR(time_hour AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') AS hour, COUNT(*) FROM flights GROUP BY hour
SELECT DATE_TRUNC('month', time_hour AT TIME ZONE 'UTC' AT TIME ZONE 'America/New_York') AS first, COUNT(*) FROM flights GROUP BY first
SELECT DAYNAME(time_hour) AS weekday, AVG(arr_delay) FROM flights GROUP BY weekday
