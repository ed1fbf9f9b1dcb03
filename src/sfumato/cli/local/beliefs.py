"""`sfumato beliefs`: how sure somebody becomes of who is not in the data."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.progress import reading


def beliefs(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    prior: Annotated[
        float | None, typer.Option(help="They suspect one person at so much beforehand, whoever it is; else all alike.")
    ] = None,
    candidates: options.Candidates = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """Who is missing? How sure somebody becomes who knows everybody in DATA but for that: recorded as a look."""
    from sfumato.composition import local

    query = local.open(data, schema, ledger=ledger).query(options.query_text(sql))
    with reading(query.dataset.progress):
        found = query.beliefs(candidates=options.candidates_of(candidates), prior=prior)
        shown = json.dumps(found.as_dict(), indent=2, default=str) if as_json else found.text()
    typer.echo(shown)
