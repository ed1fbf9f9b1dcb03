"""`sfumato user`: users and their roles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, with_client
from sfumato.cli.help import CommandGroup
from sfumato.cli.options import argument, flag, option
from sfumato.cli.output import ShownList, show
from sfumato.cli.secret import secret
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.client.client import Client

app = CommandGroup("Add, change and list users.")

Name = Annotated[str, argument("NAME", "User name.")]
Roles = Annotated[
    list[str] | None, option("Role: admin, controller, analyst or auditor; repeat for several.", "ROLE", "--role")
]
Organisation = Annotated[str | None, option("Organisation of the user.", "ORGANISATION")]
NewPassword = Annotated[Path | None, option("File with the user's new password; otherwise you are asked.", "FILE")]


@app.command()
@at_a_desk
def add(
    name: Name,
    desk: Desk,
    role: Roles = None,
    organisation: Organisation = None,
    new_password_file: NewPassword = None,
    no_password: Annotated[bool, flag("--no-password", "Let the user sign in by tokens only.")] = False,
    as_json: options.Json = False,
) -> None:
    """Add a user."""
    if not role:
        raise BadInput("A user needs at least one role", hint="add --role analyst, or another.")
    password = None if no_password else secret(new_password_file, f"Password for {name}", twice=True)
    with desk.open() as client:
        show(client.add_person(name, role, organisation=organisation or "", password=password), as_json)


@app.command()
@at_a_desk
def change(
    name: Name,
    desk: Desk,
    role: Roles = None,
    organisation: Organisation = None,
    new_password_file: NewPassword = None,
    current_password_file: Annotated[
        Path | None, option("File with your current password, to change your own on a server.", "FILE")
    ] = None,
    disable: Annotated[bool, flag("--disable", "Disable the user.")] = False,
    enable: Annotated[bool, flag("--enable", "Enable the user again.")] = False,
    as_json: options.Json = False,
) -> None:
    """Change a user's roles, organisation or password, or disable the user; the rest stays."""
    if disable and enable:
        raise BadInput("--disable and --enable exclude each other", hint="leave one of them out.")
    disabled = disable if disable or enable else None
    to: dict[str, Any] = {"roles": role or None, "organisation": organisation, "disabled": disabled}
    to["password"] = None if new_password_file is None else secret(new_password_file, "")
    if current_password_file is not None:
        to["current_password"] = secret(current_password_file, "")
    with desk.open() as client:
        show(client.change_person(name, **to), as_json)


@app.command("list")
@with_client
def list_(client: Client) -> ShownList:
    """List all users."""
    return client.people()
