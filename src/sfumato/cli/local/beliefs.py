"""`sfumato beliefs`: how sure somebody becomes of who is not in the data."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.progress import reading


@with_option_groups
def beliefs(
    *,
    target: options.QueryFlags,
    prior: Annotated[
        float | None, typer.Option(help="They suspect one person at so much beforehand, whoever it is; else all alike.")
    ] = None,
    candidates: options.Candidates = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """Who is missing? How sure somebody becomes who knows everybody in DATA but for that: recorded as a look."""
    from sfumato.composition import local

    query = local.open(target.data, target.schema, ledger=ledger).query(target.text)
    with reading(query.dataset.progress):
        result = query.beliefs(candidates=options.parse_candidates(candidates), prior=prior)
        text = json.dumps(result.as_dict(), indent=2, default=str) if as_json else result.text()
    typer.echo(text)
