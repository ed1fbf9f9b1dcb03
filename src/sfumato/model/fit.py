"""How a table looks beside a schema: what a check counts and what a draft sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sfumato.model.confidential import Confidential
from sfumato.model.schema import Format, Type


@dataclass(frozen=True, repr=False)
class ColumnFit(Confidential):
    """Counts of the values of one column that are missing, of the wrong type, out of bounds or not listed."""

    name: str
    missing: int
    unfit: int
    clamped: int
    unlisted: int


@dataclass(frozen=True, repr=False)
class Fit(Confidential):
    people: int
    columns: tuple[ColumnFit, ...]


def together(fits: Mapping[str, Fit]) -> Fit:
    """How several tables look, with their columns as `orders.amount`."""
    columns = (replace(c, name=f"{name}.{c.name}") for name, fit in fits.items() for c in fit.columns)
    return Fit(sum(fit.people for fit in fits.values()), tuple(columns))


@dataclass(frozen=True, repr=False)
class Seen(Confidential):
    """What a column looks like: a guess at its type and its format, and its values where there are few.

    `missing`: which of the usual texts for a missing value it has.
    """

    name: str
    type: Type
    values: tuple[str, ...] = ()
    format: Format | None = None
    missing: tuple[str, ...] = ()
