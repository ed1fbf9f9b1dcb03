"""A workspace of this machine, asked as a server is: whoever can unlock it may act as anybody in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI

from sfumato.errors import BadInput
from sfumato.escrow.person import Person, Role
from sfumato.server.app import made
from sfumato.workspace.opening import Workspace, opened

_DAYS = 0.1


@contextmanager
def local(
    folder: str | Path, *, name: str | None = None, passphrase: str | None = None, key_file: Path | None = None
) -> Iterator[tuple[FastAPI, str]]:
    """The app of a workspace and a token of the person named, or of its admin; good until this is left."""
    with opened(folder, passphrase=passphrase, key_file=key_file) as workspace:
        person = _person(workspace, name)
        token, secret = workspace.escrow.people.new_token(person, "this machine", _DAYS)
        try:
            yield made(workspace.escrow), secret
        finally:
            workspace.escrow.people.revoke(person, token.id)


def _person(workspace: Workspace, name: str | None) -> Person:
    if name is not None:
        return workspace.escrow.people.one(name)
    admins = [person for person in workspace.escrow.people.all() if person.has(Role.ADMIN) and not person.disabled]
    if len(admins) != 1:
        hint = f"say who you are with --as {admins[0].name if admins else 'NAME'}."
        raise BadInput("This workspace has several admins" if admins else "This workspace has no admin", hint=hint)
    return admins[0]
