"""`sfumato reproduce`: the papers' tables and figures, each value beside ours."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.errors import BadInput, UnrecordedLookWarning


def reproduce(
    what: Annotated[
        str,
        typer.Argument(metavar="WHAT", help="fig2, fig7, fig9, lee-clifton, diff, dpp, pri, escrow, scaling, or all."),
    ] = "all",
    adult: Annotated[
        Path | None, typer.Option(metavar="FILE", help="UCI Adult as CSV; otherwise the embedded population.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write report.html, values.json and the figures there.")
    ] = None,
    runs: Annotated[int, typer.Option(help="How often what is drawn is drawn.", min=2, max=10_000)] = 50,
    as_json: options.Json = False,
) -> None:
    """What the papers print beside what comes out here, with their figures.

    The data is not held in trust: it is the papers' public dataset or a generated one, and no ledger is kept.
    """
    from sfumato.reproduce import report
    from sfumato.reproduce.data import Study
    from sfumato.reproduce.papers import reproductions

    warnings.simplefilter("ignore", UnrecordedLookWarning)  # nobody holds this data in trust
    if out is not None:
        _folder(out)
    every = []
    for reproduction in reproductions(what, Study(adult, runs)):
        every.append(reproduction)
        if not as_json:
            typer.echo(report.text(reproduction) + "\n")
    if as_json:
        typer.echo(json.dumps([reproduction.as_dict() for reproduction in every], indent=2))
    else:
        typer.echo(report.summary(every))
    if out is not None:
        from sfumato.reproduce.folder import write

        write(every, out)
        typer.echo(f"The report is {out / 'report.html'}.", err=True)


def _folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise BadInput(f"--out cannot make {out}", hint="name a folder that can be made.") from None
