"""`sfumato histogram`: a noisy histogram of a column, with its picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import answers, options
from sfumato.cli.local.release_commands import needs_look
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import flag, option
from sfumato.cli.preferences import Preferences, with_preferences
from sfumato.cli.progress import reading
from sfumato.errors import BadInput


@with_preferences
@with_option_groups
def histogram(
    *,
    target: options.TableFlags,
    column: Annotated[str, option("Numeric column with bounds.", "COLUMN")],
    bins: Annotated[int, option("About how many bins; their width is a round number.", "N")] = 20,
    by: Annotated[list[str] | None, option("Column to group by; repeat for several.", "COLUMN")] = None,
    where: Annotated[str | None, option("Condition on the rows.", "CONDITION")] = None,
    sql_only: Annotated[bool, flag("--sql-only", "Print the query and stop; no data is read.")] = False,
    preferences: Preferences = (),
    search: options.SearchFlags,
    terms: options.ReleaseFlags,
    out: Annotated[Path | None, option("Write the counts to this file.", "FILE.csv|.parquet|.json")] = None,
    svg: Annotated[Path | None, option("Write the picture as a file; of groups the first.", "FILE.svg")] = None,
    certificate: Annotated[Path | None, option("Write the certificate to this file.", "FILE.html|.json|.txt")] = None,
    budget: options.Budget = None,
    cohort: options.Cohort = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Release a histogram of a numeric column, as bars with their noise; the ledger is charged first.

    The bins follow from the bounds of the schema. --sql-only prints the query, which `sfumato submit` takes.
    """
    from sfumato.api.histogram import release_histogram, write_query

    if sql_only:
        unread = target.open_without_data()
        typer.echo(unread.query(write_query(unread, column, bins, by or (), where).text).sql)
        return
    target.require_output(out, "--out", ".csv", ".parquet", ".json")
    target.require_output(svg, "--svg", ".svg")
    target.require_output(certificate, "--certificate", ".html", ".json", ".txt")
    files = [path.resolve() for path in (out, svg, certificate) if path is not None]
    if len(set(files)) < len(files):
        raise BadInput("Two files have the same name", hint="name different files.")
    options.settle()
    dataset = target.open(budget=budget, cohort=cohort)
    own = write_query(dataset, column, bins, by or (), where)
    query = dataset.query(own.text)
    if needs_look(query, preferences) and not query.require_releasable(*preferences, **search.values, **vars(terms)):
        confirm_look(yes=yes)
    with reading(dataset.progress):
        accepted = terms.allow_no_guarantee, terms.redraw, terms.preregistered
        view = release_histogram(query, own, preferences, None, search.values, accepted)  # type: ignore[arg-type]
    if as_json:
        typer.echo(view.release.to_json())
    else:
        place = str(certificate or "--certificate FILE writes it")
        typer.echo(view.document(place).text())
    with answers.writing_answers(
        "the answer is in the ledger: run the command again, it costs nothing", "The answer was"
    ):
        if certificate is not None:
            view.certificate.write(certificate)
        if out is not None:
            view.release.write(out)
        if svg is not None:
            view.plot()[0].to_svg(svg)
