"""What a certificate says of the people it protects, and releases that hold nobody or nothing."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

import sfumato as sf

STAYS = pd.DataFrame({"patient": ["a", "a", "b"], "days": [1, 2, 3], "ward": ["x", "x", "y"]})
COLUMNS = {
    "patient": {"type": "text"},
    "days": {"type": "integer", "bounds": [0, 100]},
    "ward": {"type": "text", "categories": ["x", "y"]},
}


def opened(rows: pd.DataFrame = STAYS, ledger: Any = ":memory:", **stated: object) -> sf.Dataset:
    return sf.open(rows, {"name": "stays", "columns": COLUMNS} | stated, ledger=ledger)


@pytest.mark.parametrize(
    ("stated", "promised"),
    [
        ({}, "for one row, add-remove."),
        ({"relation": "replace"}, "for one row, replaced by any other."),
        ({"unit": "patient", "max_rows": 3}, "for one person (one patient), add-remove."),
        ({"unit": "patient", "relation": "replace"}, "for one person (one patient), replaced by any other."),
    ],
)
def test_a_certificate_says_who_is_protected(stated: dict[str, object], promised: str) -> None:
    release = opened(**stated).query("SELECT COUNT(*) FROM stays").release(epsilon=0.5)
    text = str(release.certificate)
    assert f"0.5-differential privacy {promised}" in text
    assert f"0.5-differential privacy {promised}" in str(release)
    assert release.certificate.unit == stated.get("unit", "row")
    assert release.certificate.relation == stated.get("relation", "add-remove")
    assert ("whether you or somebody else is in it" in text) == ("relation" in stated)


def test_a_certificate_says_how_many_rows_of_a_person_count() -> None:
    one, three = ({"unit": "patient", "max_rows": n} for n in (1, 3))
    query = "SELECT AVG(days) FROM stays"
    assert not any("of one person" in said for said in opened().query(query).release(epsilon=1).certificate.assumed)
    for stated, said in ((one, "at most 1 row of one person counts"), (three, "at most 3 rows of one person count")):
        certificate = opened(**stated).query(query).release(epsilon=1).certificate
        assert said in certificate.assumed[-1]
        assert "rows without a patient are left out" in str(certificate)


def test_a_release_may_hold_no_row(tmp_path: Any) -> None:
    """Also when it comes back from the ledger."""
    sql = "SELECT ward, COUNT(*) AS n, VAR_POP(days) AS v FROM stays GROUP BY ward HAVING n > 1000000"
    first, again = (opened(ledger=tmp_path / "stays.ledger").query(sql).release(epsilon=1) for _ in "12")
    assert again.answer == first.answer
    assert again.ranges == again.rows == again.numbers == ()
    assert again.certificate.noise_90 == ()
    assert list(again.to_pandas().columns) == again.to_arrow().column_names == ["ward", "n", "v"]
    read = json.loads(again.to_json())
    assert (read["columns"], read["rows"], read["ranges"]) == (["ward", "n", "v"], [], [])
    again.to_csv(tmp_path / "none.csv")
    assert (tmp_path / "none.csv").read_text().split() == ["ward,n,v"]
    assert "ward" in str(again)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("unit", [{}, {"unit": "patient", "max_rows": 2, "relation": "replace"}])
def test_a_release_about_nobody_lies_within_its_bounds(unit: dict[str, object], epsilon: float) -> None:
    sql = "SELECT ward, AVG(days), VAR_POP(days), VAR_SAMP(days), STDDEV(days), COUNT(*) FROM stays GROUP BY ward"
    release = opened(STAYS[:0], **unit).query(sql).release(epsilon=epsilon)
    assert [row[0] for row in release.rows] == ["x", "y"]
    for row, ranges in zip(release.rows, release.ranges or (), strict=True):
        highest = (100, 2500, 5000, 5000**0.5)
        for figure, within, most in zip(row[1:5], ranges[1:5], highest, strict=True):
            assert isinstance(figure, float)
            assert within is not None
            assert 0 <= within[0] <= within[1] <= most * (1 + 1e-9)
            assert 0 <= figure <= most * (1 + 1e-9)
