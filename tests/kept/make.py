"""Keeps a ledger file and a workspace of the present format, for later versions to open: python -m tests.kept.make.

Run it once for each format. An archive that was kept stays as it is.
"""

from __future__ import annotations

import json
import tarfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

import sfumato as sf
from sfumato.adapters.storage.database import Database, in_file
from sfumato.adapters.storage.format import FORMAT
from sfumato.adapters.storage.ledger_file import SQLiteLedger
from sfumato.adapters.vault.vault_file import Argon2Cost, unlock
from sfumato.composition.create import create_workspace
from sfumato.composition.locks import VaultLocks
from sfumato.composition.workspace import open_workspace
from sfumato.escrow.notifications import Topic
from sfumato.ledger.audit_log import verify as verify_audit_log
from sfumato.ledger.entry import verify
from sfumato.ports import AuditStore, LedgerStore

KEPT = Path(__file__).parent
ARCHIVES = sorted(KEPT.glob("format-*.tar.xz"))
PASSPHRASE, PASSWORD = "a passphrase of tests", "a password of tests"
COLUMNS = {"days": {"type": "integer", "bounds": [0, 60]}, "ward": {"categories": ["a", "b"]}}
STAYS = {"name": "stays", "population": "patients", "budget": 3.0, "columns": COLUMNS}
BILLS = {"name": "bills", "columns": {"amount": {"type": "integer", "bounds": [0, 100]}}}
SCHEMA = """name = "stays"
[columns.days]
type = "integer"
bounds = [0, 60]
"""
BY_WARD = "SELECT ward, COUNT(*), SUM(days) FROM stays WHERE days > 2 GROUP BY ward"
PREFERENCE = sf.gap(1.2, worst_case=True)


def stays(ledger: Path) -> sf.Dataset:
    table = pd.DataFrame({"days": [1, 4, 9, 16, 25, 36], "ward": list("ababab")})
    return sf.open(table, STAYS, ledger=ledger, version="kept")


def bills(ledger: Path) -> sf.Dataset:
    return sf.open(pd.DataFrame({"amount": [10, 20, 30]}), BILLS, ledger=ledger, version="kept")


def read(ledger: LedgerStore) -> dict[str, Any]:
    """Where the chain of a ledger ends, and what its entries charge."""
    entries = ledger.read(0)
    count, head = verify(entries)
    return {"entries": count, "head": head, "nano_epsilon": sum(entry.draft.nano_epsilon for entry in entries)}


def read_audit_log(log: AuditStore) -> list[object]:
    return list(verify_audit_log(log.read()))


def read_workspace(folder: Path) -> dict[str, Any]:
    database = Database(in_file(folder / "escrow.db"), VaultLocks(unlock(folder, passphrase=PASSPHRASE)))
    try:
        database.upgrade()
        return {"ledger": read(database.ledger()), "audit log": read_audit_log(database.audit())}
    finally:
        database.close()


def make_ledger(path: Path) -> dict[str, Any]:
    """Two datasets: one in a population and with a plan, one with a look and a release without a guarantee."""
    query = stays(path).query(BY_WARD)
    rows = query.release(query.choose(PREFERENCE)).rows
    query = bills(path).query("SELECT SUM(amount) FROM bills")
    query.risk()
    query.release(epsilon=0.5, allow_no_guarantee=True)
    return read(SQLiteLedger(str(path))) | {"rows": [list(row) for row in rows]}


def make_workspace(folder: Path) -> dict[str, Any]:
    """A dataset with its data and a policy; an answer, and after a look one without a guarantee, sealed in part."""
    create_workspace(folder, admin="ada", password=PASSWORD, passphrase=PASSPHRASE, cost=Argon2Cost(1, 64, 1))
    with open_workspace(folder, passphrase=PASSPHRASE) as workspace:
        escrow, ada = workspace.escrow, workspace.escrow.accounts.one("ada")
        escrow.datasets.register(ada, SCHEMA)
        escrow.datasets.deliver(ada, "stays", [b"days\n1\n4\n9\n"], "csv")
        flow = {"who": ["everyone"], "guarantees": ["dp", "none"]}
        escrow.policies.set(ada, "stays", {"rule": {"gap": 1.2, "worst_case": True}, "access_rule": [flow]})
        bob = escrow.accounts.add(ada, "bob", ["analyst"], password=PASSWORD)
        for sql in ("SELECT COUNT(*) FROM stays", "SELECT SUM(days) FROM stays"):
            request = escrow.requests.submit(bob, "stays", "planning", [{"sql": sql}], None)
            binding = escrow.requests.approval.inspect(ada, request.id, rehearse=False).binding
            escrow.requests.approval.approve(ada, request.id, binding, allow_no_guarantee=True, at_once=True)
            escrow.questions.look(ada, "stays", sql, {})
        escrow.notifications.mute(ada, [Topic.TO_DECIDE])
        how: dict[str, Any] = {"accuracy": 4.0, "due": f"{datetime.now(UTC).date() + timedelta(days=30)}"}
        waits = escrow.requests.submit(bob, "stays", "planning", [{"sql": "SELECT COUNT(*) FROM stays"}], None, **how)
        escrow.requests.assignment.assign(ada, waits.id, "ada")
    return read_workspace(folder)


def main() -> None:
    archive = KEPT / f"format-{FORMAT}.tar.xz"
    if archive.exists():
        raise SystemExit(f"{archive.name} is kept already")
    with TemporaryDirectory() as folder:
        place = Path(folder)
        expected = {"ledger": make_ledger(place / "stays.ledger"), "workspace": make_workspace(place / "workspace")}
        (place / "expected.json").write_text(json.dumps(expected, indent=1), "utf-8")
        with tarfile.open(archive, "w:xz") as packed:
            for name in ("expected.json", "stays.ledger", "workspace"):
                packed.add(place / name, name)


if __name__ == "__main__":
    main()
