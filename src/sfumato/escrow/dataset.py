"""A dataset that is held in trust, and the versions of its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from sfumato.escrow.identity.person import Person, Role
from sfumato.model.schema import Schema
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

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> RegisteredDataset:
        names = ("name", "id", "title", "schema_text", "created_by", "created_at", "version", "reference", "population")
        known = {name: row[name] for name in names}
        return cls(**known, controllers=tuple(row["controllers"]), retired=bool(row["retired"]))

    @cached_property
    def schema(self) -> Schema:
        return replace(_read(self.schema_text, self.name), population=self.population or "")

    def is_controlled_by(self, person: Person) -> bool:
        return person.name in self.controllers and person.has(Role.CONTROLLER)


@dataclass(frozen=True)
class Version:
    """One delivery. `fingerprint` is keyed and, as the size is, for controllers only: it would tell who is in it.

    So is the digest of its rows, which stays in the database.
    """

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

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Version:
        return cls(**{name: row[name] for name in cls.__dataclass_fields__} | {"forgotten": bool(row["forgotten"])})


@lru_cache(256)
def _read(schema_text: str, name: str) -> Schema:
    return parse_schema(schema_text, f"the schema of {name}")
