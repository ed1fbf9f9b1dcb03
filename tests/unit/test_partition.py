"""Which WHERE is known to read only some values of a declared partition."""

from __future__ import annotations

import pandas as pd
import pytest

import sfumato as sf
from sfumato.privacy.partition import values_read

COLUMNS = {
    "ward": {"type": "text", "categories": ["a", "b", "c"]},
    "code": {"type": "integer", "bounds": [0, 3]},
    "urgent": {"type": "boolean"},
    "days": {"type": "integer", "bounds": [0, 60]},
}
PEOPLE = pd.DataFrame({"ward": ["a"], "code": [1], "urgent": [True], "days": [3]})


@pytest.mark.parametrize(
    ("column", "where", "values"),
    [
        ("ward", "ward = 'a'", ("a",)),
        ("ward", "'a' = ward", ("a",)),
        ("ward", "WARD IN ('c', 'a')", ("a", "c")),
        ("ward", "ward = 'a' AND days > 3", ("a",)),
        ("ward", "ward IN ('a', 'b') AND (days > 3 OR urgent)", ("a", "b")),
        ("ward", "ward = 'a' OR ward = 'b'", ("a", "b")),
        ("ward", "(ward = 'a' AND days > 3) OR (ward = 'b' AND days < 3)", ("a", "b")),
        ("ward", "ward IN ('a', 'b') AND ward = 'b'", ("b",)),
        ("code", "code = 2", (2,)),
        ("urgent", "urgent", (True,)),
        ("urgent", "NOT urgent", (False,)),
        ("urgent", "urgent = TRUE", (True,)),
        # everyone
        ("ward", "days > 3", None),
        ("ward", "ward = 'a' OR days > 3", None),
        ("ward", "ward <> 'a'", None),
        ("ward", "NOT ward = 'a'", None),
        ("ward", "ward IN ('a', 'elsewhere')", None),
        ("ward", "ward = 'elsewhere'", None),
        ("ward", "ward = 'a' AND ward = 'b'", None),
        ("ward", "LOWER(ward) = 'a'", None),
        ("ward", "COALESCE(ward, 'a') = 'a'", None),
        ("ward", "ward LIKE 'a'", None),
        ("ward", "ward IS NULL", None),
        ("code", "code > 2", None),
        ("code", "code = 2.5", None),
        ("code", "code = days", None),
        ("code", "code + 1 = 2", None),
    ],
)
def test_a_where_admits_these_values(column: str, where: str, values: tuple[object, ...] | None) -> None:
    dataset = sf.open(PEOPLE, {"name": "stays", "columns": COLUMNS}, ledger=":memory:")
    statement = dataset.query(f"SELECT COUNT(*) FROM stays WHERE {where}").statement
    own = dataset.schema.column(column)
    assert own is not None
    assert values_read(statement, own) == values


def test_without_a_where_everyone_is_read() -> None:
    dataset = sf.open(PEOPLE, {"name": "stays", "columns": COLUMNS}, ledger=":memory:")
    ward = dataset.schema.column("ward")
    assert ward is not None
    assert values_read(dataset.query("SELECT ward, COUNT(*) FROM stays GROUP BY ward").statement, ward) is None
