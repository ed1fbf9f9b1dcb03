"""Sharing risk: trust, sensitivity, the highest tolerable risk, and the noise that meets it."""

from __future__ import annotations

import json
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.responses import Response

from sfumato.errors import BadInput, Refused
from sfumato.model.guess_view import GuessView
from sfumato.presentation import sharing as view
from sfumato.presentation.wording import guessing_sentences as of_guessing
from sfumato.presentation.wording import policy_sentences as of_policy
from sfumato.server.dependencies import EscrowDep, NameInPath, ReadingUser
from sfumato.server.texts import Sql
from sfumato.server.web.explorer import first_query
from sfumato.server.web.shell import RendererDep

screens = APIRouter(include_in_schema=False)
_CHOICES = 4  # the DPP paper's own: susceptible, infected, recovered, deceased
Slid = Annotated[float, Query(ge=0, le=1)]


@screens.get("/datasets/{name}/sharing")
def sharing(
    page: RendererDep,
    actor: ReadingUser,
    name: NameInPath,
    escrow: EscrowDep,
    sql: Annotated[Sql | None, Query()] = None,
    choices: Annotated[str, Query(max_length=20)] = "",
    secret: Annotated[str, Query(max_length=200)] = "",
    trust: Slid = 0.3,
    sensitivity: Slid = 0.7,
    limit: Slid = 0.3,
    epsilon: Annotated[float, Query(gt=0)] = view.EPSILONS[0],
    recipient: Annotated[str, Query(max_length=200)] = "",
    count: Annotated[str, Query(max_length=20)] = "",
    mechanism: Annotated[str, Query(max_length=20)] = "laplace",
    delta: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """Begins with the example of the DPP paper: low trust, high sensitivity, low tolerable risk, little noise."""
    escrow.datasets.controlled(actor, name)
    dataset = escrow.datasets.one(actor, name)
    guessed: dict[str, Any] = {"secret": secret} if secret else {"choices": _whole(choices)}
    noise = {} if mechanism == "laplace" else {"mechanism": mechanism, "delta": _number(delta) or NEGLIGIBLE}
    how = guessed | noise | ({"count": _whole(count)} if count else {})
    query = sql or first_query(dataset.name)
    at: dict[str, Any] = {
        "trust": _twentieths(trust),
        "sensitivity": _twentieths(sensitivity),
        "limit": max(0.01, round(limit, 2)),
    }
    terms = {"trust": at["trust"] / view.STEPS, "data_sensitivity": at["sensitivity"] / view.STEPS}
    problem, guesses, grid, least = None, None, None, None
    rows: list[dict[str, Any]] = []
    try:
        options = how | terms | {"limit": at["limit"], "candidates": view.EPSILONS}
        guesses = escrow.requests.guessing(actor, name, query, options, recipient)
        grid, least = view.grid(guesses), view.least_noise(guesses)
        rows = view.scale(grid, least, at["sensitivity"], at["trust"])
        at["point"] = min(range(len(rows)), key=lambda i: abs(rows[i]["epsilon"] - epsilon))
    except (BadInput, Refused) as wrong:
        problem = wrong
    rule = json.dumps({"sharing_risk": at["limit"]} | guessed)
    signed = None if dataset.policy is None else escrow.policies.current(actor, name).policy
    return page(
        "sharing.html",
        dataset=dataset,
        sql=query,
        choices=choices or str(_CHOICES),
        secret=secret,
        recipient=recipient,
        recipients=escrow.requests.recipient_names(actor, name),
        held=""
        if guesses is None or not recipient
        else of_guessing.holdings(guesses.earlier_epsilon, guesses.earlier_delta),
        count=count,
        mechanism=mechanism,
        mechanisms=_MECHANISMS,
        delta=delta or f"{NEGLIGIBLE:.4g}",
        factors=of_guessing.FACTORS,
        problem=problem,
        grid=grid,
        at=at,
        rows=rows,
        summary=() if grid is None else view.summary(rows, least, **at, otherwise=_otherwise(guesses)),
        words=of_guessing,
        rated=[]
        if signed is None
        else of_policy.partners(signed.trust, signed.sensitivity, signed.sensitivity_otherwise),
        rule=f"/datasets/{quote(dataset.name)}/policy?rule={quote(rule)}",
        facts={}
        if grid is None
        else {"grid": grid, "least": None if least is None else vars(least), "space": view.space(grid, at["limit"], 0)}
        | {"at": at, "said": _SENTENCES, "dashes": view.DASHES, "name": dataset.name}
        | {"how": how, "guessed": guessed, "recipient": recipient, "feasible": guesses is None or guesses.feasible},
    )


_SENTENCES = {
    "partner": of_guessing.PARTNER,
    "within": of_guessing.WITHIN,
    "over": of_guessing.OVER,
    "every": of_guessing.EVERY,
    "unmet": of_guessing.NONE,
    "flat": of_guessing.NO_WEBGL,
}


NEGLIGIBLE = 2.0**-40
"""The delta of truncated noise in the DPP paper."""
_MECHANISMS = {"laplace": "Laplace", "truncated": "truncated Laplace", "gaussian": "Gaussian"}


def _otherwise(guesses: GuessView | None) -> str:
    """What is said where there is no least noise within the limit."""
    return of_guessing.EVERY if guesses is None or guesses.feasible else of_guessing.NONE


def _number(text: str) -> object:
    try:
        return float(text) if text else None
    except ValueError:
        return text


def _whole(choices: str) -> object:
    """A whole number, or the text, which is refused where choices are read."""
    return int(choices) if choices.isdecimal() else choices or _CHOICES


def _twentieths(slid: float) -> int:
    return round(slid * view.STEPS)
