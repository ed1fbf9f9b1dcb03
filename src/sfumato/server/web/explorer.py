"""The risk explorer of a submitted request, or of any query of a controller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import SfumatoError
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.lifecycle import State
from sfumato.escrow.submissions.request_payload import Request
from sfumato.model.guarantee import Guarantee
from sfumato.model.risk import Source
from sfumato.presentation import exploration_view
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.risk.membership import attack_chance
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.problems import Problem, answer
from sfumato.server.web import result
from sfumato.server.web.shell import PageRenderer, RendererDep

screens = APIRouter(include_in_schema=False)
_WAITING = (State.SUBMITTED.value, State.COMPUTED.value)
_TO_CHARGE = (State.SUBMITTED.value, State.APPROVED.value, State.RUNNING.value)
_MOVED = ("mechanism", "delta", "calibration")
HISTOGRAM_EPSILON = 0.05  # of an exposure histogram, by default


@screens.get("/requests/{id}")
def request(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    id: NameInPath,
    query: Annotated[int, Query(ge=1, le=1000)] = 1,
    show: Annotated[Literal["explorer", "answer"], Query()] = "explorer",
) -> Response:
    """The explorer for those who may decide; the request and its result for everyone else."""
    if show == "answer" or not escrow.requests.approval.decides(actor, id):
        return result.render_result(page, actor, escrow, id)
    waiting = submission_view.request(escrow.requests.one(actor, id))
    try:
        seen = submission_view.request_page(escrow.requests.approval.inspect(actor, waiting["id"], rehearse=False))
        place = min(query, len(seen["facts"]["queries"])) - 1
        exploration = _of_request(escrow, actor, seen, place)
    except SfumatoError as refused:  # its policy or its data is gone; it can still be returned or refused
        if waiting["state"] not in _WAITING:
            return result.render_result(page, actor, escrow, id)
        return _page(page, escrow, actor, waiting, _known_facts(escrow, actor, waiting), problem=problem_of(refused))
    return _page(page, escrow, actor, waiting, seen, place=place, exploration=exploration)


SqlParameter = Annotated[str, Query(max_length=100_000)]


def first_query(dataset: str) -> str:
    """A query to begin with, for any table."""
    return f"SELECT COUNT(*) FROM {dataset}"


def query_form(dataset: RegisteredDataset, sql: str) -> dict[str, Any]:
    """A dataset with the query that is typed, or one to begin with; there is no problem yet."""
    query = sql or first_query(dataset.name)
    return {"dataset": dataset.name, "title": dataset.title, "sql": query, "problem": None}


@screens.get("/datasets/{name}/risk")
def risk(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    name: NameInPath,
    sql: SqlParameter = "",
) -> Response:
    """The explorer without a request: any query, by the preregistered rule."""
    dataset = escrow.datasets.controlled(actor, name)
    around = query_form(dataset, sql) | {"inspected": None, "found": None}
    if not sql.strip():
        return page("risk.html", **around)
    try:
        rule = escrow.questions.of_rule(actor, dataset.name, sql)
        how = {name: getattr(rule.noise, name) for name in _MOVED}
        exploration = escrow.questions.explore(
            actor, dataset.name, sql, Source.WORST_CASE, how, preference=rule.stated, now=rule.epsilon
        )
    except SfumatoError as refused:
        return page("risk.html", **around | {"problem": problem_of(refused)})
    guarantee = rule.guarantee.value
    facts = _facts(dataset.name, sql, how, rule.stated, exploration, looked=rule.looked, guarantee=guarantee)
    facts["say"] |= {"thought": of_explorer.NO_REQUEST, "unknown": of_explorer.NO_REQUEST}
    values = around | {"found": exploration, "method": rule.method, "looked": rule.looked, "carries": guarantee}
    return page("risk.html", facts=facts, **values, **_drawn(exploration))


def _of_request(escrow: Escrow, actor: Person, seen: Mapping[str, Any], place: int) -> dict[str, Any]:
    """The worst case of one query of a request, with the preference in force."""
    query, named = seen["facts"]["queries"][place], seen["request"]["dataset"]
    how = {name: query[name] for name in _MOVED}
    return escrow.questions.explore(
        actor,
        named,
        query["sql"],
        Source.WORST_CASE,
        how,
        preference=_preferences(escrow, actor, seen, place),
        now=query["epsilon"],
    )


def _preferences(escrow: Escrow, actor: Person, seen: Mapping[str, Any], place: int) -> dict[str, Any]:
    weights = [one["weight"] for one in seen["facts"]["queries"]]
    if weights[place] != max(weights):
        return {}
    preference = seen["request"]["preference"]
    return dict(preference or escrow.policies.current(actor, seen["request"]["dataset"]).policy.rule or {})


def _known_facts(escrow: Escrow, actor: Person, request: Mapping[str, Any]) -> dict[str, Any]:
    """Facts of a request that can no longer be previewed."""
    looked = escrow.datasets.looked(actor, request["dataset"])
    return {
        "request": request,
        "binding": request["binding"],
        "analyst": {"name": request["analyst"], "organisation": escrow.accounts.one(request["analyst"]).organisation},
        "facts": None,
        "looked": looked,
        "warning": of_policy.AFTER_LOOK if looked else None,
        "policy": [],
    }


def _page(
    page: PageRenderer,
    escrow: Escrow,
    actor: Person,
    request: Mapping[str, Any],
    seen: Mapping[str, Any],
    *,
    place: int = 0,
    exploration: Mapping[str, Any] | None = None,
    problem: Problem | None = None,
) -> Response:
    waiting = [one.submission for one in escrow.requests.approval.waiting(actor, 2)]
    others = [one for one in waiting if one.id != request["id"]]
    facts = {"request": request["id"], "state": request["state"], "binding": seen["binding"], "looked": seen["looked"]}
    facts |= {"next": _next(others)}
    around: dict[str, Any] = {
        "request": request,
        "inspected": seen,
        "place": place,
        "found": exploration,
        "problem": problem,
        "waits": request["state"] in _WAITING,
        "dataset": request["dataset"],
        "sql": request["queries"][place]["sql"],
        "looked": seen["looked"],
        "after_look": of_policy.AFTER_LOOK,
        "accept_no": of_explorer.ACCEPT_NO,
        "before_answer": of_explorer.BEFORE_ANSWER,
    }
    if exploration is None or seen["facts"] is None:
        return page("explorer.html", facts=facts, **around)
    query = seen["facts"]["queries"][place]
    how, before = {name: query[name] for name in _MOVED}, seen["guarantee_before_approval"]
    preferences = _preferences(escrow, actor, seen, place)
    facts |= _facts(
        request["dataset"], query["sql"], how, preferences, exploration, looked=seen["looked"], guarantee=before
    )
    guarantee, cost = Guarantee(seen["facts"]["guarantee"]), seen["facts"]
    around |= {
        "carries": before,
        "method": query["method"],
        "guarantee": (guarantee.value, of_explorer.LEAVES[guarantee]),
        "cost": of_explorer.cost(cost["epsilon"], cost["delta"], guarantee)
        if request["state"] in _TO_CHARGE
        else of_explorer.charged(request["charged"]),
        "if_approved": of_explorer.if_approved(
            _chance(cost, exploration, query),
            _noise(exploration, query["epsilon"]),
            guarantee,
            replaced=exploration["absent"] == of_explorer.absent(True),
        ),
        "spent": of_explorer.spent(cost["spent"], cost["budget"], cost["left"]),
    }
    return page("explorer.html", facts=facts, **around, **_drawn(exploration))


def _chance(cost: Mapping[str, Any], exploration: Mapping[str, Any], query: Mapping[str, Any]) -> float | None:
    """Maximum attack success of the whole request: by epsilon and delta, or by the noise of a single query."""
    if cost["epsilon"] is None:
        return None
    delta = cost["delta"] or 0.0
    point = _point(exploration, query["epsilon"]) if len(cost["queries"]) == 1 else None
    return min(attack_chance(cost["epsilon"], delta), 1.0 if point is None else point["in"] / 100 + delta)


def _point(exploration: Mapping[str, Any], epsilon: float | None) -> dict[str, Any] | None:
    return next((one for one in exploration["points"] if one["epsilon"] == epsilon), None)


def _noise(exploration: Mapping[str, Any], epsilon: float | None) -> str | None:
    point = _point(exploration, epsilon)
    return None if point is None else str(point["words"][1])


def _next(others: list[Request]) -> dict[str, Any] | None:
    return {"id": others[0].id, "number": others[0].number} if others else None


def _facts(
    dataset: str,
    sql: str,
    how: Mapping[str, Any],
    preferences: Mapping[str, Any],
    exploration: Mapping[str, Any],
    *,
    looked: bool,
    guarantee: str,
) -> dict[str, Any]:
    """Facts for the script: the first exploration, and the terms of further ones."""
    return {
        "dataset": dataset,
        "sql": sql,
        "how": {name: value for name, value in how.items() if value is not None},
        "preference": dict(preferences),
        "now": exploration["in_force"],
        "word": guarantee,
        "looked": looked,
        "found": exploration,
        "verdicts": {name: exploration_view.verdict_mark(name) for name in exploration_view.VERDICTS},
        "say": {
            "thought": of_explorer.A_THOUGHT,
            "unknown": of_explorer.NOT_KNOWN,
            "looked": of_explorer.LOOKED,
            "no_one_looked": of_explorer.NO_ONE_LOOKED,
            "after": of_explorer.DECIDED_AFTER,
        },
    }


def _drawn(exploration: Mapping[str, Any]) -> dict[str, Any]:
    """The first state, for the template: rows with their verdicts, and the position of the sliders."""
    start = exploration["start"]
    stop = exploration["sliders"][start["kind"]]["stops"][start["index"]]
    return {
        "rows": exploration_view.rows(exploration),
        "start": start,
        "stop": stop,
        "point": _point(exploration, stop["epsilon"]),
        "says": of_explorer,
        "declare": of_guarantee.DECLARE,
        "guarantees": {each.value: of_explorer.WORDS[each] for each in Guarantee},
        "reading": of_risk.READING,
        "histogram_epsilon": HISTOGRAM_EPSILON,
    }


def problem_of(refused: SfumatoError) -> Problem:
    """The problem that the API returns."""
    return Problem.model_validate_json(bytes(answer(refused).body))
