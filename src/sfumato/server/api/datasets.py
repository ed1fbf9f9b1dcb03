"""Datasets, as far as the user may see them."""

from __future__ import annotations

from typing import Annotated, Self, TypeAlias

from fastapi import APIRouter, Query
from pydantic import AfterValidator, Field, model_validator

from sfumato.escrow.catalogue.connection import TableConnection
from sfumato.escrow.catalogue.datasets import DatasetFilter
from sfumato.escrow.catalogue.entries import CatalogueEntry, DatasetAccess, DatasetDetails, FullEntry
from sfumato.escrow.dataset import Version
from sfumato.presentation.escrow import dataset_view, policy_view
from sfumato.presentation.escrow.dataset_view import WordedLedger
from sfumato.presentation.escrow.policy_view import WordedSchemaDraft
from sfumato.schema.read import from_dict
from sfumato.schema.write import write
from sfumato.server.dependencies import (
    AfterName,
    EscrowDep,
    Limit,
    NameInPath,
    Page,
    Plain,
    ReadingUser,
    SearchText,
    WritingUser,
    page,
)
from sfumato.server.openapi import FOUND, SENT, SIGNED_IN
from sfumato.server.texts import Body, Document, Line, Name, Number, Table, storable

routes = APIRouter(prefix="/datasets", tags=["datasets"])
Population = Annotated[Line, Field(max_length=200)]


class Described(Body):
    """A schema, as the text of its file or as the tables that it has: one of the two."""

    schema_text: Document | None = None
    schema_table: Table | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.schema_text is None) == (self.schema_table is None):
            raise ValueError("Give either schema_text or schema_table")
        return self

    @property
    def text(self) -> str:
        return self.schema_text or write(from_dict(self.schema_table or {}))


class NewConnection(Body):
    """Where a table lies: its URL without a password, and the password; both are sealed in the vault.

    `version` names the state of a table that does not change in what is read of it.
    """

    url: Line
    table: Line
    password: Annotated[str, Field(max_length=1000, repr=False), AfterValidator(storable)] = ""
    version: Line = ""

    @property
    def parsed(self) -> TableConnection:
        return TableConnection.parse(self.url, self.table, self.password, self.version)


class Reconnection(Body):
    """Another connection of a dataset, or null for the one that is kept."""

    connection: NewConnection | None = None


class NewDataset(Described):
    """The schema states the name. `population` names the people in it.

    `reference` names a file that stays at its source, `connection` a table in a database or on a cluster.
    """

    title: Line = ""
    reference: Line | None = None
    connection: NewConnection | None = None
    population: Population = ""


class SchemaDraftBody(Described):
    """A schema that is not registered yet, and optionally its policy."""

    policy: Table | None = None


class NewSchema(Body):
    schema_text: Document


class NewPopulation(Body):
    population: Annotated[Population, Field(min_length=1)]


class Controllers(Body):
    controllers: Annotated[list[Name], Field(min_length=1, max_length=100)]


class Cause(Body):
    """Why the engine failed, where that has nothing to do with the data."""

    entry: Number
    cause: Line


Entry: TypeAlias = FullEntry | CatalogueEntry
Shown: TypeAlias = Plain[DatasetDetails | DatasetAccess]
"""Analysts see the facts that the controller wrote, and none that were computed from the data."""


@routes.get("", responses=SIGNED_IN)
def many(
    actor: ReadingUser,
    escrow: EscrowDep,
    search: SearchText = "",
    retired: Annotated[bool | None, Query()] = None,
    accessible: Annotated[bool | None, Query()] = None,
    after: AfterName = None,
    limit: Limit = 100,
) -> Page[Entry]:
    """Datasets that the user controls, audits or has access to, by name.

    `accessible`: only those that the user may submit requests to; false: only those that they control or audit.

    A search looks for each of its words in the name, the title and the schema.
    """
    filter = DatasetFilter(search, retired, accessible)
    datasets = escrow.datasets.many(actor, after, limit + 1, filter=filter)
    return page(datasets, limit, "name", escrow.datasets.count(actor, filter))


@routes.post("", status_code=201, responses=SENT)
def register(actor: WritingUser, body: NewDataset, escrow: EscrowDep) -> Shown:
    """Register a dataset by its schema; the data follows by PUT data, or stays where it is.

    It stays where `reference` or `connection` says.
    """
    dataset = escrow.datasets.register(
        actor,
        body.text,
        title=body.title,
        reference=body.reference,
        connection=None if body.connection is None else body.connection.parsed,
        population=body.population,
    )
    return one(actor, dataset.name, escrow)


@routes.post("/check-schema", responses=SENT)
def check_schema(actor: ReadingUser, body: SchemaDraftBody, escrow: EscrowDep) -> Plain[WordedSchemaDraft]:
    """Check a schema before it is registered; nothing is stored."""
    return policy_view.schema_draft(escrow.policies.check_schema(actor, body.text, body.policy))


@routes.get("/{name}", responses=FOUND)
def one(actor: ReadingUser, name: NameInPath, escrow: EscrowDep) -> Shown:
    """One dataset, with its schema as the controller wrote it."""
    return escrow.datasets.one(actor, name)


@routes.put("/{name}/schema", responses=SENT)
def describe(actor: WritingUser, name: NameInPath, body: NewSchema, escrow: EscrowDep) -> Shown:
    """Change the schema."""
    escrow.datasets.describe(actor, name, body.schema_text)
    return one(actor, name, escrow)


@routes.put("/{name}/connection", responses=SENT)
def connect(actor: WritingUser, name: NameInPath, body: Reconnection, escrow: EscrowDep) -> Plain[Version]:
    """Read a connected table in the state that it is in now, and by another connection if one is given."""
    return escrow.datasets.connect(actor, name, None if body.connection is None else body.connection.parsed)


@routes.put("/{name}/controllers", responses=SENT)
def controllers(actor: WritingUser, name: NameInPath, body: Controllers, escrow: EscrowDep) -> Shown:
    """Change the controllers."""
    escrow.datasets.controllers(actor, name, body.controllers)
    return one(actor, name, escrow)


@routes.put("/{name}/population", responses=SENT)
def populate(actor: WritingUser, name: NameInPath, body: NewPopulation, escrow: EscrowDep) -> Shown:
    """Name the population: its datasets share looks, plans and budget. This cannot be undone."""
    escrow.datasets.populate(actor, name, body.population)
    return one(actor, name, escrow)


@routes.delete("/{name}", status_code=204, responses=SENT)
def retire(actor: WritingUser, name: NameInPath, escrow: EscrowDep) -> None:
    """Retire the dataset: delete its data and keep its ledger."""
    escrow.datasets.retire(actor, name)


@routes.get("/{name}/versions", responses=FOUND)
def versions(actor: ReadingUser, name: NameInPath, escrow: EscrowDep) -> Page[Version]:
    """Versions of the data, for controllers."""
    return Page(items=escrow.datasets.versions(actor, name), next=None)


@routes.post("/{name}/failures", responses=SENT)
def state_cause(actor: WritingUser, name: NameInPath, body: Cause, escrow: EscrowDep) -> Plain[WordedLedger]:
    """State that the failure in an entry of the ledger had a cause outside the data, such as a full disk."""
    return dataset_view.ledger(escrow.datasets.state_cause(actor, name, body.entry, body.cause))


@routes.get("/{name}/ledger", responses=FOUND)
def ledger(actor: ReadingUser, name: NameInPath, escrow: EscrowDep) -> Plain[WordedLedger]:
    """The ledger, as far as the user may see it."""
    return dataset_view.ledger(escrow.datasets.ledger(actor, name))
