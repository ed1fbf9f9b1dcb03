"""A command that would look at the data asks first in a terminal, and says so elsewhere; no hint hides a look."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.cli.commands import COMMANDS, load
from sfumato.composition import local
from sfumato.ledger.entry import Event
from sfumato.presentation.wording.guarantee import LOOK
from tests.e2e.command import Typed

COUNT = "SELECT COUNT(*) FROM adult"
TABLE = ["adult.parquet", "--schema", "free.toml"]
ASKED = [*TABLE, "--sql", COUNT]
LOOKING: dict[str, list[str]] = {  # each command that can look, and how it does
    "risk": ["risk", *ASKED],
    "beliefs": ["beliefs", *ASKED],
    "ledger people": ["ledger", "people", *TABLE],
    "schema check": ["schema", "check", *TABLE],
    "schema draft": ["schema", "draft", "adult.parquet", "--values"],
    "compare": ["compare", *ASKED, "--look"],
    "choose": ["choose", *ASKED, "--gap", "1.2"],
    "batch": ["batch", *ASKED, "--epsilon", "0.1", "--check"],
    "histogram": [
        *("histogram", *TABLE, "--column", "age", "--where", "sex = 'Male'", "--gap", "1.2", "--allow-no-guarantee")
    ],
    "release": ["release", *TABLE, "--sql", "SELECT SUM(age) FROM adult", "--gap", "1.2", "--allow-no-guarantee"],
}
# These ask other questions, talk to a server, or need a release (test_posthoc_risk.py).
ELSEWHERE = {"schema ask", "inspect", "signal inspect", "posthoc-risk", "signal local"}


@pytest.fixture
def folder(population: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(population, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_terminal(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The command in a terminal, at which this is typed."""
    monkeypatch.setattr(io, "StringIO", Terminal)
    return typed


def looks(folder: Path) -> int:
    ledger = folder / "adult.ledger"
    records = local.records(ledger) if ledger.exists() else []
    return sum(entry.draft.event is Event.LOOKED for record in records for entry in record.entries)


def commands() -> Iterator[tuple[str, Any]]:
    for name in COMMANDS:
        command = load(name)
        yield from ((f"{name} {sub}", each) for sub, each in getattr(command, "commands", {}).items())
        if not hasattr(command, "commands"):
            yield name, command


def test_every_command_that_can_look_takes_yes_and_its_help_says_so() -> None:
    asking = {name: command for name, command in commands() if any("--yes" in p.opts for p in command.params)}
    assert set(asking) == LOOKING.keys() | ELSEWHERE
    saying = {name for name, command in commands() if re.search(r": a look|logged as a look", _help(command))}
    assert saying <= asking.keys(), "what is said to look asks first"


def _help(command: Any) -> str:
    return " ".join([command.help or "", *(getattr(p, "help", None) or "" for p in command.params)])


@pytest.mark.parametrize("command", LOOKING)
def test_without_a_terminal_it_goes_on_and_says_so(folder: Path, typed: Typed, command: str) -> None:
    ran = typed(*LOOKING[command])
    assert (ran.code, ran.err.splitlines()[0]) == (0, LOOK)
    assert looks(folder) == (command != "schema draft"), "whose look is entered in the schema"


@pytest.mark.parametrize("command", LOOKING)
def test_in_a_terminal_it_asks_before_anything_is_read(
    folder: Path, at_terminal: Callable[..., Any], command: str
) -> None:
    refused = at_terminal(*LOOKING[command], stdin="n\n")
    assert refused.code == 2
    assert f"{LOOK} Continue?" in refused.err
    assert "Cancelled; nothing was read or logged" in refused.err
    assert (refused.out, looks(folder)) == ("", 0)


def test_yes_is_an_answer_and_so_is_the_option(folder: Path, at_terminal: Callable[..., Any]) -> None:
    assert at_terminal(*LOOKING["risk"], stdin="y\n").code == 0
    ran = at_terminal(*LOOKING["choose"], "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert looks(folder) == 1, "of one person at one query"


@pytest.mark.parametrize("command", ["choose", "release", "compare"])
def test_what_reads_nobody_asks_nothing(folder: Path, at_terminal: Callable[..., Any], command: str) -> None:
    ran = at_terminal(command, *ASKED, "--gap", "1.2", "--worst-case")
    assert (ran.code, ran.err, looks(folder)) == (0, "", 0)


REHEARSED = {
    ("--gap", "1.2"): ("--gap 1.2 --worst-case", "as stated, it would look at the data"),
    ("--gap=1.2", "--worst-case"): ("--gap=1.2 --worst-case", "To apply this preference to the data:"),
    ("--variance", "1e-3", "--select-epsilon", "1", "--as-published"): (
        "--variance 1e-3 --select-epsilon 1",
        "as stated, it would look at the data",
    ),
    ("--gap", "1.5", "--between", "age > 40"): ("--gap 1.5 --between 'age > 40'", "This looks at the data, is logged"),
    ("--attack-chance", "0.6"): ("--attack-chance 0.6", "To apply this preference to the data:"),
}


@pytest.mark.parametrize("stated", REHEARSED)
@pytest.mark.usefixtures("folder")
def test_a_rehearsal_ends_with_a_command_that_does_not_look_or_says_that_it_does(
    typed: Typed, stated: tuple[str, ...]
) -> None:
    words, sentence = REHEARSED[stated]
    ran = typed("rehearse", *ASKED, "--rows", 300, *stated)
    *_, before, command = ran.out.rstrip().splitlines()
    assert sentence in before
    assert command.strip() == f"sfumato choose adult.parquet --schema free.toml --sql '{COUNT}' {words}"


# Hints

ROOT = Path(sfumato.__file__).parent
STATES_LOOK = re.compile(
    r"--gap [\d.]+(?![\d.]| --worst-case)|--ratio [\d.]+(?![\d.]| --worst-case)|--between|--pri \d"
    r"|(?:gap|ratio)=[\d.]+(?! (?:worst_case|between))[\]\" ]|between=\"|pri=\d|show_risk\]|show_missing\]"
    r"|sfumato (?:risk|beliefs|ledger people|schema check)\b|--values\b|--look\b"
)
SAYS_LOOK = re.compile(r"\blooks?\b|\blooked\b|rehearse")
NO_HINTS = {"option_help.py", "examples.py", "commands.py", "schema_commands.py", "options.py", "tour.py", "beliefs.py"}


def test_no_printed_hint_states_a_command_that_looks_without_saying_so() -> None:
    """Help names options and is checked above; the tour is about what looking costs."""
    texts = [*ROOT.glob("presentation/**/*.toml"), *ROOT.glob("presentation/**/*.py"), *ROOT.glob("cli/**/*.py")]
    wrong = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in texts
        if file.name not in NO_HINTS
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if STATES_LOOK.search(line)
        and not SAYS_LOOK.search(line)
        and not line.startswith(("[step.", "command = ", "web = "))
    ]
    assert wrong == []
