"""`sfumato user`: who is let in, and as what."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, show, show_list
from sfumato.cli.secret import secret
from sfumato.errors import BadInput

app = typer.Typer(help="Who is let in, and as what.")
app.callback(invoke_without_command=True)(options.explain)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name they sign in with.")]
Roles = Annotated[
    list[str] | None,
    typer.Option("--role", metavar="ROLE", help="admin, controller, analyst or auditor; one --role for each."),
]
Organisation = Annotated[str | None, typer.Option(metavar="ORGANISATION", help="Whom they work for.")]
NewPassword = Annotated[
    Path | None, typer.Option("--new-password-file", metavar="FILE", help="Their password; else you are asked.")
]


@app.command()
@at_a_desk
def add(
    name: Name,
    desk: Desk,
    role: Roles = None,
    organisation: Organisation = None,
    new_password_file: NewPassword = None,
    no_password: Annotated[bool, typer.Option("--no-password", help="They come in by tokens only.")] = False,
    as_json: options.Json = False,
) -> None:
    """Let somebody in."""
    if not role:
        raise BadInput("A person has one role at least", hint="add --role analyst, or another.")
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
        Path | None, typer.Option(metavar="FILE", help="On a server, your own password so far, to change it.")
    ] = None,
    disable: Annotated[bool, typer.Option("--disable", help="Keep them out.")] = False,
    enable: Annotated[bool, typer.Option("--enable", help="Let them in again.")] = False,
    as_json: options.Json = False,
) -> None:
    """Change somebody's roles, organisation or password, or keep them out; what is not said stays."""
    if disable and enable:
        raise BadInput("--disable and --enable are opposites", hint="leave one of them out.")
    disabled = disable if disable or enable else None
    password = None if new_password_file is None else secret(new_password_file, "")
    current = None if current_password_file is None else secret(current_password_file, "")
    with desk.open() as client:
        to = {"roles": role or None, "organisation": organisation, "disabled": disabled, "password": password}
        to |= {} if current is None else {"current_password": current}
        show(client.change_person(name, **to), as_json)  # type: ignore[arg-type]


@app.command("list")
@at_a_desk
def list_(desk: Desk, as_json: options.Json = False) -> None:
    """Everybody who is let in."""
    with desk.open() as client:
        show_list(client.people(), as_json)
