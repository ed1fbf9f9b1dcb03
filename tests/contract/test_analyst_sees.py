"""What an analyst can see at each step is a fixed list: nothing of the data, of other partners or of others' notes."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from sfumato.server.app import API
from tests.api import STATES, TOKENS, Api, Place, opened, routes_of
from tests.room import BOARD, COUNT, DATA, SCHEMA, SUM

MARKER = "qzmarker"
_ASKED = {"id", "number", "dataset", "purpose", "queries", "preference", "state", "next", "submitted_at", "version"}
_ASKED |= {"accuracy", "due"}
_DECIDED = _ASKED | {"decided_at"}
REQUEST = {
    "submitted": _ASKED,
    "withdrawn": _ASKED,
    "returned": _DECIDED | {"note", "guarantee"},
    "refused": _DECIDED | {"note", "guarantee"},
    "approved": _DECIDED | {"starts_at"},
    "running": _DECIDED,
    "computed": _DECIDED,
    "released": _DECIDED | {"note", "guarantee", "charged"},
    "failed": _DECIDED | {"note"},
}
_LISTED = {"name", "title", "schema", "columns", "unit", "relation", "population", "version", "ready"}
_RISK = {
    "expected_count",
    "source",
    "people",
    "outputs",
    "mechanism",
    "sensitivity",
    "influence",
    "exposure",
    "candidates",
}
_ANSWER = {"columns", "rows", "intervals", "numbers", "types", "ranged", "behind"}
SEEN = {
    "/datasets/stays": _LISTED | {"access_rule", "policy"},
    "/datasets/stays/ledger": {
        "dataset", "population", "spent", "delta", "at_most", "rho", "rho_delta", "guarantee", "budget", "sentences",
    },
    "/datasets/stays/estimate": {
        "queries", "epsilon", "delta", "guarantee", "spent", "dataset_guarantee", "budget", "left", "sentences",
        "barred",
    },
    "/datasets/stays/dry-run": {"answers", "synthetic", "people", "sentence"},
    "/datasets/stays/worst-case": _RISK,
    "/datasets/stays/rehearse": _RISK | {"solution", "at"},
    "/datasets/stays/compare": {"query", "mechanism", "delta", "looked", "methods", "together", "expected_count"},
    "/datasets/stays/noise": {
        "query", "mechanism", "delta", "epsilons", "terms", "columns", "heads", "rows", "sentences",
    },
    "/requests/8/result": {"answers", "guarantee", "charged", "least"},
}  # fmt: skip
CERTIFICATE = {
    "guarantee", "epsilon", "delta", "mechanism", "sensitivity", "scale", "unit", "relation", "outputs",
    "select_epsilon", "charged", "noise_90", "query", "query_sha256", "ledger_entry", "dataset", "released_at",
    "method", "decided_by", "fixed", "assumed", "dataset_total", "dataset_guarantee", "grid_step", "numbers",
    "post_processing", "at_most", "dataset_delta", "budget", "period", "period_total", "period_delta", "cohort",
    "calibration", "shares", "laws", "rank_90", "threshold",
    "max_rows", "max_groups", "bounds_source", "why", "planned_at", "looked", "released_by", "sampler", "software",
    "engine", "batch", "batch_delta", "lost", "reach", "population", "recorded", "together", "together_epsilon",
    "per_person", "per_person_delta",
}  # fmt: skip


@pytest.fixture(scope="module")
def as_marked(place: Place) -> Iterator[Api]:
    """One room for whoever only reads."""
    with opened(place) as api:
        yield mark(api)


@pytest.fixture
def read_only(as_marked: Api) -> Api:
    return Api(as_marked.room, as_marked.secrets)  # the app has the room that was opened last


@pytest.fixture
def marked(api: Api) -> Api:
    return mark(api)


def mark(api: Api) -> Api:
    """The marker is in the data, in another partner's name, organisation, purpose and query, in what controllers wrote
    to that partner and in what another controller holds; bob has a request in every state, and one more is released.
    """
    room = api.room
    room.sql("UPDATE requests SET analyst = 'bob' WHERE number = :n", n=STATES.index("computed") + 1)
    partner = room.accounts.add(room["root"], f"{MARKER}-dan", ["analyst"], organisation=f"{MARKER} Insurer")
    room.accounts.new_token(partner, f"{MARKER} laptop")
    room.datasets.describe(room["fay"], "visits", SCHEMA.replace('"stays"', '"visits"') + f"# {MARKER}\n")
    room.datasets.deliver(room["alice"], "stays", [DATA, f"{MARKER},4,{MARKER}\n9,{MARKER},b\n".encode()], "csv")
    rated = {BOARD: "high", partner.organisation: "low"}
    room.policy(
        {"who": [partner.name, partner.organisation], "code": True},
        {"who": [BOARD]},
        trust=rated,
        purpose="planning of beds",
    )
    sql = f"SELECT COUNT(*) FROM stays WHERE ward = '{MARKER}' OR days > 3"
    for note in (f"{MARKER} note", ""):
        request = room.requests.submit(partner, "stays", f"{MARKER} purpose", [{"sql": sql}])
        if note:
            room.decisions.return_(room["alice"], request.id, note)
        else:
            room.approve(request, note=f"{MARKER} note")
            room.go()
            code = f"def evaluate(tables):\n    return len('{MARKER}')\n"
            room.signals.submit(partner, request.id, 1, "free", code=code, how={"range": [0, 10]})
            signal = room.signals.submit(partner, request.id, 1, "free", code=code, how={"range": [0, 10]})
            room.signal_decisions.return_(room["alice"], signal.id, f"{MARKER} note")
    request = room.submit(SUM)
    room.approve(request, note="for bob")
    room.go()
    assert room.state(request) == "released"
    return api


def every_get(api: Api, who: str) -> Iterator[httpx.Response]:
    """All that there is to read, by every id that there is."""
    for path in api.app.openapi()["paths"]:
        if "get" in api.app.openapi()["paths"][path]:
            for address in addresses(api, path.removeprefix(API)):
                yield api(who, "GET", address)


def every_post(api: Api, who: str) -> Iterator[httpx.Response]:
    """All that there is to try: what only reads first, and every request's own verbs after that."""
    for noun in ("datasets", "requests", "signals", "notifications"):
        for method, path, body in routes_of(noun):
            if method == "POST":
                for address in addresses(api, path):
                    yield api(who, "POST", address, json=body)
    asked = {"dataset": "stays", "purpose": "more", "queries": [{"sql": COUNT}]}
    yield api(who, "POST", "/requests", json=asked)
    yield api(who, "POST", "/requests", json=asked | {"queries": [{"sql": "SELECT SUM(nothing) FROM stays"}]})
    yield api(who, "POST", "/tokens", json={"label": "another"})
    yield api(who, "POST", "/people", json={"name": "gus", "roles": ["analyst"]})
    yield api(who, "POST", "/datasets", json={"schema_text": SCHEMA})
    yield api(who, "POST", "/audit/verify", json={})


def addresses(api: Api, path: str) -> list[str]:
    """The path with every name, number or id that there is."""
    if "{name}" in path:
        return [path.replace("{name}", name) for name in ("stays", "visits")]
    if "{id}" not in path:
        return [path]
    noun = path.split("/")[1]
    rows = api.room.ports.rows(noun).many()
    return [path.replace("{id}", str(row["number" if noun in ("requests", "signals") else "id"])) for row in rows]


def test_nothing_of_the_data_of_other_partners_or_of_others_notes(marked: Api) -> None:
    told = [*every_get(marked, "bob"), *every_post(marked, "bob"), *every_get(marked, "bob")]
    assert len(told) > 200
    assert {answer.status_code for answer in told} >= {200, 201, 202, 403, 404}
    found = [
        f"{one.request.method} {one.request.url.path}: {one.text}" for one in told if MARKER in one.text.casefold()
    ]
    assert found == []


def test_whoever_holds_the_data_does_see_the_partner(read_only: Api) -> None:
    """The same search finds what is there to be found."""
    found = {one.request.url.path for one in every_get(read_only, "alice") if MARKER in one.text}
    assert {
        f"{API}/{noun}" for noun in ("people", "requests", "signals", "notifications", "audit", "datasets/stays/policy")
    } <= found


@pytest.mark.parametrize("state", STATES)
def test_of_a_request_what_its_state_lets_them_see(read_only: Api, state: str) -> None:
    number = STATES.index(state) + 1
    shown = read_only("bob", "GET", f"/requests/{number}").json()
    assert (shown["state"], set(shown)) == (state, REQUEST[state])
    listed = read_only("bob", "GET", f"/requests?state={state}").json()["items"]
    assert all(set(one) == REQUEST[state] for one in listed)
    assert number in [one["number"] for one in listed]
    answer = read_only("bob", "GET", f"/requests/{number}/result")
    expected = {"released": 200, "returned": 410, "refused": 410, "withdrawn": 410, "failed": 410}
    assert answer.status_code == expected.get(state, 202)
    assert ("answers" in answer.json()) == (state == "released")


def test_of_everything_else_a_fixed_list(read_only: Api) -> None:
    bodies = {path: body for _, path, body in routes_of("datasets")}
    for path, fields in SEEN.items():
        body = bodies.get(path.replace("stays", "{name}")) if path.count("/") == 3 else None
        answer = read_only("bob", "POST" if body else "GET", path, json=body)
        assert (answer.status_code, set(answer.json())) == (200, fields), path
    assert all(set(one) == _LISTED for one in read_only("bob", "GET", "/datasets").json()["items"])
    for one in read_only("bob", "GET", "/requests/8/result").json()["answers"]:
        assert set(one) == _ANSWER | {"certificate"}
        assert set(one["certificate"]) == CERTIFICATE
    for one in read_only("bob", "POST", "/datasets/stays/dry-run", json=bodies["/datasets/{name}/dry-run"]).json()[
        "answers"
    ]:
        assert set(one) == _ANSWER | {"query", "rolled_up", "ranking"}, "what nobody drew is certified by nobody"
    flow = read_only("bob", "GET", "/datasets/stays").json()["access_rule"]
    known = {"preferences", "guarantees", "approve", "signals", "code", "signal_bits"}
    assert set(flow) == known, "nobody else whom the flow names, and no approver"
    assert {one["id"] for one in read_only("bob", "GET", "/tokens").json()["items"]} == {TOKENS["bob"]}
