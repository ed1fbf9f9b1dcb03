"""`sfumato demo`: the guided tour on the embedded population."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.workspace import require_server_extra
from sfumato.errors import BadInput


def demo(
    rows: Annotated[int, typer.Option(help="How many people the population has.", min=1)] = 32_561,
    seed: Annotated[int, typer.Option(help="Which people: the same seed gives the same ones.")] = 1,
    keep: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write adult.parquet, adult.toml and the ledger there, to go on with."),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Open the web app on it instead, with two sign-ins and a request waiting.")
    ] = False,
    port: Annotated[int, typer.Option(help="With --serve: the port to listen on; 0 takes a free one.", min=0)] = 8765,
    as_json: options.Json = False,
) -> None:
    """The main job from rule to certificate, on a population in which nobody exists."""
    if serve:
        if keep is not None or as_json:
            raise BadInput("--serve goes without --keep and --json", hint="leave them out.")
        require_server_extra()
        from sfumato.cli.local.demo_server import serve_demo

        return serve_demo(port, rows, seed, typer.echo)
    from sfumato.demo.tour import tour

    lines: list[str] = []
    tour(lines.append if as_json else typer.echo, rows, seed, keep)
    if as_json:
        typer.echo(json.dumps({"tour": lines}, indent=2))
