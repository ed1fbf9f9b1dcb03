"""`sfumato ledger people`: what each person carries, on the screen and as a file."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sfumato.presentation.wording import guarantee as of_guarantee
from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e

SUM = "SELECT SUM(days) FROM stays"


def test_the_command(typed: Typed, tmp_path: Path) -> None:
    data, schema, out = tmp_path / "stays.csv", tmp_path / "stays.toml", tmp_path / "each.parquet"
    data.write_text("days\n0\n10\n20\n", "utf-8")
    schema.write_text('name = "stays"\n[columns.days]\ntype = "integer"\nbounds = [0, 20]\n', "utf-8")
    typed("release", data, "--schema", schema, "--sql", SUM, "--epsilon", "0.5")
    ran = typed("ledger", "people", data, "--schema", schema, "--people", out, "--json")
    assert ran.code == 0
    assert ran.json["in_all"]["epsilon"] == 0.5
    assert ran.json["epsilon"]["max"] == 0.5
    assert ran.json["people"] == 3
    assert pq.read_table(out).to_pydict()["epsilon"] == pytest.approx([0, 0.25, 0.5], abs=1e-12)
    assert out.stat().st_mode & 0o077 == 0
    assert of_guarantee.CONTROLLER_ONLY in typed("ledger", "people", data, "--schema", schema).out
    assert typed("ledger", "people", data, "--schema", schema, "--people", data).code == 2
    assert typed("ledger", "people", tmp_path / "none.csv", "--schema", schema).code == 2
