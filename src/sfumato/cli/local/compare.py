"""`sfumato compare`: every method side by side, and what the stated ones come to together."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.output import page_footer, write_file
from sfumato.cli.preferences import Preferences, with_preferences
from sfumato.cli.progress import reading


@with_preferences
@with_option_groups
def compare(
    *,
    target: options.QueryFlags,
    preferences: Preferences = (),
    look: Annotated[
        bool, typer.Option("--look", help="Show what depends on the people, too: recorded as a look, first.")
    ] = False,
    search: options.SearchFlags,
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

    options.require_writable(html, "--html", ".html")
    if look or bounds_from_data:
        dataset = local.open(target.data, target.schema, ledger=ledger, bounds_from_data=bounds_from_data)
    else:
        dataset = local.open_without_data(target.schema, source=target.data, ledger=ledger)
    with reading(dataset.progress):
        comparison = dataset.compare(target.text, preferences, look=look, preregistered=preregistered, **search.values)
    typer.echo(json.dumps(comparison.as_dict(), indent=2) if as_json else comparison.text())
    if html is not None:
        write_file(comparison.page(page_footer()).write, html, "--html")
    if comparison.together is not None and not comparison.together.feasible:
        raise typer.Exit(3)
