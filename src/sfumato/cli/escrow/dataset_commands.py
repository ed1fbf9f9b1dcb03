"""`sfumato dataset`: the datasets of a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sfumato.cli import options
from sfumato.cli.escrow.desk import Desk, at_a_desk, with_client
from sfumato.cli.help import CommandGroup
from sfumato.cli.options import argument, flag, option
from sfumato.cli.output import Confirmation, Shown, ShownList, show, show_text
from sfumato.cli.progress import waiting
from sfumato.cli.secret import secret
from sfumato.errors import BadInput

if TYPE_CHECKING:
    from sfumato.client.client import Client

app = CommandGroup("Add, update and list datasets.")

Name = Annotated[str, argument("NAME", "Name of the dataset, as in its schema.")]
File = Annotated[str | None, argument("DATA", "CSV or Parquet file.")]
Url = Annotated[
    str | None,
    option("Database that the server reads --table from, in place of DATA: postgresql://USER@SERVER/DATABASE.", "URL"),
]
UrlPasswordFile = Annotated[Path | None, option("File with the password for --url; otherwise you are asked.", "FILE")]
DataVersion = Annotated[
    str, option("Name of the state of a table that does not change in what is read of it, such as 2026-10.", "TEXT")
]


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
    url: Url = None,
    url_password_file: UrlPasswordFile = None,
    data_version: DataVersion = "",
    population: Annotated[
        str, option("The people in it: datasets of one population share looks and budget.", "NAME")
    ] = "",
) -> Shown:
    """Add a dataset with its schema; the data is encrypted on arrival, or stays in a database."""
    connection = None if url is None else _connection(url, table, url_password_file, data_version)
    with waiting(lambda: None, "Uploading the data" if url is None else "Opening the table"):
        source = options.source_of(data, table) if data is not None or (table and url is None) else None
        where: dict[str, Any] = {"reference": reference, "connection": connection}
        dataset = client.register(source, schema, title=title, population=population, **where)
    return dataset.set_controllers(controller) if controller else dataset


@app.command()
@with_client
def deliver(client: Client, name: Name, data: File = None, table: options.Tables = None) -> Shown:
    """Upload newer data for a dataset."""
    with waiting(lambda: None, "Uploading the data"):
        return client.dataset(name).deliver(options.source_of(data, table))


@app.command()
@with_client
def connect(
    client: Client,
    name: Name,
    url: Url = None,
    table: Annotated[str | None, option("Table or view in the database of --url.", "TABLE")] = None,
    url_password_file: UrlPasswordFile = None,
    data_version: DataVersion = "",
) -> Shown:
    """Read a table that stays in a database in its state of now, by the connection that is kept or another one."""
    tables = None if table is None else [table]
    connection = None if url is None else _connection(url, tables, url_password_file, data_version)
    with waiting(lambda: None, "Opening the table"):
        return client.dataset(name).connect(connection)


def _connection(url: str, tables: list[str] | None, password_file: Path | None, version: str) -> dict[str, str]:
    """What a server reads a table by. Spark asks for no password; a token may be in the file."""
    if not tables or len(tables) > 1 or "=" in tables[0]:
        raise BadInput("--url needs one table", hint="add --table SCHEMA.TABLE.")
    asks = password_file is not None or not url.lower().startswith("sc:")
    password = secret(password_file, "Password of the user in --url") if asks else ""
    return {"url": url, "table": tables[0], "password": password, "version": version}


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
