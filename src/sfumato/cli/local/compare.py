"""`sfumato compare`: every method side by side, and what the stated ones come to together."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.preferences import Stated, with_preferences
from sfumato.cli.progress import reading
from sfumato.errors import BadInput
from sfumato.version import __version__


@with_preferences
def compare(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    preferences: Stated = (),
    look: Annotated[
        bool, typer.Option("--look", help="Show what depends on the people, too: recorded as a look, first.")
    ] = False,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    candidates: options.Candidates = None,
    epsilon_max: options.EpsilonMax = 10.0,
    bounds_from_data: options.BoundsFromData = False,
    preregistered: options.Preregistered = "",
    html: options.Html = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """Every method side by side: its epsilons, its guarantee, what it means and needs. Yours come first and intersect.

    Without --look DATA is not read, and nothing is charged or planned.
    """
    from sfumato.composition import local

    options.writable(html, "--html", ".html")
    if look or bounds_from_data:
        dataset = local.open(data, schema, ledger=ledger, bounds_from_data=bounds_from_data)
    else:
        dataset = local.open_without_data(schema, source=data, ledger=ledger)
    how = options.how(mechanism, delta, calibration, candidates, epsilon_max) | {"preregistered": preregistered}
    with reading(dataset.progress):
        found = dataset.compare(options.query_text(sql), preferences, look=look, **how)
    typer.echo(json.dumps(found.as_dict(), indent=2) if as_json else found.text())
    if html is not None:
        try:
            found.page(f"Written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC by sfumato {__version__}.").write(html)
        except OSError:
            raise BadInput(f"--html could not write {html}", hint="free some room, or name another file.") from None
    if found.together is not None and not found.together.feasible:
        raise typer.Exit(3)
