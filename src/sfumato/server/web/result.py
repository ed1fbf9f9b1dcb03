"""A request for its analyst: its state, and the answer once it is released."""

from __future__ import annotations

from io import StringIO
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.api.columns import answer_columns
from sfumato.errors import NotFound, SfumatoError
from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.lifecycle import State
from sfumato.model.release import Answer, Released
from sfumato.model.schema import Type
from sfumato.presentation import certificate_nist, release_view
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.spreadsheet import write_csv
from sfumato.presentation.wording import difference_sentences as of_difference
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.shell import PageRenderer
from sfumato.server.web.signals import tasks as signalling

screens = APIRouter(include_in_schema=False)
_WORKING = (State.APPROVED, State.RUNNING)
_TOLD_BY_A_PERSON = (State.RETURNED, State.REFUSED, State.RELEASED)
_WAITING = (State.SUBMITTED, State.APPROVED, State.RUNNING, State.COMPUTED)
_MOST_COMPARED = 400  # rows whose figures are offered for comparison
_MOST_DRAWN = 200  # rows that a chart shows
_MOST_SHOWN = 1000  # rows that the page shows; the files have all


@screens.get("/requests/{id}/answer.csv")
def as_csv(
    actor: ReadingUser, id: NameInPath, escrow: EscrowDep, query: Annotated[int, Query(ge=1, le=1000)] = 1
) -> Response:
    """One answer as a CSV file, each figure with the ends of its 90% interval."""
    answers = escrow.requests.result(actor, id).answers
    if query > len(answers):
        raise NotFound(f"There is no answer {query}", hint=f"state a number from 1 to {len(answers)}.")
    table, text = answer_columns(answers[query - 1].answer, intervals=True), StringIO(newline="")
    rows = zip(*(column.values for column in table), strict=True)
    write_csv(text, [column.name for column in table], rows)
    named = {"Content-Disposition": f'attachment; filename="answer-{query}.csv"'}
    return Response(text.getvalue(), headers=named, media_type="text/csv")


def render_result(page: PageRenderer, actor: Person, escrow: Escrow, id: str) -> Response:
    """The page of one request, for users who do not decide it."""
    request = submission_view.request(escrow.requests.one(actor, id))
    answers: list[dict[str, Any]] = []
    signals: dict[str, Any] | None = None
    own, without = request.get("analyst", actor.name) == actor.name, ""
    if own and page.by_session:
        escrow.notifications.read_about(actor, request["id"])
    if request["state"] == State.RELEASED:
        try:
            released = escrow.requests.result(actor, id).answers
            answers = [_answer(each) for each in released]
            signals = signalling.section(escrow, actor, request, released) if own else None
        except SfumatoError as why:
            without = str(why)
    waiting = request["state"] in _WAITING
    return page(
        "request.html",
        request=request,
        own=own,
        waiting=waiting,
        working=request["state"] in _WORKING,
        by_a_person=request["state"] in _TOLD_BY_A_PERSON,
        has=of_request.HAS[request["state"]],
        answers=answers,
        without=without,
        signalling=signals,
        asking=of_signal_pages,
        comparable=sum(len(group["rows"]) for answer in answers for group in answer["cells"]) > 1,
        words={"question": of_difference.QUESTION, "each": of_difference.EACH, "stopped": of_request.STOPPED},
        facts={
            "id": request["id"],
            "state": request["state"],
            "waiting": waiting,
            "charts": [answer["charts"] for answer in answers],
            "signalling": signals,
        },
    )


def _answer(released: Released) -> dict[str, Any]:
    """An answer for the page: its cells as text, its guarantee, and the figures to compare."""
    answer, certificate = released.answer, released.certificate
    heads, rows = release_view.cells(answer)
    numbers = _are_numbers(answer)
    return {
        "query": certificate.query,
        "heads": list(zip(heads, numbers, strict=True)),
        "rows": [list(zip(row, numbers, strict=True)) for row in rows[:_MOST_SHOWN]],
        "notes": release_view.notes(answer, certificate)
        if answer.intervals is not None
        else [certificate_nist.usefulness(certificate)],
        "guarantee": certificate.guarantee.value,
        "word": of_guarantee.worded(certificate.guarantee, declared=of_guarantee.is_declared(certificate)),
        "declared": of_guarantee.declarations(certificate),
        "holds": certificate.guarantee.holds,
        "sentence": of_guarantee.sentence(of_guarantee.guarantee(certificate).removesuffix(".")),
        "odds": of_guarantee.promise(certificate),
        "cells": _cells(answer),
        "charts": release_view.charts(answer) if len(rows) <= _MOST_DRAWN else [],
        "left_out": max(0, len(rows) - _MOST_SHOWN),
    }


def _are_numbers(answer: Answer) -> list[bool]:
    """Whether each shown column has numbers; the interval and the count behind a figure follow it."""
    numeric = []
    for i, type_ in enumerate(answer.types):
        ranged = any(row[i] for row in answer.intervals or ())
        counted = any(row[i] is not None for row in answer.behind)
        numeric += [type_ in (Type.INTEGER, Type.NUMBER)] + [True] * (ranged + counted)
    return numeric


def _cells(answer: Answer) -> list[dict[str, Any]]:
    """Figures with intervals, by column: their row, column and label."""
    if answer.intervals is None or len(answer.rows) > _MOST_COMPARED:
        return []
    keys = [i for i, ranged in enumerate(answer.ranged) if not ranged]
    groups = []
    for column, name in enumerate(answer.columns, 1):
        if answer.ranged[column - 1]:
            rows = [
                {"row": row, "label": " · ".join([*(str(cells[i]) for i in keys), name])}
                for row, cells in enumerate(answer.rows, 1)
            ]
            groups.append({"column": column, "name": name, "rows": rows})
    return groups
