"""How PostgreSQL is reached: serializable, and one writer at a time as with SQLite, so that no write is lost."""

from __future__ import annotations

import sqlalchemy as sa

from sfumato.errors import BadInput

PATIENCE = 30  # seconds to wait for another writer

# A lock on a table comes before the transaction's first look at the data: what it sees is all that was there before.
# A transaction that only reads waits for none.
_SERIALIZABLE = "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SET LOCAL synchronous_commit = on"
_BEGIN = {
    "nothing": "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "rows": f"{_SERIALIZABLE}; LOCK TABLE audit IN SHARE ROW EXCLUSIVE MODE",
    "ledger": f"{_SERIALIZABLE}; LOCK TABLE ledger IN SHARE ROW EXCLUSIVE MODE",
    "tables": "SELECT pg_advisory_xact_lock(7310886)",
}


def create_engine(url: sa.URL) -> sa.Engine:
    try:
        engine = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={"connect_timeout": 10, "application_name": "sfumato"},
        )
    except ImportError:
        raise BadInput.because("psycopg-missing") from None
    sa.event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: sa.Connection) -> None:
    if writing := connection.get_execution_options().get("writing"):
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(PATIENCE * 1000)}; {_BEGIN[writing]}")
