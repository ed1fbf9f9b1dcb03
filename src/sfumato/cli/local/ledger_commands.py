"""`sfumato ledger`: show and verify the ledger."""

from __future__ import annotations

import json
import sys
from pathlib import Path as File
from shutil import get_terminal_size
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.help import CommandGroup
from sfumato.cli.looks import Yes, confirm_look
from sfumato.cli.option_groups import with_option_groups
from sfumato.cli.options import argument, option
from sfumato.cli.output import Confirmation, write_people
from sfumato.cli.output import show as print_result
from sfumato.cli.progress import reading

app = CommandGroup("Show and verify the ledger: looks, plans and releases.")
Path = Annotated[str, argument("PATH", "Ledger file.")]
Delta = Annotated[float | None, option("Delta at which to add up all releases, as tightly as possible.", "D")]


@app.command()
def show(path: Path, delta: Delta = None, as_json: options.Json = False) -> None:
    """Show looks, plans and releases, oldest first, with the total of each dataset."""
    from sfumato.composition import local
    from sfumato.presentation import ledger_view as view
    from sfumato.presentation.wording import ledger_sentences as of_ledger

    records = local.records(path)
    if as_json:
        typer.echo(json.dumps([view.as_dict(record, delta) for record in records], indent=2))
    else:
        heading, width = "Budget at the last charge", get_terminal_size().columns if sys.stdout.isatty() else 0
        for place, r in enumerate(records):
            together = of_ledger.population(r.population) if r.population else ""
            parts = (
                view.document(r.entries, r.total, r.budget, heading, width).text(),
                view.concentrated(r.total, delta),
                view.parallel(r),
                view.periods(r),
                together,
            )
            typer.echo("\n" * bool(place) + "\n".join(filter(None, parts)))


@app.command()
def verify(path: Path, as_json: options.Json = False) -> None:
    """Verify the ledger from its first entry to its last; exit 3 names a changed entry."""
    from sfumato.composition import local

    count = local.verify_ledger(path)
    sentence = f"{count} entr{'y' if count == 1 else 'ies'}, chain intact."
    print_result(Confirmation(sentence, {"entries": count, "intact": True}), as_json)


@app.command()
def cause(
    path: Path,
    entry: Annotated[int, argument("ENTRY", "Number of the failure, as `show` lists it.")],
    text: Annotated[str, argument("TEXT", "The cause, such as 'the disk was full'.")],
    as_json: options.Json = False,
) -> None:
    """State that a failure of the engine had a cause outside the data; the dataset then has a total again."""
    from sfumato.composition import local

    dataset = local.state_cause(path, entry, text)
    sentence = f"Entry {entry} of {dataset} has a stated cause outside the data."
    print_result(Confirmation(sentence, {"dataset": dataset, "entry": entry}), as_json)


@app.command()
@with_option_groups
def people(
    *,
    target: options.TableFlags,
    people: Annotated[File | None, option("Write one row per person: person, epsilon, rho.", "FILE.parquet")] = None,
    yes: Yes = False,
    as_json: options.Json = False,
) -> None:
    """Show the epsilon that each person has spent over all releases, for controllers only; logged as a look."""
    target.require_output(people, "--people", ".parquet")
    dataset = target.open()
    confirm_look(yes=yes)
    with reading(dataset.progress):
        totals = dataset.per_person()
        text = json.dumps(totals.as_dict(), indent=2) if as_json else totals.text()
        listed = None if people is None else totals.people()
    typer.echo(text)
    write_people(listed, people)
