"""The budget of a dataset over time, and its ledger: charges and recipients. An analyst sees the total only."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import Response

from sfumato.errors import NotFound
from sfumato.escrow.catalogue.datasets import DatasetLedger
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.requests import Recipient
from sfumato.ledger.spending import Spending, spending
from sfumato.presentation.escrow import dataset_view
from sfumato.presentation.figures.budget import budget_chart
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.server.dependencies import AfterNumber, EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.dataset_tabs import tab_frame
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
LISTED = ("reserved", "looked", "decided")
_ON_A_PAGE = 8
_SIZES = {"wide": (1166, 280), "middle": (720, 250), "narrow": (336, 240)}


@screens.get("/datasets/{name}/budget")
def budget(
    page: RendererDep, actor: ReadingUser, name: NameInPath, escrow: EscrowDep, after: AfterNumber = None
) -> Response:
    """What is spent and left, over time; `after` continues the list of releases below an entry."""
    ledger, view, around = _read(escrow, actor, name, "budget")
    content: dict[str, Any] = {"charges": None, "past": None}
    if view.entries is not None:
        limit = ledger.budget.epsilon
        past = spending(
            [entry for entry in ledger.record.entries if entry.draft.dataset.casefold() in ledger.datasets],
            ledger.record.total.nano_epsilon,
            None if limit is None else float(limit),
            escrow.ports.now(),
        )
        recipients = _recipients(escrow, actor, {entry.dataset for entry in view.entries})
        charges = [entry for entry in view.entries if entry.event == "reserved"][::-1]
        older = [entry for entry in charges if after is None or entry.number < after]
        content = {
            "past": past,
            "charts": {name: Markup(budget_chart(past, *size)) for name, size in _SIZES.items()},  # texts are escaped
            "shares": _shares(past, recipients),
            "charges": older[:_ON_A_PAGE],
            "count": len(charges),
            "first": len(charges) - len(older) + 1,
            "next": older[_ON_A_PAGE - 1].number if len(older) > _ON_A_PAGE else None,
            "after": after,
            "recipients": recipients,
        }
    total = ledger.record.total
    return page("budget.html", **around, ledger=view, attack=of_ledger.attack_success(total), total=total, **content)


@screens.get("/datasets/{name}/ledger")
def ledger(page: RendererDep, actor: ReadingUser, name: NameInPath, escrow: EscrowDep) -> Response:
    """All entries on one page, to be printed."""
    _, view, around = _read(escrow, actor, name, "audit")
    entries = view.entries
    sees_all = entries is not None
    return page(
        "ledger.html",
        **around,
        ledger=view,
        by_a_declaration=of_guarantee.BY_A_DECLARATION,
        events=[entry for entry in entries or () if entry.event in LISTED][::-1],
        entries=entries,
        recipients=_recipients(escrow, actor, {entry.dataset for entry in entries}) if entries is not None else {},
        may_verify=actor.has(Role.CONTROLLER, Role.AUDITOR, Role.ADMIN),
        facts={"public": f"/public/{around['dataset'].name}"} if sees_all else None,
    )


def _read(
    escrow: Escrow, actor: Person, name: str, tab: str
) -> tuple[DatasetLedger, dataset_view.WordedLedger, dict[str, Any]]:
    """The ledger as this user may see it, and the frame around it: an analyst has no tabs."""
    dataset = escrow.datasets.one(actor, name)
    ledger = escrow.datasets.ledger(actor, name)
    around = tab_frame(escrow, actor, escrow.datasets.of(dataset.name), tab) if ledger.entries else {"tabs": {}}
    return ledger, dataset_view.ledger(ledger), around | {"dataset": dataset, "words": of_ledger}


def _recipients(escrow: Escrow, actor: Person, datasets: set[str]) -> dict[int, list[Recipient]]:
    """Recipients by entry, of all datasets of the population that this user sees."""
    recipients: dict[int, list[Recipient]] = {}
    for name in datasets:
        with suppress(NotFound):  # one that never had data and was removed
            recipients |= escrow.requests.recipients(actor, name)
    return recipients


def _shares(past: Spending, recipients: dict[int, list[Recipient]]) -> dict[str, dict[str, float]]:
    """Epsilon by organisation and by analyst."""
    first = {number: each[0] for number, each in recipients.items() if each}
    organisations = {number: one.organisation or "Without an organisation" for number, one in first.items()}
    analysts = {number: one.name for number, one in first.items()}
    otherwise = of_ledger.WITHOUT_RECIPIENT
    return {"By organisation": past.by(organisations, otherwise), "By analyst": past.by(analysts, otherwise)}
