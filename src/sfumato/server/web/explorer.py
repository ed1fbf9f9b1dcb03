"""The risk explorer of a submitted request, or of any query of a controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import PreferenceError, SfumatoError
from sfumato.escrow.dataset import RegisteredDataset
from sfumato.escrow.identity.person import Person
from sfumato.escrow.service import Escrow
from sfumato.escrow.submissions.lifecycle import State
from sfumato.model.guarantee import Guarantee
from sfumato.model.plain import to_plain
from sfumato.model.risk import Source
from sfumato.presentation import exploration_view
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.presentation.wording import requests_sentences as of_request
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.privacy.risk.membership import attack_chance
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.problems import Problem, answer
from sfumato.server.web import result
from sfumato.server.web.shell import PageRenderer, RendererDep

screens = APIRouter(include_in_schema=False)
_WAITING = (State.SUBMITTED.value, State.COMPUTED.value)
_TO_CHARGE = (State.SUBMITTED.value, State.APPROVED.value, State.RUNNING.value)
_NO_CHARGE = (State.RETURNED.value, State.REFUSED.value, State.WITHDRAWN.value, State.FAILED.value)
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
    epsilons: EpsilonsParameter = "",
) -> Response:
    """The explorer for those who may decide; the request and its result for everyone else."""
    if show == "answer" or not escrow.requests.approval.decides(actor, id):
        return result.render_result(page, actor, escrow, id)
    waiting = submission_view.request(escrow.requests.one(actor, id))
    try:
        inspected = escrow.requests.approval.inspect(actor, waiting["id"], rehearse=False)
        approvers = [name.casefold() for name in inspected.access.approvers]
        seen = submission_view.request_page(inspected) | {"may_approve": not approvers or actor.name in approvers}
        place = min(query, len(seen["facts"]["queries"])) - 1
        seen |= {"limit": _limit(escrow, actor, seen)}
        candidates = read_epsilons(epsilons)
        exploration = _of_request(escrow, actor, seen, place, candidates)
    except SfumatoError as refused:  # its policy or its data is gone; it can still be returned or refused
        if waiting["state"] not in _WAITING:
            return result.render_result(page, actor, escrow, id)
        return _page(page, escrow, actor, waiting, _known_facts(escrow, actor, waiting), problem=problem_of(refused))
    return _page(page, escrow, actor, waiting, seen, place=place, exploration=exploration, candidates=candidates)


EpsilonsParameter = Annotated[str, Query(max_length=400)]


def read_epsilons(text: str) -> tuple[float, ...]:
    """The epsilons to list, as they were typed."""
    try:
        return tuple(float(part) for part in text.replace(",", " ").split())
    except ValueError:
        raise PreferenceError.because("candidates-unreadable") from None


SqlParameter = Annotated[str, Query(max_length=100_000)]


def first_query(table: str) -> str:
    """A query to begin with, for any table."""
    return f"SELECT COUNT(*) FROM {table}"


def query_form(dataset: RegisteredDataset, sql: str) -> dict[str, Any]:
    """A dataset with the query that is typed, or one to begin with; there is no problem yet."""
    query = sql or first_query(dataset.schema.people_table if dataset.schema.tables else dataset.name)
    return {"dataset": dataset.name, "title": dataset.title, "sql": query, "problem": None}


@screens.get("/datasets/{name}/risk")
def risk(
    page: RendererDep,
    actor: ReadingUser,
    escrow: EscrowDep,
    name: NameInPath,
    sql: SqlParameter = "",
    epsilons: EpsilonsParameter = "",
) -> Response:
    """The explorer without a request: any query, by the preregistered rule."""
    dataset = escrow.datasets.controlled(actor, name)
    around = query_form(dataset, sql) | {"inspected": None, "found": None, "epsilons": epsilons}
    if not sql.strip():
        return page("risk.html", **around)
    try:
        candidates = read_epsilons(epsilons)
        rule = escrow.questions.of_rule(actor, dataset.name, sql)
        how = {name: getattr(rule.noise, name) for name in _MOVED}
        exploration = escrow.questions.explore(
            actor,
            dataset.name,
            sql,
            Source.WORST_CASE,
            how,
            preference=rule.stated,
            now=rule.epsilon,
            limit=rule.epsilon,
            candidates=candidates,
        )
    except SfumatoError as refused:
        return page("risk.html", **around | {"problem": problem_of(refused)})
    guarantee = rule.guarantee.value
    facts = _facts(dataset.name, sql, how, rule.stated, exploration, looked=rule.looked, guarantee=guarantee)
    facts["say"] |= {"preview": of_explorer.NO_REQUEST, "pinned": "Rule"}
    facts |= {"limit": _limit_line(exploration, rule.epsilon), "rule": rule.epsilon}
    facts["candidates"] = candidates
    values = around | {"found": exploration, "method": rule.method, "looked": rule.looked, "carries": guarantee}
    values |= {"pinned": "Rule"}
    return page("risk.html", facts=facts, **values, **_drawn(exploration))


def _of_request(
    escrow: Escrow, actor: Person, seen: Mapping[str, Any], place: int, candidates: Sequence[float]
) -> dict[str, Any]:
    """The worst case of one query of a request, with the preference in force."""
    query, named = seen["facts"]["queries"][place], seen["request"]["dataset"]
    unit = escrow.questions.unit(actor, named, query["sql"])
    how = {name: query[name] for name in _MOVED}
    explored = escrow.questions.explore(
        actor,
        named,
        query["sql"],
        Source.WORST_CASE,
        how,
        preference=_preferences(escrow, actor, seen, place),
        now=query["epsilon"],
        limit=_rule_epsilon(seen, place),
        accuracy=seen["request"]["accuracy"],
        candidates=candidates,
    )
    if not unit or explored["axis"] == of_explorer.RANK_ERROR:
        return explored | {"unit": ""}
    return explored | {"axis": f"{explored['axis']}, {unit}", "unit": unit}


def _limit(escrow: Escrow, actor: Person, seen: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The facts of the request by the rule of the policy: what its own preference is compared with."""
    request = seen["request"]
    if not request["preference"]:
        return dict(seen["facts"])
    try:
        rule = escrow.questions.estimate(actor, request["dataset"], request["queries"], None)
    except SfumatoError:  # there is no rule, or one that depends on the recipient
        return None
    return submission_view.facts(rule.facts)


def _rule_epsilon(seen: Mapping[str, Any], place: int) -> float | None:
    return None if seen["limit"] is None else seen["limit"]["queries"][place]["epsilon"]


def _limit_line(exploration: Mapping[str, Any], epsilon: float | None) -> dict[str, Any]:
    """The limit in the chart: attack success at the largest epsilon by the rule, else at epsilon_max."""
    point = _point(exploration, epsilon) or _point(exploration, exploration["ceiling"])
    return {"chance": None if point is None else point["chance"], "label": of_explorer.chart_limit(point)}


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
    candidates: Sequence[float] = (),
    problem: Problem | None = None,
) -> Response:
    facts = {"request": request["id"], "state": request["state"], "binding": seen["binding"], "looked": seen["looked"]}
    facts |= _undoable(escrow, actor, request)
    around: dict[str, Any] = _neighbours(escrow.requests.approval.waiting_ids(actor), request["id"]) | {
        "request": request,
        "inspected": seen,
        "place": place,
        "epsilons": ", ".join(f"{epsilon:g}" for epsilon in candidates),
        "found": exploration,
        "problem": problem,
        "waits": request["state"] in _WAITING,
        "may_approve": seen.get("may_approve", False),
        "able": [one for one in escrow.datasets.of(request["dataset"]).controllers if one != request["analyst"]],
        "me": actor.name,
        "approve": "",
        "introduction": False,
        "declares": False,
        "submitted": [("Request", f"#{request['number']}")],
        "with_signals": of_request.with_signals([to_plain(one) for one in request["queries"]]),
        "warning": f"{seen['warning']} {of_explorer.CHOSEN_AFTER_LOOK}" if seen["looked"] else seen["warning"],
        "says_after": f"{of_policy.AFTER_LOOK} {of_explorer.CHOSEN_AFTER_LOOK}",
        "dataset": request["dataset"],
        "sql": request["queries"][place]["sql"],
        "looked": seen["looked"],
        "accept_no": of_explorer.ACCEPT_NO,
        "before_answer": of_explorer.BEFORE_ANSWER,
    }
    if exploration is None or seen["facts"] is None:
        return page("explorer.html", facts=facts, **around)
    query, cost = seen["facts"]["queries"][place], seen["facts"]
    how, before = {name: query[name] for name in _MOVED}, seen["guarantee_before_approval"]
    preferences = _preferences(escrow, actor, seen, place)
    facts |= _facts(
        request["dataset"], query["sql"], how, preferences, exploration, looked=seen["looked"], guarantee=before
    )
    facts |= {"limit": _limit_line(exploration, _rule_epsilon(seen, place)), "rule": _rule_epsilon(seen, place)}
    facts |= {"accuracy": request["accuracy"], "candidates": candidates}
    facts["say"] |= {"decided": of_explorer.PREVIEW_DECIDED}
    facts["say"] |= {} if around["waits"] else {"preview": of_explorer.PREVIEW_DECIDED}
    guarantee = Guarantee(request.get("guarantee") or cost["guarantee"])
    signed = escrow.policies.current(actor, request["dataset"])
    around |= {
        "pinned": "Requested",
        "carries": before,
        "method": query["method"],
        "guarantee": (guarantee.value, of_explorer.LEAVES[guarantee]),
        "declares": not guarantee.holds or seen["looked"] or request["state"] == State.COMPUTED,
        "cost": _cost(request, cost, guarantee),
        "submitted": _submitted(cost, exploration, place, guarantee),
        "verdict": _verdict(request, seen, exploration, place, guarantee),
        "introduction": escrow.requests.approval.is_introduction_due(actor, signed),
    }
    around["approve"] = _approve(request, seen, around) if around["may_approve"] and _affordable(cost) else ""
    return page("explorer.html", facts=facts, **around, **_drawn(exploration))


def _undoable(escrow: Escrow, actor: Person, request: Mapping[str, Any]) -> dict[str, Any]:
    """When an approval starts, and whether it is this person's to take back."""
    own = any(decision["who"] == actor.name for decision in request["decided_by"])
    seconds = escrow.ports.limits.undo_seconds
    return {"starts_at": request["starts_at"], "undo": seconds, "me": actor.name, "own": own}


def _neighbours(waiting: Mapping[str, int], id: str) -> dict[str, Any]:
    """The place of a request among those that wait, the one before and after it, and the next one to decide."""
    ids, others = [*waiting], [one for one in waiting if one != id]
    place = ids.index(id) if id in waiting else None
    following = None if place is None or place + 1 == len(ids) else ids[place + 1]
    onward = following or next(iter(others), None)
    return {
        "waiting_place": None if place is None else place + 1,
        "waiting_count": len(ids),
        "previous": ids[place - 1] if place else None,
        "following": following,
        "onward": None if onward is None else {"id": onward, "number": waiting[onward]},
    }


def _affordable(cost: Mapping[str, Any]) -> bool:
    return cost["epsilon"] is None or cost["left"] is None or cost["epsilon"] <= cost["left"]


def _approve(request: Mapping[str, Any], seen: Mapping[str, Any], around: Mapping[str, Any]) -> str:
    """What the button says: it names what it does."""
    if around["introduction"]:
        return of_explorer.AFTER_INTRODUCTION
    if request["state"] == State.COMPUTED:
        return of_explorer.RELEASE
    guarantee = around["guarantee"][0]
    if guarantee == Guarantee.NONE.value:
        return of_explorer.WITHOUT if guarantee in seen["guarantees"] else of_explorer.AS_PREREGISTERED
    return of_explorer.approve(_epsilon(seen["facts"]))


def _epsilon(cost: Mapping[str, Any]) -> float | None:
    """Epsilon of all queries as submitted; None where one is selected when it is answered."""
    each = [query["epsilon"] for query in cost["queries"]]
    return None if None in each else float(f"{sum(each):.12g}")


def _submitted(
    cost: Mapping[str, Any], exploration: Mapping[str, Any], place: int, guarantee: Guarantee
) -> list[tuple[str, str]]:
    """The request as it was submitted: what an approval is of."""
    query, several = cost["queries"][place], len(cost["queries"]) > 1
    point, chance = _point(exploration, query["epsilon"]), _chance(cost, exploration, query)
    figure = "" if point is None else point["figure"]
    what = " of ".join(one for one in (figure, f"query {place + 1}" if several else "") if one)
    noise = f"Noise of {what}, 90%" if what else "Noise, 90%"
    unit = f" {exploration['unit']}" if exploration["unit"] else ""
    return [
        ("As submitted", of_explorer.epsilon(_epsilon(cost))),
        (noise, "not known yet" if point is None else f"{point['first']}{unit}"),
        ("Attack success", of_explorer.success(chance, guarantee)),
    ]


def _cost(request: Mapping[str, Any], cost: Mapping[str, Any], guarantee: Guarantee) -> str:
    if request["state"] in _TO_CHARGE:
        return of_explorer.cost(cost["epsilon"], cost["delta"], guarantee)
    return "" if request["state"] in _NO_CHARGE else of_explorer.charged(request["charged"])


def _verdict(
    request: Mapping[str, Any],
    seen: Mapping[str, Any],
    exploration: Mapping[str, Any],
    place: int,
    guarantee: Guarantee,
) -> dict[str, Any]:
    """Privacy, accuracy and budget, each with its limit and whether it is met."""
    cost, rule = seen["facts"], seen["limit"]
    query = cost["queries"][place]
    point, chance = _point(exploration, query["epsilon"]), _chance(cost, exploration, query)
    most = None if rule is None else _chance(rule, exploration, rule["queries"][place])
    if most is None:
        most = attack_chance(exploration["ceiling"] * len(cost["queries"]), cost["delta"] or 0.0)
    within = guarantee.holds and (chance is None or chance <= most + 1e-9)
    noisy = point is not None and point["verdict"] == "noisy"
    waits, charge = request["state"] in _TO_CHARGE, cost["epsilon"] or 0.0
    budget = None if cost["left"] is None or cost["spent"] is None else cost["spent"] + cost["left"]
    affordable = not waits or _affordable(cost)
    title, met = of_explorer.verdict(guarantee=guarantee, over=not within, affordable=affordable, noisy=noisy)
    replaced = exploration["absent"] == of_explorer.absent(True)
    spent = of_explorer.spent(cost["spent"], cost["budget"], None)
    lines = [
        {
            "name": "Privacy",
            "limit": of_explorer.limit(most, met=within) if guarantee.holds else "",
            "met": within,
            "limited": True,
            "text": of_explorer.privacy(chance, guarantee, replaced=replaced),
        },
        {
            "name": "Accuracy",
            "limit": of_explorer.needs(exploration["needs"], met=not noisy),
            "met": not noisy,
            "limited": exploration["needs"] is not None,
            "text": of_explorer.accuracy(None if point is None else point["noise"], exploration["axis"]),
        },
        {
            "name": "Budget",
            "limit": of_explorer.left(budget, cost["left"], charge if waits else 0.0),
            "met": affordable,
            "limited": budget is not None,
            "text": f"{_cost(request, cost, guarantee)} {spent}".strip(),
            "meter": None if not budget else _meter(cost["spent"], charge if waits else 0.0, budget),
        },
    ]
    return {"title": title, "met": met, "lines": lines}


def _meter(spent: float, charge: float, budget: float) -> dict[str, Any]:
    used, now = (round(300 * min(max(one, 0.0) / budget, 1.0), 1) for one in (spent, charge))
    return {"used": used, "now": min(now, 300 - used), "label": of_explorer.meter(spent, charge, budget)}


def _chance(cost: Mapping[str, Any], exploration: Mapping[str, Any], query: Mapping[str, Any]) -> float | None:
    """Maximum attack success of the whole request: by epsilon and delta, or by the noise of a single query."""
    if cost["epsilon"] is None:
        return None
    delta = cost["delta"] or 0.0
    point = _point(exploration, query["epsilon"]) if len(cost["queries"]) == 1 else None
    return min(attack_chance(cost["epsilon"], delta), 1.0 if point is None else point["in"] / 100 + delta)


def _point(exploration: Mapping[str, Any], epsilon: float | None) -> dict[str, Any] | None:
    return next((one for one in exploration["points"] if one["epsilon"] == epsilon), None)


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
            "preview": of_explorer.PREVIEW,
            "pinned": "Requested",
            "no_histogram": of_explorer.NO_HISTOGRAM,
            "no_cells": of_explorer.NO_CELLS,
            "limits": {name: words for name, (_, words) in exploration_view.VERDICTS.items()},
        },
    }


def _drawn(exploration: Mapping[str, Any]) -> dict[str, Any]:
    """The first state, for the template: rows with their verdicts, and the position of the sliders."""
    start = exploration["start"]
    stop = exploration["sliders"][start["kind"]]["stops"][start["index"]]
    return {
        "rows": exploration_view.rows(exploration),
        "start": start,
        "point": _point(exploration, exploration["in_force"] or stop["epsilon"]),
        "says": of_explorer,
        "declare": of_guarantee.DECLARE,
        "reading": of_risk.READING,
        "histogram_epsilon": HISTOGRAM_EPSILON,
    }


def problem_of(refused: SfumatoError) -> Problem:
    """The problem that the API returns."""
    return Problem.model_validate_json(bytes(answer(refused).body))
