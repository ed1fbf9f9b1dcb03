"""Data that is edited after a look: the ledger links its versions, and the certificate says what that assumes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.ledger.history import Record
from tests.unit.test_ledger import LOOK, chain

SCHEMA: dict[str, Any] = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 60]}}}
ASSUMED = (
    "the rows of the data were not chosen by what anyone saw of the people in another version, or under another name"
)
SQL = "SELECT SUM(days) FROM stays"
PLAN = sf.gap(1.2, worst_case=True)


def opened(folder: Path, version: str, **changes: Any) -> sf.Dataset:
    data = pd.DataFrame({"days": [3, 40, len(version)]})
    return sf.open(data, SCHEMA | changes, ledger=folder / "stays.ledger", version=version)


def assumed(dataset: sf.Dataset) -> bool:
    query = dataset.query(f"SELECT SUM(days) FROM {dataset.schema.name}")
    found = query.release(query.choose(PLAN), redraw=True).certificate
    assert found.guarantee == "dp"
    return ASSUMED in found.assumed


def test_rows_that_were_edited_after_a_look_are_assumed_not_to_follow_from_it(tmp_path: Path) -> None:
    first = opened(tmp_path, "v1")
    first.query(SQL).plan(PLAN)
    assert not assumed(opened(tmp_path, "v2")), "nobody had looked"
    first.query(SQL).risk()
    assert not assumed(first), "at this very data"
    assert assumed(opened(tmp_path, "v2"))
    opened(tmp_path, "v2").query(SQL).risk()
    assert assumed(opened(tmp_path, "v2")), "its rows may follow from the look at the first"


def test_rows_of_another_dataset_of_the_population_too(tmp_path: Path) -> None:
    bills = opened(tmp_path, "b", name="bills", population="stays")
    bills.query("SELECT SUM(days) FROM bills").plan(PLAN)
    opened(tmp_path, "v1").query(SQL).risk()
    assert assumed(bills)


def test_the_ledger_links_each_version_to_the_one_before(tmp_path: Path) -> None:
    for version in ("v1", "v1", "v2", "v3", "v1"):
        opened(tmp_path, version).query(SQL).release(epsilon=0.1, redraw=True)
    read = [e.draft.public for e in opened(tmp_path, "v1").ledger.entries if e.draft.event == "reserved"]
    versions, follows = [public["version"] for public in read], [public.get("follows") for public in read]
    assert versions[0] == versions[1] == versions[4]
    assert len({*versions}) == 3
    assert follows == [None, None, versions[1], versions[2], versions[3]]


def test_a_look_says_which_version_it_was_at(tmp_path: Path) -> None:
    opened(tmp_path, "v1").query(SQL).release(epsilon=0.1)
    opened(tmp_path, "v2").query(SQL).risk()
    entries = opened(tmp_path, "v2").ledger.entries
    charge, look = (e.draft.public for e in entries if e.draft.event in ("reserved", "looked"))
    assert look["follows"] == charge["version"] != look["version"]


@pytest.mark.parametrize("version", ["", "v1"])
def test_looks_of_older_ledgers_are_looks_at_other_data(tmp_path: Path, version: str) -> None:
    """An entry that does not say which data was looked at may be about any."""
    record = Record("stays")
    record.extend(chain(LOOK))
    assert record.looked_at_another(version, 2) == bool(version)
    assert not record.looked_at_another(version, 1)
