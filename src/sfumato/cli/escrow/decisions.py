"""`sfumato approve`, `return`, `refuse`, `withdraw` and `cancel`: what is decided about a request."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, show
from sfumato.cli.escrow.requests import Id

Note = Annotated[str, typer.Option(metavar="TEXT", help="A word to whoever asked.")]
Why = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, for whoever asked.")]
AllowNoGuarantee = Annotated[
    bool,
    typer.Option("--allow-no-guarantee", help="After a look: decide even though what follows carries no guarantee."),
]


@at_a_desk
def approve(
    id: Id,
    desk: Desk,
    note: Note = "",
    binding: Annotated[
        str, typer.Option(metavar="HASH", help="What `inspect` showed: whatever has changed since is not approved.")
    ] = "",
    allow_no_guarantee: AllowNoGuarantee = False,
    preregistered: options.Preregistered = "",
    as_json: options.Json = False,
) -> None:
    """Let it go ahead: this query, data, preference and policy, and nothing else."""
    with desk.open() as client:
        request = client.request(id)
        approved = request.approve(
            note, binding=binding, allow_no_guarantee=allow_no_guarantee, preregistered=preregistered
        )
        show(approved, as_json)


@at_a_desk
def give_back(
    id: Id, note: Why, desk: Desk, allow_no_guarantee: AllowNoGuarantee = False, as_json: options.Json = False
) -> None:
    """Send it back with what is to be changed."""
    with desk.open() as client:
        show(client.request(id).return_(note, allow_no_guarantee=allow_no_guarantee), as_json)


@at_a_desk
def refuse(
    id: Id, note: Why, desk: Desk, allow_no_guarantee: AllowNoGuarantee = False, as_json: options.Json = False
) -> None:
    """Say no, and why."""
    with desk.open() as client:
        show(client.request(id).refuse(note, allow_no_guarantee=allow_no_guarantee), as_json)


@at_a_desk
def withdraw(id: Id, desk: Desk, as_json: options.Json = False) -> None:
    """Take your own request back before it is decided."""
    with desk.open() as client:
        show(client.request(id).withdraw(), as_json)


@at_a_desk
def cancel(id: Id, desk: Desk, allow_no_guarantee: AllowNoGuarantee = False, as_json: options.Json = False) -> None:
    """Stop one that is computed; what was charged stays charged."""
    with desk.open() as client:
        show(client.request(id).cancel(allow_no_guarantee=allow_no_guarantee), as_json)
