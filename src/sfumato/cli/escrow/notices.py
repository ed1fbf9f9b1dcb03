"""`sfumato notices`: what happened that you should know."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, show_list


@at_a_desk
def notices(
    desk: Desk,
    unread: Annotated[bool, typer.Option("--unread", help="Those that you have not read.")] = False,
    read: Annotated[str | None, typer.Option(metavar="ID", help="Mark one as read instead.")] = None,
    as_json: options.Json = False,
) -> None:
    """What happened that you should know, newest first."""
    with desk.open() as client:
        if read is None:
            show_list(client.notices(unread=unread), as_json)
        else:
            client.read_notice(read)
            typer.echo(json.dumps({"read": read}) if as_json else f"Notice {read} is read.")
