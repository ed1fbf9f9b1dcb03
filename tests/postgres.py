"""A real PostgreSQL server of a test run's own: in a temporary folder, on a socket in it, gone when the run is."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

NOT_HERE = "PostgreSQL is not here: install it with 'apt install postgresql', or put initdb on the PATH."


class Server:
    def __init__(self, folder: Path) -> None:
        self.address = f"postgresql://sfumato@/postgres?host={folder}"
        self._numbers = count(1)

    def new(self) -> str:
        """The address of a new and empty place for tables: a schema, which is made much sooner than a database."""
        name = f"test{next(self._numbers)}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{self.address}&options=-csearch_path%3D{name}".replace("postgresql:", "postgresql+psycopg:")

    def database(self, like: str = "template1") -> str:
        """The address of a new database, empty or a copy of one that nobody is connected to."""
        name = f"test{next(self._numbers)}"
        template = like.partition("@/")[2].partition("?")[0] or like
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return self.address.replace("/postgres?", f"/{name}?").replace("postgresql:", "postgresql+psycopg:")

    def written(self, url: str, *, log: bool = True) -> Iterator[bytes]:
        """What lies on the disk of the database at this address; with `log` the write-ahead log and the server's."""
        folder = Path(self.address.partition("host=")[2])
        with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            [(oid,)] = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()")
        places = [folder / "data" / "base" / str(oid), *([folder / "data" / "pg_wal", folder / "log"] if log else [])]
        for place in places:
            yield from (path.read_bytes() for path in (place, *place.rglob("*")) if path.is_file())


@contextmanager
def started() -> Iterator[Server]:
    """It does not run as root: then it is another user's. Nothing is synced, for nobody pulls a plug here."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="sfumato-") as name:
        folder = Path(name)
        as_user = ["setpriv", "--pdeathsig=QUIT"]
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
            as_user += [f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        data, log = folder / "data", folder / "log"
        initdb = [str(programs / "initdb"), f"--pgdata={data}", "--username=sfumato", "--auth=trust", "--encoding=UTF8"]
        subprocess.run([*as_user, *initdb, "--locale=C", "--no-sync"], check=True, capture_output=True, cwd=folder)
        options = {"listen_addresses": "", "unix_socket_directories": folder, "fsync": "off"}
        settings = [part for option, value in options.items() for part in ("-c", f"{option}={value}")]
        with (
            log.open("wb") as said,
            subprocess.Popen(
                [*as_user, programs / "postgres", "-D", data, *settings], stdout=said, stderr=said, cwd=folder
            ) as server,
        ):
            try:
                made = Server(folder)
                _wait(server, made.address, log)
                yield made
            finally:
                server.send_signal(signal.SIGQUIT)  # at once, whoever is connected


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    while True:
        try:
            psycopg.connect(address).close()
            return
        except psycopg.OperationalError:
            try:
                server.wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(log.read_text("utf-8", "replace")) from None


def _programs() -> Path:
    """Debian keeps them out of the PATH, by version."""
    on_path = shutil.which("initdb")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found and on_path is None:
        pytest.skip(NOT_HERE)
    return (Path(on_path).resolve() if on_path else found[-1]).parent
