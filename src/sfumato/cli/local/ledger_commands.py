"""`sfumato ledger`: read and verify the record."""

from __future__ import annotations

import json
import sys
from pathlib import Path as File
from shutil import get_terminal_size
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.output import write_people
from sfumato.cli.progress import reading

app = typer.Typer(help="Read and verify the record of looks, plans and releases.")
app.callback(invoke_without_command=True)(options.explain)
Path = Annotated[str, typer.Argument(metavar="PATH", help="The ledger file.")]

Delta = Annotated[
    float | None, typer.Option(metavar="D", help="Say what epsilon all of it has at this delta, by the smallest sum.")
]


@app.command()
def show(path: Path, delta: Delta = None, as_json: options.Json = False) -> None:
    """What was looked at, planned and spent, oldest first, with the total of each dataset."""
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
                together,
            )
            typer.echo("\n" * bool(place) + "\n".join(filter(None, parts)))


@app.command()
def verify(path: Path, as_json: options.Json = False) -> None:
    """Follow the chain from the first entry to the last; a change is named."""
    from sfumato.composition import local

    count = local.verify_ledger(path)
    entries = f"{count} entr{'y' if count == 1 else 'ies'}"
    typer.echo(json.dumps({"entries": count, "intact": True}) if as_json else f"{entries}, chain intact.")


@app.command()
def cause(
    path: Path,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", help="The number of the failure, as `show` lists it.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The cause, such as 'the disk was full'.")],
    as_json: options.Json = False,
) -> None:
    """State that a failure of the engine had a cause outside the data; the dataset's total then exists again."""
    from sfumato.composition import local

    dataset = local.state_cause(path, entry, text)
    sentence = f"Entry {entry} of {dataset} has a stated cause outside the data."
    typer.echo(json.dumps({"dataset": dataset, "entry": entry}) if as_json else sentence)


@app.command()
def people(
    data: options.Data,
    schema: options.Schema,
    ledger: options.Ledger = None,
    people: Annotated[
        File | None, typer.Option(metavar="FILE.parquet", help="Write one row per person: person, epsilon, rho.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """What each person carries of everything released, for the controller's eyes: recorded as a look."""
    from sfumato.composition import local

    options.require_writable(people, "--people", ".parquet")
    options.require_not_read(people, "--people", data, schema, ledger)
    dataset = local.open(data, schema, ledger=ledger)
    with reading(dataset.progress):
        totals = dataset.per_person()
        text = json.dumps(totals.as_dict(), indent=2) if as_json else totals.text()
        listed = None if people is None else totals.people()
    typer.echo(text)
    if listed is not None and people is not None:
        write_people(listed, people)
