"""`sfumato init`, `serve` and `doctor`: create, serve and check a workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.options import argument, option
from sfumato.cli.output import Confirmation, show
from sfumato.cli.secret import secret
from sfumato.errors import BadInput
from sfumato.model.plain import to_plain

Dir = Annotated[Path, argument("DIR", "Folder of the workspace.")]
PassphraseFile = Annotated[
    Path | None, option("File with the passphrase on its first line; otherwise you are asked.", "FILE")
]
KeyFile = Annotated[Path | None, option("Key file that unlocks the workspace, in place of a passphrase.", "FILE")]

SHORTEST = 12  # characters of a passphrase


def init(
    directory: Dir,
    admin: Annotated[str, option("User name of the first admin.", "NAME")] = "admin",
    password_file: Annotated[
        Path | None, option("File with the admin's password; otherwise you are asked.", "FILE")
    ] = None,
    passphrase_file: PassphraseFile = None,
    key_file: KeyFile = None,
    database: Annotated[str, option('"sqlite", or postgresql+psycopg://USER@HOST/NAME.', "URL")] = "sqlite",
    as_json: options.Json = False,
) -> None:
    """Create a workspace: a folder with settings, keys, an empty database and the first admin."""
    require_server_extra()
    from sfumato.composition.create import create_workspace
    from sfumato.composition.settings import WorkspaceSettings

    passphrase = None if key_file is not None else secret(passphrase_file, "Passphrase of the workspace", twice=True)
    if passphrase is not None and len(passphrase) < SHORTEST:
        hint = "choose four unrelated words: the passphrase is all that protects the data."
        raise BadInput(f"A passphrase needs at least {SHORTEST} characters", hint=hint)
    password = secret(password_file, f"Password of {admin}", twice=True)
    settings = WorkspaceSettings(database=database)
    person = create_workspace(
        directory, admin=admin, password=password, passphrase=passphrase, key_file=key_file, settings=settings
    )
    lock = f"key file {key_file}" if key_file else "passphrase"
    sentences = (
        f"Created the workspace {directory} with the admin {person.name}.",
        f"The {lock} unlocks it. Without the {lock} no one can read or recover the data.",
        f"Next: sfumato user add NAME --role analyst --workspace {directory}; then sfumato serve {directory}.",
    )
    show(Confirmation("\n".join(sentences), {"workspace": str(directory), "admin": to_plain(person)}), as_json)


def serve(
    directory: Dir,
    host: Annotated[str | None, option("Address to listen on; by default from the settings.", "ADDRESS")] = None,
    port: Annotated[int | None, option("Port to listen on; by default from the settings.", "PORT")] = None,
    passphrase_file: PassphraseFile = None,
    key_file: KeyFile = None,
    as_json: options.Json = False,
) -> None:
    """Serve a workspace to controllers and analysts, until it is stopped."""
    require_server_extra()
    from sfumato.composition.settings import load
    from sfumato.composition.workspace import lock_for_serving, open_workspace
    from sfumato.server.app import create_app
    from sfumato.server.connections import ConnectionLimits
    from sfumato.server.run import Tls, bind_socket
    from sfumato.server.run import serve as listen
    from sfumato.server.settings import ServerSettings

    settings = load(directory)
    at, on = host or settings.host, port or settings.port
    tls = Tls(Path(settings.certificate), Path(settings.certificate_key)) if settings.certificate else None
    with (
        bind_socket(at, on, tls=tls, behind_proxy=settings.behind_proxy) as taken,
        lock_for_serving(directory, settings) as alone,
        open_workspace(
            directory, passphrase=unlocking(directory, passphrase_file, key_file), key_file=key_file
        ) as workspace,
    ):
        workspace.escrow.datasets.sweep()
        workspace.escrow.resume(alone=alone)
        workspace.escrow.signals.prepare()
        workspace.escrow.datasets.prepare()
        secure = tls is not None or settings.behind_proxy
        bodies = ServerSettings(secure=secure, data_bytes=settings.upload_mb << 20, body_seconds=settings.body_seconds)
        app = create_app(workspace.escrow, bodies)
        limits = ConnectionLimits(
            most=settings.connections,
            each=settings.connections_each,
            header_seconds=settings.header_seconds,
            body_seconds=settings.body_seconds,
            idle_seconds=settings.idle_seconds,
        )
        url = f"{'https' if tls else 'http'}://{at}:{on}"
        line = (
            json.dumps({"workspace": str(directory), "url": url}) if as_json else f"sfumato serves {directory} at {url}"
        )
        typer.echo(line, err=not as_json)
        listen(
            app,
            taken,
            tls=tls,
            behind_proxy=settings.behind_proxy,
            limits=limits,
            grace_seconds=settings.grace_seconds,
            stop=workspace.stop,
        )


def doctor(
    directory: Dir,
    passphrase_file: PassphraseFile = None,
    key_file: KeyFile = None,
    as_json: options.Json = False,
) -> None:
    """Check settings, keys, database, audit log, data and workers, and list what to fix."""
    require_server_extra()
    from sfumato.composition.doctor import examine
    from sfumato.composition.workspace import open_workspace
    from sfumato.presentation.table import table

    passphrase = unlocking(directory, passphrase_file, key_file)
    findings = examine(directory, lambda: open_workspace(directory, passphrase=passphrase, key_file=key_file))
    if as_json:
        typer.echo(json.dumps([finding.as_dict() for finding in findings], indent=2))
    else:
        marks = {True: "✓", False: "✕", None: "●"}
        typer.echo(table(["", "check", "result", "remedy"], [[marks[f.good], f.what, f.said, f.do] for f in findings]))
    if any(finding.good is False for finding in findings):
        raise typer.Exit(1)


def unlocking(directory: Path, passphrase_file: Path | None, key_file: Path | None) -> str | None:
    """The passphrase, where the workspace is locked by one."""
    from sfumato.composition.settings import load

    if key_file is not None or load(directory).key_file:
        return None
    return secret(passphrase_file, "Passphrase of the workspace")


def require_server_extra() -> None:
    from importlib.util import find_spec

    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "alembic", "argon2", "cryptography")):
        raise BadInput("The server is not installed", hint="pip install 'sfumato[server]'.")
