"""Which URLs of tables are read, and that nothing in one of them leads to another server, file or identity."""

from __future__ import annotations

import pickle

import pytest
from psycopg.conninfo import conninfo_to_dict

from sfumato.errors import BadInput, Forbidden
from sfumato.escrow.catalogue.connection import TableConnection

PASSWORD = "a/b@c?host=evil&x"
PG = "postgresql://reader@db.example/clinic"


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("", "names no engine"),
        ("/etc/passwd", "names no engine"),
        ("file:///etc/passwd", "names no engine"),
        ("mysql://a@b/c", "names no engine"),
        ("spark://head:7077", "names no engine"),
        ("local[4]", "names no engine"),
        ("postgresql://[", "cannot be read"),
        ("postgresql://reader@db.example:port/clinic", "cannot be read"),
        ("postgresql://reader@/clinic", "cannot be read"),
        ("postgresql://db.example/clinic", "cannot be read"),
        ("postgresql://reader@db.example", "cannot be read"),
        ("postgresql://reader@a.example,b.example/clinic", "cannot be read"),
        ("postgresql://reader@db.example/clinic/more", "cannot be read"),
        (f"{PG}?host=10.0.0.1", "cannot be read"),
        (f"{PG}?host=/run/postgresql", "cannot be read"),
        (f"{PG}?hostaddr=10.0.0.1", "cannot be read"),
        (f"{PG}?service=other", "cannot be read"),
        (f"{PG}?passfile=/etc/passwd", "cannot be read"),
        (f"{PG}?sslkey=/etc/key", "cannot be read"),
        (f"{PG}?options=-c%20x", "cannot be read"),
        (f"{PG}#more", "cannot be read"),
        ("postgresql://reader@/clinic?host=10.0.0.1", "cannot be read"),
        ("postgresql://reader@db%2Fexample/clinic", "cannot be read"),
        ("postgresql://reader:xyzzy@db.example/clinic", "has a password in it"),
        ("postgresql://reader:@db.example/clinic", "has a password in it"),
        (f"{PG}?sslmode=disable", "without TLS"),
        (f"{PG}?sslmode=prefer", "without TLS"),
        ("sc://head:15002/;token=xyzzy", "cannot be read"),
        ("sc://user@head:15002", "cannot be read"),
    ],
)
def test_an_odd_url_is_refused_and_not_repeated(url: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence) as failure:
        TableConnection.parse(url, "clinic.stays", PASSWORD)
    assert failure.value.__context__ is None
    assert "xyzzy" not in str(failure.value)


@pytest.mark.parametrize("table", ["", "/etc/passwd", "hdfs://head/x", "parquet.`/etc`", "a b"])
def test_spark_reads_tables_by_name_only(table: str) -> None:
    with pytest.raises(BadInput, match=r"not named as SCHEMA\.TABLE"):
        TableConnection.parse("sc://head", table)


@pytest.mark.parametrize(
    ("url", "host", "more"),
    [
        (PG, "db.example", {"sslmode": "require"}),
        (f"{PG}?sslmode=verify-full", "db.example", {"sslmode": "verify-full"}),
        ("postgres://reader@[::1]:5433/clinic", "::1", {"port": "5433", "sslmode": "prefer"}),
        ("postgresql://reader@/clinic?host=/run/postgresql", "/run/postgresql", {"sslmode": "prefer"}),
        ("postgresql://r%40d@db.example/a%20b", "db.example", {"user": "r@d", "dbname": "a b"}),
    ],
)
def test_the_database_driver_understands_what_was_meant_and_no_more(url: str, host: str, more: dict[str, str]) -> None:
    connection = TableConnection.parse(url, "clinic.stays", PASSWORD)
    expected = {"user": "reader", "password": PASSWORD, "dbname": "clinic", "host": host, "port": "5432"}
    expected |= {"require_auth": "password,md5,scram-sha-256", "sslcertmode": "disable", "gssencmode": "disable"}
    assert conninfo_to_dict(connection.url) == expected | more | {"sslmode": more.get("sslmode", "require")}
    assert TableConnection.from_bytes(connection.as_bytes) == connection


def test_spark_connect_gets_a_token_over_tls_only_and_totals_come_from_elsewhere_over_it() -> None:
    assert TableConnection.parse("sc://head", "a.b").url == "sc://head:15002/;use_ssl=true"
    assert TableConnection.parse("sc://localhost", "a.b").url == "sc://localhost:15002"
    assert TableConnection.parse("sc://localhost", "a.b", "x").url == "sc://localhost:15002/;use_ssl=true;token=x"
    assert TableConnection.parse("sc://head:1", "a.b", "x;y=z").url == "sc://head:1/;use_ssl=true;token=x%3By%3Dz"


def test_a_password_is_needed_and_in_no_repr_and_no_pickle() -> None:
    with pytest.raises(BadInput, match="needs a password"):
        TableConnection.parse(PG, "clinic.stays")
    connection = TableConnection.parse(PG, "clinic.stays", PASSWORD)
    assert PASSWORD not in f"{connection!r}{connection}{connection.place}"
    assert connection.place == "postgresql://db.example:5432/clinic, table clinic.stays"
    with pytest.raises(TypeError, match="confidential"):
        pickle.dumps(connection)


@pytest.mark.parametrize(
    ("servers", "allowed"),
    [
        ((), False),
        (("db.example",), True),
        (("DB.example:5432",), True),
        (("db.example:5433",), False),
        (("example",), False),
        (("b.example", "x.db.example", "db.example.org"), False),
        (("/run/postgresql", "[::1]", "db.example"), True),
    ],
)
def test_only_listed_servers_are_reached(servers: tuple[str, ...], allowed: bool) -> None:
    connection = TableConnection.parse(PG, "clinic.stays", PASSWORD)
    if allowed:
        connection.require_allowed(servers)
    else:
        with pytest.raises(Forbidden, match="may not read from the server"):
            connection.require_allowed(servers)


def test_an_unreadable_entry_of_the_settings_is_said() -> None:
    connection = TableConnection.parse(PG, "clinic.stays", PASSWORD)
    with pytest.raises(BadInput, match="'db:x' in data_servers of the settings is no server"):
        connection.require_allowed(("db:x",))
