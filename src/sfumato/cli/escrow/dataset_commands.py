"""`sfumato dataset`: what is held in trust."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, show, show_list
from sfumato.cli.progress import waiting

app = typer.Typer(help="What is held in trust: its description, its data, its versions.")
app.callback(invoke_without_command=True)(options.explain)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The dataset, as its schema names it.")]
File = Annotated[str, typer.Argument(metavar="DATA", help="A CSV or Parquet file.")]


@app.command()
@at_a_desk
def add(
    schema: options.Schema,
    desk: Desk,
    data: Annotated[str | None, typer.Argument(metavar="DATA", help="A CSV or Parquet file.")] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="What people call it.")] = "",
    controller: Annotated[
        list[str] | None,
        typer.Option("--controller", metavar="NAME", help="Who decides over it, you among them; one for each."),
    ] = None,
    reference: Annotated[
        str | None, typer.Option(metavar="WHERE", help="In place of DATA: where the server finds it by itself.")
    ] = None,
    population: Annotated[
        str, typer.Option(metavar="NAME", help="The people in it: datasets of one population share looks and budget.")
    ] = "",
    as_json: options.Json = False,
) -> None:
    """Hand a table over with its schema; it is encrypted as it arrives."""
    with desk.open() as client:
        with waiting(lambda: None, "Delivering the data"):
            dataset = client.register(data, schema, title=title, reference=reference, population=population)
        show(dataset.set_controllers(controller) if controller else dataset, as_json)


@app.command()
@at_a_desk
def deliver(name: Name, data: File, desk: Desk, as_json: options.Json = False) -> None:
    """Newer data for a dataset that is there."""
    with desk.open() as client:
        with waiting(lambda: None, "Delivering the data"):
            dataset = client.dataset(name).deliver(data)
        show(dataset, as_json)


@app.command()
@at_a_desk
def population(
    name: Name,
    population: Annotated[
        str, typer.Argument(metavar="POPULATION", help="The same for all datasets about these people.")
    ],
    desk: Desk,
    as_json: options.Json = False,
) -> None:
    """Name the people in it: datasets of one population share looks, plans and budget. It is not taken back."""
    with desk.open() as client:
        show(client.dataset(name).set_population(population), as_json)


@app.command("list")
@at_a_desk
def list_(desk: Desk, as_json: options.Json = False) -> None:
    """The datasets that you control, audit or may ask."""
    with desk.open() as client:
        show_list(client.datasets(), as_json)


@app.command("show")
@at_a_desk
def show_(
    name: Name,
    desk: Desk,
    schema: Annotated[bool, typer.Option("--as-schema", help="Print its schema file alone.")] = False,
    as_json: options.Json = False,
) -> None:
    """One dataset, as far as you may know of it."""
    with desk.open() as client:
        dataset = client.dataset(name)
        if schema:
            typer.echo(json.dumps({"schema": dataset.schema_text}) if as_json else dataset.schema_text, nl=as_json)
        else:
            show(dataset, as_json)


@app.command()
@at_a_desk
def cause(
    name: Name,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", help="The number of the failure in its ledger.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The cause, such as 'the disk was full'.")],
    desk: Desk,
    as_json: options.Json = False,
) -> None:
    """State that a failure of the engine had a cause outside the data."""
    with desk.open() as client:
        show(client.dataset(name).state_cause(entry, text), as_json)


@app.command()
@at_a_desk
def retire(name: Name, desk: Desk, as_json: options.Json = False) -> None:
    """Forget its data; what was spent stays on record."""
    with desk.open() as client:
        client.dataset(name).retire()
    typer.echo(json.dumps({"retired": name}) if as_json else f"{name} is retired, and its data is forgotten.")
