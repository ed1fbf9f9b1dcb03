"""`sfumato reproduce`: the papers' tables and figures beside ours."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.options import argument, option
from sfumato.errors import BadInput, UnrecordedLookWarning


def reproduce(
    what: Annotated[
        str,
        argument(
            "WHAT", "fig2, fig7, fig9, lee-clifton, diff, dpp, pri, models, escrow, escrow-finding, scaling, or all."
        ),
    ] = "all",
    adult: Annotated[Path | None, option("UCI Adult as CSV; by default the generated population.", "FILE")] = None,
    out: Annotated[Path | None, option("Write report.html, values.json and the figures to this folder.", "DIR")] = None,
    runs: Annotated[int, typer.Option(help="Number of random runs.", min=2, max=10_000)] = 50,
    as_json: options.Json = False,
) -> None:
    """Print the values of the papers beside ours, with their figures.

    The data is public or generated, and no ledger is kept.
    """
    from sfumato.reproduce import report
    from sfumato.reproduce.data import Study
    from sfumato.reproduce.papers import reproductions

    warnings.simplefilter("ignore", UnrecordedLookWarning)  # this data is public or generated
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
        raise BadInput(f"--out cannot create {out}", hint="name a folder that can be created.") from None
