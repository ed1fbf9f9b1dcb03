"""PostgreSQL as a controller meets it: a role that can only read, changes by others, failures, and no value said."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.adapters.engines.postgres import catalogue
from sfumato.adapters.engines.postgres.engine import PostgreSQL
from sfumato.errors import BadInput, EngineFailure, SfumatoError, SourceError
from sfumato.ledger.entry import Event
from sfumato.model.guarantee import Guarantee
from sfumato.model.stored_table import RemoteTable
from tests.engines import Clinic, clinic

SCHEMA: dict[str, Any] = {
    "name": "stays",
    "columns": {
        "ward": {"type": "text", "categories": ["heart", "birth"]},
        "days": {"type": "integer", "bounds": [0, 60]},
    },
}
SQL = "SELECT ward, COUNT(*) AS n, SUM(days) AS days FROM stays GROUP BY ward"
SECRET = "secret-ward"
ROWS = pa.table({"ward": ["heart", "birth", "heart", SECRET], "days": pa.array([3, 5, 400, 7], pa.int64())})


@pytest.fixture(scope="module")
def here() -> Iterator[Clinic]:
    with clinic() as made:
        yield made


@pytest.fixture
def table(here: Clinic) -> str:
    return here.store(ROWS)


@contextmanager
def opened(here: Clinic, table: str, schema: dict[str, Any] = SCHEMA, **how: Any) -> Iterator[sf.Dataset]:
    dataset = sf.open(here.url, schema, table=table, ledger=":memory:", **how)
    yield dataset
    dataset._context.engine.close()


def engine_of(dataset: sf.Dataset) -> PostgreSQL:
    engine = dataset._context.engine
    assert isinstance(engine, PostgreSQL)
    return engine


def charges(dataset: sf.Dataset) -> int:
    return sum(entry.draft.event is Event.RESERVED for entry in dataset._context.ledger.record.entries)


def test_a_role_that_can_only_read_is_enough(here: Clinic, table: str) -> None:
    with opened(here, table) as dataset:
        assert dataset.query(SQL).release(epsilon=1.0).certificate.guarantee is Guarantee.DP
        for attempt in (f"DELETE FROM {table}", "CREATE TEMP TABLE x (a int)", "CREATE TABLE clinic.x (a int)"):
            with pytest.raises(EngineFailure):
                engine_of(dataset).rows(attempt)
        assert dataset.query(SQL).answer() == ((2, 63.0), (1, 5.0))


def test_a_view_is_read_as_a_table_and_columns_that_nothing_reads_may_be_of_any_type(here: Clinic, table: str) -> None:
    with here.owner() as owner:
        owner.execute(
            f"ALTER TABLE {table} ADD COLUMN parts int[], ADD COLUMN since timestamptz, ADD kind money".encode()
        )
        owner.execute(f"UPDATE {table} SET since = 'infinity', parts = ARRAY[1]".encode())
        owner.execute(f"CREATE VIEW {table}_v AS SELECT * FROM {table} WHERE days < 300".encode())
        owner.execute(f"GRANT SELECT ON {table}_v TO reader".encode())
    with opened(here, f"{table}_v") as dataset:
        assert "parts" not in engine_of(dataset).columns
        assert dataset.query("SELECT COUNT(*), COUNT(since) FROM stays").answer() == ((3, 0),)


def test_what_others_write_meanwhile_is_not_seen_and_is_said_afterwards(here: Clinic, table: str) -> None:
    with opened(here, table) as dataset:
        context, query = dataset._context, dataset.query(SQL)
        with context.snapshot():
            before = query._bound.totals()
            with here.owner() as owner:
                owner.execute(f"INSERT INTO {table} VALUES ('birth', 1)".encode())
            assert dataset.query(SQL)._bound.totals() == before
        with pytest.raises(SourceError, match=f"table {table} changed after it was opened"):
            query.release(epsilon=1.0)
        assert charges(dataset) == 0
    with opened(here, table) as dataset:
        assert dataset.query("SELECT COUNT(*) FROM stays").answer() == ((5,),)


def test_another_version_after_a_change_and_the_same_without_one(here: Clinic, table: str) -> None:
    versions = []
    for change in ("", "", f"DELETE FROM {table} WHERE days = 3", f"UPDATE {table} SET days = 4", f"TRUNCATE {table}"):
        if change:
            with here.owner() as owner:
                owner.execute(change.encode())
        with opened(here, table) as dataset:
            versions.append(dataset.version)
    assert versions[0] == versions[1]
    assert len(set(versions)) == 4


@contextmanager
def terminated(here: Clinic) -> Iterator[None]:
    """Ends the server's side of each connection of the reader just before its next statement reads rows."""
    run = psycopg.Connection.execute

    def execute(connection: Any, query: Any, *rest: Any, **how: Any) -> Any:
        if b"SUM(" in (query if isinstance(query, bytes) else str(query).encode()) and b"pg_relation" not in query:
            with here.owner() as owner:
                run(owner, b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
        return run(connection, query, *rest, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", execute)
        yield


def test_a_connection_that_is_lost_in_the_middle_is_one_sentence_and_one_charge(here: Clinic, table: str) -> None:
    with opened(here, table) as dataset:
        with terminated(here), pytest.raises(EngineFailure) as failure:
            dataset.query(SQL).release(epsilon=1.0)
        assert str(failure.value) == str(EngineFailure())
        assert failure.value.__cause__ is None
        assert failure.value.__context__ is None
        assert charges(dataset) == 1
        assert engine_of(dataset).rows("SELECT 1") == [(1,)]  # over a new connection


def test_a_connection_that_was_lost_before_a_release_costs_nothing(here: Clinic, table: str) -> None:
    with opened(here, table) as dataset:
        with here.owner() as owner:
            owner.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
        assert len(dataset.query(SQL).release(epsilon=1.0).rows) == 2
        assert charges(dataset) == 1


def test_a_statement_that_takes_too_long_is_one_sentence_and_one_charge(here: Clinic, table: str) -> None:
    with opened(here, table) as dataset:
        with pytest.MonkeyPatch.context() as patch:
            spell = PostgreSQL.spell
            patch.setattr(
                PostgreSQL, "spell", lambda engine, tree: f"SELECT pg_sleep(9), * FROM ({spell(engine, tree)}) t"
            )
            engine_of(dataset)._connection.execute("SET statement_timeout = 100")
            with pytest.raises(EngineFailure) as failure:
                dataset.query(SQL).release(epsilon=1.0)
        assert failure.value.__context__ is None
        assert charges(dataset) == 1


def test_the_timeout_follows_from_the_size_of_the_table_or_is_the_stricter_one_of_the_role(
    here: Clinic, table: str
) -> None:
    with here.owner() as owner:
        found = catalogue.find(owner, table)
        assert found is not None
        assert catalogue.longest_statement(owner, found) == 64
        owner.execute("SET statement_timeout = '7s'")
        assert catalogue.longest_statement(owner, found) == 7
        owner.execute("SET statement_timeout = '7h'")
        assert catalogue.longest_statement(owner, found) == 64


def test_no_value_is_said_when_it_fails(
    here: Clinic, table: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with opened(here, table) as dataset, pytest.raises(EngineFailure) as failure:
        engine_of(dataset).rows(f"SELECT CAST(ward AS INTEGER) FROM {table}")
    said = capfd.readouterr()
    chain = [failure.value, failure.value.__cause__, failure.value.__context__]
    assert SECRET not in f"{caplog.text}{said.out}{said.err}{chain}"


def test_the_password_is_in_no_repr_and_no_version() -> None:
    url = "postgresql://ada:top-secret@server/clinic"
    other = url.replace("top-secret", "another").replace("ada", "bob")
    first, second = (engines_located(address) for address in (url, other))
    assert "top-secret" not in repr(first)
    assert first.place == second.place


def engines_located(url: str) -> RemoteTable:
    from sfumato.composition.engines import located

    table = located(url, None, "stays")
    assert isinstance(table, RemoteTable)
    return table


def locked(here: Clinic) -> str:
    """A user whose password is asked for."""
    folder = here.server.address.partition("host=")[2]
    with here.owner() as owner:
        owner.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
        [(path,)] = owner.execute("SHOW hba_file").fetchall()
        rules = Path(path).read_text(encoding="utf-8")
        Path(path).write_text(f"local all locked scram-sha-256\n{rules}", encoding="utf-8")
        owner.execute("SELECT pg_reload_conf()")
    return f"postgresql://locked:wrong@/postgres?host={folder}"


def test_each_bad_input_is_one_sentence(here: Clinic, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = here.url.replace("host=", "host=/nowhere")
    arrays = {"name": "stays", "columns": {"parts": {"type": "text"}}}
    missing = {"name": "stays", "columns": {"absent": {"type": "text"}}}
    with here.owner() as owner:
        owner.execute(f"ALTER TABLE {table} ADD COLUMN parts int[]".encode())
        owner.execute("CREATE TABLE public.hidden (a int)")
        owner.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    cases: list[tuple[str, dict[str, Any], str, type[SfumatoError], str]] = [
        (elsewhere, SCHEMA, table, SourceError, "does not answer"),
        (locked(here), SCHEMA, table, SourceError, "did not accept the user or the password"),
        ("postgresql://[", SCHEMA, table, BadInput, "cannot be read"),
        ("postgresql://?nonsense=1", SCHEMA, table, SourceError, "cannot be read"),
        ("mysql://server/x", SCHEMA, table, BadInput, "no engine for this kind of URL"),
        (here.url, SCHEMA, "clinic.absent", SourceError, "no table clinic.absent"),
        (here.url, SCHEMA, "public.hidden", SourceError, "no table public.hidden"),
        (here.url, SCHEMA, "a; b", SourceError, "no table a; b"),
        (here.url, arrays, table, SourceError, "Column 'parts' of table clinic"),
        (here.url, missing, table, BadInput, "Column 'absent' is in the schema but not in table"),
        (here.url.replace("/postgres?", "/latin?"), SCHEMA, table, SourceError, "no table|not in UTF-8"),
    ]
    for url, schema, name, kind, sentence in cases:
        with pytest.raises(kind, match=sentence) as failure:
            sf.open(url, schema, table=name, ledger=":memory:")
        assert failure.value.__cause__ is None
        assert failure.value.__context__ is None
        assert "\n" not in str(failure.value)
    with pytest.raises(BadInput, match="Table 't' is named, and the source is no database"):
        sf.open("stays.csv", SCHEMA, table="t")
    monkeypatch.setitem(sys.modules, "sfumato.adapters.engines.postgres.engine", None)
    with pytest.raises(BadInput, match="pip install 'sfumato\\[postgres\\]'"):
        sf.open(here.url, SCHEMA, table=table, ledger=":memory:")


def test_a_long_list_of_people_is_read_some_at_a_time(here: Clinic) -> None:
    name = here.store(pa.table({"ward": ["heart"] * 5000, "days": pa.array(range(5000), pa.int64())}))
    with opened(here, name) as dataset:
        stream: Any = engine_of(dataset).stream(f"SELECT days FROM {name} ORDER BY days")
        assert next(stream) == (0,)
        stream.close()
        assert sum(1 for _ in engine_of(dataset).stream(f"SELECT days FROM {name}")) == 5000
        assert dataset.query("SELECT AVG(days) FROM stays").risk().people().num_rows == 5000


def test_a_running_statement_can_be_cancelled(here: Clinic, table: str) -> None:
    with opened(here, table) as dataset:
        run: Callable[..., Any] = psycopg.Connection.execute
        engine = engine_of(dataset)
        with pytest.MonkeyPatch.context() as patch:

            def interrupted(connection: Any, query: Any, *rest: Any, **how: Any) -> Any:
                if query == b"SELECT 2":
                    raise KeyboardInterrupt
                return run(connection, query, *rest, **how)

            patch.setattr(psycopg.Connection, "execute", interrupted)
            with pytest.raises(KeyboardInterrupt):
                engine.rows("SELECT 2")
        assert engine.rows("SELECT 2") == [(2,)]
