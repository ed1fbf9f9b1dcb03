"""A signal of a release in a local ledger, as it is typed: without a server; free, charged, and as published."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sfumato.composition import local
from sfumato.ledger.entry import Event
from tests.e2e.command import Typed

pytestmark = pytest.mark.e2e
TABLE = ["adult.parquet", "--schema", "free.toml"]
SQL = "SELECT sex, COUNT(*) AS people FROM adult GROUP BY sex"
ABOVE = json.dumps({"task": "above", "column": "people", "a": "Male", "b": "Female"})
DISTANCE = json.dumps({"task": "histogram_distance", "column": "people"})


def test_signals_of_the_last_release(
    population: Path, tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(population, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    nothing = typed("signal", "local", *TABLE, "--task", ABOVE, "--json")
    assert (nothing.code, "no such release" in nothing.error["message"]) == (2, True)
    typed("release", *TABLE, "--sql", SQL, "--epsilon", 0.5)
    free = typed("signal", "local", *TABLE, "--task", ABOVE, "--svg", "scores.svg", "--json")
    assert (free.code, free.json["guarantee"], free.json["cost"]) == (0, "dp", 0)
    assert (tmp_path / "scores.svg").exists()
    charged = ("signal", "local", *TABLE, "--task", DISTANCE, "--kind", "noisy_difference", "--epsilon", 0.1, "--json")
    assert typed(*charged).json["cost"] == 0.1
    assert typed(*charged).code == 0
    [record] = local.records(tmp_path / "adult.ledger")
    assert record.total.epsilon == pytest.approx(0.6), "the second is the first again"
    assert not any(entry.draft.event is Event.LOOKED for entry in record.entries)
    published = typed("signal", "local", *TABLE, "--task", ABOVE, "--kind", "as_published", "--json")
    assert published.code == 3, "it has no guarantee, which has to be allowed"
    published = typed(
        *("signal", "local", *TABLE, "--task", ABOVE, "--kind", "as_published", "--allow-no-guarantee", "--json")
    )
    assert (published.code, published.json["guarantee"]) == (0, "none")
    wrong = typed("signal", "local", *TABLE, "--task", "{", "--json")
    assert (wrong.code, wrong.error["message"]) == (2, "A task is a JSON object")
