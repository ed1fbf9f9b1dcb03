"""`sfumato demo`: a tour of the main job on generated data, its files, or its web app."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.workspace import require_server_extra
from sfumato.cli.options import flag, option
from sfumato.cli.output import Confirmation, show
from sfumato.errors import BadInput


def demo(
    rows: Annotated[int, typer.Option(help="Number of people in the data.", min=1)] = 32_561,
    seed: Annotated[int, option("Seed: the same seed generates the same people.", "N")] = 1,
    files: Annotated[str | None, option("Only write adult.csv and adult.toml to this folder.", "DIR")] = None,
    keep: Annotated[str | None, option("Keep the files and the ledger of the tour in this folder.", "DIR")] = None,
    serve: Annotated[
        bool, flag("--serve", "Open the web app instead, with two users and a request to approve.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port for --serve; 0 takes a free one.", min=0)] = 8765,
    as_json: options.Json = False,
) -> None:
    """Show the main job in six steps, from the rule to the certificate, on generated data."""
    if serve:
        if keep is not None or files is not None or as_json:
            raise BadInput("--serve cannot be combined with --files, --keep or --json", hint="leave them out.")
        require_server_extra()
        from sfumato.cli.local.demo_server import serve_demo

        return serve_demo(port, rows, seed, typer.echo)
    from sfumato import demo
    from sfumato.cli.local.tour import create_folder, tour

    if files is not None:
        written = [str(path) for path in demo.write(create_folder(files), rows, seed, name="adult.csv")]
        return show(Confirmation(f"Wrote {' and '.join(written)}.", {"files": written}), as_json)
    lines: list[str] = []
    tour(lines.append if as_json else typer.echo, rows, seed, keep)
    if as_json:
        show(Confirmation("", {"tour": lines}), as_json)
    return None
