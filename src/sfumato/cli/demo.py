"""`sfumato demo`: the guided tour on the embedded population."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options


def demo(
    rows: Annotated[int, typer.Option(help="How many people the population has.", min=1)] = 32_561,
    seed: Annotated[int, typer.Option(help="Which people: the same seed gives the same ones.")] = 1,
    keep: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Write adult.parquet, adult.toml and the ledger there, to go on with."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """The main job from rule to certificate, on a population in which nobody exists."""
    from sfumato.demo.tour import tour

    said: list[str] = []
    tour(said.append if as_json else typer.echo, rows, seed, keep)
    if as_json:
        typer.echo(json.dumps({"tour": said}, indent=2))
