"""The inbox of a controller: requests and signals of others to their datasets, by state, and unread notifications."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.escrow.catalogue.datasets import DatasetFilter
from sfumato.escrow.identity.person import Person, Role
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.approval import Order
from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.request_payload import Request
from sfumato.escrow.submissions.requests import RequestBrief, Requests
from sfumato.escrow.submissions.signals import Signals
from sfumato.escrow.submissions.store import UNASSIGNED, SubmissionFilter
from sfumato.escrow.submissions.submission import Whose
from sfumato.ports import RowGroup
from sfumato.presentation.escrow import notifications_view, submission_view
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.server.dependencies import EscrowDep, ReadingUser
from sfumato.server.texts import Search
from sfumato.server.web.listing import ListPage, PageNumber
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_ROWS = 20  # each has a preview, which takes some milliseconds
_NOTIFICATIONS = 10
TABS = {  # the states of each; waiting is what this person has to decide
    "waiting": (State.SUBMITTED, State.COMPUTED),
    "returned": (State.RETURNED,),
    "running": (State.APPROVED, State.RUNNING),
    "decided": (State.RELEASED, State.REFUSED, State.FAILED),
    "all": tuple(State),
}
Field: TypeAlias = Annotated[Search, Query()]


@screens.get("/inbox")
def inbox(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    tab: Annotated[Literal["waiting", "returned", "running", "decided", "all"], Query()] = "waiting",
    search: Field = "",
    dataset: Field = "",
    analyst: Field = "",
    organisation: Field = "",
    assigned_to: Field = "",
    kind: Annotated[Literal["", "request", "signal"], Query()] = "",
    identical: Field = "",
    order: Annotated[Order, Query()] = "oldest",
    number: Annotated[PageNumber, Query(alias="page")] = 1,
    signals_number: Annotated[PageNumber, Query(alias="signals_page")] = 1,
) -> Response:
    """`identical` is the id of a request: those like it are listed one by one."""
    actor.require(Role.CONTROLLER, to="decide requests")
    alike = escrow.requests.identical_to(actor, identical) if identical else {}
    apart = tuple(escrow.datasets.separated_from(actor))
    which: dict[str, Any] = {"assigned_to": assigned_to or None, "identical": alike, "apart": apart}
    filter = SubmissionFilter(search, (), dataset or None, analyst or None, organisation or None, **which)
    filters = {"tab": "" if tab == "waiting" else tab, "search": search, "dataset": dataset, "analyst": analyst}
    filters |= {"organisation": organisation, "assigned_to": assigned_to, "kind": kind, "identical": identical}
    filters |= {"order": "" if order == "oldest" else order}
    listing = ListPage("/inbox", filters, 0, number, _ROWS)
    signals = ListPage("/inbox", filters, 0, signals_number, _ROWS, "signals_page")
    tabs = _tabs(escrow, actor, filter, requests=kind != "signal", signals=kind != "request" and not identical)
    rows: list[dict[str, Any]] = []
    if kind != "signal":
        listing, rows = _requests(escrow, actor, tab, filter, listing, order=order, one_by_one=bool(alike))
    signal_rows: list[dict[str, Any]] = []
    if kind != "request" and not identical:
        signals, signal_rows = _signals(escrow, actor, tab, replace(filter, identical={}), signals, order)
    return page(
        "inbox.html",
        tab=tab,
        tabs=[(name, of_request.TABS[name], count) for name, count in tabs.items()],
        listing=listing,
        requests=rows,
        grouped=sum(row["group"].rows - 1 for row in rows if row["group"]),
        introduction=any(row["preview"] and row["preview"].introduction for row in rows),
        signals=signal_rows,
        signals_listing=signals,
        titles=of_signal_pages.TITLES,
        choices=_choices(escrow, actor),
        order=order,
        me=actor.name,
        today=escrow.ports.now().date().isoformat(),
        holds=bool(tabs["all"]) or bool(escrow.datasets.count(actor, DatasetFilter(retired=False, accessible=False))),
        notices=[
            notifications_view.worded(one)
            for one in escrow.notifications.many(actor, unread=True, limit=_NOTIFICATIONS)
        ],
        unread_notices=escrow.notifications.count(actor, unread=True),
        facts={"tab": tab, "undo": escrow.ports.limits.undo_seconds},
    )


def _tabs(escrow: Escrow, actor: Person, filter: SubmissionFilter, *, requests: bool, signals: bool) -> dict[str, int]:
    """How many requests and signals each tab has."""
    kinds: list[Requests | Signals] = [*([escrow.requests] if requests else []), *([escrow.signals] if signals else [])]
    by_state = [kind.counts(actor, filter, Whose.TO_DECIDE) for kind in kinds]
    counts = {tab: sum(by.get(state, 0) for by in by_state for state in states) for tab, states in TABS.items()}
    return counts | {"waiting": sum(kind.approval.count_waiting(actor, filter) for kind in kinds)}


def _requests(
    escrow: Escrow,
    actor: Person,
    tab: str,
    filter: SubmissionFilter,
    listing: ListPage,
    *,
    order: Order,
    one_by_one: bool,
) -> tuple[ListPage, list[dict[str, Any]]]:
    """The requests of a page; those that wait are grouped, unless identical ones are listed one by one."""
    requests = escrow.requests
    place: dict[str, Any] = {"skip": listing.skip, "limit": listing.size}
    if tab == "waiting" and not one_by_one:
        groups, total = requests.approval.waiting_groups(actor, filter, order=order, **place)
        briefs = requests.briefs(actor, [first for first, _ in groups])
        return replace(listing, total=total), [_row(first, briefs.get(first.id), group) for first, group in groups]
    if tab == "waiting":
        waiting = [one.submission for one in requests.approval.waiting(actor, filter=filter, order=order, **place)]
        total, briefs = requests.approval.count_waiting(actor, filter), requests.briefs(actor, waiting)
        return replace(listing, total=total), [_row(one, briefs.get(one.id)) for one in waiting]
    filter = replace(filter, state=TABS[tab])
    listed = requests.listed(actor, filter, whose=Whose.TO_DECIDE, **place)
    total = sum(requests.counts(actor, filter, Whose.TO_DECIDE).values())
    return replace(listing, total=total), [_row(one.submission) for one in listed]


def _signals(
    escrow: Escrow, actor: Person, tab: str, filter: SubmissionFilter, listing: ListPage, order: Order
) -> tuple[ListPage, list[dict[str, Any]]]:
    signals = escrow.signals
    place: dict[str, Any] = {"skip": listing.skip, "limit": listing.size}
    if tab == "waiting":
        rows = signals.approval.waiting(actor, filter=filter, order=order, **place)
        total = signals.approval.count_waiting(actor, filter)
    else:
        filter = replace(filter, state=TABS[tab])
        rows = signals.listed(actor, filter, whose=Whose.TO_DECIDE, **place)
        total = sum(signals.counts(actor, filter, Whose.TO_DECIDE).values())
    return replace(listing, total=total), list(map(submission_view.signal, rows))


def _row(request: Request, preview: RequestBrief | None = None, group: RowGroup | None = None) -> dict[str, Any]:
    """One row of the list; what there is to decide has a preview, unless its policy or data is gone."""
    first, *more = request.queries
    line = next(iter(first.sql.strip().splitlines()), "")
    alone = group is None or group.rows == 1
    noise = None if preview is None or preview.noise is None else (of_choosing.interval(preview.noise), preview.noise)
    facts = vars(request) if group is None else {**vars(request), "due": group.due, "assigned_to": group.assigned_to}
    details = {"first": line, "more": len(more), "preview": preview, "noise": noise}
    return {**facts, **details, "group": None if alone else group}


def _choices(escrow: Escrow, actor: Person) -> dict[str, list[tuple[str, str]]]:
    """What the filters offer: datasets and analysts of submissions, and organisations of users."""
    columns = ("dataset", "analyst", "assigned_to")
    choices = {name: escrow.requests.values(actor, name, Whose.TO_DECIDE) for name in columns}
    people = [name for name in choices.pop("assigned_to") if name != actor.name]
    mine = [(actor.name, "Assigned to me"), (UNASSIGNED, "Not assigned")]
    return {name: _named(values) for name, values in choices.items()} | {
        "organisation": _named(escrow.accounts.organisations(actor)),
        "assigned_to": [*mine, *((name, f"Assigned to {name}") for name in people)],
    }


def _named(values: Iterable[str]) -> list[tuple[str, str]]:
    return [(value, value) for value in values]
