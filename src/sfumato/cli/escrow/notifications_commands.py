"""`sfumato notifications`: what happened that you should know."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, show_list


@at_a_desk
def notifications(
    desk: Desk,
    unread: Annotated[bool, typer.Option("--unread", help="Those that you have not read.")] = False,
    read: Annotated[str | None, typer.Option(metavar="ID", help="Mark one as read instead.")] = None,
    as_json: options.Json = False,
) -> None:
    """What happened that you should know, newest first."""
    with desk.open() as client:
        if read is None:
            show_list(client.notifications(unread=unread), as_json)
        else:
            client.read_notification(read)
            typer.echo(json.dumps({"read": read}) if as_json else f"Notification {read} is read.")
