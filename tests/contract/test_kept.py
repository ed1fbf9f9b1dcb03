"""Ledgers and workspaces that were kept, one of each format: every later version opens them and finds what is there."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from sfumato.adapters.storage.format import FORMAT
from sfumato.adapters.storage.ledger_file import SQLiteLedger
from sfumato.composition import local
from sfumato.composition.doctor import examine
from sfumato.composition.workspace import open_workspace
from tests.kept.make import ARCHIVES, BY_WARD, PASSPHRASE, PREFERENCE, bills, read, read_workspace, stays


@pytest.fixture(params=ARCHIVES, ids=lambda path: path.name)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(request.param) as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.fixture
def expected(place: Path) -> Any:
    return json.loads((place / "expected.json").read_text("utf-8"))


def test_there_is_one_of_each_format() -> None:
    assert [path.name for path in ARCHIVES] == [f"format-{number}.tar.xz" for number in range(1, FORMAT + 1)]


def test_a_kept_ledger_is_read_and_its_chain_is_whole(place: Path, expected: Any) -> None:
    path = place / "stays.ledger"
    found = read(SQLiteLedger(str(path)))
    assert found == {name: value for name, value in expected["ledger"].items() if name != "rows"}
    assert local.verify_ledger(path) == found["entries"]
    assert {record.dataset for record in local.records(path)} == {"stays", "bills"}


def test_what_a_kept_ledger_released_comes_back_for_nothing(place: Path, expected: Any) -> None:
    """By the same key: what a request is recognised by is part of the format."""
    path = place / "stays.ledger"
    dataset = stays(path)
    before = dataset.ledger.total
    query = dataset.query(BY_WARD)
    again = query.release(query.choose(PREFERENCE))
    assert [list(row) for row in again.rows] == expected["ledger"]["rows"]
    assert again.repeated
    assert dataset.ledger.total == before
    assert again.certificate.population == "patients"


def test_what_a_kept_ledger_says_still_counts(place: Path) -> None:
    """The charge against the budget, and the look: what is chosen after it has no guarantee."""
    dataset = stays(place / "stays.ledger")
    assert dataset.ledger.total.epsilon == pytest.approx(0.2, abs=0.05)
    assert dataset.ledger.budget.epsilon == 3
    choice = bills(place / "stays.ledger").query("SELECT COUNT(*) FROM bills").preview(PREFERENCE)
    assert choice.guarantee.value == "none"


def test_a_kept_workspace_goes_on_working(place: Path) -> None:
    """What waits in it can be assigned, approved and taken back; in a newer format it has a due date."""
    with open_workspace(place / "workspace", passphrase=PASSPHRASE) as workspace:
        escrow, ada = workspace.escrow, workspace.escrow.accounts.one("ada")
        waiting = [one.submission for one in escrow.requests.approval.waiting(ada)]
        assert [(one.accuracy, one.due is None, one.assigned_to) for one in waiting] in ([], [(4.0, False, "ada")])
        bob = escrow.accounts.one("bob")
        request = escrow.requests.submit(bob, "stays", "planning", [{"sql": "SELECT COUNT(*) FROM stays"}])
        escrow.requests.assignment.assign(ada, request.id, "ada")
        escrow.requests.approval.approve(ada, request.id, request.binding, allow_no_guarantee=True)
        undone = escrow.requests.approval.undo(ada, request.id, allow_no_guarantee=True)
        assert (undone.state, undone.assigned_to) == ("submitted", "ada")


def test_a_kept_workspace_opens_and_its_chains_are_whole(place: Path, expected: Any) -> None:
    folder = place / "workspace"
    assert read_workspace(folder) == expected["workspace"]
    diagnoses = examine(folder, lambda: open_workspace(folder, passphrase=PASSPHRASE))
    wrong = [
        diagnosis for diagnosis in diagnoses if diagnosis.good is False and diagnosis.what not in ("access", "room")
    ]
    assert not wrong
    assert any(diagnosis.what == "dataset stays" and diagnosis.good for diagnosis in diagnoses)
