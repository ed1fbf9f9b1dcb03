"""`sfumato sharing-risk`: what a guess at somebody's value comes to, and what sharing the answer risks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.option_groups import with_option_groups
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.api.figure import Picture
    from sfumato.api.guessing import Guessing


@dataclass(frozen=True)
class GuessFlags:
    """What is guessed, and with whom the answer is shared."""

    choices: options.Choices = None
    secret: options.Secret = None
    radius: options.Radius = None
    prior: options.Prior = None
    trust: options.Trust = None
    data_sensitivity: options.DataSensitivity = None
    limit: Annotated[
        str | None,
        typer.Option(metavar="RISK", help="What may be risked at most; the epsilon that keeps it is marked."),
    ] = None


@with_option_groups
def sharing_risk(
    *,
    target: options.QueryFlags,
    guess: GuessFlags,
    noise: options.NoiseFlags,
    ledger: options.Ledger = None,
    plot: Annotated[
        str | None, typer.Option(metavar="KIND", help="One picture alone: risk, trust (a line each) or surface.")
    ] = None,
    svg: options.Svg = None,
    as_json: options.Json = False,
) -> None:
    """How often a snoop guesses somebody's value right, and what sharing the answer risks; DATA is not read."""
    from sfumato.composition import local

    options.require_writable(svg, "--svg", ".svg")
    query = local.open_without_data(target.schema, source=target.data, ledger=ledger).query(target.text)
    guessing = query.guessing(**vars(guess), **noise.values)
    picture = _picture(guessing, plot)
    if svg is not None:
        picture.to_svg(svg)
    if plot is not None and not as_json:
        picture.show()
        return
    typer.echo(json.dumps(guessing.as_dict(), indent=2) if as_json else guessing.text())


def _picture(guessing: Guessing, kind: str | None) -> Picture:
    kinds = {None: guessing.plot, "risk": guessing.plot, "trust": guessing.by_trust, "surface": guessing.surface}
    if kind not in kinds:
        raise BadInput(f"There is no picture '{kind}'", hint="it is risk, trust or surface.")
    return kinds[kind]()
