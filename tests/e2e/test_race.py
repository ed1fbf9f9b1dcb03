"""Eight processes at the last epsilon of a dataset: its budget is never exceeded, and no charge is refused in vain."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest

from sfumato.ledger.entry import Event, nano, verify
from tests.depth import depth
from tests.e2e.forks import Forks, forks
from tests.ledgers import STORE, Place, Places

pytestmark = pytest.mark.e2e

RACERS = 8
SQL = "SELECT COUNT(*) FROM people"
RELEASE = """
import fcntl
import sfumato as sf
from sfumato.errors import BudgetExceeded

def main(folder, sql, ledger):
    os.chdir(folder)
    query = sf.open("people.csv", "people.toml", ledger=ledger, budget=1).query(sql)
    with open("gate") as gate:
        say("ready")
        fcntl.flock(gate, fcntl.LOCK_SH)
    try:
        released = query.release(epsilon=0.3, redraw=True)
    except BudgetExceeded as stopped:
        say(str(stopped))
        return stopped.exit_status
    say(json.dumps(released.rows))
"""


@pytest.fixture(scope="module")
def racing() -> Iterator[Forks]:
    with forks(STORE + RELEASE) as found:
        yield found


@pytest.mark.depth("races")
@pytest.mark.parametrize("ledger_places", ["file"], indirect=True)
def test_a_budget_is_never_exceeded(racing: Forks, ledger_places: Places, tmp_path: Path) -> None:
    _never_exceeded(racing, ledger_places, tmp_path, depth("races"))


@pytest.mark.depth("database races")
@pytest.mark.parametrize("ledger_places", ["sqlite", "postgresql"], indirect=True)
def test_a_budget_is_never_exceeded_in_a_database(racing: Forks, ledger_places: Places, tmp_path: Path) -> None:
    _never_exceeded(racing, ledger_places, tmp_path, depth("database races"))


def _never_exceeded(racing: Forks, places: Places, folder: Path, races: int) -> None:
    """Each asks for 0.3 where 1 may be spent: three get it, on a ledger in which none of them found an entry."""
    (folder / "people.csv").write_text("age\n30\n40\n", "utf-8")
    (folder / "people.toml").write_text('name = "people"\nbudget = 2.0\n', "utf-8")
    for _ in range(races):
        place = places()
        with (folder / "gate").open("w") as gate:
            fcntl.flock(gate, fcntl.LOCK_EX)  # nobody starts before it is let go of, and then all do
            for _ in range(RACERS):
                racing.start(str(folder), SQL, place.address)
            assert [racing.line() for _ in range(RACERS)] == ["ready"] * RACERS
        said, codes = racing.ended()
        assert sorted(codes) == [0, 0, 0, 3, 3, 3, 3, 3]
        assert sum("0.1 of the budget is left (0.9 of 1 used)" in line for line in said) == 5
        _in_the_ledger(folder, place)
        place.close()  # a server takes only a number of connections at a time


def _in_the_ledger(folder: Path, place: Place) -> None:
    assert verify(place.store().read(0))[0] > 6
    kept = place.open(folder / "people.csv", folder / "people.toml").ledger
    events = [entry.draft.event for entry in kept.entries]
    assert [events.count(event) for event in (Event.OPENED, Event.RESERVED, Event.RELEASED)] == [1, 3, 3]
    assert kept.total.nano_epsilon == 3 * nano(0.3)
    assert kept.total.epsilon == 0.9
