"""The pages of a study: one link a participant, one question a page."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, FastAPI, Request
from fastapi.telemetry import TelemetryConfig
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import RedirectResponse, Response

from sfumato.presentation import study_pages as pages
from sfumato.server import problems
from sfumato.server.middleware.access_log import AccessLogMiddleware
from sfumato.server.middleware.body_limit import BodyLimitMiddleware
from sfumato.server.middleware.failures import ErrorMiddleware
from sfumato.server.middleware.headers import SecurityHeadersMiddleware
from sfumato.server.web.assets import PLACE, Assets
from sfumato.server.web.failures_page import render_problem
from sfumato.server.web.shell import RendererDep, environment
from sfumato.study import design
from sfumato.study.design import Participant
from sfumato.study.export import SUS_ITEMS
from sfumato.study.file import StudyFile

PARTICIPANT = "/study"
BODY_BYTES, BODY_SECONDS = 10_000, 30.0
_NO_TELEMETRY = TelemetryConfig(tracing=False, metrics=False, logs=False, operation_spans=False, auto_configure=False)
Form = dict[str, list[str]]


@dataclass(frozen=True)
class NoLanes:
    """Nothing waits for a worker."""

    def stop(self) -> None: ...


def create_study_app(study: StudyFile, *, secure: bool = False, now: Callable[[], float] = time.time) -> FastAPI:
    """An app that serves the links of a study, and nothing else."""
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_NO_TELEMETRY,
        middleware=[
            Middleware(SecurityHeadersMiddleware, secure=secure),
            Middleware(AccessLogMiddleware),
            Middleware(ErrorMiddleware, render=render_problem),
            Middleware(BodyLimitMiddleware, limit=BODY_BYTES, seconds=BODY_SECONDS),
        ],
        exception_handlers={HTTPException: _not_here},
    )
    assets = Assets()
    app.state.study, app.state.now, app.state.lanes = study, now, NoLanes()
    app.state.templates = environment(assets)
    app.add_api_route(f"{PLACE}/{{version}}/{{name:path}}", assets.answer, include_in_schema=False)
    app.include_router(routes)
    return app


routes = APIRouter(include_in_schema=False)


async def _not_here(request: Request, error: Exception) -> Response:
    return render_problem(request, await problems.of_http(request, error))


@routes.get(f"{PARTICIPANT}/{{link}}")
def show(request: Request, link: str, page: RendererDep) -> Response:
    """The page that is due."""
    study: StudyFile = request.app.state.study
    participant = _participant(study, link)
    step = design.next_step(study.kind, participant)
    study.display(participant, step, request.app.state.now())
    return page("study.html", step=step, link=f"{PARTICIPANT}/{link}", place=_place(study, participant, step),
                **_content(study, participant, step))  # fmt: skip


@routes.post(f"{PARTICIPANT}/{{link}}")
async def answer(request: Request, link: str) -> Response:
    """Record the answer of a page, and go on to the next; an answer that is not one shows the page again."""
    form: Form = parse_qs((await request.body()).decode("utf-8", "replace"))
    await run_in_threadpool(_record, request, link, form)
    return RedirectResponse(f"{PARTICIPANT}/{link}", HTTPStatus.SEE_OTHER)


def _record(request: Request, link: str, form: Form) -> None:
    study: StudyFile = request.app.state.study
    participant = _participant(study, link)
    step = form.get("step", [""])[0]
    values = _values(study, step, form)
    if values is not None:
        study.answer(participant, step, values, request.app.state.now())


def _participant(study: StudyFile, link: str) -> Participant:
    participant = study.one(link)
    if participant is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return participant


def _place(study: StudyFile, participant: Participant, step: str) -> tuple[int, int]:
    all_steps = design.steps(study.kind, participant)
    return all_steps.index(step) + 1, len(all_steps)


def _content(study: StudyFile, participant: Participant, step: str) -> dict[str, Any]:
    """What the template of a step needs."""
    kind = study.kind.value
    if step in study.tasks:
        return {"task": pages.task_page(kind, study.tasks[step], participant.arm.value)}
    return {"texts": pages.texts(kind, step, passed=participant.answer(design.QUIZ).get("passed") is not False)}


def _values(study: StudyFile, step: str, form: Form) -> dict[str, Any] | None:
    """The answer of a form to a step; None where it is none."""
    first = {name: values[0] for name, values in form.items()}
    if step == design.CONSENT and first.get("knew_dp") in ("yes", "no"):
        return {"knew_dp": first["knew_dp"] == "yes"}
    if step == design.TUTORIAL:
        return {}
    if step == design.QUIZ:
        questions = pages.quiz(study.kind.value)
        chosen = [first.get(f"question-{index}", "") for index in range(len(questions))]
        if not all(chosen):
            return None
        return {"passed": chosen == [str(question.right) for question in questions]}
    if step == design.USED and first.get("used") in ("yes", "no"):
        return {"used": first["used"] == "yes"}
    if step == design.SUS:
        items = [first.get(f"item-{index}", "") for index in range(SUS_ITEMS)]
        return {"items": list(map(int, items))} if all(item in ("1", "2", "3", "4", "5") for item in items) else None
    if step in study.tasks:
        by_index = {str(index): option.value for index, option in enumerate(study.tasks[step].options)}
        value = by_index.get(first.get("option", ""))
        return None if value is None else {"value": value}
    return None
