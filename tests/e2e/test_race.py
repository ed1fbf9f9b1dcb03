"""Eight processes at the last epsilon of a dataset: its stop is never passed, and nobody is turned away for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import sfumato as sf
from sfumato import wiring
from sfumato.ledger.entry import Event, nano
from tests.depth import depth
from tests.e2e.forks import forks

pytestmark = pytest.mark.e2e

RACERS = 8
SQL = "SELECT COUNT(*) FROM people"
RELEASE = """
from pathlib import Path
import sfumato as sf
from sfumato.errors import StopReached

def main(folder, sql, ledger, racers):
    os.chdir(folder)
    query = sf.open("people.csv", "people.toml", ledger=ledger, stop=1).query(sql)
    Path(f"{os.getpid()} at {ledger}").touch()
    while len(list(Path().glob(f"* at {ledger}"))) < racers:
        pass
    try:
        released = query.release(epsilon=0.3, again=True)
    except StopReached as stopped:
        say(str(stopped))
        return stopped.exit_status
    say(json.dumps(released.rows))
"""


@pytest.mark.depth("races")
def test_a_stop_is_never_passed(tmp_path: Path) -> None:
    """Each asks for 0.3 where 1 may be spent: three get it, on a ledger that none of them found there."""
    (tmp_path / "people.csv").write_text("age\n30\n40\n", "utf-8")
    (tmp_path / "people.toml").write_text('name = "people"\nstop = 2.0\n', "utf-8")
    with forks(RELEASE) as racing:
        for race in range(depth("races")):
            ledger = f"{race}.ledger"
            for _ in range(RACERS):
                racing.start(str(tmp_path), SQL, ledger, RACERS)
            said, codes = racing.ended()
            assert sorted(codes) == [0, 0, 0, 3, 3, 3, 3, 3]
            assert sum("0.9 is spent, the stop is 1 and 0.1 is left" in line for line in said) == 5
            _in_the_ledger(tmp_path, ledger)


def _in_the_ledger(folder: Path, ledger: str) -> None:
    assert wiring.verified(folder / ledger) > 6
    kept = sf.open(folder / "people.csv", folder / "people.toml", ledger=folder / ledger).ledger
    events = [entry.draft.event for entry in kept.entries]
    assert [events.count(event) for event in (Event.OPENED, Event.RESERVED, Event.RELEASED)] == [1, 3, 3]
    assert kept.total.nano_epsilon == 3 * nano(0.3)
    assert kept.total.epsilon == 0.9
