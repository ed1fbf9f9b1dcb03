"""Whatever is sent by whomever: what comes back is what the OpenAPI document says may come, and never a failure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

import pytest
import schemathesis
from schemathesis.specs.openapi import checks

from sfumato.escrow.service import Escrow
from sfumato.server.app import made
from sfumato.server.settings import Settings
from tests.api import STATES, TOKENS, Api, Place, furnish, opened
from tests.depth import depth
from tests.room import BY_WARD, COUNT, SCHEMA, SUM

DEEP = os.environ.get("SFUMATO_DEPTH") == "prove"
BINDING = "the binding of the page"
KNOWN: dict[str, list[Any]] = {
    "names": ["stays", "STAYS", "visits", "nothing", *TOKENS],
    "ids": [*map(str, range(1, len(STATES) + 2)), *TOKENS.values(), "notice-of-alice", "notice-of-bob", "0", "٣"],
    "queries": [COUNT, SUM, BY_WARD, "SELECT AVG(age) FROM stays", "SELECT nothing", "DROP TABLE stays", "'", "--"],
    "schemas": [SCHEMA, SCHEMA.replace('"stays"', '"more"'), SCHEMA.replace("60", "70"), "name = 1", "[", "a = nan"],
    "bindings": [BINDING],
}
PLACES = {
    "path.name": "names", "path.id": "ids", "query.dataset": "names", "body.dataset": "names", "body.person": "names",
    "body.sql": "queries", "body.queries[*].sql": "queries", "body.schema_text": "schemas", "body.binding": "bindings",
}  # fmt: skip
ESCROW = SimpleNamespace()  # of whichever room the test is in
APP = made(cast(Escrow, ESCROW), Settings(calls_a_minute=10**9, sign_ins_a_minute=10**9))
ANSWERS = schemathesis.openapi.from_dict(
    APP.openapi(),
    config=schemathesis.Config.from_dict(
        {
            "dictionaries": {name: {"values": values} for name, values in KNOWN.items()},
            "parameters": {place: {"dictionary": name, "probability": 0.8} for place, name in PLACES.items()},
            "generation": {"max-examples": depth("api calls"), "with-security-parameters": False},
            "phases": {"coverage": {"enabled": DEEP}},
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


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return furnish(tmp_path_factory.mktemp("furnished"))


@contextmanager
def room_of(place: Place) -> Iterator[Api]:
    """As it was furnished, for each call: one that changes something changes nothing for the next."""
    with TemporaryDirectory() as folder:
        room = opened(place, Path(folder) / "room")
        vars(ESCROW).update(vars(room.escrow))
        yield Api(room, place.secrets, APP)
        room.close()


@pytest.mark.depth("api calls")
@pytest.mark.parametrize("who", ["alice", "bob", "eve", "root"])
@ANSWERS.parametrize()
def test_what_comes_back_is_what_the_document_says(case: Any, who: str, place: Place) -> None:
    with room_of(place) as api:
        if isinstance(case.body, dict) and case.body.get("binding") == BINDING:
            case.body["binding"] = api("alice", "GET", "/requests/1/page").json()["binding"]
            case.path_parameters = {"id": "1"}
        case.call_and_validate(app=APP, headers={"Authorization": f"Bearer {api.secrets[who]}"}, checks=CHECKS)
        api.room.go()
