"""Datasets for controllers and auditors: the list, and the tabs of one dataset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import RedirectResponse, Response

from sfumato.errors import SfumatoError
from sfumato.escrow.catalogue.connection import CONNECTED
from sfumato.escrow.catalogue.datasets import DatasetFilter
from sfumato.escrow.catalogue.entries import CatalogueEntry, DatasetDetails
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.service import Escrow
from sfumato.presentation.escrow import dataset_view
from sfumato.presentation.ledger_view import total_text
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import rule as of_rule
from sfumato.presentation.wording import schema_sentences as of_schema
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser, SearchText
from sfumato.server.web.dataset_tabs import tab_frame
from sfumato.server.web.ledger_page import LISTED
from sfumato.server.web.listing import ListPage, PageNumber
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_AT_ONCE = 20
_RECENT, _LATEST = 3, 8


@screens.get("/datasets")
def datasets(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    search: SearchText = "",
    status: Annotated[Literal["", "current", "retired"], Query()] = "",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
) -> Response:
    if actor.has(Role.ANALYST) and not actor.has(Role.CONTROLLER, Role.AUDITOR):
        return RedirectResponse("/catalogue", 303)
    actor.require(Role.CONTROLLER, Role.AUDITOR, to="list datasets")
    filter = DatasetFilter(search, {"": None, "current": False, "retired": True}[status], False)
    filters = {"search": search, "status": status}
    listing = ListPage("/datasets", filters, escrow.datasets.count(actor, filter), number, _AT_ONCE)
    listed = escrow.datasets.many(actor, None, _AT_ONCE, filter=filter, skip=listing.skip)
    waiting = escrow.requests.approval.waiting_by_dataset(actor, [entry.name for entry in listed])
    rows = [_row(actor, escrow, entry) | {"waiting": waiting.get(entry.name, 0)} for entry in listed]
    may_register = actor.has(Role.CONTROLLER)
    return page("datasets.html", rows=rows, listing=listing, may_register=may_register, about_budget=of_rule.BUDGET)


@screens.get("/datasets/{name}")
def dataset(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, name: NameInPath) -> Response:
    """One dataset; analysts are sent to the catalogue."""
    tab = _tab(escrow, actor, name, "")
    if isinstance(tab, Response):
        return tab
    visible, registered = tab.dataset, tab.registered
    record = escrow.datasets.ledger_of(actor, registered)
    view = dataset_view.ledger(escrow.datasets.ledger(actor, name))
    charges = [entry for entry in view.entries or () if entry.event == "reserved"]
    may_hold = [one.name for one in escrow.accounts.all() if one.has(Role.CONTROLLER) and not one.disabled]
    return page(
        "dataset.html",
        **tab.frame,
        sentences=of_schema.sentences(registered.schema)[:2],
        may_ask=actor.has(Role.ANALYST) and visible.access_rule is not None,
        may_hold=sorted({*may_hold, *registered.controllers}),
        spent=total_text(record.total),
        total=record.total,
        budget=of_guarantee.budget(record.budget) if record.budget.is_limited else None,
        limit=record.budget.epsilon,
        charges=charges,
        recent=_recent(escrow, actor, registered.name),
        looked=record.known.anyone_looked,
        same_rows=_same_rows(visible),
    )


@screens.get("/datasets/{name}/columns")
def columns(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, name: NameInPath) -> Response:
    tab = _tab(escrow, actor, name, "columns")
    if isinstance(tab, Response):
        return tab
    registered = tab.registered
    looked = escrow.datasets.ledger_of(actor, registered).known.anyone_looked
    return page(
        "dataset_columns.html",
        **tab.frame,
        by_person=of_schema.STATED_BY_A_PERSON,
        after_look=of_schema.AFTER_LOOK if looked else None,
    )


@screens.get("/datasets/{name}/data")
def data(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, name: NameInPath) -> Response:
    """Versions of the data, their delivery and check, the population, and retirement."""
    tab = _tab(escrow, actor, name, "data")
    if isinstance(tab, Response):
        return tab
    visible, registered = tab.dataset, tab.registered
    controls = registered.is_controlled_by(actor)
    versions = escrow.datasets.versions(actor, registered.name)[::-1] if controls else []
    return page(
        "dataset_data.html",
        **tab.frame,
        several=bool(registered.schema.tables),
        versions=versions,
        connected=bool(versions) and versions[0].format in CONNECTED,
        looked=escrow.datasets.ledger_of(actor, registered).known.anyone_looked,
        look=of_guarantee.LOOK,
        entered=of_schema.CHECK_IS_ENTERED,
        costs=of_schema.check_costs(_ways(escrow, registered)),
        populations=of_ledger.POPULATIONS,
        same_rows=_same_rows(visible),
    )


@screens.get("/datasets/{name}/audit")
def audit(page: RendererDep, actor: ReadingUser, escrow: EscrowDep, name: NameInPath) -> Response:
    """The latest entries of the ledger and of the audit log about one dataset."""
    tab = _tab(escrow, actor, name, "audit")
    if isinstance(tab, Response):
        return tab
    visible, registered = tab.dataset, tab.registered
    entries = dataset_view.ledger(escrow.datasets.ledger(actor, name)).entries or ()
    events = [entry for entry in entries if entry.event in LISTED]
    return page(
        "dataset_audit.html",
        **tab.frame | {"facts": {"public": f"/public/{visible.name}"}},
        words=of_ledger,
        events=events[: -_LATEST - 1 : -1],
        all_events=len(events),
        actions=escrow.audit.many(actor, 0, _LATEST, newest_first=True, about=registered.name),
    )


@dataclass(frozen=True)
class _Tab:
    """A dataset that this person sees in full, and what each of its tabs shows around the content."""

    dataset: DatasetDetails
    registered: RegisteredDataset
    frame: dict[str, Any]


def _tab(escrow: Escrow, actor: Person, name: str, tab: str) -> _Tab | Response:
    """A tab of a dataset; analysts are sent to the catalogue."""
    visible = escrow.datasets.one(actor, name)
    if not isinstance(visible, DatasetDetails):
        return RedirectResponse(f"/catalogue/{visible.name}", 303)
    registered = escrow.datasets.of(visible.name)
    frame = tab_frame(escrow, actor, registered, tab) | {"dataset": visible}
    return _Tab(visible, registered, {"facts": {"name": registered.name, "person": actor.name}} | frame)


def _recent(escrow: Escrow, actor: Person, name: str) -> list[dict[str, Any]]:
    """The latest released requests, each with its analyst."""
    released = [one.submission for one in escrow.requests.many(actor, state="released", dataset=name, limit=_RECENT)]
    return [{"request": request, "analyst": escrow.accounts.one(request.analyst)} for request in released]


def _same_rows(visible: DatasetDetails) -> list[str]:
    return [of_ledger.same_rows_held(visible.name, other) for other in visible.same_rows or ()]


def _ways(escrow: Escrow, registered: RegisteredDataset) -> list[str]:
    """Approval modes of the policy in force."""
    signed = escrow.datasets.policy_of(registered)
    return [] if signed is None else [access_rule.approve.value for access_rule in signed.policy.access_rules]


def _row(actor: Person, escrow: Escrow, entry: CatalogueEntry) -> dict[str, Any]:
    """One row of the list; a policy or ledger that cannot be read is shown as an error in its row."""
    try:
        registered = escrow.datasets.of(entry.name)
        ledger = escrow.datasets.ledger_of(actor, registered)
        policy = escrow.datasets.policy_of(registered)
    except SfumatoError as error:
        return vars(entry) | {"error": error.message, "number": None}
    versions = escrow.datasets.versions(actor, registered.name) if registered.is_controlled_by(actor) else []
    return vars(entry) | {
        "spent": ledger.total.epsilon,
        "budget": None if ledger.budget.epsilon is None else float(ledger.budget.epsilon),
        "policy": None if policy is None else policy.number,
        "number": next((each.number for each in versions if each.id == registered.version), None),
        "error": None,
    }
