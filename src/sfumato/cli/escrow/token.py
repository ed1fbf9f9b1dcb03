"""`sfumato token`: how programs sign in."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk
from sfumato.cli.options import flag, option
from sfumato.cli.output import Confirmation, show
from sfumato.errors import BadInput


@at_a_desk
def token(
    desk: Desk,
    label: Annotated[str, option("What the token is for.", "TEXT")] = "",
    days: Annotated[float, option("Days until it expires.")] = 90,
    scope: Annotated[list[str] | None, option("Scope: read or write; both by default.", "SCOPE")] = None,
    person: Annotated[str | None, option("User of the token, if you are an admin.", "NAME", "--for")] = None,
    listed: Annotated[bool, flag("--list", "List your tokens instead.")] = False,
    revoke: Annotated[str | None, option("Revoke this token instead.", "ID")] = None,
    as_json: options.Json = False,
) -> None:
    """Create a token; its secret is printed once and stored nowhere."""
    if listed and revoke is not None:
        raise BadInput("--list and --revoke exclude each other", hint="leave one of them out.")
    with desk.open() as client:
        if listed:
            show(client.tokens(), as_json)
        elif revoke is not None:
            client.revoke_token(revoke)
            show(Confirmation(f"Token {revoke} is revoked.", {"revoked": revoke}), as_json)
        else:
            issued = client.new_token(label, days=days, scopes=scope or ("read", "write"), person=person)
            typer.echo(json.dumps(issued.as_dict() | {"secret": issued.secret}, indent=2) if as_json else issued.secret)
