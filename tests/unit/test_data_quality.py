"""A private check of a table: what it costs, what it prints, and that it is no look."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.api.data_quality import PrivateCheck
from sfumato.errors import BadInput, BudgetExceeded, NoGuarantee, NoMechanism
from sfumato.ledger.entry import Event

PEOPLE = pd.DataFrame({"days": [*(["7"] * 6000), *(["x"] * 2000), *(["90"] * 1000), *([None] * 1000)]})
SCHEMA: dict[str, Any] = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 60]}}}


def opened(**stated: object) -> sf.Dataset:
    return sf.open(PEOPLE, SCHEMA | stated, ledger=":memory:", version="1")


def test_the_counts_are_near_the_truth_and_charged_first() -> None:
    dataset = opened()
    quality = dataset.check(epsilon=1)
    assert isinstance(quality, PrivateCheck)
    truth = {"readable": 6000, "unreadable": 2000, "missing": 1000, "below": 0, "above": 1000}
    assert quality.columns[0].counts == pytest.approx(truth, abs=40)
    assert (quality.certificate.guarantee.value, quality.certificate.charged) == ("dp", 1)
    events = [entry.draft.event for entry in dataset.ledger.entries]
    assert events == [Event.OPENED, Event.RESERVED, Event.RELEASED]
    assert dataset.ledger.total.epsilon == 1
    assert dataset.query("SELECT AVG(days) FROM stays").release(epsilon=1).certificate.guarantee.value == "dp"


def test_the_same_check_costs_nothing() -> None:
    dataset = opened(budget=0.25)
    first = dataset.check(epsilon=0.1)
    assert dataset.check(epsilon=0.1).noisy == first.noisy
    assert dataset.ledger.total.epsilon == 0.1
    assert dataset.check(epsilon=0.1, redraw=True).noisy != first.noisy
    with pytest.raises(BudgetExceeded):
        dataset.check(epsilon=0.1, redraw=True)
    assert dataset.ledger.total.epsilon == 0.2


@pytest.mark.parametrize(("columns", "noise"), [(1, 46), (10, 461)])
def test_the_noise_grows_with_the_columns(columns: int, noise: int) -> None:
    """Of an epsilon of 0.05: 46 for one column where a row is a person, 460 for ten (methods, 29)."""
    table = pd.DataFrame({f"v{i}": [1] for i in range(columns)})
    schema = {"name": "t", "columns": {name: {"type": "integer"} for name in table}}
    quality = sf.open(table, schema, ledger=":memory:").check(epsilon=0.05)
    assert quality.noise_90 == pytest.approx(noise, abs=1)
    assert quality.people_above is None
    assert "Guaranteed: 0.05-differential privacy" in quality.text()


def test_people_with_more_rows_than_count_are_counted() -> None:
    visits = pd.DataFrame({"who": [1, 2, 2, 3, 3, 3] * 1, "days": ["7"] * 6})
    columns = SCHEMA["columns"] | {"who": {"type": "integer"}}
    stated = {"unit": "who", "max_rows": 2, "columns": columns}
    quality = sf.open(visits, SCHEMA | stated, ledger=":memory:").check(epsilon=10)
    assert quality.people_above == pytest.approx(1, abs=8)
    assert quality.certificate.sensitivity == (3,)  # two rows in one column, and the person
    assert "more rows than max_rows, 2" in repr(quality)


def test_after_a_look_there_is_no_guarantee() -> None:
    dataset = opened()
    dataset.check()
    with pytest.raises(NoGuarantee):
        dataset.check(epsilon=1)
    withheld = dataset.check(epsilon=1, allow_no_guarantee=True)
    assert (withheld.certificate.guarantee.value, withheld.noise_90) == ("none", None)
    assert dataset.check(epsilon=1, preregistered="protocol of 2024").certificate.guarantee.value == "dp"


def test_what_cannot_be_checked() -> None:
    with pytest.raises(BadInput, match=r"20.*10"):
        opened().check(epsilon=20)
    with pytest.raises(NoMechanism):
        sf.open(PEOPLE, {"name": "stays"}, ledger=":memory:").check(epsilon=1)


def test_as_json(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "stays.csv", index=False)
    quality = sf.open(tmp_path / "stays.csv", SCHEMA, ledger=tmp_path / "l").check(epsilon=1)
    stated = json.loads(json.dumps(quality.as_dict()))
    assert set(stated["columns"][0]) == {"name", "readable", "unreadable", "missing", "below", "above"}
    assert (stated["guarantee"], stated["charged"], stated["people_above_max_rows"]) == ("dp", 1, None)
