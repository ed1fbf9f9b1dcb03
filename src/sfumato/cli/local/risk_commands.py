"""`sfumato worst-case`, `rehearse`, `exposure-histogram`, `risk`: the ways to see risk."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.drawn import Drawn, filed
from sfumato.cli.people import write_people
from sfumato.cli.preferences import Stated, with_preferences
from sfumato.cli.progress import reading, waiting
from sfumato.version import __version__

if TYPE_CHECKING:
    from sfumato.api.risk import RiskProfile


def worst_case(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    candidates: options.Candidates = None,
    exact: options.Exact = False,
    plot: options.Plot = None,
    svg: options.Svg = None,
    html: options.Html = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """Risk from public facts alone, true for any data; DATA is not read."""
    from sfumato.composition import local

    drawn = Drawn(plot, svg, as_json)
    options.writable(html, "--html", ".html")
    query = local.open_without_data(schema, source=data, ledger=ledger).query(options.query_text(sql))
    _shown(
        query.worst_case(
            mechanism, delta, candidates=options.candidates_of(candidates), calibration=calibration, exact=exact
        ),
        as_json,
        html,
        drawn,
    )()


@with_preferences
def rehearse(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    like: Annotated[str | None, typer.Option(metavar="PUBLIC", help="A public table of the same columns.")] = None,
    rows: Annotated[int | None, typer.Option(help="How many people are invented.", min=1)] = None,
    preferences: Stated = (),
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    candidates: options.Candidates = None,
    epsilon_max: options.EpsilonMax = 10.0,
    plan: Annotated[
        bool, typer.Option("--plan", help="Enter the preference as the plan for this query, before anybody looks.")
    ] = False,
    plot: options.Plot = None,
    svg: options.Svg = None,
    html: options.Html = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The same query on a look-alike, invented or public. The preference goes on to `choose`.

    DATA is not read; with --like it is compared with PUBLIC, which may not be a copy of it.
    """
    from sfumato.composition import local
    from sfumato.presentation.wording import choosing as of_choosing

    drawn = Drawn(plot, svg, as_json)
    options.writable(html, "--html", ".html")
    query = local.open_without_data(schema, source=data, ledger=ledger).query(options.query_text(sql))
    with waiting(query.dataset.progress, "Rehearsing"):
        how: dict[str, Any] = {
            "mechanism": mechanism,
            "delta": delta,
            "calibration": calibration,
            "candidates": options.candidates_of(candidates),
            "epsilon_max": epsilon_max,
        }
        profile = query.rehearse(*preferences, like=like, rows=rows, **how)
        show = _shown(profile, as_json, html, drawn)
    show()
    if profile.solution is not None and profile.solution.feasible and not as_json:
        typer.echo(f"\n{of_choosing.go_on(options.carried_over(sys.argv[1:]))}")
    if plan:
        typer.echo(of_choosing.planned(query.plan(*preferences, **how)), err=True)


def exposure_histogram(
    data: options.Data,
    schema: options.Schema,
    sql: options.Sql,
    epsilon: Annotated[
        float, typer.Option(help="What the exposure histogram spends; 0.05 shows bins of a hundred people or more.")
    ],
    bins: Annotated[int, typer.Option(help="Bins of exposure above 0, from 2 to 200.")] = 20,
    mechanism: options.Mechanism = "laplace",
    delta: options.Delta = None,
    calibration: options.Calibration = "analytic",
    candidates: options.Candidates = None,
    preregistered: options.Preregistered = "",
    redraw: options.Redraw = False,
    allow_no_guarantee: options.AllowNoGuarantee = False,
    plot: options.Plot = None,
    svg: options.Svg = None,
    html: options.Html = None,
    ledger: options.Ledger = None,
    budget: options.Budget = None,
    as_json: options.Json = False,
) -> None:
    """A private histogram of exposures: the ledger is charged first, and it is no look."""
    from sfumato.composition import local

    drawn = Drawn(plot, svg, as_json)
    options.writable(html, "--html", ".html")
    query = local.open(data, schema, ledger=ledger, budget=budget).query(options.query_text(sql))
    with reading(query.dataset.progress):
        profile = query.exposure_histogram(
            epsilon,
            bins=bins,
            mechanism=mechanism,
            delta=delta,
            candidates=options.candidates_of(candidates),
            calibration=calibration,
            allow_no_guarantee=allow_no_guarantee,
            redraw=redraw,
            preregistered=preregistered,
        )
        show = _shown(profile, as_json, html, drawn)
    show()


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
    candidates: options.Candidates = None,
    exact: options.Exact = False,
    bounds_from_data: options.BoundsFromData = False,
    plot: options.Plot = None,
    svg: options.Svg = None,
    html: options.Html = None,
    ledger: options.Ledger = None,
    as_json: options.Json = False,
) -> None:
    """The people themselves, for the controller's eyes: recorded as a look."""
    from sfumato.composition import local

    options.writable(people, "--people", ".parquet")
    options.spared(people, "--people", data, schema, ledger)
    drawn = Drawn(plot, svg, as_json)
    options.writable(html, "--html", ".html")
    dataset = local.open(data, schema, ledger=ledger, bounds_from_data=bounds_from_data)
    query = dataset.query(options.query_text(sql))
    with reading(dataset.progress):
        profile = query.risk(
            mechanism, delta, candidates=options.candidates_of(candidates), calibration=calibration, exact=exact
        )
        show = _shown(profile, as_json, html, drawn, most_exposed)
        listed = None if people is None else profile.people()
    show()
    if listed is not None and people is not None:
        write_people(listed, people)


def _shown(
    profile: RiskProfile, as_json: bool, html: Path | None, drawn: Drawn, most_exposed: bool = False
) -> Callable[[], None]:
    """Take from the profile whatever is asked for; what is returned shows it."""
    from sfumato.api import risk_report
    from sfumato.presentation.figures.terminal import text as picture_text

    picture = drawn.of(profile)
    if as_json:
        named: dict[str, object] = {"most_exposed": profile.most_exposed().to_pylist()} if most_exposed else {}
        named |= {"tries": [tries.as_dict() for tries in profile.tries]} if profile.tries else {}
        text = json.dumps(profile.view.as_dict() | named, indent=2, default=str)
    elif picture is not None and drawn.kind is not None:
        text = picture_text(picture.figure)
    else:
        text = risk_report.text(profile, most_exposed=most_exposed)
    page = None if html is None else risk_report.page(profile, _written())

    def show() -> None:
        typer.echo(text)
        if page is not None and html is not None:
            filed(page.write, html, "--html")
        if picture is not None and drawn.svg is not None:
            filed(picture.to_svg, drawn.svg, "--svg")

    return show


def _written() -> str:
    return f"Written {datetime.now(UTC):%Y-%m-%d %H:%M} UTC by sfumato {__version__}."
