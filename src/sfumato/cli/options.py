"""Options that commands share, and the values that they become."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.errors import BadInput
from sfumato.presentation.option_help import HELP

if TYPE_CHECKING:
    from sfumato.api.dataset import Dataset


def option(help_text: str, metavar: str | None = None, *flags: str) -> Any:
    """An option with this line of help, named as its parameter unless flags are given."""
    return typer.Option(*flags, metavar=metavar, help=help_text)


def flag(name: str, help_text: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=help_text)


def argument(metavar: str, help_text: str) -> Any:
    return typer.Argument(metavar=metavar, help=help_text)


Data = Annotated[str, argument("DATA", "CSV or Parquet file, or a folder of Parquet files.")]
Schema = Annotated[str, option("Schema file (TOML, or SmartNoise's YAML).", "FILE", "--schema")]
Sql = Annotated[str, option("Query: text, @FILE, or - for standard input.", "SQL", "--sql")]
Sqls = Annotated[list[str], option("Query: text or @FILE; repeat for several.", "SQL", "--sql")]
Ledger = Annotated[str | None, option("Ledger file; by default NAME.ledger beside the schema.", "PATH")]
Budget = Annotated[float | None, option("Refuse a release that takes the dataset's total above this epsilon.", "E")]
Html = Annotated[Path | None, option("Write the view as a printable page.", "FILE.html")]
Plot = Annotated[str | None, option("Print one picture: gap, exposure, frontier, attack or roc.", "KIND")]
Svg = Annotated[Path | None, option("Write the picture of --plot as a file; by default the gap.", "FILE.svg")]
Json = Annotated[bool, flag("--json", "Print JSON.")]
Mechanism = Annotated[str, option("Type of noise: laplace, gaussian or truncated (the last two need --delta).", "NAME")]
Delta = Annotated[float | None, option("Delta of Gaussian or truncated noise, or of private group keys.", "D")]
Calibration = Annotated[str, option("Calibration of Gaussian noise: analytic, or classic as published.", "NAME")]
Candidates = Annotated[str | None, option("Epsilons to show or to choose from.", "paper|E1,E2,…")]
EpsilonMax = Annotated[float, option("Maximum epsilon of this release.", "E")]
BoundsFromData = Annotated[
    bool, flag("--bounds-from-data", "Read bounds and group keys from the data, as the papers do; no guarantee.")
]
Preregistered = Annotated[
    str, option("Where this was written down before anyone looked; printed on the certificate.", "TEXT")
]
Redraw = Annotated[bool, flag("--redraw", "Draw new noise, and pay again.")]
AllowNoGuarantee = Annotated[bool, flag("--allow-no-guarantee", "Release although there is no guarantee.")]
ExpectedCount = Annotated[float | None, option(HELP["expected_count"], "N")]
Exact = Annotated[bool, flag("--exact", HELP["exact"])]


@dataclass(frozen=True, kw_only=True)
class TableFlags:
    """A table, its schema and its ledger."""

    data: Data
    schema: Schema
    ledger: Ledger = None

    def open(self, **settings: Any) -> Dataset:
        from sfumato.composition import local

        return local.open(self.data, self.schema, ledger=self.ledger, **settings)

    def open_without_data(self, *, read_columns: bool = False) -> Dataset:
        """The dataset for what follows from public facts; of the data at most the column names are read."""
        from sfumato.composition import local

        return local.open_without_data(self.schema, source=self.data, ledger=self.ledger, read_columns=read_columns)

    def require_output(self, path: Path | None, flag: str, *endings: str) -> None:
        """Refuse a file that cannot be written, or that this command reads, before anything is read or entered."""
        require_writable(path, flag, *endings)
        require_not_read(path, flag, self.data, self.schema, self.ledger)


@dataclass(frozen=True, kw_only=True)
class QueryFlags(TableFlags):
    """A query of a table."""

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
    """How noise is drawn, and how epsilon is chosen."""

    epsilon_max: EpsilonMax = 10.0


@dataclass(frozen=True)
class ReleaseFlags:
    """How a release is entered in the ledger, and what is accepted."""

    preregistered: Preregistered = ""
    redraw: Redraw = False
    allow_no_guarantee: AllowNoGuarantee = False


def settle() -> None:
    """Exempt all that is loaded by now from garbage collection; what the engine loads must be collected at the end."""
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


def query_text(sql: str, flag: str = "--sql") -> str:
    """`--sql` takes text, @FILE, or - for standard input."""
    try:
        if sql == "-":
            return sys.stdin.read()
        return Path(sql[1:]).read_text("utf-8") if sql.startswith("@") else sql
    except OSError:
        raise BadInput(f"There is no file {sql[1:]}", hint=f"check the path; {flag} takes text, @FILE or -.") from None
    except UnicodeError:
        raise BadInput("The query is not UTF-8 text", hint="save it as UTF-8.") from None


_REHEARSED = {  # options of `rehearse` alone, with their number of words
    **dict.fromkeys(("--like", "--rows", "--html", "--plot", "--svg"), 2),
    **dict.fromkeys(("--plan", "--json"), 1),
}


def choose_command(arguments: Sequence[str], added: Sequence[str] = (), left_out: Sequence[str] = ()) -> str:
    """The `choose` command for the data, from the arguments of a rehearsal; some words are added, others left out.

    >>> words = ["rehearse", "a.csv", "--like", "b.csv", "--sql", "SELECT 1", "--plan", "--gap=1.2"]
    >>> choose_command(words, ["--worst-case"])
    "sfumato choose a.csv --sql 'SELECT 1' --gap=1.2 --worst-case"
    """
    words, left = [], list(arguments[1:])
    while left:
        taken = 1 if "=" in left[0] else _REHEARSED.get(left[0], 1)
        if left[0].split("=")[0] not in _REHEARSED:
            words.append(left[0])
        left = left[taken:]
    kept = [word for word in words if word not in left_out]
    return shlex.join(["sfumato", "choose", *kept, *(word for word in added if word not in kept)])


def parse_candidates(text: str | None) -> str | tuple[float, ...] | None:
    return text if text is None or text == "paper" else parse_numbers(text, "--candidates", "'paper' or ", "0.1,1")


def parse_numbers(text: str, flag: str, other: str = "", example: str = "1,10") -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"{flag} needs {other}numbers with commas, not {text}", hint=f"try {flag} {example}.") from None
