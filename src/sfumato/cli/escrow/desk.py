"""Where a server command goes: a workspace on this machine or a server, and as which user."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sfumato.cli import options
from sfumato.cli.escrow.workspace import require_server_extra, unlocking
from sfumato.cli.option_groups import options_of, replace_parameter
from sfumato.cli.options import flag, option
from sfumato.cli.output import Shown, ShownList, show
from sfumato.cli.secret import secret
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.client.client import Client

_OF_SERVER = ("token_file", "password_file", "authority", "insecure")
_OF_WORKSPACE = ("passphrase_file", "key_file")
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_UNLOADED = dict.fromkeys(  # classes in annotations, which are not imported
    ("Client", "RemoteSubmission", "RemoteRequest", "RemoteSignal", "Shown", "ShownList"), Any
)


@dataclass(frozen=True)
class Desk:
    """The workspace or server, and the user; nothing is asked or sent until it is opened."""

    workspace: Annotated[Path | None, option("Workspace on this machine; by default SFUMATO_WORKSPACE.", "DIR")] = None
    server: Annotated[str | None, option("Address of a server; by default SFUMATO_SERVER.", "URL")] = None
    as_name: Annotated[
        str | None, option("Your user name: signs in to a server; in a workspace the admin by default.", "NAME", "--as")
    ] = None
    token_file: Annotated[
        Path | None, option("File with your token for the server; by default SFUMATO_TOKEN.", "FILE")
    ] = None
    password_file: Annotated[
        Path | None, option("File with your password for the server; otherwise you are asked.", "FILE")
    ] = None
    passphrase_file: Annotated[
        Path | None, option("File with the workspace's passphrase; otherwise you are asked.", "FILE")
    ] = None
    key_file: Annotated[Path | None, option("Key file that unlocks the workspace.", "FILE")] = None
    authority: Annotated[Path | None, option("Certificate authority of the server.", "FILE")] = None
    insecure: Annotated[bool, flag("--insecure", "Send a token over http:// to another machine.")] = False

    @contextmanager
    def open(self) -> Iterator[Client]:
        """A client of the workspace or of the server."""
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
    """The command with options for the workspace or server, in place of its parameter `desk`."""
    return replace_parameter(command, "desk", options_of(Desk), _desk)


def with_client(act: Callable[..., Shown | ShownList]) -> Callable[..., None]:
    """A command whose function takes a client first; its result is printed."""

    @wraps(act)
    def run(desk: Desk, as_json: bool, **values: Any) -> None:
        with desk.open() as client:
            show(act(client, **values), as_json)

    _, *own = inspect.signature(act, eval_str=True, locals=_UNLOADED).parameters.values()
    desk = inspect.Parameter("desk", _KEYWORD, annotation=Desk)
    as_json = inspect.Parameter("as_json", _KEYWORD, annotation=options.Json, default=False)
    vars(run)["__signature__"] = inspect.Signature([*(each.replace(kind=_KEYWORD) for each in own), desk, as_json])
    return at_a_desk(run)


def on_submission(
    argument: Any, get: Callable[[Client, str], Any]
) -> Callable[[Callable[..., Shown]], Callable[..., None]]:
    """A command whose function takes a submission first; `get` fetches it by the id in the command's `argument`."""

    def command(act: Callable[..., Shown]) -> Callable[..., None]:
        @wraps(act)
        def run(client: Client, id: str, **values: Any) -> Shown:
            return act(get(client, id), **values)

        first, *own = inspect.signature(act, eval_str=True, locals=_UNLOADED).parameters.values()
        id = inspect.Parameter("id", _KEYWORD, annotation=argument)
        client = first.replace(kind=_KEYWORD)
        vars(run)["__signature__"] = inspect.Signature([client, id, *(each.replace(kind=_KEYWORD) for each in own)])
        return with_client(run)

    return command


def _desk(**chosen: Any) -> Desk:
    """Options take precedence over environment variables."""
    if chosen["workspace"] is None and chosen["server"] is None:
        folder, url = os.environ.get("SFUMATO_WORKSPACE"), os.environ.get("SFUMATO_SERVER")
        chosen |= {"workspace": Path(folder) if folder else None, "server": url or None}
    if chosen["workspace"] is None and chosen["server"] is None:
        raise BadInput("No workspace and no server is given", hint="add --workspace DIR or --server URL.")
    if chosen["workspace"] is not None and chosen["server"] is not None:
        raise BadInput("A workspace and a server are given", hint="choose one: --workspace DIR or --server URL.")
    other, kind = (_OF_WORKSPACE, "--workspace") if chosen["workspace"] is None else (_OF_SERVER, "--server")
    if misplaced := [name for name in other if chosen[name]]:
        raise BadInput(f"--{misplaced[0].replace('_', '-')} needs {kind}", hint="leave it out.")
    return Desk(**chosen)
