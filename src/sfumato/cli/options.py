"""Options that commands share, and the values that they become."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.errors import BadInput
from sfumato.presentation.option_help import HELP

if TYPE_CHECKING:
    from sfumato.api.dataset import Dataset
    from sfumato.sql.parser.parameters import ParameterValue


def option(help_text: str, metavar: str | None = None, *flags: str) -> Any:
    """An option with this line of help, named as its parameter unless flags are given."""
    return typer.Option(*flags, metavar=metavar, help=help_text)


def flag(name: str, help_text: str) -> Any:
    """An option without a value."""
    return typer.Option(name, help=help_text)


def argument(metavar: str, help_text: str) -> Any:
    return typer.Argument(metavar=metavar, help=help_text)


Data = Annotated[
    str | None, argument("DATA", "CSV or Parquet file, a folder of Parquet files, or the URL of a database.")
]
OneTable = Annotated[str, argument("DATA", "CSV or Parquet file, or a folder of Parquet files.")]
Tables = Annotated[
    list[str] | None,
    option(
        "Table of a schema with several, in place of DATA; repeat for each. Of a URL, a table or view in it.",
        "NAME=FILE",
        "--table",
    ),
]
Engine = Annotated[str | None, option("Engine: duckdb, postgres, spark; by default the one that DATA means.", "NAME")]
Master = Annotated[str | None, option("Spark that reads DATA: spark://HOST:7077, sc://HOST:15002, local[4].", "URL")]
Schema = Annotated[str, option("Schema file (TOML, or SmartNoise's YAML).", "FILE", "--schema")]
Sql = Annotated[str, option("Query: text, @FILE, or - for standard input.", "SQL", "--sql")]
Sqls = Annotated[list[str], option("Query: text or @FILE; repeat for several.", "SQL", "--sql")]
Parameter = Annotated[
    list[str] | None,
    option("Value of a parameter :NAME or $1 of the query; repeat for several.", "NAME=VALUE", "--parameter"),
]
Ledger = Annotated[str | None, option("Ledger file; by default NAME.ledger beside the schema.", "PATH")]
Budget = Annotated[
    str | None, option("Refuse a release beyond this epsilon, such as 3, or '1 per month, 12 in all'.", "E")
]
Cohort = Annotated[
    str | None, option("Cohort of the data, where the schema declares versions of disjoint people.", "NAME")
]
Html = Annotated[Path | None, option("Write the view as a printable page.", "FILE.html")]
Plot = Annotated[
    str | None, option("Print one picture: gap, exposure, frontier, attack, roc, rdr or rdr-histogram.", "KIND")
]
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
Together = Annotated[int | None, option("Show the epsilon of any N people together, such as a household.", "N")]
Exact = Annotated[bool, flag("--exact", HELP["exact"])]


@dataclass(frozen=True, kw_only=True)
class TableFlags:
    """A table, its schema and its ledger."""

    data: Data = None
    table: Tables = None
    schema: Schema
    ledger: Ledger = None
    engine: Engine = None
    master: Master = None

    @property
    def source(self) -> str | dict[str, str]:
        """The file of the table, or of each table by its name."""
        return source_of(self.data, self.table)

    def open(self, **settings: Any) -> Dataset:
        from sfumato.composition import local

        return local.open(self.source, self.schema, ledger=self.ledger, **{**self._place, **settings})

    def open_without_data(self, *, read_columns: bool = False) -> Dataset:
        """The dataset for what follows from public facts; of the data at most the column names are read."""
        from sfumato.composition import local

        how: dict[str, Any] = {"ledger": self.ledger, "read_columns": read_columns, **self._place}
        return local.open_without_data(self.schema, source=self.source, **how)

    @property
    def _place(self) -> dict[str, Any]:
        """Where the table is, beside what DATA says."""
        table = None if self.data is None or not self.table else self.table[0]
        return {"table": table, "engine": self.engine, "master": self.master}

    def require_output(self, path: Path | None, flag: str, *endings: str) -> None:
        """Refuse a file that cannot be written, or that this command reads, before anything is read or entered."""
        require_writable(path, flag, *endings)
        require_not_read(path, flag, self.source, self.schema, self.ledger)


@dataclass(frozen=True, kw_only=True)
class QueryFlags(TableFlags):
    """A query of a table."""

    sql: Sql
    parameter: Parameter = None

    @property
    def text(self) -> str:
        return query_text(self.sql)

    @property
    def parameters(self) -> dict[str, ParameterValue]:
        return parse_parameters(self.parameter or ())


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


def source_of(data: str | None, tables: Sequence[str] | None) -> str | dict[str, str]:
    """DATA; or what `--table NAME=FILE` says of each table.

    >>> source_of(None, ["orders=orders.csv", "customers=people=1.csv"])
    {'orders': 'orders.csv', 'customers': 'people=1.csv'}
    """
    if tables and data is not None and (len(tables) > 1 or "=" in tables[0]):
        raise BadInput(f"Both {data} and --table are given", hint="write --table NAME=FILE for each table.")
    if not tables or data is not None:
        if data is None:
            hint = "name a file, or write --table NAME=FILE for each table of the schema."
            raise BadInput("No data is named", hint=hint)
        return data
    files: dict[str, str] = {}
    for one in tables:
        name, equals, file = one.partition("=")
        if not equals or not name.strip() or not file:
            raise BadInput(f"--table {one} names no file", hint="write --table NAME=FILE.")
        if name.strip().lower() in map(str.lower, files):
            raise BadInput(f"--table names {name.strip()} twice", hint="leave one of them out.")
        files[name.strip()] = file
    return files


def stand_in(like: Sequence[str] | None, *, several: bool) -> str | dict[str, str] | None:
    """The public table of a rehearsal; or one for each table."""
    if not like:
        return None
    if not several and len(like) > 1:
        raise BadInput("--like is given twice", hint="name one public table.")
    return source_of(None, like) if several else like[0]


def require_not_read(path: Path | None, flag: str, source: str | Mapping[str, str], *others: str | Path | None) -> None:
    """Refuse to write over what is read, or into a folder of files that are read as one table."""
    if path is None:
        return
    data, file = [source] if isinstance(source, str) else list(source.values()), path.resolve()
    tables = [Path(one).resolve() for one in data]
    for one, table in zip(data, tables, strict=True):
        if table.is_dir() and file.suffix == ".parquet" and table in file.parents:
            what = f"{flag} would make {path} a part of the table {one}"
            raise BadInput(what, hint="name a file in another folder.")
    if file in (*tables, *(Path(k).resolve() for k in others if k is not None)):
        raise BadInput(f"{flag} would write over {path}, which this command reads", hint="name another file.")


def parse_parameters(texts: Sequence[str]) -> dict[str, ParameterValue]:
    """NAME=VALUE: a number, true or false where it reads as one, otherwise a text; quotes make any of them a text.

    >>> parse_parameters(["least=3", "ward=Heart", "urgent=true", "code='7'", "1=0.5"])
    {'least': 3, 'ward': 'Heart', 'urgent': True, 'code': '7', '1': 0.5}
    """
    values: dict[str, ParameterValue] = {}
    for one in texts:
        name, equals, value = one.partition("=")
        name = name.strip().lstrip(":$")
        if not equals or not name:
            raise BadInput(f"--parameter {one} names no value", hint="write --parameter NAME=VALUE.")
        if name in values:
            raise BadInput(f"--parameter states {name} twice", hint="leave one of them out.")
        values[name] = _parameter_value(value)
    return values


def _parameter_value(text: str) -> ParameterValue:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    return text


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
