"""`sfumato sharing-risk`: what a guess at somebody's value comes to, and what sharing the answer risks."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options


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
    grid: options.Grid = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """How often a snoop guesses somebody's value right, and what sharing the answer risks; DATA is not read."""
    from sfumato import wiring

    query = wiring.planned(schema, source=data, ledger=ledger).query(options.query_text(sql))
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
        candidates=options.grid_of(grid),
        calibration=calibration,
    )
    typer.echo(json.dumps(guessing.as_dict(), indent=2) if as_json else guessing.text())
