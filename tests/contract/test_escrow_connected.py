"""Tables of a real PostgreSQL in an escrow: sealed credentials, listed servers only, changes noticed and said."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from sfumato.adapters.engines.spark.session import open_session
from sfumato.errors import BadInput, Conflict, EngineFailure, Forbidden, SfumatoError, SourceError
from sfumato.escrow.catalogue.connection import TableConnection
from sfumato.escrow.ports import EscrowLimits
from sfumato.ledger.entry import Event
from tests.api import Api
from tests.contract.test_pages_datasets import page
from tests.engines import Clinic, clinic
from tests.room import RULE, Room

PASSWORD = "open sesame 7/@?"
OTHER = "another 8"
SCHEMA = """name = "beds"
[columns.ward]
categories = ["heart", "birth"]
[columns.days]
type = "integer"
bounds = [0, 60]
"""
COUNT = "SELECT COUNT(*) FROM beds WHERE days > 5"
BY_WARD = "SELECT ward, SUM(days) FROM beds GROUP BY ward"
OPEN = {"who": ["everyone"], "approve": "automatic"}
ROWS = pa.table({"ward": ["heart", "birth"] * 20, "days": pa.array(range(40), pa.int64())})


@pytest.fixture(scope="module")
def here() -> Iterator[Clinic]:
    """A server that asks one of its users for a password."""
    with clinic() as made:
        made.ask_for_password("keeper", PASSWORD)
        yield made


@pytest.fixture
def table(here: Clinic) -> str:
    name = here.store(ROWS)
    with here.owner() as owner:
        owner.execute(f"GRANT SELECT ON {name} TO keeper; ALTER ROLE keeper PASSWORD '{PASSWORD}'".encode())
    return name


def url_of(here: Clinic) -> str:
    return f"postgresql://keeper@/postgres?host={here.folder}"


def allow(room: Room, *servers: str) -> None:
    object.__setattr__(room.ports, "limits", EscrowLimits(data_servers=servers))
    room.runner._opened.data_servers = servers


def connected(room: Room, here: Clinic, table: str, *, approve: str = "automatic", version: str = "") -> None:
    allow(room, here.folder)
    connection = TableConnection.parse(url_of(here), table, PASSWORD, version)
    room.datasets.register(room["alice"], SCHEMA, connection=connection)
    room.policies.set(room["alice"], "beds", {"rule": RULE, "access_rule": [OPEN | {"approve": approve}]})


def ask(room: Room, sql: str = COUNT) -> Any:
    request = room.requests.submit(room["bob"], "beds", "planning", [{"sql": sql}])
    room.go()
    return request


def reserved(room: Room) -> int:
    return len(room.entries(Event.RESERVED))


def insert(here: Clinic, table: str) -> None:
    with here.owner() as owner:
        owner.execute(f"INSERT INTO {table} VALUES ('heart', 59)".encode())


def test_a_request_is_answered_and_nothing_tells_the_password(
    room: Room, here: Clinic, table: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    connected(room, here, table)
    (answer,) = room.result(ask(room, BY_WARD))["answers"]
    assert [row[0] for row in answer["rows"]] == ["heart", "birth"]
    dataset = room.datasets.one(room["alice"], "beds")
    assert vars(dataset)["reference"] == f"postgresql://{here.folder}:5432/postgres, table {table}"
    assert not hasattr(room.datasets.one(room["bob"], "beds"), "reference")
    log = [vars(entry) for entry in room.ports.audit.read()]
    engines = [engine for engine, _ in room.runner._opened.engines.values()]
    said = f"{caplog.text}{dataset}{answer}{log}{room.entries()}{room.runner.done}{engines}"
    kept = b"".join(path.read_bytes() for path in room.folder.rglob("*") if path.is_file())
    for secret in (PASSWORD, "keeper@", "sesame"):
        assert secret not in said
        assert secret.encode() not in kept
    assert "keeper" not in json.dumps([dict(row) for row in room.ports.rows("datasets").many()])


def test_a_backup_reads_the_table_as_before(room: Room, here: Clinic, table: str, tmp_path: Path) -> None:
    """The folder and the database are all that is kept: a copy of them answers, and repeats what was released."""
    connected(room, here, table)
    first = room.result(ask(room))["answers"][0]["rows"]
    room.runner.close()
    shutil.copytree(room.folder / "vault", tmp_path / "vault")
    shutil.rmtree(room.folder / "vault")
    assert "cannot be read" in room.note(ask(room))
    shutil.copytree(tmp_path / "vault", room.folder / "vault")
    assert room.result(ask(room))["answers"][0]["rows"] == first
    assert len(room.result(ask(room, BY_WARD))["answers"]) == 1
    assert reserved(room) == 2


def test_a_table_that_changes_between_approval_and_release_is_noticed_and_nothing_is_charged(
    room: Room, here: Clinic, table: str
) -> None:
    connected(room, here, table, approve="by a controller")
    request = ask(room)
    room.approve(request)
    insert(here, table)
    room.go()
    assert room.state(request) == "failed"
    assert room.note(request).startswith("The table of dataset 'beds' changed after it was registered.")
    assert table not in room.note(request)
    assert reserved(room) == 0
    approved = ask(room)
    room.approve(approved)
    first, second = room.datasets.versions(room["alice"], "beds")[0], room.datasets.connect(room["alice"], "beds")
    assert second.number == first.number + 1
    assert second.fingerprint != first.fingerprint
    room.go()
    assert room.state(approved) == "failed"  # the approval was of the earlier state
    assert reserved(room) == 0
    again = ask(room)
    room.approve(again)
    room.go()
    assert room.state(again) == "released"


def test_a_table_that_changes_while_workers_have_it_open_is_noticed(room: Room, here: Clinic, table: str) -> None:
    connected(room, here, table)
    assert room.state(ask(room)) == "released"
    insert(here, table)
    assert "changed after it was registered" in room.note(ask(room, BY_WARD))
    with pytest.raises(Conflict, match="changed after it was registered"):
        room.questions.look(room["alice"], "beds", BY_WARD, {})
    assert reserved(room) == 1


def test_a_named_version_holds_while_others_write(room: Room, here: Clinic, table: str) -> None:
    connected(room, here, table, version="2026-10")
    first = ask(room)
    insert(here, table)
    assert room.result(ask(room))["answers"][0]["rows"] == room.result(first)["answers"][0]["rows"]
    assert room.state(ask(room, BY_WARD)) == "released"


def test_another_password_keeps_approvals_and_answers(room: Room, here: Clinic, table: str) -> None:
    connected(room, here, table)
    rows = room.result(ask(room))["answers"][0]["rows"]
    room.runner.close()  # and its connections
    with here.owner() as owner:
        owner.execute(f"ALTER ROLE keeper PASSWORD '{OTHER}'")
    failed = ask(room, BY_WARD)
    assert room.note(failed).startswith("The table of dataset 'beds' cannot be read where it lies.")
    with pytest.raises(SourceError, match="did not accept the user or the password"):
        room.datasets.connect(room["alice"], "beds")
    room.datasets.connect(room["alice"], "beds", TableConnection.parse(url_of(here), table, OTHER))
    assert room.result(ask(room))["answers"][0]["rows"] == rows
    assert room.state(ask(room, BY_WARD)) == "released"
    assert reserved(room) == 2


def test_a_connection_that_is_lost_in_the_middle_is_one_sentence_and_one_charge(
    room: Room, here: Clinic, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected(room, here, table)
    run = psycopg.Connection.execute

    def execute(connection: Any, query: Any, *rest: Any, **how: Any) -> Any:
        if b"SUM(" in (query if isinstance(query, bytes) else b"") and b"pg_relation" not in query:
            with here.owner() as owner:
                run(owner, b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'")
        return run(connection, query, *rest, **how)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", execute)
        request = ask(room, BY_WARD)
    assert room.note(request) == str(EngineFailure())
    assert reserved(room) == 1
    assert room.state(ask(room)) == "released"  # over a new connection


def test_what_is_wrong_is_one_sentence_and_leaves_nothing(room: Room, here: Clinic, table: str) -> None:
    allow(room, here.folder, "127.0.0.1:1")
    url, before = url_of(here), sorted((room.folder / "vault").iterdir())
    cases: list[tuple[str, str, str, str, type[SfumatoError], str]] = [
        (url, table, "wrong", SCHEMA, SourceError, "did not accept the user or the password"),
        (url.replace("keeper", "reader"), table, PASSWORD, SCHEMA, SourceError, "did not ask this user for a password"),
        ("postgresql://keeper@127.0.0.1:1/clinic", table, PASSWORD, SCHEMA, SourceError, "does not answer"),
        (url, "clinic.absent", PASSWORD, SCHEMA, SourceError, "no table clinic.absent"),
        (url, table, PASSWORD, SCHEMA.replace("days", "nights"), BadInput, "Column 'nights' is in the schema"),
        ("postgresql://keeper@127.0.0.1/x", table, PASSWORD, SCHEMA, Forbidden, "may not read from the server"),
    ]
    for where, name, password, schema, kind, sentence in cases:
        connection = TableConnection.parse(where, name, password)
        with pytest.raises(kind, match=sentence) as failure:
            room.datasets.register(room["alice"], schema, connection=connection)
        assert failure.value.__context__ is None
        assert PASSWORD not in str(failure.value)
        assert "\n" not in str(failure.value)
    assert sorted((room.folder / "vault").iterdir()) == before
    assert room.ports.rows("datasets").one(name="beds") is None


def test_a_server_that_is_no_longer_listed_is_no_longer_reached(room: Room, here: Clinic, table: str) -> None:
    connected(room, here, table)
    room.runner.close()
    allow(room)
    assert "cannot be read where it lies" in room.note(ask(room))
    with pytest.raises(Forbidden, match="may not read from the server"):
        room.datasets.connect(room["alice"], "beds")
    assert reserved(room) == 0


def test_retiring_forgets_the_connection(room: Room, here: Clinic, table: str) -> None:
    before = sorted((room.folder / "vault").iterdir())
    connected(room, here, table)
    room.datasets.retire(room["alice"], "beds")
    assert sorted((room.folder / "vault").iterdir()) == before
    with pytest.raises(Conflict, match="retired"):
        room.datasets.connect(room["alice"], "beds")


def test_the_api_takes_a_connection_and_tells_none(api: Api, here: Clinic, table: str) -> None:
    allow(api.room, here.folder)
    given = {"url": url_of(here), "table": table, "password": PASSWORD}
    body: dict[str, Any] = {"schema_text": SCHEMA, "connection": given}
    for wrong, status in (
        (given | {"url": given["url"].replace("keeper", f"keeper:{PASSWORD[:4]}")}, 422),
        (given | {"url": "postgresql://keeper@10.0.0.1/clinic"}, 403),
        (given | {"password": PASSWORD * 100}, 422),
        (given | {"nonsense": PASSWORD}, 422),
    ):
        answer = api("alice", "POST", "/datasets", json=body | {"connection": wrong})
        assert answer.status_code == status
        assert "sesame" not in answer.text
    assert api("alice", "POST", "/datasets", json=body | {"reference": "/data"}).status_code == 422
    assert api("bob", "POST", "/datasets", json=body).status_code == 403
    made = api("alice", "POST", "/datasets", json=body)
    assert made.status_code == 201
    again = api("alice", "PUT", "/datasets/beds/connection", json={})
    assert again.json()["number"] == 2
    assert api("fay", "PUT", "/datasets/beds/connection", json={}).status_code == 404
    assert api("alice", "PUT", "/datasets/stays/connection", json={}).status_code == 409
    assert "keeper" not in made.text + again.text + api("eve", "GET", "/datasets/beds").text


def test_a_kept_connection_is_another_datasets_in_no_place(room: Room, here: Clinic, table: str) -> None:
    """Copied over the file of another version, it is refused as altered."""
    connected(room, here, table)
    room.runner.close()
    (own,) = {row["id"] for row in room.ports.rows("versions").many(dataset="beds")}
    other = room.datasets.connect(room["alice"], "beds").id
    room.runner.close()
    files: Any = room.ports.files
    id = room.datasets.of("beds").id
    shutil.copyfile(files._path(id, own), files._path(id, other))
    assert "altered or replaced" in room.note(ask(room))


def test_the_pages_register_a_table_and_connect_it_again(api: Api, here: Clinic, table: str) -> None:
    assert "/register/connection" in page(api, "alice", "/register").text
    shown = page(api, "alice", "/register/connection").text
    assert 'type="password"' in shown
    connected(api.room, here, table)
    text = page(api, "alice", "/datasets/beds/data").text
    assert f"postgresql://{here.folder}:5432/postgres, table {table}" in text
    assert "Connect again" in text
    assert here.folder not in page(api, "bob", "/datasets/beds").text


@pytest.mark.usefixtures("spark")
def test_a_table_of_spark_takes_the_same_path(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark Connect's address is replaced by that of this machine's Spark, which the other tests of Spark share."""
    monkeypatch.setattr(TableConnection, "url", "local[1]")
    session = open_session("local[1]")
    session.sql("CREATE TABLE beds USING parquet AS SELECT 'heart' AS ward, id AS days FROM range(40)")
    try:
        allow(room, "head")
        room.datasets.register(room["alice"], SCHEMA, connection=TableConnection.parse("sc://head", "beds"))
        room.policies.set(room["alice"], "beds", {"rule": RULE, "access_rule": [OPEN]})
        assert room.state(ask(room)) == "released"
        session.sql("INSERT INTO beds VALUES ('heart', 59)")
        assert "changed after it was registered" in room.note(ask(room, BY_WARD))
        room.datasets.connect(room["alice"], "beds")
        assert room.state(ask(room, BY_WARD)) == "released"
        with pytest.raises(SourceError, match="There is no table absent"):
            room.datasets.connect(room["alice"], "beds", TableConnection.parse("sc://head", "absent"))
        session.sql("DROP TABLE beds")
        assert "cannot be read where it lies" in room.note(ask(room, "SELECT SUM(days) FROM beds"))
        assert reserved(room) == 2
    finally:
        session.sql("DROP TABLE IF EXISTS beds")
