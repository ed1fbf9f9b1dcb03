"""`sfumato worst-case`, `rehearse`, `risk`: the ways to see risk."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato import __version__
from sfumato.cli import options
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
    html: options.Html = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """Risk from public facts alone, true for any data; DATA is not read."""
    from sfumato import wiring

    options.writable(html, "--html", ".html")
    query = wiring.planned(schema, source=data, ledger=ledger).query(options.query_text(sql))
    _show(query.worst_case(mechanism, delta, options.grid_of(grid), calibration), as_json, html)


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
    attack_chance: options.AttackChance = None,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    grid: options.Grid = None,
    epsilon_max: options.EpsilonMax = 10.0,
    html: options.Html = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The same query on a look-alike, invented or public; DATA is not read."""
    from sfumato import wiring

    options.writable(html, "--html", ".html")
    query = wiring.planned(schema, source=data, ledger=ledger).query(options.query_text(sql))
    profile = query.rehearse(
        *options.preferences(epsilon, gap, ratio, worst_case, attack_chance),
        like=like,
        rows=rows,
        mechanism=mechanism,
        delta=delta,
        calibration=calibration,
        grid=options.grid_of(grid),
        epsilon_max=epsilon_max,
    )
    _show(profile, as_json, html)


def risk(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    people: Annotated[
        Path | None, typer.Option(metavar="FILE.parquet", help="Write one row per person: person, influence, exposure.")
    ] = None,
    most_exposed: Annotated[bool, typer.Option("--most-exposed", help="Name the 20 most exposed.")] = False,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    grid: options.Grid = None,
    bounds_from_data: options.BoundsFromData = False,
    html: options.Html = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The people themselves, for the controller's eyes: recorded as a look."""
    from sfumato import wiring

    options.writable(people, "--people", ".parquet")
    options.writable(html, "--html", ".html")
    dataset = wiring.open(data, schema, ledger=ledger, bounds_from_data=bounds_from_data)
    profile = dataset.query(options.query_text(sql)).risk(mechanism, delta, options.grid_of(grid), calibration)
    _show(profile, as_json, html, most_exposed)
    if people is not None:
        import pyarrow.parquet as pq

        pq.write_table(profile.people(), people)


def _show(profile: RiskProfile, as_json: bool, html: Path | None, most_exposed: bool = False) -> None:
    from sfumato.session import report

    if as_json:
        named = {"most_exposed": profile.most_exposed().to_pylist()} if most_exposed else {}
        typer.echo(json.dumps(profile.view.as_dict() | named, indent=2, default=str))
    else:
        typer.echo(report.text(profile, most_exposed=most_exposed))
    if html is not None:
        try:
            report.page(profile, _written()).write(html)
        except OSError:
            raise BadInput(f"--html could not write {html}", hint="free some room, or name another file.") from None


def _written() -> str:
    return f"Written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC by sfumato {__version__}."
