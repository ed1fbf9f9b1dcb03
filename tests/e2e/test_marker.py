"""A marker in people's data is nowhere on a disk in plain text, while a server works on it and afterwards.

Looked for in the workspace, its database and journal, the temporary folder, the home, the logs, and every file that a
process of the server has open, deleted ones too; not in memory, which is where it belongs. The control is the same run
of a server that encrypts nothing and spills.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

import duckdb
import httpx
import pytest

from sfumato.client.client import Client
from sfumato.composition.settings import WorkspaceSettings
from sfumato.errors import Gone, SfumatoError
from tests.e2e.command import PATIENCE, SFUMATO
from tests.e2e.served import Served, Tokens, children, prepared

pytestmark = pytest.mark.e2e

NAME, WARD = b"Ada Lovelace, born 1815", b"a ward that no schema lists"
SCHEMA = """
name = "{table}"
{unit}
[columns.name]
type = "text"
[columns.ward]
categories = ["heart", "birth"]
"""
UNIT = 'unit = "name"\nmax_rows = 2\n'
COUNTS = "SELECT ward, COUNT(*) FROM {table} WHERE ward <> 'none' GROUP BY ward"
POLICY = {"access_rule": [{"who": ["everyone"], "preferences": ["epsilon"], "approve": "automatic"}]}
MANY, LONG = 300_000, 70  # people whose rows are numbered: their names are more than the memory of a worker holds


class Search:
    """Looks for the markers, again and again, for as long as it is entered: into whatever was written since."""

    def __init__(self, served: Served) -> None:
        self._served, self._over = served, Event()
        self._thread = Thread(target=self._look, name="search")
        self._seen: dict[tuple[int, int], tuple[int, int]] = {}
        self.rounds = 0
        self.found: set[str] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        """And once more into every file, when all is over."""
        self._over.set()
        self._thread.join()
        self._seen.clear()
        self._round()

    def _look(self) -> None:
        while not self._over.wait(0.03):
            self._round()

    def _round(self) -> None:
        self.rounds += 1
        for place, path in self._places():
            with suppress(OSError):  # it is gone again
                if self._is_new(path.stat()) and _has_a_marker(path):
                    self.found.add(place)

    def _is_new(self, file: os.stat_result) -> bool:
        """Whether it was written to since it was looked into; what has neither grown nor another time was not."""
        at, written = (file.st_dev, file.st_ino), (file.st_size, file.st_mtime_ns)
        if self._seen.get(at) == written:
            return False
        self._seen[at] = written
        return True

    def _places(self) -> Iterator[tuple[str, Path]]:
        for folder, _, names in os.walk(self._served.folder):
            for path in (Path(folder, name) for name in names):
                yield str(path.relative_to(self._served.folder)), path
        for pid in (self._served.pid, *children(self._served.pid)):
            with suppress(OSError):
                for link in Path(f"/proc/{pid}/fd").iterdir():
                    yield from _on_a_disk(link)


def _has_a_marker(path: Path) -> bool:
    content = path.read_bytes()
    return any(marker in content for marker in (NAME, WARD))


def _on_a_disk(link: Path) -> Iterator[tuple[str, Path]]:
    with suppress(OSError):
        target = str(link.readlink())
        if stat.S_ISREG(link.stat().st_mode) and not target.startswith("/memfd:"):
            yield f"open: {target}", link


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A CSV file of a few people, and a Parquet file of many; beside each its schema."""
    folder = tmp_path_factory.mktemp("data")
    wards = f"['heart', 'birth', '{WARD.decode()}'][1 + i % 3] AS ward"
    for name, people, long, how in (
        ("visits.csv", 900, 1, ""),
        ("stays.parquet", MANY, LONG, "(COMPRESSION zstd, ROW_GROUP_SIZE 20480)"),
    ):
        named = f"'{NAME.decode()}, no. ' || i * 7919 % 100000007 || repeat(' of a long line', {long}) AS name"
        duckdb.sql(f"COPY (SELECT {named}, {wards} FROM range({people}) AS t(i)) TO '{folder / name}' {how}")
    (folder / "visits.toml").write_text(SCHEMA.format(table="visits", unit=""), "utf-8")
    (folder / "stays.toml").write_text(SCHEMA.format(table="stays", unit=UNIT), "utf-8")
    (folder / "broken.csv").write_bytes(b"name,ward,ward\n" + NAME + b"," + WARD + b",x\n")
    return {path.name: path for path in folder.iterdir()}


def a_day(served: Served, tokens: Tokens, files: dict[str, Path]) -> tuple[list[str], list[bytes]]:
    """Data comes, and somebody asks: what became of the requests, and every byte that the analyst was sent."""
    heard: list[bytes] = []
    with served.client(tokens.alice) as alice, served.client(tokens.bob) as bob:
        bob._connection._http.event_hooks = {"response": [lambda answer: heard.append(_whole(answer))]}
        for name in ("visits.csv", "stays.parquet"):
            table = name.partition(".")[0]
            alice.register(files[name], files[f"{table}.toml"])
            alice.set_policy(table, POLICY)
        with pytest.raises(SfumatoError, match=r"^visits "):
            alice.dataset("visits").deliver(files["broken.csv"])
        states = [asked(bob, table, COUNTS.format(table=table)) for table in ("visits", "stays")]
        states.append(asked(bob, "stays", "SELECT COUNT(DISTINCT ward) FROM stays WHERE ward <> 'none'"))
        alice.dataset("visits").check()
    return states, heard


def asked(bob: Client, table: str, sql: str) -> str:
    """All that can be asked, and what became of it."""
    data, stated = bob.dataset(table), {"epsilon": 0.1}
    data.estimate([sql], stated)
    data.dry_run([sql], stated)
    data.query(sql).worst_case()
    request = data.submit([sql], stated, purpose="To see what leaves.")
    state = request.wait(PATIENCE, report=lambda _: None).state
    with suppress(Gone):
        request.result()
    # That the engine failed has no guarantee
    assert data.ledger.as_dict()["guarantee"] == ("dp" if state == "released" else "none")
    assert bob.requests()
    assert bob.notifications()
    return state


def _whole(answer: httpx.Response) -> bytes:
    return repr(answer.headers).encode() + answer.read()


def searched(command: tuple[object, ...], folder: Path, files: dict[str, Path]) -> tuple[Search, Any]:
    folder.mkdir()
    tokens = prepared(folder, WorkspaceSettings(memory_mb=512, workers=1))
    with Served(folder, command).start() as served:
        with Search(served) as search:
            told = a_day(served, tokens, files)
            served.stop()
        return search, told


def test_nothing_of_the_data_is_on_a_disk_in_plain_text(files: dict[str, Path], tmp_path: Path) -> None:
    search, (states, heard) = searched((SFUMATO, "serve"), tmp_path / "server", files)
    assert states == ["released", "released", "failed"], "people are read in passes; what has none may not fit"
    assert search.found == set()
    assert search.rounds > 20
    assert any(b"heart" in answer for answer in heard), "what the schema lists is seen"
    assert not any(marker in answer for answer in heard for marker in (NAME, WARD))


def test_without_encryption_it_is_found(files: dict[str, Path], tmp_path: Path) -> None:
    command = (sys.executable, Path(__file__).with_name("unsafe.py"), "serve")
    search, (states, _) = searched(command, tmp_path / "server", files)
    assert states == ["released", "released", "released"]
    assert sum(place.startswith("workspace/vault/") for place in search.found) >= 2, "the CSV and the Parquet file"
    assert any(place.startswith("tmp/spilled/") for place in search.found)


def test_open_files_are_looked_into_although_they_are_deleted(tmp_path: Path) -> None:
    (path := tmp_path / "gone").write_bytes(NAME)
    with path.open("rb") as gone, os.fdopen(os.memfd_create("held"), "wb") as held:
        path.unlink()
        [(place, link)] = _on_a_disk(Path(f"/proc/self/fd/{gone.fileno()}"))
        assert (place, link.read_bytes()) == (f"open: {path} (deleted)", NAME)
        assert not list(_on_a_disk(Path(f"/proc/self/fd/{held.fileno()}")))
