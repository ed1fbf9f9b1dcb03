"""The catalogue: datasets that a person has access to, as controllers describe them; no counts, no samples."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.escrow.catalogue.datasets import DatasetFilter
from sfumato.escrow.identity.person import Person
from sfumato.escrow.policy.policy import AnalystAccess
from sfumato.escrow.service import Escrow
from sfumato.presentation.wording import asking as of_asking
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser, SearchText
from sfumato.server.web.listing import ListPage, PageNumber
from sfumato.server.web.shell import RendererDep
from sfumato.server.web.signals.tasks import kinds

screens = APIRouter(include_in_schema=False)


@screens.get("/catalogue")
def catalogue(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    search: SearchText = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
) -> Response:
    filter = DatasetFilter(search, accessible=True)
    listing = ListPage("/catalogue", {"search": search}, escrow.datasets.count(actor, filter), number)
    datasets = escrow.datasets.many(actor, None, listing.size, filter=filter, skip=listing.skip)
    return page("catalogue.html", datasets=datasets, listing=listing)


@screens.get("/catalogue/{name}")
def dataset(page: RendererDep, actor: ReadingUser, name: NameInPath, escrow: EscrowDep) -> Response:
    entry = escrow.datasets.one(actor, name)
    return page(
        "catalogue_entry.html", held=entry, flow=_access(entry.access_rule), spent=spent_text(actor, name, escrow)
    )


def spent_text(actor: Person, name: str, escrow: Escrow) -> str:
    """The total of a dataset, in a sentence."""
    ledger = escrow.datasets.ledger(actor, name)
    total, budget = ledger.record.total, ledger.budget.epsilon
    return of_ledger.so_far(
        total.epsilon, total.delta or 0.0, total.guarantee.holds, None if budget is None else float(budget)
    )


def _access(access: AnalystAccess | None) -> dict[str, Any] | None:
    """The access of this person by the policy, in words; None if there is none."""
    if access is None:
        return None
    return {
        "aggregates": access.aggregates,
        "columns": access.columns,
        "offers": of_asking.offered(access.preferences),
        "guarantees": [(word, of_guarantee.MEANINGS[word]) for word in access.guarantees],
        "decides": of_policy.decides(access.approve),
        "signals": [(kind["title"], kind["said"]) for kind in kinds(access.signals) if kind["allowed"]],
        "code": of_policy.CODE if access.code else of_signal_pages.CODE_NOT_ALLOWED,
    }
