"""`sfumato sharing-risk`: what a guess at somebody's value comes to, and what sharing the answer risks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.api.figure import Picture
    from sfumato.api.guessing import Guessing


def sharing_risk(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    choices: options.Choices = None,
    secret: options.Secret = None,
    radius: options.Radius = None,
    prior: options.Prior = None,
    trust: options.Trust = None,
    data_sensitivity: options.DataSensitivity = None,
    limit: Annotated[
        str | None,
        typer.Option(metavar="RISK", help="What may be risked at most; the epsilon that keeps it is marked."),
    ] = None,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    candidates: options.Candidates = None,
    ledger: options.Ledger = None,
    plot: Annotated[
        str | None, typer.Option(metavar="KIND", help="One picture alone: risk, trust (a line each) or surface.")
    ] = None,
    svg: options.Svg = None,
    as_json: options.Json = False,
) -> None:
    """How often a snoop guesses somebody's value right, and what sharing the answer risks; DATA is not read."""
    from sfumato.composition import local

    options.writable(svg, "--svg", ".svg")

    query = local.open_without_data(schema, source=data, ledger=ledger).query(options.query_text(sql))
    guessing = query.guessing(
        choices=choices,
        secret=secret,
        radius=radius,
        prior=prior,
        trust=trust,
        data_sensitivity=data_sensitivity,
        limit=limit,
        mechanism=mechanism,
        delta=delta,
        candidates=options.candidates_of(candidates),
        calibration=calibration,
    )
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
