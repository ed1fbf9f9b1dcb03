"""What the catalogue shows of a dataset: the schema as it was written; no counts and no samples."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.policy.policy import AnalystAccess
from sfumato.model.plain import LEFT_OUT
from sfumato.model.schema import Category, Relation, SchemaColumn, Type


@dataclass(frozen=True)
class ColumnEntry:
    name: str
    type: Type
    bounds: tuple[float, float] | tuple[str, str] | None  # of dates and timestamps in ISO 8601
    categories: tuple[Category, ...] | None
    private_keys: bool
    unit: str


@dataclass(frozen=True, kw_only=True)
class CatalogueEntry:
    """A dataset in the list of an analyst."""

    name: str
    title: str
    schema: str
    columns: tuple[ColumnEntry, ...]
    unit: str
    relation: Relation
    population: str | None
    version: str | None
    ready: bool


@dataclass(frozen=True, kw_only=True)
class FullEntry(CatalogueEntry):
    """A dataset in the list of those who control or audit it."""

    controllers: tuple[str, ...]
    created_by: str
    created_at: str
    reference: str | None
    retired: bool


@dataclass(frozen=True, kw_only=True)
class DatasetAccess(CatalogueEntry):
    """One dataset as an analyst sees it: with their access rule, and the number of the policy that it is of."""

    access_rule: AnalystAccess | None
    policy: int | None


@dataclass(frozen=True, kw_only=True)
class DatasetDetails(FullEntry):
    """One dataset in full. `same_rows` names datasets with the same rows, to its controllers; null: of others."""

    same_rows: tuple[str | None, ...] | None = field(default=None, metadata=LEFT_OUT)
    access_rule: AnalystAccess | None
    policy: int | None


def entry(dataset: RegisteredDataset, *, in_full: bool) -> CatalogueEntry:
    """What a list shows; `in_full` to those who control or audit the dataset."""
    brief = CatalogueEntry(
        name=dataset.name,
        title=dataset.title,
        schema=dataset.schema_text,
        columns=tuple(map(_column, dataset.schema.columns)),
        unit=dataset.schema.unit.words,
        relation=dataset.schema.relation,
        population=dataset.population,
        version=dataset.version,
        ready=dataset.version is not None and not dataset.retired,
    )
    names = ("controllers", "created_by", "created_at", "reference", "retired")
    return FullEntry(**vars(brief), **{name: getattr(dataset, name) for name in names}) if in_full else brief


def _column(column: SchemaColumn) -> ColumnEntry:
    bounds: tuple[float, float] | tuple[str, str] | None = None
    if column.span is not None:
        bounds = column.span.first.isoformat(), column.span.last.isoformat()
    elif column.bounds is not None:
        bounds = float(column.bounds.lower), float(column.bounds.upper)
    return ColumnEntry(column.name, column.type, bounds, column.listed, column.private_keys, column.unit)
