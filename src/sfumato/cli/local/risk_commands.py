"""`sfumato worst-case`, `rehearse`, `exposure-histogram` and `risk`: the ways to see risk."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.output import ViewFlags, page_footer, write_file, write_people
from sfumato.cli.preferences import PreferenceTerms, with_terms
from sfumato.cli.progress import reading, waiting

if TYPE_CHECKING:
    from sfumato.api.risk import RiskProfile


@with_option_groups
def worst_case(
    *,
    target: options.QueryFlags,
    noise: options.NoiseFlags,
    exact: options.Exact = False,
    expected_count: options.ExpectedCount = None,
    together: options.Together = None,
    view: ViewFlags,
    as_json: options.Json = False,
) -> None:
    """Show risk and the expected interval from public facts only; of DATA only the column names are read."""
    view.require_possible(as_json)
    query = target.open_without_data(read_columns=True).query(target.text, target.parameters)
    how: dict[str, Any] = {"exact": exact, "expected_count": expected_count, "together": together}
    _prepare(query.worst_case(**noise.values, **how), view, as_json)()


@with_terms
@with_option_groups
def rehearse(
    *,
    target: options.QueryFlags,
    like: Annotated[
        list[str] | None,
        option("Public table with the same columns, in place of synthetic rows; with --table, NAME=PUBLIC.", "PUBLIC"),
    ] = None,
    rows: Annotated[int | None, typer.Option(help="Number of synthetic people.", min=1)] = None,
    terms: PreferenceTerms,
    search: options.SearchFlags,
    plan: Annotated[
        bool, options.flag("--plan", "Enter the preference as the plan for this query, before anyone looks.")
    ] = False,
    view: ViewFlags,
    as_json: options.Json = False,
) -> None:
    """Try a query and a preference on synthetic data or a public table, and print the command for DATA.

    DATA is not read. With --like it is only compared with PUBLIC, which must not be a copy of it.
    """
    from sfumato.presentation.wording import choosing as of_choosing

    view.require_possible(as_json)
    query = target.open_without_data().query(target.text, target.parameters)
    with waiting(query.dataset.progress, "Rehearsing"):
        stand_in = options.stand_in(like, several=target.table is not None)
        how: dict[str, Any] = {"like": stand_in, "rows": rows, "expected_count": terms.expected_count}
        profile = query.rehearse(*terms.preferences, **how, **search.values)
        show = _prepare(profile, view, as_json)
    show()
    if profile.solution is not None and profile.solution.feasible and not as_json:
        sound = terms.words_without_look
        command = options.choose_command(sys.argv[1:], *(sound or ()))
        typer.echo(f"\n{of_choosing.go_on(command, looks=terms.looks, sound=sound is not None)}")
    if plan:
        typer.echo(of_choosing.planned(query.plan(*terms.preferences, **search.values)), err=True)


@with_option_groups
def exposure_histogram(
    *,
    target: options.QueryFlags,
    epsilon: Annotated[float, option("Epsilon of the histogram; 0.05 shows bins of 100 people or more.", "E")],
    bins: Annotated[int, option("Number of bins above exposure 0, from 2 to 200.", "N")] = 20,
    noise: options.NoiseFlags,
    terms: options.ReleaseFlags,
    view: ViewFlags,
    budget: options.Budget = None,
    cohort: options.Cohort = None,
    as_json: options.Json = False,
) -> None:
    """Draw a private histogram of exposures. It is noisy and charged; it does not count as looking at the data."""
    view.require_possible(as_json)
    query = target.open(budget=budget, cohort=cohort).query(target.text, target.parameters)
    with reading(query.dataset.progress):
        profile = query.exposure_histogram(epsilon, bins=bins, **noise.values, **vars(terms))
        show = _prepare(profile, view, as_json)
    show()


@with_option_groups
def risk(
    *,
    target: options.QueryFlags,
    people: Annotated[
        Path | None,
        option("Write one row per person: influence, exposure, RDR at each epsilon of --candidates.", "FILE.parquet"),
    ] = None,
    most_exposed: Annotated[bool, options.flag("--most-exposed", "List the 20 most exposed people.")] = False,
    noise: options.NoiseFlags,
    exact: options.Exact = False,
    together: options.Together = None,
    bounds_from_data: options.BoundsFromData = False,
    view: ViewFlags,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Show individual risks, for controllers only; logged as a look.

    Anything you choose after this has no privacy guarantee; the preregistered rule keeps its guarantee.
    """
    target.require_output(people, "--people", ".parquet")
    view.require_possible(as_json)
    query = target.open(bounds_from_data=bounds_from_data).query(target.text, target.parameters)
    confirm_look(yes=yes)
    with reading(query.dataset.progress):
        profile = query.risk(**noise.values, exact=exact, together=together)
        show = _prepare(profile, view, as_json, most_exposed)
        listed = None if people is None else profile.people(profile.epsilons or ())
    show()
    write_people(listed, people)


def _prepare(profile: RiskProfile, view: ViewFlags, as_json: bool, most_exposed: bool = False) -> Callable[[], None]:
    """Compute what is asked for from the profile; the function returned prints it."""
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
