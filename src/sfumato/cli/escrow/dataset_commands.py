"""`sfumato dataset`: the datasets of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, with_client
from sfumato.cli.help import CommandGroup
from sfumato.cli.options import argument, flag, option
from sfumato.cli.output import Confirmation, Shown, ShownList, show, show_text
from sfumato.cli.progress import waiting

if TYPE_CHECKING:
    from sfumato.client.client import Client

app = CommandGroup("Add, update and list datasets.")

Name = Annotated[str, argument("NAME", "Name of the dataset, as in its schema.")]
File = Annotated[str | None, argument("DATA", "CSV or Parquet file.")]


@app.command()
@with_client
def add(
    client: Client,
    schema: options.Schema,
    data: File = None,
    table: options.Tables = None,
    title: Annotated[str, option("Title of the dataset.", "TEXT")] = "",
    controller: Annotated[
        list[str] | None, option("Controller of the dataset, you included; repeat for several.", "NAME")
    ] = None,
    reference: Annotated[str | None, option("Where the server finds the data, in place of DATA.", "WHERE")] = None,
    population: Annotated[
        str, option("The people in it: datasets of one population share looks and budget.", "NAME")
    ] = "",
) -> Shown:
    """Add a dataset with its schema; the data is encrypted on arrival."""
    with waiting(lambda: None, "Uploading the data"):
        source = options.source_of(data, table) if data is not None or table else None
        dataset = client.register(source, schema, title=title, reference=reference, population=population)
    return dataset.set_controllers(controller) if controller else dataset


@app.command()
@with_client
def deliver(client: Client, name: Name, data: File = None, table: options.Tables = None) -> Shown:
    """Upload newer data for a dataset."""
    with waiting(lambda: None, "Uploading the data"):
        return client.dataset(name).deliver(options.source_of(data, table))


@app.command()
@with_client
def population(
    client: Client,
    name: Name,
    population: Annotated[str, argument("POPULATION", "Name of the population, the same for all its datasets.")],
) -> Shown:
    """Name the people in a dataset: datasets of one population share looks, plans and budget. This is permanent."""
    return client.dataset(name).set_population(population)


@app.command("list")
@with_client
def list_(client: Client) -> ShownList:
    """List the datasets that you control, audit or may ask."""
    return client.datasets()


@app.command("show")
@at_a_desk
def show_(
    name: Name,
    desk: Desk,
    schema: Annotated[bool, flag("--as-schema", "Print only its schema file.")] = False,
    as_json: options.Json = False,
) -> None:
    """Show a dataset, as far as you have access."""
    with desk.open() as client:
        dataset = client.dataset(name)
        if schema:
            show_text(dataset.schema_text, "schema", as_json)
        else:
            show(dataset, as_json)


@app.command()
@with_client
def cause(
    client: Client,
    name: Name,
    entry: Annotated[int, argument("ENTRY", "Number of the failure in the ledger.")],
    text: Annotated[str, argument("TEXT", "The cause, such as 'the disk was full'.")],
) -> Shown:
    """State that a failure of the engine had a cause outside the data."""
    return client.dataset(name).state_cause(entry, text)


@app.command()
@with_client
def retire(client: Client, name: Name) -> Shown:
    """Delete the data of a dataset; its ledger stays."""
    client.dataset(name).retire()
    return Confirmation(f"Dataset {name} is retired and its data is deleted.", {"retired": name})
