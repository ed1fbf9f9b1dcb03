"""What only PostgreSQL can do to us: it gives way in a race, keeps a lock, ends a connection, or is not installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import psycopg
import pytest
import sqlalchemy as sa

from sfumato.adapters.storage.database import Database
from sfumato.adapters.storage.database_failures import run_guarded
from sfumato.adapters.storage.ledger_table import TRIES
from sfumato.errors import BadInput, DatabaseFailure, LedgerUnwritable
from sfumato.ledger.entry import Draft, Entry, Event, verify
from tests.postgres import Server

# The first inserts fail as if others had come first: a sequence counts them, whatever is rolled back.
LOST = """
CREATE SEQUENCE tries;
CREATE FUNCTION lost() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF nextval('tries') <= {} THEN RAISE EXCEPTION 'secret' USING ERRCODE = '40001'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER lost BEFORE INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION lost();
"""


@pytest.fixture
def url(postgres: Server) -> str:
    return postgres.new()


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    made = Database(url)
    made.upgrade()
    yield made
    made.close()


@pytest.fixture
def raw(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        yield connection


class Asked:
    """Decides, and keeps what it was shown."""

    def __init__(self) -> None:
        self.times = 0
        self.shown: list[int] = []

    def __call__(self, new: Sequence[Entry]) -> Sequence[Draft]:
        self.times += 1
        self.shown += [entry.number for entry in new]
        return [Draft(Event.LOOKED, "stays", "ada", "now", "b")]


def look(key: str) -> Draft:
    return Draft(Event.LOOKED, "stays", "ada", "now", key)


def test_an_entry_that_lost_a_race_is_tried_again(database: Database, raw: psycopg.Connection) -> None:
    database.ledger().append(0, lambda _new: [look("a"), look("a")])
    raw.execute(LOST.format(TRIES - 1).encode())
    raw.commit()
    asked = Asked()
    assert [entry.number for entry in database.ledger().append(0, asked)] == [3]
    assert (asked.times, asked.shown) == (TRIES, [1, 2]), "and each entry is shown once"
    assert verify(database.ledger().read(0))[0] == 3


def test_it_is_not_tried_for_ever(database: Database, raw: psycopg.Connection) -> None:
    raw.execute(LOST.format(TRIES).encode())
    raw.commit()
    asked = Asked()
    with pytest.raises(LedgerUnwritable, match=r"is in use. Hint: try again; nothing was released.") as failure:
        database.ledger().append(0, asked)
    assert "secret" not in str(failure.value)
    assert asked.times == TRIES
    assert database.ledger().read(0) == []


def test_whoever_holds_a_lock_is_waited_for_so_long(
    database: Database, raw: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading goes on meanwhile."""
    monkeypatch.setattr("sfumato.adapters.storage.postgres.PATIENCE", 0.1)
    raw.execute("LOCK TABLE audit, ledger IN SHARE ROW EXCLUSIVE MODE")
    with pytest.raises(DatabaseFailure, match="is in use"):
        database.audit().append("now", "ada", "signed in", "", {})
    with pytest.raises(LedgerUnwritable, match="is in use"):
        database.ledger().append(0, lambda _new: [look("a")])
    assert (database.audit().read(), database.ledger().read(0)) == ([], [])
    raw.rollback()
    assert database.audit().append("now", "ada", "signed in", "", {}) == 1


def test_a_connection_that_was_ended_is_made_again(database: Database, raw: psycopg.Connection) -> None:
    assert database.audit().read() == []
    _end(raw)
    assert database.audit().append("now", "ada", "signed in", "", {}) == 1


def test_a_connection_that_is_ended_while_it_is_used(database: Database, raw: psycopg.Connection) -> None:
    def append() -> None:
        with database.transaction():
            database.audit().append("now", "ada", "signed in", "", {})
            _end(raw)
            database.audit().append("now", "ada", "signed out", "", {})

    def decide(_new: Sequence[Entry]) -> Sequence[Draft]:
        _end(raw)
        return [look("a")]

    with pytest.raises(DatabaseFailure, match="cannot be used"):
        append()
    with pytest.raises(LedgerUnwritable, match="cannot be written"):
        database.ledger().append(0, decide)
    assert (database.audit().read(), database.ledger().read(0)) == ([], [])


def test_a_server_that_may_only_be_read(database: Database, url: str) -> None:
    database.audit().append("now", "ada", "signed in", "", {})
    standby = Database(f"{url}%20-cdefault_transaction_read_only%3Don")
    assert len(standby.audit().read()) == 1
    with pytest.raises(DatabaseFailure, match="cannot be used"):
        standby.audit().append("now", "ada", "signed out", "", {})
    with pytest.raises(LedgerUnwritable, match="cannot be written"):
        standby.ledger().append(0, lambda _new: [look("a")])
    standby.close()


def test_more_people_than_connections_wait_and_are_told() -> None:
    engine = sa.create_engine("sqlite://", poolclass=sa.pool.QueuePool, pool_size=1, max_overflow=0, pool_timeout=0)
    with engine.connect(), pytest.raises(DatabaseFailure, match="busy"):
        run_guarded(lambda failure: DatabaseFailure(failure.value), engine.connect)
    engine.dispose()


def _end(raw: psycopg.Connection) -> None:
    raw.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'sfumato'")
    raw.commit()


@pytest.mark.parametrize(("library", "extra"), [("psycopg", "postgres"), ("alembic", "server")])
def test_what_is_not_installed_is_named(url: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    database = Database(url)
    with pytest.raises(BadInput, match=rf"pip install 'sfumato\[{extra}\]'"):
        database.upgrade()
    database.close()
