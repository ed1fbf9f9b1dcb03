"""`sfumato schema`: draft a schema for a table, and check a table against one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.waiting import reading

app = typer.Typer(help="Describe a table: draft a schema, check the data against it.")
app.callback(invoke_without_command=True)(options.explain)


@app.command()
def draft(
    data: options.Data,
    name: Annotated[str | None, typer.Option(help="The table's name in SQL; by default the file's.")] = None,
    as_json: options.Json = False,
) -> None:
    """Print a schema with types and names; bounds and categories are left for a person to state."""
    from sfumato import wiring

    drafted = wiring.drafted(data, name or Path(data).resolve().stem, reading)
    typer.echo(json.dumps({"schema": drafted}) if as_json else drafted, nl=as_json)


@app.command()
def check(
    data: options.Data, schema: options.Schema, ledger: options.Ledger = None, as_json: options.Json = False
) -> None:
    """Count what is missing, unfit, clamped or unlisted, for the controller's eyes: recorded as a look."""
    from sfumato import wiring
    from sfumato.views import fit as view

    dataset = wiring.open(data, schema, ledger=ledger)
    with reading(dataset.progress):
        found = dataset.check()
    typer.echo(json.dumps(view.as_dict(found), indent=2) if as_json else view.as_text(found))
