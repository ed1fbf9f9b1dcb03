"""The OpenAPI document names every field, and the client returns the types that the routes declare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, get_args

import pytest
from fastapi.routing import APIRoute

import sfumato as sf
from sfumato.client.client import Client
from sfumato.escrow.catalogue.entries import DatasetDetails, FullEntry
from sfumato.escrow.identity.accounts import IssuedToken, Token
from sfumato.escrow.questions.risk_facts import HistogramBin
from sfumato.presentation.escrow.questions_view import WordedCertificate
from sfumato.presentation.escrow.submission_types import WordedRequest, WordedSignal
from sfumato.server import app
from sfumato.server.app import API
from tests.examples import example
from tests.served import Nouns, app_on
from tests.unit.server_of_tests import Server

APP = app_on(Nouns())
DOCUMENT = APP.openapi()
SQL = "SELECT COUNT(*) FROM t"

# Fields whose own fields are not named.
OPEN = {
    "AuditEntry.said": "each verb notes something else, as it was at the time",
    "PolicyFile.rule": "preferences by their names, as the author of a policy wrote them",
    "Problem.values": "each reason has values of its own",
    "WordedRequest.preference": "preferences by their names, as the analyst stated them",
    "RequestedQuery.signal": "a signal that is submitted with it, with a task that has parameters of its own",
    "WordedSignal.task": "each task has parameters of its own; GET /tasks lists them",
    "WordedSignalResult.task": "the same",
    "WordedSignalResult.picture": "what a page draws; both come from one server",
    "PosthocFacts.figure": "the same",
    "POST /datasets/{name}/explore": "what the explorer's script draws; both come from one server",
}
# Routes that pages call, or that say nothing beside what another one does.
NOT_IN_CLIENT = {
    "GET /health", "GET /introduction", "POST /introduction", "GET /public/{name}", "POST /session", "GET /sessions",
    "GET /notifications/settings", "PUT /notifications/settings",
    "POST /datasets/check-schema", "POST /datasets/{name}/check-policy", "POST /datasets/{name}/guessing",
    "POST /datasets/{name}/explore", "PUT /datasets/{name}/data", "PUT /datasets/{name}/schema",
    "PUT /datasets/{name}/controllers", "PUT /datasets/{name}/population", "POST /requests/{id}/difference",
    "PUT /datasets/{name}/connection", "POST /requests/decision-preview",
}  # fmt: skip
# What the client returns for each of the others.
VERBS: dict[str, Callable[[Client], object]] = {
    "GET /session": lambda client: client.me,
    "GET /people": lambda client: client.people()[0],
    "POST /people": lambda client: client.add_person("ana", "analyst"),
    "PATCH /people/{name}": lambda client: client.change_person("t", disabled=True),
    "GET /tokens": lambda client: client.tokens()[0],
    "POST /tokens": lambda client: client.new_token(),
    "GET /datasets": lambda client: client.datasets()[0].entry,
    "POST /datasets": lambda client: client.register(None, {"name": "t"}, reference="t.csv").entry,
    "GET /datasets/{name}": lambda client: client.dataset("t").entry,
    "GET /datasets/{name}/versions": lambda client: client.dataset("t").versions()[0],
    "GET /datasets/{name}/ledger": lambda client: client.dataset("t").ledger,
    "POST /datasets/{name}/failures": lambda client: client.dataset("t").state_cause(1, "the disk was full"),
    "GET /datasets/{name}/policy": lambda client: client.dataset("t").policy,
    "PUT /datasets/{name}/policy": lambda client: client.set_policy("t", {}),
    "GET /datasets/{name}/policies": lambda client: client.dataset("t").policies()[0],
    "POST /datasets/{name}/estimate": lambda client: client.dataset("t").estimate([SQL], sf.gap(1.2)),
    "POST /datasets/{name}/worst-case": lambda client: client.dataset("t").query(SQL).worst_case().facts,
    "POST /datasets/{name}/noise": lambda client: client.dataset("t").query(SQL).noise(0.1),
    "POST /datasets/{name}/rehearse": lambda client: client.dataset("t").query(SQL).rehearse().facts,
    "POST /datasets/{name}/compare": lambda client: client.dataset("t").compare(SQL),
    "POST /datasets/{name}/exposure-histogram": lambda c: c.dataset("t").query(SQL).exposure_histogram(0.1).facts,
    "POST /datasets/{name}/risk": lambda client: client.dataset("t").query(SQL).risk().facts,
    "POST /datasets/{name}/check": lambda client: client.dataset("t").check().fit,
    "GET /notifications": lambda client: client.notifications()[0].notification,
    "GET /audit": lambda client: client.audit()[0],
    "GET /audit/head": lambda client: client.audit_head(),
    "POST /audit/verify": lambda client: client.verify_audit(),
    "POST /datasets/{name}/dry-run": lambda client: client.dataset("t").dry_run([SQL]).facts,
    "GET /requests": lambda client: client.requests()[0].facts,
    "POST /requests": lambda client: client.dataset("t").submit([SQL], purpose="study").facts,
    "GET /requests/{id}": lambda client: client.request("t").facts,
    "GET /requests/{id}/page": lambda client: client.request("t").page().facts,
    "POST /requests/{id}/approve": lambda client: client.request("t").approve(binding="b").facts,
    "POST /requests/{id}/return": lambda client: client.request("t").return_("why").facts,
    "POST /requests/{id}/refuse": lambda client: client.request("t").refuse("why").facts,
    "POST /requests/{id}/withdraw": lambda client: client.request("t").withdraw().facts,
    "POST /requests/{id}/undo": lambda client: client.request("t").undo().facts,
    "POST /requests/{id}/assign": lambda client: client.request("t").assign("carol").facts,
    "POST /requests/{id}/posthoc-risk": lambda client: client.request("t").posthoc_risk().facts,
    "POST /requests/{id}/cancel": lambda client: client.request("t").cancel().facts,
    "POST /requests/{id}/signals": lambda client: client.request("t").signal({"task": "top_k"}).facts,
    "GET /requests/{id}/signals": lambda client: client.request("t").signals()[0].facts,
    "GET /tasks": lambda client: client.tasks(),
    "GET /signals": lambda client: client.signals()[0].facts,
    "GET /signals/{id}": lambda client: client.signal("t").facts,
    "GET /signals/{id}/page": lambda client: client.signal("t").page().facts,
    "POST /signals/{id}/approve": lambda client: client.signal("t").approve(binding="b").facts,
    "POST /signals/{id}/return": lambda client: client.signal("t").return_("why").facts,
    "POST /signals/{id}/refuse": lambda client: client.signal("t").refuse("why").facts,
    "POST /signals/{id}/undo": lambda client: client.signal("t").undo().facts,
    "POST /signals/{id}/assign": lambda client: client.signal("t").assign(None).facts,
    "POST /signals/{id}/withdraw": lambda client: client.signal("t").withdraw().facts,
}
# Results, which the client returns as `release` and `release.signal` do here.
RESULTS = {
    "GET /requests/{id}/result", "POST /requests/{id}/answer", "GET /signals/{id}/result", "POST /signals/{id}/value",
}  # fmt: skip
REQUEST, SIGNAL = example(WordedRequest, id="t"), example(WordedSignal, id="t")
DATASET = example(DatasetDetails, name="t", schema='name = "t"')
KNOWN = {
    "GET /datasets": example(FullEntry, name="t"),
    "GET /datasets/{name}": DATASET,
    "POST /datasets": DATASET,
    "POST /tokens": {"token": example(Token), "secret": "x"},
}
CERTIFIED = {"bins": [example(HistogramBin)] * 2, "certificate": example(WordedCertificate), "sum_noise_90": [1.0]}


def routes() -> dict[str, APIRoute]:
    """Those of the API that answer with JSON, as the document calls them."""
    every = [route for noun in app._NOUNS for route in noun.routes.routes if isinstance(route, APIRoute)]
    return {f"{method} {each.path}": each for each in every if each.response_model for method in each.methods or ()}


def declared(route: APIRoute) -> tuple[bool, tuple[type, ...]]:
    """Whether a route answers with a page, and the types of what it answers with."""
    model: Any = route.response_model
    paged = getattr(model, "__pydantic_generic_metadata__", {}).get("args")
    (kind, *_) = paged or get_args(model) or (model,)
    return bool(paged), get_args(kind) or (kind,)


def open_fields(schema: dict[str, Any], place: str, seen: set[str]) -> Iterator[str]:
    """The places below a schema where anything may stand."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in seen:
            seen.add(name)
            yield from open_fields(DOCUMENT["components"]["schemas"][name], name, seen)
        return
    inner = [
        *schema.get("anyOf", []),
        *schema.get("prefixItems", []),
        *([schema["items"]] if "items" in schema else []),
    ]
    others = schema.get("additionalProperties")
    anything = not {"type", "anyOf", "enum", "const"} & set(schema)
    if (
        anything
        or others is True
        or (schema.get("type") == "object" and not {"properties"} & set(schema) and not others)
    ):
        yield place
    for each in [*inner, *([others] if isinstance(others, dict) else [])]:
        yield from open_fields(each, place, seen)
    for name, each in schema.get("properties", {}).items():
        yield from open_fields(each, f"{place}.{name}", seen)


def test_the_document_names_every_field() -> None:
    found, seen = set(), set[str]()
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            name = f"{method.upper()} {path.removeprefix(API)}"
            for status, response in operation["responses"].items():
                if status.startswith("2") and "content" in response:
                    ((_, content),) = response["content"].items()
                    found |= set(open_fields(content["schema"], name, seen))
    assert found <= set(OPEN), "name these fields, or say in OPEN why they have no names"
    assert set(OPEN) - {"Problem.values"} <= found, "these have names now"


def test_every_route_is_listed_once() -> None:
    listed = [*RESULTS, *NOT_IN_CLIENT, *VERBS]
    assert sorted(listed) == sorted(routes())


@pytest.mark.parametrize("name", VERBS)
def test_the_client_returns_the_type_that_the_route_declares(name: str) -> None:
    paged, kinds = declared(routes()[name])
    facts = KNOWN.get(name) or example(kinds[0], **(CERTIFIED if "histogram" in name else {}))
    method, path = name.split()
    others = {"GET /datasets/t": DATASET, "GET /requests/t": REQUEST, "GET /signals/t": SIGNAL}
    called = f"{method} {path.replace('{name}', 't').replace('{id}', 't')}"
    server = Server().on(called, {"items": [facts], "next": None} if paged else facts)
    for other, answer in others.items():
        server.on(other, *([] if other == called else [answer]))
    value = VERBS[name](server.client())
    assert isinstance(value, (Token,) if kinds == (IssuedToken,) else kinds)
    assert server.asked[-1].method == method
