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
    "POST /datasets/{name}/explore": "what the explorer's script draws; both come from one server",
}
# Requests and signals are still mappings: they get types when their stores are one.
LEFT = {
    "GET /requests", "POST /requests", "GET /requests/{id}", "GET /requests/{id}/page", "POST /requests/{id}/answer",
    "POST /requests/{id}/approve", "POST /requests/{id}/return", "POST /requests/{id}/refuse",
    "POST /requests/{id}/withdraw", "POST /requests/{id}/cancel", "GET /requests/{id}/result",
    "POST /requests/{id}/difference", "POST /requests/{id}/signals", "GET /requests/{id}/signals", "GET /tasks",
    "GET /signals", "GET /signals/{id}", "GET /signals/{id}/page", "POST /signals/{id}/value",
    "POST /signals/{id}/approve", "POST /signals/{id}/return", "POST /signals/{id}/refuse",
    "POST /signals/{id}/withdraw", "GET /signals/{id}/result", "POST /datasets/{name}/dry-run",
}  # fmt: skip
# Routes that pages call, or that say nothing beside what another one does.
NOT_IN_CLIENT = {
    "GET /health", "GET /introduction", "POST /introduction", "GET /public/{name}", "POST /session",
    "POST /datasets/check-schema", "POST /datasets/{name}/check-policy", "POST /datasets/{name}/guessing",
    "POST /datasets/{name}/explore", "PUT /datasets/{name}/data", "PUT /datasets/{name}/schema",
    "PUT /datasets/{name}/controllers", "PUT /datasets/{name}/population",
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
    "POST /datasets/{name}/rehearse": lambda client: client.dataset("t").query(SQL).rehearse().facts,
    "POST /datasets/{name}/compare": lambda client: client.dataset("t").compare(SQL),
    "POST /datasets/{name}/exposure-histogram": lambda c: c.dataset("t").query(SQL).exposure_histogram(0.1).facts,
    "POST /datasets/{name}/risk": lambda client: client.dataset("t").query(SQL).risk().facts,
    "POST /datasets/{name}/check": lambda client: client.dataset("t").check().fit,
    "GET /notifications": lambda client: client.notifications()[0].notification,
    "GET /audit": lambda client: client.audit()[0],
    "GET /audit/head": lambda client: client.audit_head(),
    "POST /audit/verify": lambda client: client.verify_audit(),
}
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
                if status.startswith("2") and "content" in response and name not in LEFT:
                    ((_, content),) = response["content"].items()
                    found |= set(open_fields(content["schema"], name, seen))
    assert found <= set(OPEN), "name these fields, or say in OPEN why they have no names"
    assert set(OPEN) - {"Problem.values"} <= found, "these have names now"


def test_every_route_is_listed_once() -> None:
    listed = [*LEFT, *NOT_IN_CLIENT, *VERBS]
    assert sorted(listed) == sorted(routes())


@pytest.mark.parametrize("name", VERBS)
def test_the_client_returns_the_type_that_the_route_declares(name: str) -> None:
    paged, kinds = declared(routes()[name])
    facts = KNOWN.get(name) or example(kinds[0], **(CERTIFIED if "histogram" in name else {}))
    method, path = name.split()
    server = Server().on("GET /datasets/t", DATASET)
    server.replies.pop(name.replace("{name}", "t"), None)
    server.on(f"{method} {path.replace('{name}', 't')}", {"items": [facts], "next": None} if paged else facts)
    answer = VERBS[name](server.client())
    expected = (Token,) if kinds == (IssuedToken,) else kinds
    assert isinstance(answer, expected)
    assert server.asked[-1].method == method
