"""What a workspace's database must do, tried on SQLite and on a real PostgreSQL: rows, transactions, the audit log."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.adapters.storage import migrate, tables
from sfumato.adapters.storage.database import Database, in_file
from sfumato.adapters.storage.format import FORMAT
from sfumato.errors import BadInput, DatabaseFailure, LedgerBroken
from sfumato.ledger import audit_log
from sfumato.ledger.entry import Draft, Event
from sfumato.ledger.hash_chain import GENESIS
from tests.depth import depth

WHEN = "2026-11-15T09:00:00+00:00"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    made = Database(database_url)
    made.upgrade()
    yield made
    made.close()


@pytest.fixture
def raw(database_url: str) -> Iterator[sa.Engine]:
    """The database as anybody may open it, without us."""
    engine = sa.create_engine(database_url, poolclass=sa.pool.NullPool)
    yield engine
    engine.dispose()


def notice(id_: str, person: str = "ada", **other: object) -> dict[str, object]:
    return {"id": id_, "person": person, "at": WHEN, "text": "ünïcode", "about": "r1"} | other


def version(id_: str, dataset: str, **other: object) -> dict[str, object]:
    made = {"format": "csv", "created_by": "ada", "created_at": WHEN, "columns": ["age"], "bytes": 2**40}
    return (
        {"id": id_, "dataset": dataset, "fingerprint": "f", "forgotten": False, "digest": None, "table_name": ""}
        | made
        | other
    )


def person(name: str, *roles: str) -> dict[str, object]:
    keys = {"public_key": "", "sealed_key": "", "created_at": WHEN}
    return {"name": name, "organisation": "", "roles": list(roles), "disabled": False} | keys


# Rows


def test_a_row_comes_back_as_it_was(database: Database) -> None:
    people = database.rows("people")
    assert people.add(person("ada", "admin", "controller"))
    assert people.one(name="ada") == person("ada", "admin", "controller") | {
        "password": None,
        "introduced_at": None,
        "muted": None,
    }
    assert people.one(name="bob") is None
    assert database.rows("versions").add(version("v", "stays"))
    assert database.rows("versions").one(id="v") == version("v", "stays") | {"number": 1}


def test_a_key_that_is_taken_is_told_and_nothing_is_added(database: Database) -> None:
    tokens = database.rows("tokens")
    token = {"person": "ada", "label": "", "scopes": ["read"], "created_at": WHEN, "expires_at": WHEN, "revoked": False}
    assert tokens.add({"id": "1", "digest": "d"} | token)
    with database.transaction():
        assert not tokens.add({"id": "1", "digest": "e"} | token), "its key is taken"
        assert not tokens.add({"id": "2", "digest": "d"} | token), "what must be unique is taken"
        assert tokens.add({"id": "3", "digest": "e"} | token), "and the transaction goes on"
    assert [row["id"] for row in tokens.many()] == ["1", "3"]


def test_a_row_without_what_it_must_have_is_a_failure(database: Database) -> None:
    with pytest.raises(DatabaseFailure) as failure:
        database.rows("people").add({"name": "Secret Name", "roles": []})
    assert "Secret" not in str(failure.value)
    assert failure.value.__context__ is None


def test_rows_are_listed_in_order_page_by_page(database: Database) -> None:
    people = database.rows("people")
    names = ["Zoe", "_", "a-b", "ab", "Ärger", "bob"]  # in the order of their letters' numbers, on either database
    for name in names:
        people.add(person(name))
    assert [row["name"] for row in people.many()] == sorted(names)
    pages, after = [], None
    while page := people.many(after=after, limit=2):
        after = page[-1]["name"]
        pages += [row["name"] for row in page]
    assert pages == sorted(names)
    last = people.many(newest_first=True, limit=2)
    assert [row["name"] for row in last] == sorted(names)[:-3:-1]
    assert [row["name"] for row in people.many(newest_first=True, after=last[-1]["name"])] == sorted(names)[-3::-1]


def test_rows_are_found_by_values_by_lists_and_by_none(database: Database) -> None:
    notices = database.rows("notifications")
    for id_, to, read_at in [("a", "ada", None), ("b", "bob", WHEN), ("c", "ada", WHEN), ("d", "cy", None)]:
        notices.add(notice(id_, to, read_at=read_at))

    def found(**where: object) -> str:
        return "".join(row["id"] for row in notices.many(**where))  # type: ignore[arg-type]

    assert found(person="ada") == "ac"
    assert found(person=["ada", "cy"]) == "acd"
    assert found(person="ada", read_at=None) == "a"
    assert found(person=[]) == ""
    assert found(after=2) == found(after="2") == "cd"


def test_a_place_that_is_none(database: Database) -> None:
    places: list[str | int] = ["", "x", "1.5", 2**63, "9" * 30]
    for place in places:
        with pytest.raises(BadInput):
            database.rows("notifications").many(after=place)


def test_numbers_count_up_over_all_or_within_a_dataset(database: Database) -> None:
    notices, versions = database.rows("notifications"), database.rows("versions")
    for id_ in "abc":
        notices.add(notice(id_))
    notices.remove(id="a")
    notices.add(notice("d"))
    assert [row["number"] for row in notices.many()] == [2, 3, 4]
    for id_, dataset in [("1", "stays"), ("2", "stays"), ("3", "adult"), ("4", "stays")]:
        versions.add(version(id_, dataset))
    assert [row["number"] for row in versions.many(dataset="stays")] == [1, 2, 3]
    assert [row["number"] for row in versions.many(dataset="adult")] == [1]
    assert not versions.add(version("5", "adult", number=1)), "one that is given must be free"


def test_only_the_first_of_two_changes_a_row(database: Database) -> None:
    notices = database.rows("notifications")
    notices.add(notice("a"))
    notices.add(notice("b"))
    assert notices.change({"id": "a", "read_at": None}, {"read_at": WHEN}) == 1
    assert notices.change({"id": "a", "read_at": None}, {"read_at": "later"}) == 0
    assert [row["read_at"] for row in notices.many()] == [WHEN, None]
    assert notices.change({}, {"about": "r2"}) == 2
    assert notices.remove(person="ada", read_at=None) == 1
    assert [row["id"] for row in notices.many()] == ["a"]


def test_a_list_that_a_row_holds_is_compared_as_a_whole(database: Database) -> None:
    people = database.rows("people")
    people.add(person("ada", "admin", "controller"))
    people.add(person("bob"))
    assert [row["name"] for row in people.many(roles=["admin", "controller"])] == ["ada"]
    assert [row["name"] for row in people.many(roles=[])] == ["bob"]
    assert people.change({"name": "bob", "roles": []}, {"roles": ["auditor"]}) == 1
    assert people.change({"name": "bob", "roles": []}, {"roles": ["admin"]}) == 0, "somebody was faster"


@pytest.mark.parametrize("text", ["a\0b", "half \ud83d"])
def test_what_one_of_them_cannot_keep_neither_does(database: Database, text: str) -> None:
    notices = database.rows("notifications")
    attempts: list[Callable[[], object]] = [
        lambda: notices.add(notice("a", text=text)),
        lambda: notices.one(id=text),
        lambda: notices.many(id=["a", text]),
        lambda: notices.change({"id": "a"}, {"text": text}),
        lambda: database.audit().append(WHEN, text, "signed in", "", {}),
    ]
    for attempt in attempts:
        with pytest.raises(BadInput, match="A text has characters that cannot be stored"):
            attempt()
    assert notices.add(notice("a", text="whole \U0001f600 \x01 \x7f \uffff"))


@pytest.mark.depth("kept texts")
@given(text=st.text(), number=st.integers(), said=st.lists(st.text()))
@settings(max_examples=depth("kept texts"), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_kept_comes_back(database: Database, text: str, number: int, said: list[str]) -> None:
    versions = database.rows("versions")
    versions.remove()
    row = version("v", text, bytes=number, columns=said, number=1)
    try:
        versions.add(row)
    except BadInput:
        unfit = any(each == "\0" or "\ud800" <= each <= "\udfff" for each in "".join([text, *said]))
        assert unfit or not -(2**63) < number < 2**63
    else:
        assert versions.one(dataset=text, bytes=number) == row


def test_a_json_text_that_somebody_broke(database: Database, raw: sa.Engine) -> None:
    database.rows("people").add(person("ada"))
    with raw.begin() as connection:
        connection.execute(sa.text("UPDATE people SET roles = '[secret'"))
    with pytest.raises(DatabaseFailure) as failure:
        database.rows("people").one(name="ada")
    assert "secret" not in str(failure.value)


# Transactions


def test_a_transaction_is_done_as_a_whole_or_not_at_all(database: Database) -> None:
    notices, log = database.rows("notifications"), database.audit()

    def work(error: type[BaseException] | None) -> None:
        with database.transaction():
            notices.add(notice("a"))
            with database.transaction():
                log.append(WHEN, "ada", "added", "a", {})
            assert notices.one(id="a") is not None, "it sees what it did"
            if error:
                raise error

    for error in (KeyboardInterrupt, ValueError):
        with pytest.raises(error):
            work(error)
        assert (notices.many(), log.read()) == ([], [])
    work(None)
    assert (len(notices.many()), len(log.read())) == (1, 1)


def test_others_see_a_transaction_when_it_is_done(database: Database, database_url: str) -> None:
    other = Database(database_url)
    with database.transaction():
        database.rows("notifications").add(notice("a"))
        assert other.rows("notifications").many() == []
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(database.rows("notifications").many).result() == [], "another thread is another person"
    assert len(other.rows("notifications").many()) == 1
    other.close()


def test_whoever_goes_on_after_a_failure_changes_nothing(database: Database) -> None:
    def work() -> None:
        with database.transaction():
            database.rows("notifications").add(notice("a"))
            with pytest.raises(DatabaseFailure):
                database.rows("notifications").add({"id": "b"})
            database.rows("notifications").add(notice("c"))

    with pytest.raises(DatabaseFailure):
        work()
    assert database.rows("notifications").many() == []


def test_what_is_read_together_is_of_one_moment(database: Database, database_url: str) -> None:
    """On PostgreSQL. In a file nobody who reads holds back whoever writes, who would hold them back in turn."""
    notices, other = database.rows("notifications"), Database(database_url)
    if database_url.startswith("sqlite"):
        with database.reading():
            assert notices.one(id="a") is None
            assert other.rows("notifications").add(notice("a"))
            assert database.ledger().read(0) == []
        other.close()
        return
    with database.reading(), ThreadPoolExecutor(1) as elsewhere:
        assert notices.one(id="a") is None
        added = elsewhere.submit(lambda: other.rows("notifications").add(notice("a")))
        assert notices.one(id="a") is None
        with database.reading():
            assert notices.one(id="a") is None
        database.rows("notifications").remove(id="nothing")  # whoever writes reads on from there
        assert added.result(timeout=600)
        assert notices.one(id="a")
    other.close()


def test_a_charge_does_not_wait_for_what_its_own_thread_reads(database: Database) -> None:
    with database.reading():
        database.rows("notifications").many()
        assert database.ledger().append(0, lambda _new: [Draft(Event.LOOKED, "stays", "ada", WHEN)])


def test_no_charge_hides_in_another_transaction(database: Database) -> None:
    with database.transaction(), pytest.raises(RuntimeError, match="a transaction of its own"):
        database.ledger().append(0, lambda _new: [Draft(Event.LOOKED, "stays", "ada", WHEN)])
    assert database.ledger().read(0) == []


def test_those_who_read_and_then_write_take_turns(database: Database, database_url: str) -> None:
    """Four threads and four connections of others: no two of them decide on the same rows."""
    databases = [database, Database(database_url)]
    start = threading.Barrier(4)

    def work(who: int) -> None:
        mine = databases[who % 2]
        start.wait()
        for i in range(5):
            with mine.transaction():
                seen = len(mine.rows("notifications").many())
                mine.rows("notifications").add(notice(f"{who} {i}", text=str(seen)))
                mine.audit().append(WHEN, str(who), "added", "", {"seen": seen})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert [(row["number"], row["text"]) for row in database.rows("notifications").many()] == [
        (n + 1, str(n)) for n in range(20)
    ]
    assert audit_log.verify(database.audit().read())[0] == 20
    databases[1].close()


# The audit log


def test_the_audit_log_is_one_chain(database: Database) -> None:
    log = database.audit()
    said: dict[str, Any] = {"list": [1, 2.5, None], "text": "ü\0", "nested": {"b": 1, "a": True}}
    assert [log.append(WHEN, "ada", f"verb {n}", "stays", said) for n in range(3)] == [1, 2, 3]
    entries = log.read()
    assert [entry.verb for entry in entries] == ["verb 0", "verb 1", "verb 2"]
    assert entries[0].said == said
    assert audit_log.verify(entries) == (3, entries[-1].digest)
    assert log.read(1, 1) == entries[1:2]
    assert audit_log.verify(log.read(2), 2, entries[1].digest)[0] == 3
    assert audit_log.verify([]) == (0, GENESIS)


def test_the_audit_log_is_read_from_either_end_and_by_whom_or_what_it_is_about(database: Database) -> None:
    log = database.audit()
    for who, about in (("ada", "stays"), ("bob", "stays"), ("ada", "visits"), ("ada", "stays")):
        log.append(WHEN, who, "did", about, {})

    def numbers(*place: int, **how: Any) -> list[int]:
        return [entry.number for entry in log.read(*place, **how)]

    assert numbers(newest_first=True) == [4, 3, 2, 1]
    assert numbers(3, 1, newest_first=True) == [2]
    assert numbers(who="ada", newest_first=True) == [4, 3, 1]
    assert numbers(1, who="ada", about="stays") == [4]


def test_the_database_itself_refuses_a_change(database: Database, raw: sa.Engine) -> None:
    database.audit().append(WHEN, "ada", "signed in", "", {})
    database.ledger().append(0, lambda _new: [Draft(Event.LOOKED, "stays", "ada", WHEN)])
    for table, statement in product(
        ["audit", "ledger"], ["UPDATE {} SET who = 'eve'", "DELETE FROM {}", "TRUNCATE {}"]
    ):
        refused = "append-only" if raw.dialect.name == "postgresql" or "TRUNCATE" not in statement else "syntax error"
        with raw.connect() as connection, pytest.raises(sa.exc.DBAPIError, match=refused):
            connection.execute(sa.text(statement.format(table)))
        assert audit_log.verify(database.audit().read())[0] == len(database.ledger().read(0)) == 1


NEVER = {
    "sqlite": ["DROP TRIGGER audit_no_update", "DROP TRIGGER audit_no_delete"],
    "postgresql": ["DROP TRIGGER audit_append_only ON audit"],
}
EDITS = {
    **{column: f"UPDATE audit SET {column} = 'x' WHERE number = 2" for column in ("at", "who", "verb", "about")},
    "said": "UPDATE audit SET said = '{}' WHERE number = 2",
    "digest": "UPDATE audit SET digest = 'x' WHERE number = 2",
    "previous": "UPDATE audit SET previous = 'x' WHERE number = 2",
    "number": "UPDATE audit SET number = 20 WHERE number = 2",
    "removed": "DELETE FROM audit WHERE number = 2",
}


def test_an_edited_audit_log_is_named(database: Database, raw: sa.Engine) -> None:
    """One log for all edits: after each it is as it was, but for the triggers."""
    for n in range(3):
        database.audit().append(WHEN, "ada", "verb", "stays", {"n": n})
    with raw.begin() as connection:
        for statement in NEVER[raw.dialect.name]:
            connection.execute(sa.text(statement))
        rows = [dict(row) for row in connection.execute(sa.select(tables.audit)).mappings()]
    for name, edit in EDITS.items():
        with raw.begin() as connection:
            assert connection.execute(sa.text(edit)).rowcount == 1, name
        with pytest.raises(LedgerBroken, match="The audit log was changed at entry 2"):
            audit_log.verify(database.audit().read())
        with raw.begin() as connection:
            connection.execute(sa.delete(tables.audit))
            connection.execute(sa.insert(tables.audit), rows)
        assert audit_log.verify(database.audit().read())[0] == 3, name


def test_no_line_of_the_audit_log_can_stand_elsewhere() -> None:
    first = audit_log.seal(1, GENESIS, at=WHEN, who="ada", verb="v", about="a", details={})
    second = audit_log.seal(2, first.digest, at=WHEN, who="bob", verb="v", about="a", details={"n": 1})
    assert audit_log.verify([first, second]) == (2, second.digest)
    for broken in ([second], [second, first], [first, replace(second, number=3)], [first, replace(second, who="eve")]):
        with pytest.raises(LedgerBroken):
            audit_log.verify(broken)


# Revisions


def test_the_migrations_make_the_tables_that_the_program_knows(database: Database, raw: sa.Engine) -> None:
    with raw.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": migrate.TABLE, "compare_type": True})
        assert compare_metadata(context, tables.metadata) == []
        [current] = context.get_current_heads()
    [head] = ScriptDirectory(str(migrate.MIGRATIONS)).get_heads()
    assert current == head == str(FORMAT)


def test_upgrading_again_changes_nothing(database: Database) -> None:
    database.rows("notifications").add(notice("a"))
    database.upgrade()
    assert len(database.rows("notifications").many()) == 1


def test_several_servers_may_start_at_once(database_url: str) -> None:
    databases = [Database(database_url) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(Database.upgrade, databases))
    assert databases[0].rows("notifications").add(notice("a"))
    for each in databases:
        each.close()


FORMATS = {
    "newer": (
        "SET version_num = '9999'",
        "This workspace has format 9999, and this version of sfumato reads formats up to 2",
    ),
    "older": ("SET version_num = '0'", "This workspace has no format number, and this version"),
    "no number": ("SET version_num = 'x'", "This workspace has no format number, and this version"),
}


@pytest.mark.parametrize(("change", "message"), FORMATS.values(), ids=FORMATS)
def test_a_workspace_of_another_format_is_refused(
    database: Database, raw: sa.Engine, change: str, message: str
) -> None:
    with raw.begin() as connection:
        connection.execute(sa.text(f"UPDATE {migrate.TABLE} {change}"))
    with pytest.raises(BadInput, match=message):
        database.upgrade()


@pytest.mark.parametrize("statement", [f"DELETE FROM {migrate.TABLE}", f"DROP TABLE {migrate.TABLE}"])
def test_a_workspace_without_a_format_number_is_refused(database: Database, raw: sa.Engine, statement: str) -> None:
    with raw.begin() as connection:
        connection.execute(sa.text(statement))
    with pytest.raises(BadInput, match="no format number, and this version of sfumato reads formats up to 2"):
        database.upgrade()


def test_a_database_that_holds_something_else_is_left_alone(database_url: str, raw: sa.Engine) -> None:
    with raw.begin() as connection:
        connection.execute(sa.text("CREATE TABLE bookmarks (url TEXT)"))
    database = Database(database_url)
    with pytest.raises(BadInput, match="already has other content"):
        database.upgrade()
    database.close()
    assert sa.inspect(raw).get_table_names() == ["bookmarks"]


def test_a_migration_that_fails_leaves_nothing(
    database_url: str, raw: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def upgrade(config: Config, _to: str) -> None:
        connection: sa.Connection = config.attributes["connection"]
        connection.execute(sa.text("CREATE TABLE half (done INTEGER)"))
        connection.execute(sa.text("CREATE TABLE half (done INTEGER)"))

    monkeypatch.setattr("alembic.command.upgrade", upgrade)
    database = Database(database_url)
    with pytest.raises(DatabaseFailure):
        database.upgrade()
    database.close()
    assert sa.inspect(raw).get_table_names() == []


# Where it cannot be used, one sentence


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "The address of the database is not valid"),
        ("sqlite://", "The database must be an SQLite file or PostgreSQL"),
        ("sqlite:///:memory:", "The database must be an SQLite file or PostgreSQL"),
        ("mysql://root:hunter2@here/x", "The database must be an SQLite file or PostgreSQL"),
        ("postgresql://x:hunter2@here:port/x", "The address of the database is not valid"),
    ],
)
def test_an_address_that_is_none(url: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as bad:
        Database(url)
    assert "hunter2" not in str(bad.value)


@pytest.mark.parametrize(
    "url", ["sqlite:////nowhere/at/all.db", "sqlite:////proc", "postgresql://ada:hunter2@/x?host=/nowhere"]
)
def test_a_database_that_is_not_there(url: str) -> None:
    database = Database(url)
    for attempt in (database.upgrade, database.rows("people").many, lambda: database.rows("people").add(person("a"))):
        with pytest.raises(DatabaseFailure, match="cannot be used") as failure:
            attempt()
        assert "hunter2" not in str(failure.value)
        assert failure.value.__context__ is None


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "escrow.db"
    path.write_text("ward,days\na,3\n" * 1000, "utf-8")
    with pytest.raises(DatabaseFailure, match="does not have the expected content"):
        Database(f"sqlite:///{path}").upgrade()
    assert path.read_text("utf-8").startswith("ward")


def test_another_file_in_its_place_is_read_from_its_beginning(tmp_path: Path) -> None:
    paths = [tmp_path / "escrow.db", tmp_path / "backup.db"]
    for path, name in zip(paths, ("ada", "bob"), strict=True):
        made = Database(f"sqlite:///{path}")
        made.upgrade()
        made.rows("people").add(person(name))
        made.close()
    database = Database(f"sqlite:///{paths[0]}")
    assert database.rows("people").one(name="ada")
    paths[1].replace(paths[0])
    assert database.rows("people").one(name="bob")
    assert database.rows("people").one(name="ada") is None
    database.close()


@pytest.mark.parametrize("name", ["escrow.db", "100% of ünits?x=1#y &.db", "a%20b+c.db"])
def test_a_new_file_is_its_owners_alone(tmp_path: Path, name: str) -> None:
    Database(in_file(tmp_path / name)).upgrade()
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_a_database_that_somebody_else_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(f"sqlite:///{tmp_path}/escrow.db")
    database.upgrade()
    other = sqlite3.connect(tmp_path / "escrow.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr("sfumato.adapters.storage.sqlite.PATIENCE", 0)
    patient = Database(f"sqlite:///{tmp_path}/escrow.db")
    with pytest.raises(DatabaseFailure, match="is in use"):
        patient.rows("notifications").add(notice("a"))
    other.close()
    assert patient.rows("notifications").add(notice("a"))
