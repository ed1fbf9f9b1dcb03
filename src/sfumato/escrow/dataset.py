"""Registered datasets, and the versions of their data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from sfumato.escrow.identity.person import Person, Role
from sfumato.model.plain import from_plain
from sfumato.model.schema import Schema
from sfumato.ports import Rows
from sfumato.schema.read import parse_schema


@dataclass(frozen=True)
class RegisteredDataset:
    """`name` is the table's name in SQL; `id` and `version` are opaque: they tell nothing about the data."""

    name: str
    id: str
    title: str
    schema_text: str
    controllers: tuple[str, ...]
    created_by: str
    created_at: str
    version: str | None
    reference: str | None
    retired: bool
    population: str | None = None

    @cached_property
    def schema(self) -> Schema:
        return replace(_read(self.schema_text, self.name), population=self.population or "")

    def is_controlled_by(self, person: Person) -> bool:
        return person.name in self.controllers and person.has(Role.CONTROLLER)


@dataclass(frozen=True)
class Version:
    """One delivery. `bytes` and the keyed `fingerprint` are for controllers only: they depend on the rows."""

    id: str
    dataset: str
    number: int
    format: str
    created_by: str
    created_at: str
    columns: Mapping[str, str | None]
    bytes: int
    fingerprint: str
    forgotten: bool


def find_dataset(rows: Rows, name: str) -> RegisteredDataset | None:
    row = rows.one(name=name)
    return None if row is None else from_plain(RegisteredDataset, row)


def all_datasets(rows: Rows, **where: bool) -> list[RegisteredDataset]:
    return [from_plain(RegisteredDataset, row) for row in rows.many(limit=100_000, **where)]


@lru_cache(256)
def _read(schema_text: str, name: str) -> Schema:
    return parse_schema(schema_text, f"the schema of {name}")
