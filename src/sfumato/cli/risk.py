"""`sfumato worst-case`, `rehearse`, `risk`: the ways to see risk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.waiting import reading, waiting
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.session.profile import RiskProfile


def worst_case(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    grid: options.Grid = None,
    exact: options.Exact = False,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """Risk from public facts alone, true for any data; DATA is not read."""
    from sfumato import wiring

    query = wiring.planned(schema, source=data, ledger=ledger).query(options.query_text(sql))
    _print(query.worst_case(mechanism, delta, options.grid_of(grid), calibration, exact), as_json)


def rehearse(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    like: Annotated[str | None, typer.Option(metavar="PUBLIC", help="A public table of the same columns.")] = None,
    rows: Annotated[int | None, typer.Option(help="How many people are invented.", min=1)] = None,
    epsilon: options.Epsilon = None,
    gap: options.Gap = None,
    ratio: options.Ratio = None,
    worst_case: options.WorstCase = False,
    exact: options.Exact = False,
    between: options.Between = None,
    attack_chance: options.AttackChance = None,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    grid: options.Grid = None,
    epsilon_max: options.EpsilonMax = 10.0,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The same query on a look-alike, invented or public; DATA is not read."""
    from sfumato import wiring

    query = wiring.planned(schema, source=data, ledger=ledger).query(options.query_text(sql))
    preferences = options.preferences(epsilon, gap, ratio, worst_case, attack_chance, exact, between)
    with waiting(query.dataset.progress, "Rehearsing"):
        profile = query.rehearse(
            *preferences,
            like=like,
            rows=rows,
            mechanism=mechanism,
            delta=delta,
            calibration=calibration,
            grid=options.grid_of(grid),
            epsilon_max=epsilon_max,
        )
    _print(profile, as_json)


def risk(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    people: Annotated[
        Path | None, typer.Option(metavar="FILE.parquet", help="Write one row per person: person, influence, exposure.")
    ] = None,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    grid: options.Grid = None,
    exact: options.Exact = False,
    bounds_from_data: options.BoundsFromData = False,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The people themselves, for the controller's eyes: recorded as a look."""
    from sfumato import wiring

    if people is not None and (people.suffix != ".parquet" or not people.parent.is_dir()):
        raise BadInput(f"--people cannot write {people}", hint="name a .parquet file in a folder that exists.")
    dataset = wiring.open(data, schema, ledger=ledger, bounds_from_data=bounds_from_data)
    query = dataset.query(options.query_text(sql))
    with reading(dataset.progress):
        profile = query.risk(mechanism, delta, options.grid_of(grid), calibration, exact)
    _print(profile, as_json)
    if people is not None:
        import pyarrow.parquet as pq

        with reading(dataset.progress):
            found = profile.people()
        pq.write_table(found, people)


def _print(profile: RiskProfile, as_json: bool) -> None:
    typer.echo(json.dumps(profile.view.as_dict(), indent=2) if as_json else profile.text())
