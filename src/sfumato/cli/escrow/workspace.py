"""`sfumato init`, `serve` and `doctor`: a workspace is made, listens, and is looked over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.secret import secret
from sfumato.errors import BadInput
from sfumato.model.plain import to_plain

Dir = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the workspace.")]
PassphraseFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A file with the passphrase on its first line; else it is asked for."),
]
KeyFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A file that unlocks the workspace in place of a passphrase.")
]

SHORTEST = 12  # characters of a passphrase


def init(
    directory: Dir,
    admin: Annotated[str, typer.Option(help="The name of the first admin.")] = "admin",
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file with the admin's password; else it is asked for.")
    ] = None,
    passphrase_file: PassphraseFile = None,
    key_file: KeyFile = None,
    database: Annotated[
        str, typer.Option(metavar="URL", help='"sqlite", or postgresql+psycopg://USER@HOST/NAME.')
    ] = "sqlite",
    as_json: options.Json = False,
) -> None:
    """Make a workspace: a folder with settings, keys, an empty database and the first admin."""
    require_server_extra()
    from sfumato.composition.create import create_workspace
    from sfumato.composition.settings import WorkspaceSettings

    passphrase = None if key_file is not None else secret(passphrase_file, "Passphrase of the workspace", twice=True)
    if passphrase is not None and len(passphrase) < SHORTEST:
        hint = "take four words that nobody else would put together: it is all that protects the data."
        raise BadInput(f"A passphrase has at least {SHORTEST} characters", hint=hint)
    password = secret(password_file, f"Password of {admin}", twice=True)
    settings = WorkspaceSettings(database=database)
    person = create_workspace(
        directory, admin=admin, password=password, passphrase=passphrase, key_file=key_file, settings=settings
    )
    if as_json:
        typer.echo(json.dumps({"workspace": str(directory), "admin": to_plain(person)}, indent=2))
        return
    locked = f"The key file {key_file}" if key_file else "The passphrase"
    typer.echo(f"{directory} is a workspace, and {person.name} is its admin.")
    typer.echo(f"{locked} unlocks it: without it nobody can read the data, and nobody can bring it back.")
    typer.echo(f"Next: sfumato user add NAME --role analyst --workspace {directory}; then sfumato serve {directory}.")


def serve(
    directory: Dir,
    host: Annotated[str | None, typer.Option(help="The address to listen on; by default the settings'.")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on; by default the settings'.")] = None,
    passphrase_file: PassphraseFile = None,
    key_file: KeyFile = None,
    as_json: options.Json = False,
) -> None:
    """Serve a workspace to controllers and analysts, until it is stopped."""
    require_server_extra()
    from sfumato.composition.settings import load
    from sfumato.composition.workspace import lock_for_serving, open_workspace
    from sfumato.server.app import create_app
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
        secure = tls is not None or settings.behind_proxy
        app = create_app(workspace.escrow, ServerSettings(secure=secure, data_bytes=settings.upload_mb << 20))
        url = f"{'https' if tls else 'http'}://{at}:{on}"
        line = (
            json.dumps({"workspace": str(directory), "url": url}) if as_json else f"sfumato serves {directory} at {url}"
        )
        typer.echo(line, err=not as_json)
        listen(app, at, on, tls=tls, behind_proxy=settings.behind_proxy, taken=taken)


def doctor(
    directory: Dir,
    passphrase_file: PassphraseFile = None,
    key_file: KeyFile = None,
    as_json: options.Json = False,
) -> None:
    """Check a workspace: settings, keys, database, record, data, workers; and say what to do."""
    require_server_extra()
    from sfumato.composition.doctor import examine
    from sfumato.composition.workspace import open_workspace
    from sfumato.presentation.table import table

    passphrase = unlocking(directory, passphrase_file, key_file)
    findings = examine(directory, lambda: open_workspace(directory, passphrase=passphrase, key_file=key_file))
    if as_json:
        typer.echo(json.dumps([one.as_dict() for one in findings], indent=2))
    else:
        marks = {True: "✓", False: "✕", None: "●"}
        typer.echo(table(["", "what", "found", "to do"], [[marks[f.good], f.what, f.said, f.do] for f in findings]))
    if any(one.good is False for one in findings):
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
