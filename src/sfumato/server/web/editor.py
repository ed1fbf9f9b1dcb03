"""The query editor: queries, their estimate, and a dry run."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import Forbidden
from sfumato.escrow.catalogue.entries import CatalogueEntry, DatasetDetails
from sfumato.escrow.identity.person import Role
from sfumato.escrow.policy.policy import AnalystAccess
from sfumato.model.plain import to_plain
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.wording import asking as of_asking
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.texts import Name
from sfumato.server.web.catalogue import spent_text
from sfumato.server.web.shell import RendererDep
from sfumato.sql.parser.vocabulary import CLAUSES, FUNCTIONS, aggregates

screens = APIRouter(include_in_schema=False)
_COLUMN = ("name", "type", "categories", "private_keys")


@screens.get("/datasets/{name}/ask")
def ask(
    page: RendererDep,
    actor: ReadingUser,
    name: NameInPath,
    escrow: EscrowDep,
    before: Annotated[Name | None, Query(alias="from")] = None,
) -> Response:
    """`from` is an earlier request of yours, to change and submit again."""
    dataset = escrow.datasets.one(actor, name)
    if dataset.access_rule is None or not actor.has(Role.ANALYST):
        controls = isinstance(dataset, DatasetDetails) and actor.name in dataset.controllers
        raise Forbidden.because("ask-as-controller" if controls else "access-rule-missing", dataset=dataset.name)
    offers = of_asking.offered(dataset.access_rule.preferences)
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
        "start": start,
        "vocabulary": _vocabulary(dataset, dataset.access_rule),
        "offers": [offer.as_dict() for offer in offers],
    }
    return page(
        "ask.html",
        held=dataset,
        offers=offers,
        start=start,
        old=old,
        spent=spent_text(actor, name, escrow),
        words=of_asking,
        facts=facts,
    )


def _vocabulary(dataset: CatalogueEntry, access: AnalystAccess) -> dict[str, Any]:
    """Completions of the editor: allowed columns, their categories, and the supported SQL."""
    allowed = None if access.columns is None else {name.casefold() for name in access.columns}
    columns = [column for column in dataset.columns if allowed is None or column.name.casefold() in allowed]
    return {
        "table": dataset.name,
        "columns": [{name: to_plain(column)[name] for name in _COLUMN} for column in columns],
        "aggregates": aggregates(access.aggregates),
        "functions": FUNCTIONS,
        "clauses": CLAUSES,
    }


def _example(dataset: CatalogueEntry) -> str:
    """A first query: a count, grouped by the first column with categories."""
    listed = next((one.name for one in dataset.columns if one.categories and one.name.isidentifier()), None)
    by = (f"{listed}, ", f"\nGROUP BY {listed}") if listed else ("", "")
    return f"SELECT {by[0]}COUNT(*) AS n\nFROM {dataset.name}{by[1]}"
