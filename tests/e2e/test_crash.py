"""kill -9 at any moment: what was printed is in the ledger, what is in the ledger is charged, nothing is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import sfumato as sf
from sfumato.ledger.entry import Event, nano, verify
from sfumato.ledger.history import Record
from tests.depth import depth
from tests.e2e.forks import Forks, forks
from tests.ledgers import STORE, Place, Places

pytestmark = pytest.mark.e2e

SQL = "SELECT COUNT(*), SUM(age) FROM people"
SCHEMA = 'name = "people"\n[columns.age]\ntype = "integer"\nbounds = [0, 100]\n'
RELEASE = """
import time
import sfumato as sf
from sfumato.composition import local

def main(folder, sql, ledger, first, moment):
    def wait(now):
        if moment == now:
            say(moment)
            time.sleep(60)

    def mechanism(name, real=local._mechanism):
        wait("reserved")
        return real(name)

    say(str(os.getpid()))
    local._mechanism = mechanism
    os.chdir(folder)
    query = sf.open("people.csv", "people.toml", ledger=ledger).query(sql)
    for n in range(first, first + 100):
        released = query.release(epsilon=n / 100_000)
        wait("released")
        say(json.dumps([n / 100_000, released.rows]))
        wait("printed")
"""

LEAST = 0.00001  # the epsilon of a process's first release, where it is not told to start further on
Printed: TypeAlias = list[tuple[float, list[list[float]]]]
Killed: TypeAlias = Callable[..., Printed]
Verdict: TypeAlias = Callable[[str, object], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("age\n" + "30\n40\n" * 100, "utf-8")
    (tmp_path / "people.toml").write_text(SCHEMA, "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def releasing() -> Iterator[Forks]:
    with forks(STORE + RELEASE) as found:
        yield found


@pytest.fixture
def place(ledger_places: Places) -> Place:
    return ledger_places()


@pytest.fixture
def killed(releasing: Forks, folder: Path, place: Place) -> Killed:
    """Let a process release and release, until it has printed so many lines and some time has passed; what it printed.

    It stops at a moment, if one is named, says so, and is killed there.
    """

    def run(moment: str = "never", *, first: int = 1, lines: int = 1, seconds: float = 0.0) -> Printed:
        releasing.start(str(folder), SQL, place.address, first, moment)
        pid = int(releasing.line())
        try:
            seen = [releasing.line() for _ in range(lines)]
            time.sleep(seconds)
        finally:
            os.kill(pid, signal.SIGKILL)
        rest, codes = releasing.ended()
        assert codes == [-signal.SIGKILL]
        return [json.loads(line) for line in (*seen, *rest) if line != moment]

    return run


def reopened(folder: Path, place: Place) -> sf.Query:
    """As the next person finds it; the chain is followed from end to end on the way."""
    assert verify(place.store().read(0))[0] > 0
    return place.open(folder / "people.csv", folder / "people.toml").query(SQL)


def spent(query: sf.Query) -> int:
    return query.dataset.ledger.total.nano_epsilon


def events(query: sf.Query) -> list[Event]:
    return [entry.draft.event for entry in query.dataset.ledger.entries]


def check(folder: Path, place: Place, printed: Printed) -> None:
    """Every answer that was printed comes back as it was, uncharged; another draw is charged."""
    query = reopened(folder, place)
    before = spent(query)
    for epsilon, rows in printed:
        assert [list(row) for row in query.release(epsilon=epsilon).rows] == rows
    assert spent(query) == before >= sum(nano(epsilon) for epsilon, _ in printed)
    query.release(epsilon=9, redraw=True)
    assert spent(query) == before + nano(9)


def kept(record: Record) -> dict[float, list[list[float]]]:
    """The answers in the ledger, by their epsilon; each stands after its charge."""
    charges = {entry.number: entry.draft.nano_epsilon for entry in record.entries}
    answers = {}
    for entry in record.entries:
        if entry.draft.event is Event.RELEASED:
            said: dict[str, Any] = dict(entry.draft.public)
            assert said["reserved"] < entry.number
            assert charges[said["reserved"]] == nano(said["certificate"]["epsilon"])
            answers[said["certificate"]["epsilon"]] = said["answer"]["rows"]
    return answers


def test_killed_between_two_releases(folder: Path, place: Place, killed: Killed) -> None:
    check(folder, place, killed("printed", lines=2))
    query = reopened(folder, place)
    before = spent(query)
    anew = query.release(epsilon=LEAST, redraw=True)
    assert spent(query) == before + nano(LEAST)
    assert query.release(epsilon=LEAST) == anew, "and is what holds from then on"


def test_killed_after_the_charge(folder: Path, place: Place, killed: Killed) -> None:
    assert killed("reserved") == []
    query = reopened(folder, place)
    assert events(query) == [Event.OPENED, Event.PLANNED, Event.RESERVED]
    assert spent(query) == nano(LEAST), "an unknown outcome counts as spent"
    query.release(epsilon=LEAST)
    assert spent(query) == 2 * nano(LEAST), "and what comes next is another draw"


def test_killed_before_the_answer_was_seen(folder: Path, place: Place, killed: Killed) -> None:
    assert killed("released") == []
    query = reopened(folder, place)
    assert events(query)[-2:] == [Event.RESERVED, Event.RELEASED]
    query.release(epsilon=LEAST)
    assert spent(query) == nano(LEAST), "it is kept, and is the answer"


@pytest.mark.depth("kills", seed=14)
@pytest.mark.parametrize("ledger_places", ["file"], indirect=True)
def test_killed_at_any_moment(folder: Path, place: Place, killed: Killed, record_property: Verdict) -> None:
    record_property("verdict", _at_any_moment(folder, place, killed, depth("kills")))


@pytest.mark.depth("database kills", seed=14)
@pytest.mark.parametrize("ledger_places", ["sqlite", "postgresql"], indirect=True)
def test_killed_at_any_moment_of_a_database(
    folder: Path, place: Place, killed: Killed, record_property: Verdict
) -> None:
    record_property("verdict", _at_any_moment(folder, place, killed, depth("database kills")))


def _at_any_moment(folder: Path, place: Place, killed: Killed, kills: int) -> str:
    """Also before the ledger has its first entry; whoever comes next goes on with what is there."""
    chance = random.Random(14)
    printed: Printed = []
    last: list[Event] = []
    for kill in range(kills):
        lines = chance.choice([0, 1, 1, 2])
        printed += killed(first=1 + 100 * kill, lines=lines, seconds=chance.uniform(0, 0.1 if lines else 0.5))
        record = Record("people")
        record.extend(place.store().read(0))
        answers = kept(record)
        assert [answers.get(epsilon) for epsilon, _ in printed] == [rows for _, rows in printed], "all that was seen"
        last += [entry.draft.event for entry in record.entries[-1:]]
        place.close()  # a server takes only a number of connections at a time
    check(folder, place, chance.sample(printed, min(5, len(printed))))
    return f"{last.count(Event.RESERVED)} of them between the charge and the answer"
