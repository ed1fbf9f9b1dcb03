"""Private counts of how the values of a table fit its schema. They may leave."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from sfumato.model.release import ReleaseCertificate
from sfumato.model.schema import Schema, SchemaColumn, Type


class ValueClass(StrEnum):
    """What a value is beside its schema; each value is in exactly one class."""

    READABLE = "readable"
    UNREADABLE = "unreadable"
    MISSING = "missing"
    BELOW = "below"
    ABOVE = "above"
    UNLISTED = "unlisted"


def possible_classes(column: SchemaColumn) -> tuple[ValueClass, ...]:
    """The classes that a value of a column may be in, by the schema alone."""
    classes = [ValueClass.READABLE, *([] if column.type is Type.TEXT else [ValueClass.UNREADABLE]), ValueClass.MISSING]
    classes += [] if column.ends is None else [ValueClass.BELOW, ValueClass.ABOVE]
    return (*classes, *([] if column.categories is None else [ValueClass.UNLISTED]))


def checked_columns(schema: Schema) -> tuple[SchemaColumn, ...]:
    """The columns whose values are counted. A row without a person belongs to no one, so that column is not one."""
    return tuple(column for column in schema.columns if column.name != schema.unit.column)


@dataclass(frozen=True)
class ColumnQuality:
    """Noisy counts of the rows of one column, by class; at most `max_rows` rows of a person count."""

    name: str
    noisy: tuple[tuple[ValueClass, float], ...]

    @property
    def counts(self) -> dict[ValueClass, int]:
        return {kind: max(0, round(count)) for kind, count in self.noisy}


@dataclass(frozen=True)
class DataQuality:
    """Noisy counts of each column, and of the people who have more rows than `max_rows` (None where a row is one)."""

    columns: tuple[ColumnQuality, ...]
    noisy_people_above: float | None
    certificate: ReleaseCertificate

    @classmethod
    def of(cls, schema: Schema, noisy: tuple[float, ...], certificate: ReleaseCertificate) -> Self:
        """From the counts in the order of `possible_classes`, column by column, and of people last."""
        counts, columns = iter(noisy), []
        for column in checked_columns(schema):
            columns.append(ColumnQuality(column.name, tuple((kind, next(counts)) for kind in possible_classes(column))))
        return cls(tuple(columns), next(counts, None), certificate)

    @property
    def people_above(self) -> int | None:
        """People with more rows than count."""
        return None if self.noisy_people_above is None else max(0, round(self.noisy_people_above))

    @property
    def noise_90(self) -> float | None:
        """The distance between a count and the truth, at most, with 90% probability; None where it is withheld."""
        return None if self.certificate.noise_90 is None else self.certificate.noise_90[0]

    @property
    def noisy(self) -> tuple[float, ...]:
        people = () if self.noisy_people_above is None else (self.noisy_people_above,)
        return (*(count for column in self.columns for _, count in column.noisy), *people)

    def stored(self) -> dict[str, Any]:
        return {"noisy": list(self.noisy), "certificate": self.certificate.as_dict()}

    def as_dict(self) -> dict[str, Any]:
        columns = [{"name": c.name} | {kind.value: count for kind, count in c.counts.items()} for c in self.columns]
        people, c = self.people_above, self.certificate
        facts: dict[str, Any] = {"epsilon": c.epsilon, "guarantee": c.guarantee.value, "charged": c.charged}
        facts |= {"ledger_entry": c.ledger_entry, "noise_90": self.noise_90, "certificate": c.as_dict()}
        return {"columns": columns, "people_above_max_rows": people} | facts
