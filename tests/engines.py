"""The engines that read a table where it lies, as the contract suite opens them: another one joins by one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa

import sfumato as sf
from tests.postgres import Server, started

Opening = Callable[[pa.Table, Mapping[str, Any]], AbstractContextManager[sf.Dataset]]
"""Stores a table and opens it with a schema; at the end it is closed."""

_POSTGRES = {
    "bool": "boolean", "int8": "smallint", "int32": "integer", "int64": "bigint", "uint32": "bigint", "float": "real",
    "double": "double precision", "string": "text", "date32[day]": "date", "timestamp[us]": "timestamp",
}  # fmt: skip


class Clinic:
    """A PostgreSQL server with a user who can read the tables of one schema, and nothing else."""

    def __init__(self, server: Server) -> None:
        self.server, self._numbers = server, count(1)
        self.url = server.address.replace("sfumato@", "reader@")
        with self.owner() as owner:
            owner.execute("CREATE ROLE reader LOGIN; CREATE SCHEMA clinic; GRANT USAGE ON SCHEMA clinic TO reader")
            owner.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC; REVOKE TEMP ON DATABASE postgres FROM PUBLIC")

    @contextmanager
    def owner(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """A connection of the owner. The server's counters, by which a change is known, count its work when it ends."""
        with psycopg.connect(self.server.address, autocommit=True) as owner:
            yield owner
            owner.execute("SELECT pg_stat_force_next_flush()")

    @property
    def folder(self) -> str:
        """Of the socket that it listens on."""
        return self.server.address.partition("host=")[2]

    def ask_for_password(self, user: str, password: str) -> None:
        """A user who may use the schema of tables, and has to give a password."""
        with self.owner() as owner:
            owner.execute(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'".encode())
            owner.execute(f"GRANT USAGE ON SCHEMA clinic TO {user}".encode())
            [(path,)] = owner.execute("SHOW hba_file").fetchall()
            rules = Path(path).read_text(encoding="utf-8")
            Path(path).write_text(f"local all {user} scram-sha-256\n{rules}", encoding="utf-8")
            owner.execute("SELECT pg_reload_conf()")

    def store(self, table: pa.Table) -> str:
        """The name of a new table with these rows; PostgreSQL holds no text with a character 0."""
        name = f"clinic.t{next(self._numbers)}"
        columns = ", ".join(f"{quoted(f.name)} {_POSTGRES[str(f.type)]}" for f in table.schema)
        with self.owner() as owner:
            owner.execute(f"CREATE TABLE {name} ({columns}); GRANT SELECT ON {name} TO reader".encode())
            with owner.cursor().copy(f"COPY {name} FROM STDIN".encode()) as copy:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row([v.replace("\0", "") if isinstance(v, str) else v for v in row])
        return name

    @contextmanager
    def opened(self, table: pa.Table, schema: Mapping[str, Any]) -> Iterator[sf.Dataset]:
        dataset = sf.open(self.url, schema, table=self.store(table), ledger=":memory:")
        yield dataset
        dataset._context.engine.close()


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def clinic() -> Iterator[Clinic]:
    with started() as server:
        yield Clinic(server)


@contextmanager
def postgres() -> Iterator[Opening]:
    with clinic() as here:
        yield here.opened


ENGINES: dict[str, Callable[[], AbstractContextManager[Opening]]] = {"postgres": postgres}
