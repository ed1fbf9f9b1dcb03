"""The options that commands share, and what they are turned into."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.errors import BadInput
from sfumato.presentation.option_help import HELP, METAVARS

Data = Annotated[str, typer.Argument(metavar="DATA", help="A CSV or Parquet file, or a folder of Parquet files.")]
Schema = Annotated[str, typer.Option("--schema", metavar="FILE", help="The schema file (TOML, or SmartNoise's YAML).")]
Sql = Annotated[str, typer.Option("--sql", metavar="SQL", help="The query: text, @FILE, or - for standard input.")]
Ledger = Annotated[
    str | None, typer.Option(metavar="PATH", help="The ledger; by default NAME.ledger beside the schema.")
]
Budget = Annotated[
    float | None, typer.Option(metavar="E", help="Refuse what would take the dataset's total beyond this epsilon.")
]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE.html", help="Write the view as a page to print or to file.")
]
Plot = Annotated[
    str | None,
    typer.Option(metavar="KIND", help="Print this picture alone: gap, exposure, frontier, attack or roc."),
]
Svg = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE.svg", help="Write the picture of --plot, or the gap, as a file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Mechanism = Annotated[str, typer.Option(help="laplace; with a delta gaussian, or truncated: Laplace within bounds.")]
Delta = Annotated[float | None, typer.Option(help="Of Gaussian or truncated noise, or of private group keys.")]
Calibration = Annotated[str, typer.Option(help="Of Gaussian noise: analytic, or classic as published.")]
Candidates = Annotated[
    str | None,
    typer.Option(
        metavar="paper|E1,E2,…", help="Candidate epsilons: those shown, or of which the largest that will do is chosen."
    ),
]
EpsilonMax = Annotated[float, typer.Option(help="No epsilon is ever larger.")]
BoundsFromData = Annotated[
    bool, typer.Option("--bounds-from-data", help="Read bounds and keys off the data, as the authors do: no guarantee.")
]
Preregistered = Annotated[
    str, typer.Option(metavar="TEXT", help="Where this was written down before anyone looked; goes on the certificate.")
]
Redraw = Annotated[bool, typer.Option("--redraw", help="Draw anew, and be charged anew.")]
AllowNoGuarantee = Annotated[
    bool, typer.Option("--allow-no-guarantee", help="Release even though there is no guarantee.")
]
Exact = Annotated[bool, typer.Option("--exact", help=HELP["exact"])]
Choices = Annotated[int | None, typer.Option(metavar=METAVARS["choices"], help=HELP["choices"])]
Secret = Annotated[str | None, typer.Option(metavar=METAVARS["secret"], help=HELP["secret"])]
Radius = Annotated[float | None, typer.Option(help=HELP["radius"])]
Prior = Annotated[float | None, typer.Option(help=HELP["prior"])]
Trust = Annotated[str | None, typer.Option(metavar=METAVARS["trust"], help=HELP["trust"])]
DataSensitivity = Annotated[
    str | None, typer.Option(metavar=METAVARS["data_sensitivity"], help=HELP["data_sensitivity"])
]


@dataclass(frozen=True)
class QueryFlags:
    """A query of a table."""

    data: Data
    schema: Schema
    sql: Sql

    @property
    def text(self) -> str:
        return query_text(self.sql)


@dataclass(frozen=True)
class NoiseFlags:
    """How noise is drawn, and for which epsilons."""

    mechanism: Mechanism = "laplace"
    delta: Delta = None
    calibration: Calibration = "analytic"
    candidates: Candidates = None

    @property
    def values(self) -> dict[str, Any]:
        """The options by name, as a query takes them."""
        return asdict(self) | {"candidates": parse_candidates(self.candidates)}


@dataclass(frozen=True)
class SearchFlags(NoiseFlags):
    """How noise is drawn, and how epsilon is looked for."""

    epsilon_max: EpsilonMax = 10.0


@dataclass(frozen=True)
class ReleaseFlags:
    """What a release is entered with, and what is accepted of it."""

    preregistered: Preregistered = ""
    redraw: Redraw = False
    allow_no_guarantee: AllowNoGuarantee = False


def explain(context: typer.Context) -> None:
    """A group of commands by itself says what it has."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def settle() -> None:
    """Let the collector pass over all that is loaded by now; what the engine loads must be collected at the end."""
    if "duckdb" not in sys.modules:
        gc.freeze()


def require_writable(path: Path | None, flag: str, *endings: str) -> None:
    """Refuse a file that could not be written, before anything is read or entered."""
    if path is None:
        return
    folder = path.parent
    if path.suffix not in endings or path.is_dir() or not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise BadInput(f"{flag} cannot write {path}", hint=f"name a {', '.join(endings)} file in a folder that exists.")


def require_not_read(path: Path | None, flag: str, data: str, *others: str | Path | None) -> None:
    """Refuse to write over what is read, or into a folder of files that are read as one table."""
    if path is None:
        return
    table, file = Path(data).resolve(), path.resolve()
    if table.is_dir() and file.suffix == ".parquet" and table in file.parents:
        raise BadInput(f"{flag} would make {path} a part of the table {data}", hint="name a file in another folder.")
    if file in (table, *(Path(k).resolve() for k in others if k is not None)):
        raise BadInput(f"{flag} would write over {path}, which this command reads", hint="name another file.")


def query_text(sql: str, option: str = "--sql") -> str:
    """`--sql` takes text, @FILE, or - for standard input."""
    try:
        if sql == "-":
            return sys.stdin.read()
        return Path(sql[1:]).read_text("utf-8") if sql.startswith("@") else sql
    except OSError:
        raise BadInput(f"There is no file {sql[1:]}", hint=f"{option} takes text, @FILE, or -.") from None
    except UnicodeError:
        raise BadInput("The query is not UTF-8 text", hint="save it as UTF-8.") from None


_REHEARSED = {  # what a rehearsal alone is told, and how many words that takes
    **dict.fromkeys(("--like", "--rows", "--html", "--plot", "--svg"), 2),
    **dict.fromkeys(("--plan", "--json"), 1),
}


def choose_command(arguments: Sequence[str]) -> str:
    """The command that chooses for the table what these arguments rehearsed.

    >>> choose_command(["rehearse", "a.csv", "--like", "b.csv", "--sql", "SELECT 1", "--plan", "--gap=1.2"])
    "sfumato choose a.csv --sql 'SELECT 1' --gap=1.2"
    """
    words, left = [], list(arguments[1:])
    while left:
        taken = 1 if "=" in left[0] else _REHEARSED.get(left[0], 1)
        if left[0].split("=")[0] not in _REHEARSED:
            words.append(left[0])
        left = left[taken:]
    return shlex.join(["sfumato", "choose", *words])


def parse_candidates(text: str | None) -> str | tuple[float, ...] | None:
    if text is None or text == "paper":
        return text
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(
            f"--candidates takes 'paper' or epsilons with commas, not {text}", hint="try --candidates 0.1,1."
        ) from None
