"""Where a command of the escrow goes: a workspace on this machine or a server, and as whom."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from sfumato.cli.escrow.workspace import require_server_extra, unlocking
from sfumato.cli.option_groups import options_of, replace_parameter
from sfumato.cli.secret import secret
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.client.client import Client

_OF_SERVER = ("token_file", "password_file", "authority", "insecure")
_OF_WORKSPACE = ("passphrase_file", "key_file")


@dataclass(frozen=True)
class Desk:
    """What was said about where and as whom; nothing is asked or sent until it is opened."""

    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="A workspace here; by default SFUMATO_WORKSPACE.")
    ] = None
    server: Annotated[str | None, typer.Option(metavar="URL", help="A server; by default SFUMATO_SERVER.")] = None
    as_name: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="NAME", help="Who you are: of a workspace the admin by default, of a server by password."
        ),
    ] = None
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a server: your token; by default SFUMATO_TOKEN.")
    ] = None
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a server with --as: your password; else you are asked.")
    ] = None
    passphrase_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a workspace: its passphrase; else you are asked.")
    ] = None
    key_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a workspace: what unlocks it in place of a passphrase.")
    ] = None
    authority: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of a server: what vouches for its certificate.")
    ] = None
    insecure: Annotated[bool, typer.Option("--insecure", help="Send a token over http:// to another machine.")] = False

    @contextmanager
    def open(self) -> Iterator[Client]:
        """The same verbs, wherever they go."""
        with (
            self._workspace(self.workspace) if self.workspace is not None else self._server(self.server or "") as client
        ):
            yield client

    @contextmanager
    def _workspace(self, folder: Path) -> Iterator[Client]:
        """The workspace's own app, in this process, for as long as the command takes."""
        require_server_extra()
        from sfumato.composition import local
        from sfumato.composition.local_access import act_as
        from sfumato.composition.workspace import open_workspace
        from sfumato.server.app import create_app
        from sfumato.server.settings import ServerSettings

        passphrase = unlocking(folder, self.passphrase_file, self.key_file)
        with open_workspace(folder, passphrase=passphrase, key_file=self.key_file) as workspace:
            token = act_as(workspace.escrow, self.as_name)
            app = create_app(workspace.escrow, ServerSettings(data_bytes=workspace.settings.upload_mb << 20))
            with local.connect_in_process(app, token, f"the workspace {folder}") as client:
                yield client

    @contextmanager
    def _server(self, url: str) -> Iterator[Client]:
        from sfumato.composition import local

        how: dict[str, Any] = {"authority": self.authority, "insecure": self.insecure}
        if self.as_name is not None:
            password = secret(self.password_file, f"Password of {self.as_name}")
            with local.connect(url, "", name=self.as_name, password=password, **how) as client:
                try:
                    yield client
                finally:
                    client.sign_out()
            return
        token = None if self.token_file is None else secret(self.token_file, "Token")
        with local.connect(url, token, **how) as client:
            yield client


def at_a_desk(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that say where, in place of its parameter `desk`."""
    return replace_parameter(command, "desk", options_of(Desk), _desk)


def _desk(**chosen: Any) -> Desk:
    """What was typed goes before what the environment says."""
    if chosen["workspace"] is None and chosen["server"] is None:
        folder, url = os.environ.get("SFUMATO_WORKSPACE"), os.environ.get("SFUMATO_SERVER")
        chosen |= {"workspace": Path(folder) if folder else None, "server": url or None}
    if (chosen["workspace"] is None) == (chosen["server"] is None):
        which = "neither a workspace nor a server" if chosen["server"] is None else "a workspace and a server"
        raise BadInput(f"There is {which} to go to", hint="say one: --workspace DIR or --server URL.")
    other, kind = (_OF_WORKSPACE, "--workspace") if chosen["workspace"] is None else (_OF_SERVER, "--server")
    if misplaced := [name for name in other if chosen[name]]:
        raise BadInput(f"--{misplaced[0].replace('_', '-')} goes with {kind}", hint="leave it out.")
    return Desk(**chosen)


class Shown(Protocol):
    def text(self) -> str: ...

    def as_dict(self) -> dict[str, Any]: ...


class ShownList(Protocol):
    def text(self) -> str: ...

    def as_list(self) -> list[dict[str, Any]]: ...


def show(what: Shown, as_json: bool) -> None:
    typer.echo(json.dumps(what.as_dict(), indent=2) if as_json else what.text())


def show_list(what: ShownList, as_json: bool) -> None:
    typer.echo(json.dumps(what.as_list(), indent=2) if as_json else what.text())
