"""`sfumato worst-case`, `rehearse`, `exposure-histogram`, `risk`: the ways to see risk."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.output import ViewFlags, page_footer, write_file, write_people
from sfumato.cli.preferences import Preferences, with_preferences
from sfumato.cli.progress import reading, waiting

if TYPE_CHECKING:
    from sfumato.api.risk import RiskProfile


@with_option_groups
def worst_case(
    *,
    target: options.QueryFlags,
    noise: options.NoiseFlags,
    exact: options.Exact = False,
    view: ViewFlags,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """Risk from public facts alone, true for any data; DATA is not read."""
    from sfumato.composition import local

    view.require_possible(as_json)
    query = local.open_without_data(target.schema, source=target.data, ledger=ledger).query(target.text)
    _prepare(query.worst_case(**noise.values, exact=exact), view, as_json)()


@with_preferences
@with_option_groups
def rehearse(
    *,
    target: options.QueryFlags,
    like: Annotated[str | None, typer.Option(metavar="PUBLIC", help="A public table of the same columns.")] = None,
    rows: Annotated[int | None, typer.Option(help="How many people are invented.", min=1)] = None,
    preferences: Preferences = (),
    search: options.SearchFlags,
    plan: Annotated[
        bool, typer.Option("--plan", help="Enter the preference as the plan for this query, before anybody looks.")
    ] = False,
    view: ViewFlags,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The same query on a look-alike, invented or public. The preference goes on to `choose`.

    DATA is not read; with --like it is compared with PUBLIC, which may not be a copy of it.
    """
    from sfumato.composition import local
    from sfumato.presentation.wording import choosing as of_choosing

    view.require_possible(as_json)
    query = local.open_without_data(target.schema, source=target.data, ledger=ledger).query(target.text)
    with waiting(query.dataset.progress, "Rehearsing"):
        profile = query.rehearse(*preferences, like=like, rows=rows, **search.values)
        show = _prepare(profile, view, as_json)
    show()
    if profile.solution is not None and profile.solution.feasible and not as_json:
        typer.echo(f"\n{of_choosing.go_on(options.choose_command(sys.argv[1:]))}")
    if plan:
        typer.echo(of_choosing.planned(query.plan(*preferences, **search.values)), err=True)


@with_option_groups
def exposure_histogram(
    *,
    target: options.QueryFlags,
    epsilon: Annotated[
        float, typer.Option(help="What the exposure histogram spends; 0.05 shows bins of a hundred people or more.")
    ],
    bins: Annotated[int, typer.Option(help="Bins of exposure above 0, from 2 to 200.")] = 20,
    noise: options.NoiseFlags,
    terms: options.ReleaseFlags,
    view: ViewFlags,
    ledger: options.Ledger = None,
    budget: options.Budget = None,
    as_json: options.Json = False,
) -> None:
    """A private histogram of exposures: the ledger is charged first, and it is no look."""
    from sfumato.composition import local

    view.require_possible(as_json)
    query = local.open(target.data, target.schema, ledger=ledger, budget=budget).query(target.text)
    with reading(query.dataset.progress):
        profile = query.exposure_histogram(epsilon, bins=bins, **noise.values, **vars(terms))
        show = _prepare(profile, view, as_json)
    show()


@with_option_groups
def risk(
    *,
    target: options.QueryFlags,
    people: Annotated[
        Path | None, typer.Option(metavar="FILE.parquet", help="Write one row per person: person, influence, exposure.")
    ] = None,
    most_exposed: Annotated[bool, typer.Option("--most-exposed", help="Name the 20 most exposed.")] = False,
    noise: options.NoiseFlags,
    exact: options.Exact = False,
    bounds_from_data: options.BoundsFromData = False,
    view: ViewFlags,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The people themselves, for the controller's eyes: recorded as a look."""
    from sfumato.composition import local

    options.require_writable(people, "--people", ".parquet")
    options.require_not_read(people, "--people", target.data, target.schema, ledger)
    view.require_possible(as_json)
    dataset = local.open(target.data, target.schema, ledger=ledger, bounds_from_data=bounds_from_data)
    query = dataset.query(target.text)
    with reading(dataset.progress):
        profile = query.risk(**noise.values, exact=exact)
        show = _prepare(profile, view, as_json, most_exposed)
        listed = None if people is None else profile.people()
    show()
    if listed is not None and people is not None:
        write_people(listed, people)


def _prepare(profile: RiskProfile, view: ViewFlags, as_json: bool, most_exposed: bool = False) -> Callable[[], None]:
    """Take from the profile whatever is asked for; what is returned shows it."""
    from sfumato.api import risk_report
    from sfumato.presentation.figures.terminal import text as picture_text

    picture = view.picture(profile)
    if as_json:
        named: dict[str, object] = {"most_exposed": profile.most_exposed().to_pylist()} if most_exposed else {}
        named |= {"tries": [tries.as_dict() for tries in profile.tries]} if profile.tries else {}
        text = json.dumps(profile.view.as_dict() | named, indent=2, default=str)
    elif picture is not None and view.plot is not None:
        text = picture_text(picture.figure)
    else:
        text = risk_report.text(profile, most_exposed=most_exposed)
    page = None if view.html is None else risk_report.page(profile, page_footer())

    def show() -> None:
        typer.echo(text)
        if page is not None and view.html is not None:
            write_file(page.write, view.html, "--html")
        if picture is not None and view.svg is not None:
            write_file(picture.to_svg, view.svg, "--svg")

    return show
