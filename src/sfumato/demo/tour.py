"""The guided tour: rule, worst case, rehearsal, exposure histogram, choice, release, selection; then a look."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten, wrap

from sfumato import demo
from sfumato.api import risk_report
from sfumato.api.dataset import Dataset
from sfumato.composition import local
from sfumato.errors import NoGuarantee, SourceError
from sfumato.ledger.entry import NANO, Event
from sfumato.presentation.document import Document
from sfumato.presentation.ledger_view import total_text
from sfumato.presentation.risk import exposure_histogram_view
from sfumato.presentation.risk.exposure import blocks
from sfumato.presentation.table import table
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.preferences.disparity import gap, ratio, variance
from sfumato.release.ledger import PrivacyLedger

QUERY = "SELECT AVG(hours_per_week) FROM adult WHERE workclass IN ('Federal-gov', 'Local-gov', 'State-gov')"
OTHER = (
    "SELECT education, COUNT(*) AS people FROM adult WHERE age >= 65 GROUP BY education ORDER BY people DESC LIMIT 3"
)
RARE = "SELECT COUNT(*) FROM adult WHERE age >= 80"
NARROW = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
WIDTH = 80

Say = Callable[[str], object]


def tour(say: Say, rows: int, seed: int, keep: str | None) -> None:
    """Walk through the main job; with `keep`, on files that stay."""
    if keep is not None:
        _create_folder(Path(keep))
        _walk(say, Path(keep), rows, seed)
        say(f"\nThe population, its schema and its ledger are in {keep}; go on there:\n")
        say(f'  sfumato release {keep}/adult.parquet --schema {keep}/adult.toml --sql "SELECT COUNT(*) FROM adult"')
        return
    with TemporaryDirectory() as folder:
        _walk(say, Path(folder), rows, seed)


def _create_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise SourceError(f"{folder} cannot be written", hint="name a folder that can be made.") from None


def _walk(say: Say, folder: Path, rows: int, seed: int) -> None:
    data, schema = demo.write(folder, rows, seed)
    adult = local.open(data, schema)

    def narrowly(text: str) -> None:
        say("\n".join(map(_wrapped_line, text.split("\n"))))

    _decide_first(narrowly, adult)
    _then_look(narrowly, adult)


def _decide_first(say: Say, adult: Dataset) -> None:
    say(_step(1, "The rule, written in adult.toml before anyone looked"))
    say("[rule]")
    say("gap = 1.2          # nobody at more than 1.2 times the risk of anybody else")
    say("worst_case = true  # in any data")
    query = adult.query(QUERY)

    say(_step(2, "The worst case: risk from public facts, free"))
    say(query.worst_case(candidates=NARROW).text())

    say(_step(3, "The rehearsal: the same query on an invented look-alike, free"))
    rehearsal = query.rehearse(gap(1.2), rows=10_000)
    say(rehearsal.text())

    say(_step(4, "Risk in full: how it is spread over the people of the look-alike"))
    people = risk_report.people(rehearsal, most_exposed=False)
    assert people is not None
    say(Document(people.title, blocks(people)).text())

    say(_step(5, "The exposure histogram: the people's own exposures with noise, charged 0.05"))
    histogram = query.exposure_histogram(epsilon=0.05).view
    assert histogram.exposure_histogram is not None
    noisy = Document("", exposure_histogram_view.blocks(histogram.exposure_histogram))
    say(f"{of_risk.source(histogram)}\n\n{noisy.text()}")

    say(_step(6, "The choice: the rule of record, applied as it stands"))
    choice = query.choose()
    say(choice.text())
    say("\nLess than on the look-alike: it holds in any data, also for people whom no look-alike shows.")

    say(_step(7, "The release: the ledger is charged, then the noise is drawn"))
    release = query.release(choice)
    say(str(release))

    say(_step(8, "Its certificate"))
    say(repr(release.certificate))

    say(_step(9, "Asking again costs nothing: the same answer comes back"))
    say(f"{query.release(choice).rows == release.rows}, spent so far: epsilon {adult.ledger.total.epsilon:g}")

    say(_step(10, "A private selection: epsilon by how exposed the people are, charged 0.1"))
    say(f"{RARE}\n")
    say(adult.query(RARE).choose(variance(1e-3, select_epsilon=0.1)).text())


def _then_look(say: Say, adult: Dataset) -> None:
    query = adult.query(QUERY)
    say(_step(11, "A look at the people themselves: allowed, recorded, and not for nothing"))
    say(query.risk(candidates=NARROW).text())

    say(_step(12, "The paper's own choice (Algorithm 1), from the people: guarantee none"))
    choice = query.choose(ratio(0.95))
    say(choice.text())
    try:
        query.release(choice)
    except NoGuarantee as refusal:
        say(f"\nReleased with it? {refusal}")

    say(_step(13, "The rule of record still carries its word, whatever was looked at"))
    say(f"{OTHER}\n")
    say(str(adult.query(OTHER).release()))

    say(_step(14, "The ledger: what was looked at, planned and spent"))
    say(_ledger_text(adult.ledger))


def _step(number: int, title: str) -> str:
    heading = f"{number}. {title}"
    return f"\n{heading}\n{'─' * len(heading)}\n"


def _ledger_text(ledger: PrivacyLedger) -> str:
    """The ledger in few columns; `sfumato ledger show` has all of them."""
    rows = []
    for entry in ledger.entries:
        public = entry.draft.public
        charged = f"{entry.draft.nano_epsilon / NANO:g}" if entry.draft.event is Event.RESERVED else ""
        what = shorten(str(public.get("what", "")), width=40, placeholder=" …")
        rows.append([str(entry.number), entry.draft.event.value, str(public.get("guarantee", "")), charged, what])
    return f"{table(['#', 'event', 'guarantee', 'charged', 'what'], rows)}\n\n{total_text(ledger.total)}"


def _wrapped_line(line: str) -> str:
    """A line of words in the width of a terminal; what follows the name of a field stays under it."""
    name = re.match(r" *[a-z0-9 ]+: +", line)
    hanging = " " * len(name[0]) if name else ""
    if len(line) <= WIDTH or " " not in line[len(hanging) :]:
        return line
    return "\n".join(wrap(line, WIDTH, subsequent_indent=hanging, break_long_words=False))
