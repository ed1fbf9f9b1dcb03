"""`sfumato compare`: all methods side by side, and the intersection of your preferences."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.output import page_footer, show, write_file
from sfumato.cli.preferences import PreferenceTerms, with_terms
from sfumato.cli.progress import reading


@with_terms
@with_option_groups
def compare(
    *,
    target: options.QueryFlags,
    terms: PreferenceTerms,
    look: Annotated[
        bool, options.flag("--look", "Show also what depends on the people in the data; logged as a look.")
    ] = False,
    search: options.SearchFlags,
    bounds_from_data: options.BoundsFromData = False,
    preregistered: options.Preregistered = "",
    html: options.Html = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Compare all methods: their epsilons, guarantees, noise and needs. Your preferences come first and intersect.

    Without --look no data is read, and nothing is charged or planned.
    """
    options.require_writable(html, "--html", ".html")
    reads = look or bounds_from_data
    dataset = target.open(bounds_from_data=bounds_from_data) if reads else target.open_without_data()
    if look:
        confirm_look(yes=yes)
    with reading(dataset.progress):
        how: dict[str, Any] = {"preregistered": preregistered, "expected_count": terms.expected_count}
        comparison = dataset.compare(target.text, terms.preferences, look=look, **how, **search.values)
    show(comparison, as_json)
    if html is not None:
        write_file(comparison.page(page_footer()).write, html, "--html")
    if comparison.together is not None and not comparison.together.feasible:
        raise typer.Exit(3)
