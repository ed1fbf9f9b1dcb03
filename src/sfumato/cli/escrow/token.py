"""`sfumato token`: how programs come in."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, show_list
from sfumato.errors import BadInput


@at_a_desk
def token(
    desk: Desk,
    label: Annotated[str, typer.Option(metavar="TEXT", help="What it is for.")] = "",
    days: Annotated[float, typer.Option(help="How long it holds.")] = 90,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", metavar="SCOPE", help="read, write; both unless stated.")
    ] = None,
    person: Annotated[str | None, typer.Option("--for", metavar="NAME", help="As an admin: whose it is.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List your tokens instead.")] = False,
    revoke: Annotated[str | None, typer.Option(metavar="ID", help="Make one of them worthless instead.")] = None,
    as_json: options.Json = False,
) -> None:
    """Make a token: its secret is printed once, on standard output, and kept nowhere."""
    if listed and revoke is not None:
        raise BadInput("--list and --revoke are two things", hint="leave one of them out.")
    with desk.open() as client:
        if listed:
            show_list(client.tokens(), as_json)
        elif revoke is not None:
            client.revoke_token(revoke)
            typer.echo(json.dumps({"revoked": revoke}) if as_json else f"Token {revoke} is worthless now.")
        else:
            issued = client.new_token(label, days=days, scopes=scope or ("read", "write"), person=person)
            typer.echo(json.dumps(issued.as_dict() | {"secret": issued.secret}, indent=2) if as_json else issued.secret)
