"""What was read of a ledger is not read again: whoever opens the dataset next goes on from there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sfumato.adapters.storage.database import Database
from sfumato.adapters.storage.ledger_table import LedgerTable
from sfumato.composition import local
from sfumato.errors import LedgerBroken
from sfumato.ledger.entry import Entry
from sfumato.ledger.history import Plan
from sfumato.release.bound_query import bind
from sfumato.release.choose import enter_plan
from sfumato.release.context import DatasetContext
from sfumato.release.records import Records
from sfumato.release.request import request_of
from sfumato.schema.read import parse_schema

SCHEMA = parse_schema(
    'name = "stays"\n[rule]\ngap = 1.2\nworst_case = true\n[columns.days]\ntype = "integer"\nbounds = [0, 60]\n'
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = Database(f"sqlite:///{tmp_path / 'escrow.db'}")
    made.upgrade()
    yield made
    made.close()


def opened(database: Database, records: Records) -> DatasetContext:
    return local.open_registered(None, SCHEMA, database.ledger(), who="ada", records=records)


def plan(dataset: DatasetContext, days: int) -> None:
    query = bind(dataset, f"SELECT COUNT(*) FROM stays WHERE days > {days}")
    enter_plan(query, request_of(query, query.rule.preferences), "")


def test_each_opening_reads_on_from_the_one_before(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    records = Records()
    for days in range(3):
        plan(opened(database, records), days)
    began: list[int] = []
    read = LedgerTable.read

    def watched(self: LedgerTable, after: int, head: str | None = None) -> Sequence[Entry]:
        began.append(after)
        return read(self, after, head)

    monkeypatch.setattr(LedgerTable, "read", watched)
    assert len(opened(database, records).ledger.known.entries) == 4, "the rule, and three plans"
    assert began == [3], "the last opening had read what there was then"


def test_nobody_goes_on_with_the_record_of_another(database: Database) -> None:
    records = Records()
    ours, theirs = opened(database, records), opened(database, records)
    plan(ours, 1)
    assert (len(ours.ledger.known.entries), len(theirs.ledger.known.entries)) == (2, 1)
    assert len(theirs.ledger.entries) == 2, "read when it is asked for"
    assert theirs.ledger.record.in_force(_plan(theirs))


def test_a_copy_goes_on_by_itself(database: Database) -> None:
    dataset = opened(database, Records())
    before = dataset.ledger.record.copy()
    plan(dataset, 1)
    now = dataset.ledger.record
    assert not before.in_force(_plan(dataset))
    before.extend(now.entries[before.last :])
    assert {n: v for n, v in vars(before).items() if n != "dataset"} == {
        n: v for n, v in vars(now).items() if n != "dataset"
    }


def test_an_older_ledger_put_back_is_refused_by_whoever_opens_it_next(database: Database, tmp_path: Path) -> None:
    records, file, older = Records(), tmp_path / "escrow.db", tmp_path / "older.db"
    plan(opened(database, records), 1)
    older.write_bytes(file.read_bytes())
    plan(opened(database, records), 2)
    opened(database, records)
    older.replace(file)
    with pytest.raises(LedgerBroken, match="not the same at entry 3"):
        opened(database, records)


def _plan(dataset: DatasetContext) -> Plan:
    entry = dataset.ledger.entries[-1].draft
    return Plan(entry.key, str(entry.public["question"]))
