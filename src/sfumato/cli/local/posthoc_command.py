"""`sfumato posthoc-risk`: what an answer that was released tells about each person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import option
from sfumato.cli.output import write_file, write_people
from sfumato.cli.progress import reading

Entry = Annotated[
    int | None, option("Ledger entry of the release, as on its certificate; by default the last one.", "N")
]
ReleasedSql = Annotated[str | None, option("Query of the release; by default that of the last one.", "SQL", "--sql")]
Between = Annotated[
    str | None, option("Compare the median PRIs of those who meet a condition and of the others.", "CONDITION")
]


@with_option_groups
def posthoc_risk(
    *,
    target: options.TableFlags,
    sql: ReleasedSql = None,
    entry: Entry = None,
    between: Between = None,
    people: Annotated[
        Path | None, option("Write one row per person: person, printed, pri, loss.", "FILE.parquet")
    ] = None,
    svg: Annotated[Path | None, option("Write the histogram as a file.", "FILE.svg")] = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Show what a released answer tells about each person, for controllers only; logged as a look.

    The release is one that the ledger has. Distances (PRI) are of the answer as it is printed.
    """
    target.require_output(people, "--people", ".parquet")
    options.require_writable(svg, "--svg", ".svg")
    dataset = target.open()
    released = dataset.recorded_release(entry, sql=None if sql is None else options.query_text(sql))
    confirm_look(yes=yes)
    with reading(dataset.progress):
        after = released.posthoc_risk(between)
        about = f"Query: {released.certificate.query}\nReleased: {released.certificate.released_at}\n\n"
        text = json.dumps(after.as_dict(), indent=2, default=str) if as_json else about + after.text()
        listed = None if people is None else after.people()
        picture = None if svg is None else after.plot()
    typer.echo(text)
    write_people(listed, people)
    if picture is not None and svg is not None:
        write_file(picture.to_svg, svg, "--svg")
