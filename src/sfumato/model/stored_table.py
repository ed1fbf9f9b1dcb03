"""A table that lies in a database or a cluster: how it is reached, and what is known of it there."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.model.schema import Type


@dataclass(frozen=True)
class RemoteTable:
    """Which table of which engine is meant. The URL may have a password in it, so it is in no repr.

    `place` is an opaque name of where the table is, without who reads it.
    """

    engine: str
    url: str = field(repr=False)
    name: str
    place: str


@dataclass(frozen=True)
class StoredColumn:
    """A column as the engine knows it: `stored` is its type there, `type` what it is read as (None: as a text)."""

    name: str
    stored: str
    type: Type | None


@dataclass(frozen=True)
class StoredTable:
    """The names that lead to a table (its schema and its own, a format and a path, ...), and its columns."""

    place: tuple[str, ...]
    columns: tuple[StoredColumn, ...]
