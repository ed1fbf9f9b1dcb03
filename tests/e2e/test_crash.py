"""kill -9 at any moment: what was printed is in the ledger, what is in the ledger is charged, nothing is lost."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import sfumato as sf
from sfumato import wiring
from sfumato.ledger.entry import Event, nano
from tests.depth import depth

pytestmark = pytest.mark.e2e

SQL = "SELECT COUNT(*), SUM(age) FROM people"
SCHEMA = 'name = "people"\n[columns.age]\ntype = "integer"\nbounds = [0, 100]\n'
RELEASE = """
import json, sys, time
import sfumato as sf
from sfumato import wiring

def wait(moment):
    if sys.argv[1] == moment:
        print(moment, flush=True)
        time.sleep(60)

def mechanism(name, real=wiring._mechanism):
    wait("reserved")
    return real(name)

wiring._mechanism = mechanism
query = sf.open("people.csv", "people.toml").query(sys.argv[2])
for n in range(1, 10_000):
    released = query.release(epsilon=n / 1000)
    wait("released")
    print(json.dumps([n / 1000, released.rows]), flush=True)
    wait("printed")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age\n" + "30\n40\n" * 100, "utf-8")
    (tmp_path / "people.toml").write_text(SCHEMA, "utf-8")
    return tmp_path


@contextmanager
def releasing(folder: Path, until: str) -> Iterator[Iterator[str]]:
    """A process that releases and releases, and is killed when we have seen enough."""
    with subprocess.Popen(
        [sys.executable, "-c", RELEASE, until, SQL], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield iter(process.stdout)
        finally:
            process.kill()


def reopened(folder: Path) -> sf.Query:
    """As the next person finds it; the chain is followed from end to end on the way."""
    assert wiring.verified(folder / "people.ledger") > 0
    return sf.open(folder / "people.csv", folder / "people.toml").query(SQL)


def spent(query: sf.Query) -> int:
    return query.dataset.ledger.total.nano_epsilon


def events(query: sf.Query) -> list[Event]:
    return [entry.draft.event for entry in query.dataset.ledger.entries]


def check(folder: Path, printed: list[str]) -> None:
    """Every answer that was printed comes back as it was, uncharged; another draw is charged."""
    query = reopened(folder)
    before = spent(query)
    for epsilon, rows in map(json.loads, printed):
        assert [list(row) for row in query.release(epsilon=epsilon).rows] == rows
    assert spent(query) == before >= sum(nano(json.loads(line)[0]) for line in printed)
    query.release(epsilon=9, again=True)
    assert spent(query) == before + nano(9)


def test_killed_between_two_releases(folder: Path) -> None:
    with releasing(folder, "printed") as lines:
        printed = [next(lines)]
        assert next(lines) == "printed\n"
    check(folder, printed)
    query = reopened(folder)
    before = spent(query)
    anew = query.release(epsilon=0.001, again=True)
    assert spent(query) == before + nano(0.001)
    assert query.release(epsilon=0.001) == anew, "and is what holds from then on"


def test_killed_after_the_charge(folder: Path) -> None:
    with releasing(folder, "reserved") as lines:
        next(lines)
    query = reopened(folder)
    assert events(query) == [Event.OPENED, Event.PLANNED, Event.RESERVED]
    assert spent(query) == nano(0.001), "an unknown outcome counts as spent"
    query.release(epsilon=0.001)
    assert spent(query) == 2 * nano(0.001), "and what comes next is another draw"


def test_killed_before_the_answer_was_seen(folder: Path) -> None:
    with releasing(folder, "released") as lines:
        next(lines)
    query = reopened(folder)
    assert events(query)[-2:] == [Event.RESERVED, Event.RELEASED]
    query.release(epsilon=0.001)
    assert spent(query) == nano(0.001), "it is kept, and is the answer"


@pytest.mark.depth("kills", seed=14)
def test_killed_at_any_moment(folder: Path) -> None:
    chance = random.Random(14)
    printed: list[str] = []
    for _ in range(depth("kills")):
        with releasing(folder, "never") as lines:
            printed += [next(lines) for _ in range(chance.randrange(1, 4))]
            time.sleep(chance.uniform(0, 0.1))
        check(folder, printed)
