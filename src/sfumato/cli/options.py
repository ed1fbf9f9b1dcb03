"""The options that commands share, and what they are turned into."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.errors import BadInput

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
Epsilon = Annotated[float | None, typer.Option(help="This epsilon, whatever it does.")]
Gap = Annotated[float | None, typer.Option(help="Nobody at more than so many times the risk of anybody else.")]
Ratio = Annotated[
    float | None, typer.Option(help="The papers' form of it: everybody's risk at least this share of the largest.")
]
WorstCase = Annotated[
    bool, typer.Option("--worst-case", help="Meet the gap or ratio for anybody in any data: reads nobody.")
]
Exact = Annotated[bool, typer.Option("--exact", help="By the exact RDR, not by its upper bound.")]
Between = Annotated[
    str | None,
    typer.Option(
        metavar="CONDITION",
        help="Of gap or ratio: between the median of the people for whom this holds and that of the others.",
    ),
]
AttackChance = Annotated[
    float | None, typer.Option(help="An attacker who knows everybody else guesses right at most this often.")
]
Variance = Annotated[
    float | None,
    typer.Option(help="The variance of everybody's risk, as a share of the largest there could be, at most this."),
]
ExposureCap = Annotated[
    float | None, typer.Option(help="Nobody's own epsilon, epsilon times their exposure, above this.")
]
Allow = Annotated[
    float | None, typer.Option(metavar="F", help="Of --exposure-cap: this fraction of the people may lie above it.")
]
SelectEpsilon = Annotated[
    float | None,
    typer.Option(metavar="E", help="What selecting epsilon privately may cost; charged beside the release."),
]
Beta = Annotated[
    float | None, typer.Option(help="How often a private selection may miss its preference; 0.05 unless stated.")
]
AsPublished = Annotated[
    bool,
    typer.Option(
        "--as-published", help="--variance by Algorithm 3 as printed, no guarantee; --sharing-risk with its floor."
    ),
]
Pri = Annotated[
    float | None, typer.Option(metavar="P", help="Find-eps-from-PRI as published: PRIs within P percent, no guarantee.")
]
Guess = Annotated[
    float | None,
    typer.Option(help="A guess at somebody's value is right at most this often; with --choices or --secret."),
]
Choices = Annotated[int | None, typer.Option(metavar="N", help="How many values a guess chooses among.")]
Secret = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="What is guessed: one of the categories that the schema lists.")
]
Radius = Annotated[float | None, typer.Option(help="Of --secret: a guess counts that comes so close to a number.")]
Prior = Annotated[float | None, typer.Option(help="How often a guess is right before the answer is out.")]
Advantage = Annotated[
    float | None, typer.Option(help="No answer raises anybody's belief about a person by more than this.")
]
_WORDS = "very low, low, medium, high, very high, or 0 to 1"
SharingRisk = Annotated[str | None, typer.Option(metavar="RISK", help=f"What sharing the answer may risk: {_WORDS}.")]
Trust = Annotated[str | None, typer.Option(metavar="TRUST", help="Of --sharing-risk: in whoever gets the answer.")]
DataSensitivity = Annotated[
    str | None, typer.Option(metavar="S", help="Of --sharing-risk: how much harm a right guess does.")
]
Belief = Annotated[
    float | None,
    typer.Option(metavar="RHO", help="Nobody believes in any of the possible --worlds by more than this."),
]
Worlds = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="A public table of everybody who could be in the data; or answers, world by world."
    ),
]
Missing = Annotated[int | None, typer.Option(metavar="N", help="Of --worlds: how many of them are missing; 1.")]
Bound = Annotated[bool, typer.Option("--bound", help="Of --belief: by the paper's upper bound, which is stricter.")]
Within = Annotated[float | None, typer.Option(metavar="ERROR", help="All figures of the answer at most so far off.")]
RelativeError = Annotated[
    float | None, typer.Option(metavar="SHARE", help="The same as a share of the answer that is --expected.")
]
Expected = Annotated[
    float | None, typer.Option(metavar="ANSWER", help="Of --relative-error: a public guess of the (smallest) answer.")
]
Confidence = Annotated[
    float | None, typer.Option(help="Of --within (0.95 unless stated) and --relative-error (0.9): how often it holds.")
]
Each = Annotated[bool, typer.Option("--each", help="Of the same: each figure by itself, not all of them together.")]
ExpectedCount = Annotated[
    float | None,
    typer.Option(metavar="N", help="Of the same, for means: how many people its smallest cell has at least."),
]
Priority = Annotated[
    float | None, typer.Option(metavar="W", help="This query's weight: the preferences allow W times the epsilon.")
]
LargerThanSpent = Annotated[
    bool,
    typer.Option(
        "--larger-than-spent",
        help="The papers' rule for several queries: only epsilons above all that was spent before.",
    ),
]


def explain(context: typer.Context) -> None:
    """A group of commands by itself says what it has."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def settle() -> None:
    """Let the collector pass over all that is loaded by now; what the engine loads must be collected at the end."""
    if "duckdb" not in sys.modules:
        gc.freeze()


def writable(path: Path | None, flag: str, *endings: str) -> None:
    """Refuse a file that could not be written, before anything is read or entered."""
    if path is None:
        return
    folder = path.parent
    if path.suffix not in endings or path.is_dir() or not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise BadInput(f"{flag} cannot write {path}", hint=f"name a {', '.join(endings)} file in a folder that exists.")


def spared(path: Path | None, flag: str, data: str, *kept: str | Path | None) -> None:
    """Refuse to write over what is read, or into a folder of files that are read as one table."""
    if path is None:
        return
    table, file = Path(data).resolve(), path.resolve()
    if table.is_dir() and file.suffix == ".parquet" and table in file.parents:
        raise BadInput(f"{flag} would make {path} a part of the table {data}", hint="name a file in another folder.")
    if file in (table, *(Path(k).resolve() for k in kept if k is not None)):
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


def carried_over(arguments: Sequence[str]) -> str:
    """The command that chooses for the table what these arguments rehearsed.

    >>> carried_over(["rehearse", "a.csv", "--like", "b.csv", "--sql", "SELECT 1", "--plan", "--gap=1.2"])
    "sfumato choose a.csv --sql 'SELECT 1' --gap=1.2"
    """
    kept, left = [], list(arguments[1:])
    while left:
        taken = 1 if "=" in left[0] else _REHEARSED.get(left[0], 1)
        if left[0].split("=")[0] not in _REHEARSED:
            kept.append(left[0])
        left = left[taken:]
    return shlex.join(["sfumato", "choose", *kept])


def how(
    mechanism: str, delta: float | None, calibration: str, candidates: str | None, epsilon_max: float
) -> dict[str, Any]:
    """How the noise is drawn and epsilon is looked for, by name."""
    return {
        "mechanism": mechanism,
        "delta": delta,
        "calibration": calibration,
        "candidates": candidates_of(candidates),
        "epsilon_max": epsilon_max,
    }


def candidates_of(text: str | None) -> str | tuple[float, ...] | None:
    if text is None or text == "paper":
        return text
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(
            f"--candidates takes 'paper' or epsilons with commas, not {text}", hint="try --candidates 0.1,1."
        ) from None
