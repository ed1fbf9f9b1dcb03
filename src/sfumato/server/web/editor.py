"""The query editor: queries, their estimate, and a dry run."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.responses import RedirectResponse, Response

from sfumato.escrow.catalogue.entries import CatalogueEntry
from sfumato.escrow.identity.person import Role
from sfumato.escrow.policy.policy import AnalystAccess
from sfumato.model.plain import to_plain
from sfumato.model.schema import Schema
from sfumato.model.statement import AggregateKind
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.wording import asking as of_asking
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.schema.read import parse_schema
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.texts import Name
from sfumato.server.web.catalogue import spent_text
from sfumato.server.web.shell import RendererDep
from sfumato.sql.parser.vocabulary import CLAUSES, FUNCTIONS, aggregates

screens = APIRouter(include_in_schema=False)
_COLUMN = ("name", "type", "bounds", "categories", "private_keys")


@screens.get("/datasets/{name}/ask")
def ask(
    page: RendererDep,
    actor: ReadingUser,
    name: NameInPath,
    escrow: EscrowDep,
    before: Annotated[Name | None, Query(alias="from")] = None,
) -> Response:
    """`from` is an earlier request of yours, to change and submit again. A controller is sent to the risk explorer."""
    if not actor.has(Role.ANALYST) and name.casefold() in escrow.datasets.held_by(actor):
        return RedirectResponse(f"/datasets/{quote(name, safe='')}/risk", 303)
    dataset, access = escrow.datasets.open_to_requests(actor, name)
    offers = of_asking.offered(access.preferences)
    old = {} if before is None else submission_view.request(escrow.requests.one(actor, before))
    start = {
        "purpose": old.get("purpose", ""),
        "queries": old.get("queries") or [{"sql": _example(dataset), "weight": 1.0}],
        "preference": of_asking.chosen(old.get("preference"), offers),
        "figures": old.get("preference") or {},
    }
    facts = {
        "dataset": dataset.name,
        "person": actor.name,
        "before": before,
        "ready": dataset.ready,
        "start": start,
        "vocabulary": _vocabulary(dataset, access),
        "offers": [offer.as_dict() for offer in offers],
        "guarantees": {word.value: label for word, label in of_guarantee.LABELS.items()},
        "sources": {source.value: sentence for source, sentence in of_asking.COUNT_SOURCES.items()},
    }
    return page(
        "ask.html",
        held=dataset,
        offers=offers,
        start=start,
        old=old,
        today=escrow.ports.now().date().isoformat(),
        spent=spent_text(actor, name, escrow),
        words=of_asking,
        decides=of_policy.decides(access.approve),
        facts=facts,
    )


def _vocabulary(dataset: CatalogueEntry, access: AnalystAccess) -> dict[str, Any]:
    """What the editor completes and the builder offers: allowed columns, their categories, and the supported SQL."""
    allowed = None if access.columns is None else {name.casefold() for name in access.columns}
    columns = [column for column in dataset.columns if allowed is None or column.name.casefold() in allowed]
    names, schema = aggregates(access.aggregates), parse_schema(dataset.schema)
    people = schema.unit.column if schema.unit.column in {column.name for column in columns} else None
    distinct = people and (access.aggregates is None or AggregateKind.COUNT_DISTINCT in access.aggregates)
    measures = [one for one in of_asking.MEASURES if one.sql in names or (one.sql == "COUNT DISTINCT" and distinct)]
    return {
        "table": dataset.name,
        "people": people,
        "columns": [
            {name: to_plain(column)[name] for name in _COLUMN} | {"keys": _keys(schema, column.name)}
            for column in columns
        ],
        "aggregates": names,
        "functions": FUNCTIONS,
        "clauses": CLAUSES,
        "measures": to_plain(measures),
        "comparisons": list(of_asking.COMPARISONS.items()),
    }


def _keys(schema: Schema, name: str) -> int | None:
    """How many groups a column makes, by public knowledge; None where it makes none, or private ones."""
    column = schema.column(name)
    return None if column is None or column.keys is None else len(column.keys)


def _example(dataset: CatalogueEntry) -> str:
    """A first query: a count, grouped by the first column with categories; of several tables, of the people."""
    schema = parse_schema(dataset.schema)
    if schema.tables:
        return f"SELECT COUNT(*) AS n\nFROM {schema.people_table}"
    listed = next((one.name for one in dataset.columns if one.categories and one.name.isidentifier()), None)
    by = (f"{listed}, ", f"\nGROUP BY {listed}") if listed else ("", "")
    return f"SELECT {by[0]}COUNT(*) AS n\nFROM {dataset.name}{by[1]}"
