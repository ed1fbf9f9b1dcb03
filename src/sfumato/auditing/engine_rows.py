"""Rows and queries that show whether an engine computes what it must: every value that engines treat differently."""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, Any

from sfumato.model.schema import Type

if TYPE_CHECKING:
    import pyarrow as pa

NAN, INF = float("nan"), float("inf")
WHOLE = [None, -(2**63), 1 - 2**63, -1, 0, 1, 7, 2**53 + 1, 2**63 - 1]
REAL = [None, NAN, INF, -INF, -0.0, 0.5, 5e-324, -1.7976931348623157e308, 1e39, 9.3e18, -9.3e18, 1e150]
TEXTS = [None, "", "a", "?", "a\x00b", "ß", "İ", "1e400", "-inf", "%_\\", "9" * 40, "x" * 5000]
DAYS = [None, dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(2024, 2, 29)]
TRUTHS = [None, True, False]

# Rows: every column goes through its values at a pace of its own, so that they meet in many ways.
ROWS = 180
STORED: dict[str, tuple[str, list[Any]]] = {
    "who": ("int64", [i // 3 for i in range(60)]),
    "n": ("int64", WHOLE),
    "x": ("double", REAL),
    "t": ("string", TEXTS),
    "b": ("bool", TRUTHS),
    "d": ("date32", DAYS),
    "k": ("int64", [1, 2, 3, None, 99, -(2**63)]),
    "g": ("string", ["north", "south", None, "?"]),
    "price": ("string", [*TEXTS, "1.234,5", "-$ 1,234.50"]),
    "from": ("string", [*TEXTS, "29.2.2024", "31/11/2024"]),
    "tiny": ("int8", [None, -128, 0, 127]),
    "unsigned": ("uint32", [None, 0, 2**32 - 1]),
    "half": ("float", [None, NAN, INF, 3.4e38, 1e-45]),
}
COLUMNS = {
    "n": {"type": "integer", "bounds": [-10, 100]},
    "x": {"type": "number", "bounds": [-2.5, 8]},
    "t": {"type": "text"},
    "b": {"type": "boolean"},
    "d": {"type": "date"},
    "k": {"type": "integer", "categories": [1, 2, 3]},
    "g": {"type": "text", "keys": "private"},
    "price": {"type": "integer", "format": "1.234,56"},
    "from": {"type": "date", "format": "31/12/2025"},
}
WIDE = {
    "n": {"type": "integer", "bounds": [1 - 2**62, 2**62 - 1]},
    "x": {"type": "number", "bounds": [-1e50, 1e50]},
}
ONE_SIDED = {"n": {"type": "integer", "bounds": [1 - 2**62, 3]}, "x": {"type": "number", "bounds": [0, 1e-40]}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "a row a person": {"columns": COLUMNS},
    "several rows a person": {
        "unit": "who",
        "max_rows": 2,
        "rows_per_person": 5,
        "columns": COLUMNS | {"who": {"type": "integer"}},
    },
    "wide bounds": {"columns": COLUMNS | WIDE},
    "wide bounds, several rows": {
        "unit": "who",
        "max_rows": 2,
        "rows_per_person": 5,
        "columns": COLUMNS | WIDE | {"who": {"type": "integer"}},
    },
    "one-sided bounds": {"columns": COLUMNS | ONE_SIDED},
}
QUERIES = (
    "SELECT COUNT(*), COUNT(n), SUM(n), SUM(x), AVG(n), AVG(x) FROM data",
    "SELECT k, b, COUNT(*), SUM(n), VAR_POP(n), STDDEV(x) FROM data GROUP BY k, b",
    "SELECT MEDIAN(n), QUANTILE_DISC(x, 0.3), MIN(n), MAX(x) FROM data",
    "SELECT COUNT(DISTINCT t), COUNT(DISTINCT n), COUNT(DISTINCT x), COUNT(DISTINCT who) FROM data",
    "SELECT COUNT(*) FROM data WHERE ABS(CASE WHEN t = 'a' AND n = 7 THEN 1e39 ELSE 1 END) > 0",
    "SELECT SUM(ABS(n)), SUM(COALESCE(n, 9223372036854775807)), SUM(CASE WHEN b THEN 1e39 ELSE n END) FROM data",
    "SELECT COUNT(ABS(COALESCE(n, 170141183460469231731687303715884105728))) FROM data WHERE n IN (1, 1e39, 0.5)",
    "SELECT SUM(n * x + 1 - x / 3), COUNT(n / x), COUNT(-n * 1e300 / x) FROM data WHERE n * 1e300 <> x OR x IS NULL",
    "SELECT COUNT(*) FROM data WHERE LOWER(t) LIKE '%a%' OR UPPER(t) ILIKE '_' OR d <= '9999-12-31' OR NOT b",
    "SELECT COUNT(*) FROM data WHERE tiny < 1e39 AND unsigned - tiny > half AND ABS(tiny) <> 9223372036854775808",
    "SELECT g, COUNT(*), SUM(n) FROM data GROUP BY g",
    "SELECT SUM(GREATEST(n, x, 0)), SUM(LEAST(n, 7)), SUM(NULLIF(n, x)), SUM(SIGN(x)), COUNT(ROUND(x)), "
    "COUNT(ROUND(n / x, 3)), COUNT(ROUND(x, -2)), COUNT(FLOOR(x)), COUNT(CEIL(x / 3)), COUNT(TRUNC(x)) FROM data",
    "SELECT SUM(n % 7), COUNT(n % n), COUNT(x % n), COUNT(n // n), SUM(n // -1), COUNT(x // x), COUNT(n % -1), "
    "COUNT(SQRT(x)), COUNT(LN(x)), COUNT(LOG10(n)), COUNT(LOG2(x - x)), COUNT(EXP(x)) FROM data",
    "SELECT COUNT(POWER(x, 2)), COUNT(POWER(n, -3)), COUNT(POWER(x, 0.5)), COUNT(x ** -0.25), COUNT(n ** 100), "
    "COUNT(half ** 99), COUNT(unsigned % tiny) FROM data WHERE SIGN(tiny) < GREATEST(half, 0.5) OR "
    "ABS(unsigned // tiny) > 0 OR x ** 0 = 1",
    "SELECT COUNT(LENGTH(t)), COUNT(SUBSTR(t, 2, 3)), COUNT(SUBSTR(t, 100000)), COUNT(LEFT(t, 0)), COUNT(RIGHT(t, 5)), "
    "COUNT(TRIM(t)), COUNT(LTRIM(t)), COUNT(RTRIM(t)), COUNT(REPLACE(t, '%', '')), COUNT(CONCAT(t, n, '-', b, d)), "
    "COUNT(t || '|' || k) FROM data WHERE STARTS_WITH(t, '%') OR ENDS_WITH(t, '') OR CONTAINS(t, 'x') OR "
    "REGEXP_MATCHES(t, '^[^a-c]*(x|9){3}\\d') OR REGEXP_FULL_MATCH(LOWER(t), '.*\\bß?.{0,90}')",
    "SELECT SUM(ABS(n)) FILTER (WHERE n > 0), COUNT(n / x) FILTER (WHERE x IS DISTINCT FROM n), AVG(b), SUM(b::INT), "
    "COUNT(DISTINCT t) FILTER (WHERE (n > 3) IS NOT TRUE), SUM(n) / COUNT_IF(n > x) FROM data",
)
IN_FULL = (  # each kind of aggregate: the queries above differ in what they compute of a row
    "SELECT COUNT(*), COUNT(n), SUM(x), AVG(n) FROM data",
    "SELECT k, VAR_POP(n), STDDEV(x) FROM data GROUP BY k",
    "SELECT MEDIAN(n), QUANTILE_DISC(x, 0.3) FROM data",
    "SELECT MIN(n), MAX(x), COUNT(DISTINCT t) FROM data",
)
OWN_ROWS = (  # where a column names people
    "SELECT AVG(s), COUNT(*), SUM(c) FROM (SELECT who, CASE WHEN SUM(x) > 9 THEN 9 ELSE AVG(n) END AS s, "
    "COUNT(DISTINCT t) AS c FROM data GROUP BY who HAVING MAX(x) > 1 OR COUNT(n) < 9)",
    "SELECT k, SUM(m), MAX(a), COUNT(f) FROM (SELECT who, FIRST(k ORDER BY d) AS k, MIN(n) AS m, "
    "AVG(x) AS a, ARG_MAX(x, t) AS f, SUM(n) AS s FROM data WHERE b OR n > 3 GROUP BY who) WHERE s <> 3 GROUP BY k",
    "SELECT k, COUNT(*), AVG(m) FROM (SELECT who, k, MAX(x) AS m FROM data GROUP BY who, k) GROUP BY k",
    "SELECT COUNT(*), SUM(n - l) FROM (SELECT *, LAG(n, 2) OVER (PARTITION BY who ORDER BY d, x DESC) AS l, "
    "ROW_NUMBER() OVER (PARTITION BY who ORDER BY t) AS p, SUM(n) OVER (PARTITION BY who, b ORDER BY d) AS u, "
    "RANK() OVER (PARTITION BY who ORDER BY x) AS r, AVG(x) OVER (PARTITION BY who) AS v FROM data) "
    "WHERE p < 9 AND u <> 1 AND r > 0 AND v < 5",
    "SELECT k, COUNT(*) FROM data WHERE who IN (SELECT who FROM data GROUP BY who HAVING SUM(n) <> 1) "
    "AND NOT EXISTS (SELECT 1 FROM data AS own WHERE own.who = data.who AND own.t LIKE 'a%') GROUP BY k",
)
FAR = "1e300"  # in these queries numbers grow beyond what every engine can hold
TYPES_OF = ("a row a person", "several rows a person")  # the bounds of a schema do not change the types in a plan


TYPED = 'SELECT COUNT(price), COUNT("from"), COUNT(d) FROM data'  # texts that are read as numbers and as days
DATES = (
    "SELECT COUNT_IF(d - INTERVAL 1 MONTH < '2024-01-30'), COUNT_IF(d + INTERVAL 40 DAY = '2024-04-09'), "
    "COUNT_IF(LAST_DAY(d) = d), COUNT(d - INTERVAL 3 YEAR), COUNT(d + INTERVAL 9000 YEAR), COUNT_IF(YEAR(d) = 2024), "
    "COUNT_IF(DATE_TRUNC('quarter', d) < '2024-02-01'), COUNT_IF(DATE_DIFF('week', d, '2024-03-10') = 1), "
    "COUNT_IF(d::TIMESTAMP - INTERVAL 3 HOUR < '2024-02-29') FROM data WHERE DAYNAME(d) <> 'Sunday' OR n > 3"
)
NAME, NULL_VALUES = "data", ["?", "n/a"]
WRITTEN = 60  # rows that are written out in a query
_LONGEST_WRITTEN = 300  # characters of a text in them
_READ_AS = {
    **dict.fromkeys(("int64", "int8", "uint32"), Type.INTEGER),
    **dict.fromkeys(("double", "float"), Type.NUMBER),
    "string": Type.TEXT,
    "bool": Type.BOOLEAN,
    "date32": Type.DATE,
}


def schema_of(people: str) -> dict[str, Any]:
    """The schema of the rows, under one of the names of `SCHEMAS`."""
    return {"name": NAME, "null_values": NULL_VALUES, **SCHEMAS[people]}


def queries_of(people: str) -> tuple[str, ...]:
    """Queries whose totals are compared; some need a column that names people."""
    return (TYPED, DATES, *QUERIES, *(OWN_ROWS if "unit" in SCHEMAS[people] else ()))


def surveyed_queries_of(people: str) -> tuple[str, ...]:
    """Queries of which everything that is known of the people is compared."""
    return (IN_FULL[0], *OWN_ROWS) if "unit" in SCHEMAS[people] else IN_FULL


def table() -> pa.Table:
    """All rows, of the narrowest types."""
    import pyarrow as pa

    columns = zip(*_rows(ROWS), strict=True)
    types = (pa.type_for_alias(type_) for type_, _ in STORED.values())
    return pa.table([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names=list(STORED))


def moderate(table: pa.Table) -> pa.Table:
    """Values that every engine holds as they are."""
    import pyarrow as pa

    return pa.table({f.name: pa.array(map(moderate_value, table[f.name].to_pylist()), f.type) for f in table.schema})


def moderate_value(value: object) -> object:
    """A text without the character 0, and a number between 1e-150 and 1e150."""
    if isinstance(value, str):
        return value.replace("\0", "")
    far = isinstance(value, float) and value and math.isfinite(value) and not 1e-150 < abs(value) < 1e150
    return math.copysign(1e140 if abs(value) > 1 else 1e-140, value) if far and isinstance(value, float) else value


def written_columns() -> dict[str, Type]:
    return {name: _READ_AS[type_] for name, (type_, _) in STORED.items()}


def written_rows() -> list[tuple[object, ...]]:
    """The first rows, to be written out in each query."""
    rows = (map(moderate_value, row) for row in _rows(WRITTEN))
    return [tuple(v[:_LONGEST_WRITTEN] if isinstance(v, str) else v for v in row) for row in rows]


def _rows(count: int) -> list[tuple[Any, ...]]:
    paced = [(values, pace) for pace, (_, values) in enumerate(STORED.values(), 1)]
    return [tuple(values[i * pace % len(values)] for values, pace in paced) for i in range(count)]
