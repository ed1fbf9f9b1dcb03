"""`sfumato demo`: the main job in six steps. Each is a sentence, a command to type, and what that command prints."""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

from sfumato import demo
from sfumato.errors import SfumatoError, SourceError

WIDTH = 80
TABLE = "adult.csv --schema adult.toml"
QUERY = "SELECT AVG(age) FROM adult WHERE sex = 'Female'"
COUNT = "SELECT COUNT(*) FROM adult"


@dataclass(frozen=True)
class Command:
    """A command, and how many lines of its output are shown."""

    words: str
    lines: int


@dataclass(frozen=True)
class Step:
    title: str
    sentence: str
    commands: tuple[Command, ...]


STEPS = (
    Step(
        "The table and the preregistered rule",
        "adult.toml describes adult.csv. Its rule was fixed before anyone looked: no one at more than 1.2 times "
        "the risk of anyone else, in any data.",
        (Command("grep -A 2 rule adult.toml", 3),),
    ),
    Step(
        "The worst case",
        "Public facts alone tell the risk at each epsilon. This is free.",
        (Command(f'sfumato worst-case {TABLE} --candidates 0.1,0.2,1 --sql "{QUERY}" --plot gap', 11),),
    ),
    Step(
        "The rehearsal",
        "Synthetic people show how a preference works out. This is free, too.",
        (Command(f'sfumato rehearse {TABLE} --gap 1.2 --sql "{QUERY}" --plot gap', 11),),
    ),
    Step(
        "The release",
        "The rule chooses epsilon. The ledger is charged, then the noise is drawn.",
        (Command(f'sfumato release {TABLE} --certificate certificate.txt --sql "{QUERY}"', 8),),
    ),
    Step(
        "The certificate and the ledger",
        "The certificate says what is promised. The ledger lists what happened.",
        (Command("head -n 2 certificate.txt", 4), Command("sfumato ledger show adult.ledger", 7)),
    ),
    Step(
        "What looking costs",
        "A choice after a look has no guarantee. The preregistered rule still has one.",
        (
            Command(f'sfumato risk {TABLE} --sql "{QUERY}" --plot exposure', 4),
            Command(f'sfumato release {TABLE} --ratio 0.95 --sql "{QUERY}"', 4),
            Command(f'sfumato release {TABLE} --sql "{COUNT}"', 7),
        ),
    ),
)
NEXT = """
Where to go next:
  sfumato demo --files .                        the files, to type the commands
  sfumato demo --serve                          the same in a web browser
  sfumato schema ask FILE.csv --out FILE.toml   a file of your own: docs/start.md
  sfumato explain "risk gap"                    a term in plain words"""


def tour(say: Callable[[str], object], rows: int, seed: int, keep: str | None) -> None:
    """Run the steps in a temporary folder, or in the folder `keep`, whose files stay."""
    if keep is None:
        with TemporaryDirectory() as folder:
            _walk(say, Path(folder), rows, seed)
    else:
        demo.write(create_folder(keep), rows, seed)
        _walk(say, Path(keep), rows, seed)
    say(NEXT)
    if keep is not None:
        say(f"The files and the ledger of this tour are in {keep}:")
        say(f'  sfumato release {keep}/adult.parquet --schema {keep}/adult.toml --sql "SELECT COUNT(*) FROM adult"')


def create_folder(folder: str) -> Path:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        raise SourceError(f"{folder} cannot be written", hint="name a folder that can be created.") from None
    return Path(folder)


def _walk(say: Callable[[str], object], folder: Path, rows: int, seed: int) -> None:
    demo.write(folder, rows, seed, name="adult.csv")
    with chdir(folder):
        for number, step in enumerate(STEPS, 1):
            say(f"{number}. {step.title}" if number == 1 else f"\n{number}. {step.title}")
            say("\n".join(wrap(step.sentence, WIDTH)))
            for command in step.commands:
                say(f"$ {command.words}".replace(" --sql", " \\\n      --sql"))
                say(_shortened(_output(shlex.split(command.words)), command.lines))


def _output(words: list[str]) -> str:
    """What a command prints, with its error if it is refused."""
    program, *arguments = words
    if program == "grep":
        text = Path(arguments[-1]).read_text("utf-8")
        return "\n".join(text[text.index("[rule]") :].splitlines()[:3])
    if program == "head":
        return "\n".join(Path(arguments[-1]).read_text("utf-8").splitlines()[:2])
    from sfumato.cli.main import app

    screen = _Screen()
    try:
        with _typed(words), redirect_stdout(screen), redirect_stderr(io.StringIO()):
            app(arguments, standalone_mode=False)
    except SfumatoError as error:
        return str(error)
    return screen.getvalue()


class _Screen(io.StringIO):
    """A terminal, so that tables are as narrow as in one."""

    def isatty(self) -> bool:
        return True


@contextmanager
def _typed(words: list[str]) -> Iterator[None]:
    """As if these words had been typed in a terminal of this width."""
    typed, width, keyboard = sys.argv, os.environ.get("COLUMNS"), sys.stdin
    sys.argv, os.environ["COLUMNS"], sys.stdin = words, str(WIDTH - 2), io.StringIO()  # no question is asked
    try:
        yield
    finally:
        sys.argv, sys.stdin = typed, keyboard
        os.environ.pop("COLUMNS")
        os.environ |= {} if width is None else {"COLUMNS": width}


def _shortened(text: str, lines: int) -> str:
    """The first lines, without blank ones, each within the width; an ellipsis stands for the rest."""
    rows = [row for line in text.splitlines() if line.strip() for row in _fitted(line)]
    return "\n".join(f"  {row}" for row in (rows if len(rows) <= lines else [*rows[: lines - 1], "…"]))


def _fitted(line: str) -> list[str]:
    """A sentence wrapped, a row of a table cut."""
    if len(line) <= WIDTH - 2 or line.startswith("─"):
        return [line[: WIDTH - 2]]
    parts = re.split("  +", line)
    return (
        wrap(" ".join(parts), WIDTH - 2, break_on_hyphens=False)
        if len(parts) <= 2
        else [f"{line[: WIDTH - 4].rstrip()} …"]
    )
