"""A request for its analyst: its state, and the answer once it is released."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.api.columns import answer_columns
from sfumato.errors import NotFound, SfumatoError
from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.lifecycle import State
from sfumato.model.release import Answer, ReleaseCertificate, Released
from sfumato.presentation import answer_chart, certificate_nist, release_view
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.noise_view import meaningful_text
from sfumato.presentation.spreadsheet import write_csv
from sfumato.presentation.wording import difference_sentences as of_difference
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger
from sfumato.presentation.wording import release_sentences as of_release
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording.numbers import figure_text, rounded_figure
from sfumato.presentation.wording.signals import pages as of_signal_pages
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.web.shell import PageRenderer
from sfumato.server.web.signals import tasks as signalling

screens = APIRouter(include_in_schema=False)
_WORKING = (State.APPROVED, State.RUNNING)
_TOLD_BY_A_PERSON = (State.RETURNED, State.REFUSED, State.RELEASED)
_WAITING = (State.SUBMITTED, State.APPROVED, State.RUNNING, State.COMPUTED)
_MOST_COMPARED = 400  # rows whose figures are offered for comparison
_BESIDE = 2  # columns of figures that one table has room for, with their charts
_MOST_SHOWN = 1000  # rows that the page shows; the files have all


@screens.get("/requests/{id}/answer.csv")
def as_csv(
    actor: ReadingUser, id: NameInPath, escrow: EscrowDep, query: Annotated[int, Query(ge=1, le=1000)] = 1
) -> Response:
    """One answer as a CSV file, each figure with the ends of its 90% interval."""
    released = _one_of(escrow.requests.result(actor, id).answers, query)
    table, text = answer_columns(released.answer, intervals=True), StringIO(newline="")
    rows = zip(*(column.values for column in table), strict=True)
    write_csv(text, [column.name for column in table], rows)
    named = {"Content-Disposition": f'attachment; filename="answer-{query}.csv"'}
    return Response(text.getvalue(), headers=named, media_type="text/csv")


@screens.get("/requests/{id}/chart.svg")
def as_chart(
    actor: ReadingUser,
    id: NameInPath,
    escrow: EscrowDep,
    query: Annotated[int, Query(ge=1, le=1000)] = 1,
    column: Annotated[int | None, Query(ge=1, le=1000)] = None,
) -> Response:
    """The chart of one column of an answer as a file; without a column, of the first with figures."""
    answer = _one_of(escrow.requests.result(actor, id).answers, query).answer
    charts = [one for one in answer_chart.answer_charts(answer) if column in (None, one.column + 1)]
    if not charts:
        raise NotFound("There is no chart of this column", hint="choose a column of figures in an answer with rows.")
    picture = answer_chart.picture(charts[0])
    named = {"Content-Disposition": f'attachment; filename="answer-{query}-{charts[0].column + 1}.svg"'}
    return Response(picture, headers=named, media_type="image/svg+xml")


def _one_of(answers: Sequence[Released], query: int) -> Released:
    if query > len(answers):
        raise NotFound(f"There is no answer {query}", hint=f"state a number from 1 to {len(answers)}.")
    return answers[query - 1]


def render_result(page: PageRenderer, actor: Person, escrow: Escrow, id: str) -> Response:
    """The page of one request, for users who do not decide it."""
    request = submission_view.request(escrow.requests.one(actor, id))
    answers: list[dict[str, Any]] = []
    released: Sequence[Released] = ()
    signals: dict[str, Any] | None = None
    own, without = request.get("analyst", actor.name) == actor.name, ""
    if own and page.by_session:
        escrow.notifications.read_about(actor, request["id"])
    if request["state"] == State.RELEASED:
        try:
            released = escrow.requests.result(actor, id).answers
            units = escrow.requests.units(actor, id)
            answers = [_answer(each, number, units[number - 1]) for number, each in enumerate(released, 1)]
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
        budget=_budget(released[-1].certificate, request.get("charged")) if answers else None,
        words=of_difference,
        mostly=of_release.MOSTLY,
        mostly_noise=of_release.MOSTLY_NOISE,
        stopped=of_request.STOPPED,
        facts={
            "id": request["id"],
            "state": request["state"],
            "waiting": waiting,
            "signalling": signals,
        },
    )


def _answer(released: Released, number: int, units: Sequence[str]) -> dict[str, Any]:
    """An answer for the page: its tables with their charts, its guarantee, and the figures to compare."""
    answer, certificate = released.answer, released.certificate
    charts = answer_chart.answer_charts(answer)
    tables = _tables(answer, charts, number, units)
    return {
        "query": certificate.query,
        "tables": tables,
        "rows": len(answer.rows),
        "noisy": any(chart.has_noisy for chart in charts),
        "notes": release_view.notes(answer, certificate)
        if answer.intervals is not None
        else [certificate_nist.usefulness(certificate)],
        "meaningful": meaningful_text(certificate),
        "guarantee": certificate.guarantee.value,
        "word": of_guarantee.worded(certificate.guarantee, declared=of_guarantee.is_declared(certificate)),
        "label": of_guarantee.LABELS[certificate.guarantee],
        "declared": of_guarantee.declarations(certificate),
        "holds": certificate.guarantee.holds,
        "sentence": of_guarantee.sentence(of_guarantee.guarantee(certificate).removesuffix(".")),
        "odds": of_guarantee.promise(certificate),
        "entry": certificate.ledger_entry,
        "sha256": certificate.query_sha256,
        "cells": _cells(answer),
        "charts": [{"column": chart.column + 1, "name": chart.name} for chart in charts],
        "left_out": max(0, len(answer.rows) - _MOST_SHOWN),
    }


def _tables(
    answer: Answer, charts: Sequence[answer_chart.AnswerChart], number: int, units: Sequence[str]
) -> list[dict[str, Any]]:
    """The answer in tables of at most two columns of figures, each row with its groups, figures and places."""
    figures = [i for i, ranged in enumerate(answer.ranged) if ranged]
    keys = [i for i, ranged in enumerate(answer.ranged) if not ranged]
    parts = [figures[i : i + _BESIDE] for i in range(0, len(figures), _BESIDE)] or [[]]
    by_column = {chart.column: chart for chart in charts}
    visible = range(min(len(answer.rows), _MOST_SHOWN))
    return [
        {
            "caption": f"Answer {number}: " + ", ".join(answer.columns[i] for i in (*keys, *part)),
            "groups": [(answer.columns[i], _is_number(answer, i)) for i in keys],
            "figures": [
                {
                    "name": answer.columns[i],
                    "unit": units[i],
                    "grid": f"axis-{number}-{i + 1}",
                    "ranged": any(row[i] for row in answer.intervals or ()),
                    "chart": by_column.get(i),
                }
                for i in part
            ],
            "rows": [
                {
                    "groups": [_group(answer, row, i) for i in keys],
                    "noisy": any(by_column[i].places[row].noisy for i in part if i in by_column),
                    "cells": [_cell(answer, row, i, by_column.get(i)) for i in part],
                }
                for row in visible
            ],
        }
        for part in parts
    ]


def _group(answer: Answer, row: int, column: int) -> str:
    return of_release.ALL if answer.is_rolled_up(row, column) else rounded_figure(answer.rows[row][column], None)[0]


def _is_number(answer: Answer, column: int) -> bool:
    return any(isinstance(row[column], int | float) for row in answer.rows[:_MOST_SHOWN])


def _cell(answer: Answer, row: int, column: int, chart: answer_chart.AnswerChart | None) -> dict[str, Any]:
    value, interval = rounded_figure(
        answer.rows[row][column], None if answer.intervals is None else answer.intervals[row][column]
    )
    behind = figure_text(answer.behind[row][column]) if answer.behind else ""
    place = None if chart is None else chart.places[row]
    ranking = answer.ranking
    is_ordered = ranking is not None and ranking.by == answer.columns[column]
    rank = of_release.rank_range(ranking.ranks[row]) if ranking is not None and is_ordered else ""
    return {"value": value, "interval": interval, "behind": behind, "place": place, "rank": rank}


def _budget(certificate: ReleaseCertificate, charged: float | None) -> dict[str, Any]:
    """The budget in a sentence, and as parts of a bar where all of it is known."""
    total, limit = certificate.dataset_total, of_ledger.budget_limits(certificate).get("epsilon")
    parts = {"sentence": of_ledger.used(certificate)}
    if total is None or limit is None or charged is None:
        return parts
    most = max(float(limit), total)
    return parts | {"before": 300 * max(0.0, total - charged) / most, "now": 300 * min(charged, total) / most}


def _cells(answer: Answer) -> list[dict[str, Any]]:
    """Figures with intervals, by column: their row, column and label."""
    if answer.intervals is None or len(answer.rows) > _MOST_COMPARED:
        return []
    keys = [i for i, ranged in enumerate(answer.ranged) if not ranged]
    groups = []
    for column, name in enumerate(answer.columns, 1):
        if answer.ranged[column - 1]:
            rows = [
                {"row": row + 1, "label": " · ".join([*(answer_chart.key_label(answer, row, i) for i in keys), name])}
                for row in range(len(answer.rows))
            ]
            groups.append({"column": column, "name": name, "rows": rows})
    return groups
