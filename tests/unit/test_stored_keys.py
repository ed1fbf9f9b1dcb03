"""Keys of questions as ledgers have them: a renamed class must not make recorded answers unfindable."""

from __future__ import annotations

import pytest

from sfumato.privacy.sensitivity import measure
from sfumato.release.question import question_key, scope_key
from sfumato.schema.read import from_dict
from sfumato.sql.parser.statement import parse

SCHEMA = {
    "name": "stays",
    "unit": "patient",
    "max_rows": 3,
    "columns": {
        "days": {"type": "integer", "bounds": [0, 60], "step": 1},
        "ward": {"type": "text", "categories": ["Heart", "Surgery", "Birth"]},
        "urgent": {"type": "boolean"},
        "admitted": {"type": "date"},
        "patient": {"type": "integer"},
    },
}
KEYS = {
    "SELECT COUNT(*) FROM stays": ("cba8b259238c721998275892ff5c5d56acaa2c5b02fae6441903d655a5e57158"),
    "SELECT AVG(days), STDDEV(days) FROM stays WHERE ward IN ('Heart', 'Birth') AND NOT urgent GROUP BY ward": (
        "1b2ffc09ab5d6b4bb59d88555c0da5a02f9c7d7a224fc8ef62d66fc6a3ff0e72"
    ),
    "SELECT MEDIAN(days) FROM stays WHERE days > 5 OR ward IS NULL": (
        "3a4b7d6828c29a5443032ebe159073a8dd7aa8dc3327e6725dc28c6745e893db"
    ),
    "SELECT COUNT(DISTINCT ward), MAX(days) FROM stays WHERE ward LIKE 'H%' AND admitted < DATE '2026-01-01'": (
        "6fe6fc47f62ca3995d32aafba07db2bca0538c272e9c169c90eb6a9bf04943db"
    ),
    "SELECT SUM(CASE WHEN ABS(days - 3) > 2 THEN 1 ELSE 0 END) FROM stays": (
        "60e84d63af72b1f972c7fe65f1070e21cfddf3ebb1a50b936abe298f85876a52"
    ),
}


@pytest.mark.parametrize("sql", KEYS)
def test_a_question_keeps_its_key(sql: str) -> None:
    schema = from_dict(SCHEMA)
    statement = parse(sql, schema)
    measurement = measure(statement, schema)
    assert question_key(scope_key(statement, schema, measurement), statement, schema, measurement) == KEYS[sql]
