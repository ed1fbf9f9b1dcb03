"""Escrow rooms with people, data and no policy yet, on SQLite and on PostgreSQL: made once, copied for each test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from zlib import crc32

import pytest
from argon2 import PasswordHasher

from tests.api import Api, Place, furnish, opened
from tests.depth import depth
from tests.memory import in_memory
from tests.room import Room

Copies = Callable[[Path, str], tuple[Path, str]]


KINDS = ("sqlite", "postgresql")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test is on SQLite, or by its name, one of eight, on PostgreSQL, which costs more; on both at full depth.

    What the two must do alike is shown on both at any depth, by the tests of the database itself.
    """
    if "kind" in metafunc.fixturenames:
        first = crc32(metafunc.definition.name.encode()) % 8 == 0
        kinds = [KINDS[(first + i) % len(KINDS)] for i in range(depth("kinds of databases"))]
        metafunc.parametrize("kind", kinds, indirect=True)


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """One pass over 8 KiB: what a hash costs is shown in tests/unit/test_vault_keys.py, not here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sfumato.adapters.vault.passwords._HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        )
        yield


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def quick() -> Iterator[Path]:
    """A folder that lies in memory where there is one: nobody pulls a plug here, and each entry waits for its disk."""
    with tempfile.TemporaryDirectory(prefix="sfumato-", dir=in_memory()) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def copies(request: pytest.FixtureRequest, quick: Path) -> Copies:
    """Copies a room that nobody is in: its folder and its database."""
    numbers = count()

    def copy(folder: Path, url: str) -> tuple[Path, str]:
        to = quick / str(next(numbers))
        shutil.copytree(folder, to)
        if url.startswith("sqlite"):
            return to, f"sqlite:///{to}/escrow.db"
        return to, request.getfixturevalue("postgres").database(url)

    return copy


@pytest.fixture(scope="session")
def furnished(request: pytest.FixtureRequest, quick: Path) -> Callable[[str], tuple[Path, str]]:
    """Where a room of this kind lies, made when it is first asked for."""
    made: dict[str, tuple[Path, str]] = {}

    def place(kind: str) -> tuple[Path, str]:
        if kind not in made:
            folder = quick / kind
            folder.mkdir()
            is_file = kind == "sqlite"
            url = f"sqlite:///{folder}/escrow.db" if is_file else request.getfixturevalue("postgres").database()
            Room(folder, url).peopled().close()
            made[kind] = folder, url
        return made[kind]

    return place


@pytest.fixture
def room(kind: str, furnished: Callable[[str], tuple[Path, str]], copies: Copies) -> Iterator[Room]:
    made = Room(*copies(*furnished(kind)))
    yield made
    made.close()


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A room with requests in every state, and tokens of its people; each test opens a copy."""
    return furnish(tmp_path_factory.mktemp("furnished"))


@pytest.fixture
def api(place: Place) -> Iterator[Api]:
    with opened(place) as made:
        yield made
