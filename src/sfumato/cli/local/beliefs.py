"""`sfumato beliefs`: how sure an attacker becomes of who is not in the data."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.progress import reading


@with_option_groups
def beliefs(
    *,
    target: options.QueryFlags,
    prior: Annotated[
        float | None, option("Prior belief of the attacker about any one person; by default the same for all.")
    ] = None,
    candidates: options.Candidates = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Show how sure an attacker becomes of who is missing, if they know everyone in DATA; logged as a look."""
    query = target.open().query(target.text)
    confirm_look(yes=yes)
    with reading(query.dataset.progress):
        result = query.beliefs(candidates=options.parse_candidates(candidates), prior=prior)
        text = json.dumps(result.as_dict(), indent=2, default=str) if as_json else result.text()
    typer.echo(text)
