"""What lies in the escrow's database, its journal and its logs: nothing that is exact about the people."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sqlalchemy as sa

import sfumato as sf
from sfumato.adapters.storage.database import Database
from sfumato.adapters.storage.tables import Json, metadata
from sfumato.composition.locks import VaultLocks
from sfumato.errors import LedgerBroken
from sfumato.ledger.entry import Draft, Event, verify
from tests.contract.conftest import KINDS, Copies
from tests.ledgers import MASTER
from tests.ledgers import Place as Kept
from tests.postgres import Server
from tests.room import Room

PAY = """name = "pay"
[columns.euros]
type = "integer"
bounds = [0, 2000000000]
"""
ANSWER = 1_739_152_481  # the true sum of what is delivered
SCORE = 15_248.1  # what the function below makes of it
EPSILON = 0.73915248  # the only candidate of Find-eps-from-PRI
SUM, COUNT = "SELECT SUM(euros) FROM pay", "SELECT COUNT(*) FROM pay"
CODE = "def evaluate(tables):\n    return tables[0]['sum(euros)'][0] % 1000000 / 10\n"
PLANTED = {"exact score": SCORE, "epsilon of PRI": EPSILON, "exact answer": float(ANSWER)}


class Nothing:
    """Seals that hide nothing: what the database would hold if the ledger did not encrypt."""

    def seal(self, plain: bytes, _about: str) -> str:
        return plain.decode()

    def unseal(self, sealed: str, _about: str) -> bytes:
        return sealed.encode()


@dataclass
class Place:
    """A room, and every byte that others could come across: its folder or cluster, each journal, the logs."""

    room: Room
    server: Server | None
    log: pytest.LogCaptureFixture
    journals: list[bytes] = field(default_factory=list)

    def watch(self) -> None:
        """Read SQLite's rollback journal at each commit: afterwards it is gone. PostgreSQL shall compress nothing."""
        if self.server is not None:
            with Kept(self.room.url).raw() as connection:
                for table in metadata.tables.values():
                    texts = [column.name for column in table.c if isinstance(column.type, sa.Text | Json)]
                    changes = ", ".join(f'ALTER COLUMN "{name}" SET STORAGE EXTERNAL' for name in texts)
                    connection.exec_driver_sql(f"ALTER TABLE {table.name} {changes}")
            return
        journal, engine = self.room.folder / "escrow.db-journal", self.room.database._engine()
        sa.event.listen(engine, "commit", lambda _connection: self.journals.append(_read(journal)))

    def texts(self) -> Iterator[bytes]:
        yield self.log.text.encode()
        yield from self.journals
        for path in self.room.folder.rglob("*"):
            yield _read(path)
        if self.server is not None:
            yield from self.server.written(self.room.url)

    def found(self) -> set[str]:
        """Which of the planted values lie somewhere, as a text or as the eight bytes of a float."""
        everything = list(self.texts())
        return {name for name, value in PLANTED.items() if any(_has(text, value) for text in everything)}


def _read(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def _has(text: bytes, value: float) -> bool:
    forms = (f"{value:.12g}".encode(), struct.pack("<d", value), struct.pack(">d", value))
    return any(form in text for form in forms)


@pytest.fixture(params=KINDS)
def place(
    request: pytest.FixtureRequest,
    furnished: Callable[[str], tuple[Path, str]],
    copies: Copies,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Place]:
    monkeypatch.setattr("sfumato.release.selection.pri.PAPER_CANDIDATES", (EPSILON,))
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "sqlalchemy.engine")
    server = request.getfixturevalue("postgres") if request.param == "postgresql" else None
    made = Place(Room(*copies(*furnished(request.param))), server, caplog)
    yield made
    made.room.close()


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    made = Database(database_url, VaultLocks(MASTER))
    made.upgrade()
    yield made
    made.close()


def use(room: Room) -> None:
    """A controller sees the true answer; an exact score is computed and withheld; PRI chooses an epsilon."""
    alice, bob = room["alice"], room["bob"]
    room.datasets.register(alice, PAY)
    room.datasets.deliver(alice, "pay", [f"euros\n{ANSWER - 40}\n40\n".encode()], "csv")
    flow = {"who": ["everyone"], "signals": ["as_published"], "code": True, "signal_bits": 40}
    flow |= {"preferences": ["rule", "epsilon", "pri"], "guarantees": ["dp", "none"]}
    room.policies.set(alice, "pay", {"rule": {"gap": 1.2, "worst_case": True}, "access_rule": [flow]})
    released = answered(room, {"epsilon": 1.0})
    signal = room.signals.submit(bob, released, 1, "as_published", code=CODE, how={"range": [0, 100_000]})
    binding = room.signal_decisions.inspect(alice, signal.id).binding
    room.signal_decisions.approve(alice, signal.id, binding, allow_no_guarantee=True)
    room.go()
    assert room.signal_decisions.look(alice, signal.id).stored()["exact"] == SCORE, (
        "withheld, and shown to a controller"
    )
    room.questions.look(alice, "pay", SUM, {})
    answered(room, {"pri": 100})


def answered(room: Room, preference: dict[str, Any]) -> str:
    made = room.requests.submit(room["bob"], "pay", "planning", [{"sql": SUM}], preference)
    room.approve(made, allow_no_guarantee=True)
    room.go()
    assert room.state(made) == "released", room.note(made)
    return made.id


def test_no_exact_fact_lies_in_the_database_its_journal_or_the_logs(place: Place) -> None:
    place.watch()
    use(place.room)
    assert place.found() == set()
    if place.server is None:
        assert any(place.journals), "there was a journal to read"


def test_the_search_finds_what_is_not_encrypted(place: Place) -> None:
    """The control: the same, with a ledger that hides nothing and an answer in a notice."""
    before, place.room = place.room, Room(place.room.folder, place.room.url, Nothing())
    before.close()
    place.watch()
    use(place.room)
    assert place.found() == {"exact score", "epsilon of PRI"}
    told = {"id": "n1", "person": "bob", "at": "now", "text": f"The sum is {ANSWER}.", "about": "r1"}
    place.room.ports.rows("notifications").add(told)
    assert place.found() == set(PLANTED)
    place.room.ports.rows("notifications").remove(id="n1")
    if place.server is None:
        assert any(_has(journal, ANSWER) for journal in place.journals), "a journal has the page as it was"
        assert not _has(_read(place.room.folder / "escrow.db"), ANSWER), "what is removed is overwritten"


# The chain


def test_the_chain_is_followed_without_the_keys(database: Database, database_url: str) -> None:
    """Without them nothing confidential is read or written."""
    looked = Draft(Event.LOOKED, "pay", "ada", "now", "look")
    written = database.ledger().append(0, lambda _new: [looked, drafted(EPSILON)])
    assert database.ledger().read(0) == written
    assert [entry.draft for entry in written] == [looked, drafted(EPSILON)]
    keyless = Database(database_url)
    found = keyless.ledger().read(0)
    assert verify(found) == verify(written)
    assert found[0] == written[0]
    assert set(found[1].draft.confidential) == {"sealed"}
    assert found[1].draft.key == "", "an epsilon could be guessed by it"
    with pytest.raises(RuntimeError, match="nothing confidential is entered"):
        keyless.ledger().append(0, lambda _new: [drafted(EPSILON)])
    keyless.close()
    assert database.ledger().read(0) == written


ALTERED = {
    "a text from another entry": "UPDATE ledger SET confidential = (SELECT confidential FROM ledger WHERE number = 2) "
    "WHERE number = 1",
    "more beside it": """UPDATE ledger SET confidential = REPLACE(confidential, '}', ', "was_open": true}') """
    "WHERE number = 1",
    "in the open": """UPDATE ledger SET confidential = '{"epsilon": 0.5}' WHERE number = 1""",
    "no text": """UPDATE ledger SET confidential = '{"sealed": 5}' WHERE number = 1""",
    "a list": """UPDATE ledger SET confidential = '["sealed"]' WHERE number = 1""",
}


@pytest.mark.parametrize("statement", ALTERED.values(), ids=ALTERED)
def test_an_encrypted_part_that_was_altered_is_named(database: Database, database_url: str, statement: str) -> None:
    database.ledger().append(0, lambda _new: [drafted(0.5), drafted(0.7)])
    assert verify(database.ledger().read(0))[0] == 2
    Kept(database_url).tamper(statement)
    with pytest.raises(LedgerBroken, match="The ledger was changed at entry 1, and nothing is released from it"):
        verify(database.ledger().read(0))


def drafted(epsilon: float) -> Draft:
    return Draft(Event.RESERVED, "pay", "ada", "now", "k", 10**10, confidential={"epsilon": epsilon, "salt": "s"})


# A file of a controller's own


def test_a_ledger_file_is_its_controllers_own_and_stays_readable(ledger_path: Path) -> None:
    """The controller who has the file has the data as well: there is no key, and nothing is encrypted."""
    table = pd.DataFrame({"euros": [ANSWER]})
    query = sf.open(table, {"name": "pay", "columns": {"euros": {"type": "integer"}}}, ledger=ledger_path).query(COUNT)
    query.risk()
    query.release(epsilon=EPSILON, allow_no_guarantee=True)
    assert _has(ledger_path.read_bytes(), EPSILON)
    assert ledger_path.stat().st_mode & 0o077 == 0, "for its owner's eyes only"
