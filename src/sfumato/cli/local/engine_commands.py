"""`sfumato engine`: check whether an engine computes what it must."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.help import CommandGroup
from sfumato.cli.options import argument
from sfumato.cli.progress import waiting

app = CommandGroup("Check whether an engine computes what it must.")


@app.command()
def check(
    engine: Annotated[str, argument("URL", "URL of a database or cluster, or an engine: duckdb, postgres, spark.")],
    master: options.Master = None,
    as_json: options.Json = False,
) -> None:
    """Query rows that stand in the queries, and compare what the engine finds with what it must find.

    No table is read or created. The exit status is 3 if anything differs.
    """
    from sfumato.auditing.engine_check import Checking
    from sfumato.presentation import engine_check_view as view

    checking = Checking(engine, master)
    with waiting(checking.progress, view.CHECKING):
        result = checking.result()
    typer.echo(json.dumps(view.as_dict(result), indent=2) if as_json else view.text(result))
    if not result.passed:
        raise typer.Exit(3)
