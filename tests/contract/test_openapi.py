"""Whatever is sent by whomever: what comes back is what the OpenAPI document says may come, and never a failure."""

from __future__ import annotations

import os
from typing import Any

import pytest
import schemathesis
from schemathesis.specs.openapi import checks

from tests.api import STATES, TOKENS, Api, Place, opened
from tests.depth import depth
from tests.room import BY_WARD, COUNT, DATA, SCHEMA, SUM

DEEP = os.environ.get("SFUMATO_DEPTH") == "prove"
BINDING = "the binding of the page"
KNOWN: dict[str, list[Any]] = {
    "names": ["stays", "STAYS", "Stays", "sTAYS", "visits", "nothing", *TOKENS],
    "ids": [*map(str, range(1, len(STATES) + 2)), *TOKENS.values(), "notice-of-alice", "notice-of-bob", "0", "٣"],
    "queries": [COUNT, SUM, BY_WARD, "SELECT AVG(age) FROM stays", "SELECT nothing", "DROP TABLE stays", "'", "--"],
    "schemas": [SCHEMA, SCHEMA.replace('"stays"', '"more"'), SCHEMA.replace("60", "70"), "name = 1", "[", "a = nan"],
    "bindings": [BINDING],
    "roles": ["admin", "controller", "analyst", "auditor", "boss"],
}
PLACES = {
    "path.name": "names", "path.id": "ids", "query.dataset": "names", "body.dataset": "names", "body.person": "names",
    "body.sql": "queries", "body.queries[*].sql": "queries", "body.schema_text": "schemas", "body.binding": "bindings",
    "body.controllers[*]": "names", "body.roles[*]": "roles",
}  # fmt: skip
ANSWERS = schemathesis.openapi.from_dict(
    Api.app.openapi(),
    config=schemathesis.Config.from_dict(
        {
            "dictionaries": {name: {"values": values} for name, values in KNOWN.items()},
            "parameters": {place: {"dictionary": name, "probability": 0.8} for place, name in PLACES.items()},
            "generation": {"max-examples": depth("api calls"), "with-security-parameters": False},
            "phases": {"coverage": {"enabled": DEEP}},
            "checks": {"negative_data_rejection": {"expected-statuses": [401, 403, 404, 405, 409, 410, 413, 415, 422]}},
        }
    ),
)
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]


@schemathesis.serializer("text/csv", "application/vnd.apache.parquet")
def delivered(_context: object, made_up: Any) -> bytes:
    """A file that is none, and every other time one that fits."""
    sent = made_up if isinstance(made_up, bytes) else str(made_up).encode("utf-8", "replace")
    return DATA if len(sent) % 2 else sent


@pytest.mark.depth("api calls")
@ANSWERS.parametrize()
def test_what_comes_back_is_what_the_document_says(case: Any, place: Place) -> None:
    """Whoever may do least calls first: most of the others then find the room as it was furnished."""
    with opened(place) as api:
        if isinstance(case.body, dict) and case.body.get("binding") == BINDING:
            case.body["binding"] = api("alice", "GET", "/requests/1/page").json()["binding"]
            case.path_parameters = {"id": "1"}
        for who in ("eve", "bob", "alice", "root"):
            case.call_and_validate(app=api.app, headers={"Authorization": f"Bearer {api.secrets[who]}"}, checks=CHECKS)
            api.room.go()
