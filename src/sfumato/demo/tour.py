"""The guided tour: rule, worst case, rehearsal, choice, release, certificate, ledger; then a look and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from sfumato import demo, wiring
from sfumato.choose.preference import gap, ratio
from sfumato.errors import NoGuarantee, SourceError
from sfumato.session.dataset import Dataset

QUERY = "SELECT AVG(hours_per_week) FROM adult WHERE workclass IN ('Federal-gov', 'Local-gov', 'State-gov')"
NARROW = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

Say = Callable[[str], object]


def tour(say: Say, rows: int, seed: int, keep: str | None) -> None:
    """Walk through the main job; with `keep`, on files that stay."""
    if keep is not None:
        _make(Path(keep))
        _walk(say, Path(keep), rows, seed)
        say(f"\nThe population, its schema and its ledger are in {keep}; go on there:\n")
        say(f'  sfumato release {keep}/adult.parquet --schema {keep}/adult.toml --sql "SELECT COUNT(*) FROM adult"')
        return
    with TemporaryDirectory() as folder:
        _walk(say, Path(folder), rows, seed)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise SourceError(f"{folder} cannot be written", hint="name a folder that can be made.") from None


def _walk(say: Say, folder: Path, rows: int, seed: int) -> None:
    data, schema = demo.write(folder, rows, seed)
    adult = wiring.open(data, schema)
    _decide_first(say, adult)
    _then_look(say, adult)


def _decide_first(say: Say, adult: Dataset) -> None:
    say(_step(1, "The rule, written in adult.toml before anyone looked"))
    say("[rule]")
    say("gap = 1.2          # nobody at more than 1.2 times the risk of anybody else")
    say("worst_case = true  # in any data")
    query = adult.query(QUERY)

    say(_step(2, "The worst case: risk from public facts, free"))
    say(query.worst_case(candidates=NARROW).text())

    say(_step(3, "The rehearsal: the same query on an invented look-alike, free"))
    say(query.rehearse(gap(1.2), rows=10_000).text())

    say(_step(4, "The choice: the rule of record, applied as it stands"))
    choice = query.choose()
    say(choice.text())

    say(_step(5, "The release: the ledger is charged, then the noise is drawn"))
    release = query.release(choice)
    say(str(release))

    say(_step(6, "Its certificate"))
    say(repr(release.certificate))

    say(_step(7, "Asking again costs nothing: the same answer comes back"))
    say(f"{query.release(choice).rows == release.rows}, spent so far: epsilon {adult.ledger.total.epsilon:g}")


def _then_look(say: Say, adult: Dataset) -> None:
    query = adult.query(QUERY)
    say(_step(8, "A look at the people themselves: allowed, recorded, and not for nothing"))
    say(query.risk(candidates=NARROW).text())

    say(_step(9, "The paper's own choice (Algorithm 1), from the people: guarantee none"))
    choice = query.choose(ratio(0.95))
    say(choice.text())
    try:
        query.release(choice)
    except NoGuarantee as refusal:
        say(f"\nReleased with it? {refusal}")

    say(_step(10, "The rule of record still carries its word, whatever was looked at"))
    other = adult.query("SELECT sex, COUNT(*) AS people FROM adult WHERE age >= 65 GROUP BY sex")
    say(str(other.release()))

    say(_step(11, "The ledger: what was looked at, planned and spent"))
    say(repr(adult.ledger))


def _step(number: int, title: str) -> str:
    heading = f"{number}. {title}"
    return f"\n{heading}\n{'─' * len(heading)}\n"
