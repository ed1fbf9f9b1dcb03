"""What may be sent to a server: no number that is none, no text that a database cannot keep, and not too much."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sfumato.escrow.questions import preferences as asking
from sfumato.privacy.preferences import registry
from sfumato.server.option_bodies import NamedPreference
from tests.served import ESTIMATE, Caller, Nouns, app_on

NOUNS = Nouns()
NOUNS.questions.answers |= {"estimate": ESTIMATE, "exposure_histogram": {}}
APP = app_on(NOUNS, calls_a_minute=1_000_000, body_bytes=10_000)
CALL = Caller(APP)
JSON = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def nothing_was_called() -> None:
    NOUNS.datasets.calls.clear()
    NOUNS.questions.calls.clear()


def estimate(preference: str) -> Any:
    content = '{"queries": [{"sql": "SELECT COUNT(*) FROM t"}], "preference": ' + preference + "}"
    return CALL("POST", "/datasets/adult/estimate", content=content.encode("utf-8", "surrogatepass"), headers=JSON)


def test_a_preference_that_is_fine() -> None:
    stated = '{"gap": 1.2, "worst_case": true, "worlds": [1, 2.5, {"é": null}]}'
    assert estimate(stated).status_code == 200
    queries, preference, people = NOUNS.questions.calls[0][1][2:]
    assert people is None
    unstated = dict.fromkeys(("index", "expected", "signal"))
    assert queries == [{"sql": "SELECT COUNT(*) FROM t", "weight": 1.0} | unstated]
    assert preference == {"gap": 1.2, "worst_case": True, "worlds": [1, 2.5, {"é": None}]}
    assert estimate("null").status_code == 200


@pytest.mark.parametrize(
    "stated",
    [
        '{"epsilon": NaN}',
        '{"something new": [NaN]}',
        '{"epsilon": Infinity}',
        '{"epsilon": [1e999]}',
        '{"epsilon": 9007199254740993}',
        '{"epsilon": ' + "9" * 4999 + "}",
        '{"note": "a\\u0000b"}',
        '{"note": "\\ud800"}',
        '{"\\u0000": 1}',
        '{"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {}}}}}}}}}',
        '{"a": ' + "[" * 2000 + "]" * 2000 + "}",
        "[1]",
        "1",
        '"gap"',
        "{",
        "",
    ],
)
def test_a_preference_that_is_none(stated: str) -> None:
    answer = estimate(stated)
    assert answer.status_code == 422
    assert not NOUNS.questions.calls


@pytest.mark.parametrize(
    "epsilon", ["NaN", "Infinity", "-Infinity", "0", "-1", "1e-400", "1e400", '"1"', "true", "null"]
)
def test_an_epsilon_that_is_none(epsilon: str) -> None:
    content = b'{"sql": "SELECT 1", "epsilon": %s}' % epsilon.encode()
    answer = CALL("POST", "/datasets/adult/exposure-histogram", content=content, headers=JSON)
    assert (answer.status_code, answer.json()["where"]) == (422, "body.epsilon")
    assert not NOUNS.questions.calls


def test_nothing_is_taken_that_was_not_asked_for() -> None:
    answer = CALL("POST", "/people", json={"name": "bob", "roles": ["analyst"], "admin": True})
    assert (answer.status_code, answer.json()["where"]) == (422, "body.admin")


@pytest.mark.parametrize("name", ["a%00b", "a%0Ab", "%ED%A0%80%00", "x" * 201])
def test_a_name_in_an_address_is_one_line(name: str) -> None:
    answer = CALL("GET", f"/datasets/{name}")
    assert answer.status_code == 422
    assert not NOUNS.datasets.calls


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "after=%00", "after="])
def test_a_page_that_is_none(query: str) -> None:
    assert CALL("GET", f"/people?{query}").status_code == 422


@pytest.mark.parametrize("after", ["-1", "x", "2147483648", "1e3"])
def test_a_number_to_go_on_from(after: str) -> None:
    assert CALL("GET", f"/audit?after={after}").status_code == 422


@pytest.mark.parametrize("key", ["", "a b", "x" * 201, "é"])
def test_an_idempotency_key_is_a_word(key: str) -> None:
    body = {"dataset": "adult", "purpose": "x", "queries": [{"sql": "x"}]}
    said: Any = {"Idempotency-Key": key.encode("latin-1")}
    assert CALL("POST", "/requests", json=body, headers=said).status_code == 422
    assert not NOUNS.requests.calls


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_only_json_is_read(kind: str) -> None:
    """What a page of another site can send without asking is of one of these kinds."""
    content = b'{"name": "alice", "password": "four words put together"}'
    answer = Caller(APP, None)("POST", "/session", content=content, headers={"Content-Type": kind})
    assert answer.status_code == 422
    assert "Set-Cookie" not in answer.headers


def test_a_body_that_is_too_large() -> None:
    big = {"queries": [{"sql": "x" * 20_000}]}
    answer = CALL("POST", "/datasets/adult/estimate", json=big)
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_a_body_that_says_it_is_too_large_is_not_read() -> None:
    read = False

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal read
        read = True
        yield b"{}"

    headers = JSON | {"Content-Length": "10001"}
    answer = CALL("POST", "/datasets/adult/estimate", content=chunks(), headers=headers)
    assert (answer.status_code, read) == (413, False)


def test_a_body_that_does_not_say_how_large_it_is_is_counted() -> None:
    sent = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b" " * 1000

    answer = CALL("POST", "/datasets/adult/estimate", content=chunks(), headers=JSON)
    assert answer.status_code == 413
    assert sent < 15


def test_a_body_that_does_not_come_is_waited_for_no_longer() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(30)

    call = Caller(app_on(Nouns(), body_seconds=0.05))
    answer = call("POST", "/datasets/adult/estimate", content=chunks(), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (408, "too-slow")
    assert answer.headers["Connection"] == "close"


def test_every_name_of_a_preference_has_a_kind() -> None:
    """Whatever has none would reach the escrow as anything that JSON can write."""
    assert set(NamedPreference.model_fields) == {*registry.NAMES, *registry.HOW, *asking.HOW}


@pytest.mark.parametrize(
    "stated",
    [
        '{"candidates": true}',
        '{"candidates": [{}]}',
        '{"gap": 1.2, "worst_case": []}',
        '{"gap": "1.2"}',
        '{"delta": [1]}',
    ],
)
def test_a_preference_of_another_kind(stated: str) -> None:
    assert estimate(stated).status_code == 422
    assert not NOUNS.questions.calls


def test_a_name_that_is_not_known_is_for_the_escrow_to_say() -> None:
    assert estimate('{"gapp": 1.2}').status_code == 200
    assert NOUNS.questions.calls[0][1][3] == {"gapp": 1.2}
