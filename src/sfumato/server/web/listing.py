"""Lists on pages: search, filters and paging, in the address of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias
from urllib.parse import urlencode

from fastapi import Query

PageNumber: TypeAlias = Annotated[int, Query(ge=1, le=1_000_000)]


@dataclass(frozen=True)
class ListPage:
    """One page of a list of `total` items. `filters` are the parameters of the address; empty ones are left out."""

    path: str
    filters: Mapping[str, str]
    total: int
    number: int = 1
    size: int = 25
    name: str = "page"  # of the parameter that has the number

    @property
    def skip(self) -> int:
        return (self.number - 1) * self.size

    @property
    def first(self) -> int:
        return min(self.skip + 1, self.total)

    @property
    def last(self) -> int:
        return min(self.skip + self.size, self.total)

    @property
    def before(self) -> str | None:
        """The address of the page before; from beyond the end, of the last page there is."""
        pages = max(1, -(-self.total // self.size))
        return self.url(**{self.name: min(self.number - 1, pages)}) if self.number > 1 else None

    @property
    def following(self) -> str | None:
        return self.url(**{self.name: self.number + 1}) if self.last < self.total else None

    @property
    def is_filtered(self) -> bool:
        return any(value for name, value in self.filters.items() if name not in ("tab", "order"))

    def url(self, **changes: object) -> str:
        """The address with other filters, on the first page unless that is one of the changes."""
        values = dict(self.filters) | {name: str(value) for name, value in changes.items() if value is not None}
        query = urlencode({name: value for name, value in values.items() if value})
        return f"{self.path}?{query}" if query else self.path
