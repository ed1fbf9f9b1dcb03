"""Who comes in to a server: nobody by default."""

from __future__ import annotations

import re

import pytest

from sfumato.server.app import API, OPEN_TO_ALL
from tests.served import CSRF, PASSWORD, Caller, Nouns, app_on, operations

NOUNS = Nouns()
APP = app_on(NOUNS, calls_a_minute=1_000_000)
CLOSED = [one for one in operations(APP) if not OPEN_TO_ALL.holds(*one)]


def address(path: str) -> str:
    return re.sub(r"\{\w+\}", "x", path.removeprefix(API))


def test_few_addresses_are_open_and_the_document_says_so() -> None:
    said = {(m, p) for m, p in operations(APP) if APP.openapi()["paths"][p][m.lower()].get("security") == []}
    assert said == {*operations(APP)} - {*CLOSED}
    assert said == {("POST", f"{API}/session"), ("GET", f"{API}/health"), ("GET", f"{API}/public/{{name}}")}
    assert len(CLOSED) > 40


def test_below_the_open_folders_one_may_read_and_nothing_else() -> None:
    for folder in OPEN_TO_ALL.folders:
        path = f"{folder}nowhere"
        assert Caller(APP, None)("GET", f"https://escrow.test{path}").status_code not in (303, 401)
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert Caller(APP, None)(method, f"https://escrow.test{path}").status_code == 401, f"{method} {path}"
        beside = f"https://escrow.test{folder.removesuffix('/')}nowhere"
        assert Caller(APP, None)("GET", beside).status_code in (303, 401)


def test_what_browsers_keep_counts_for_nothing() -> None:
    caller = Caller(app_on(Nouns(), calls_a_minute=3), None)
    sheet = caller.app.state.templates.globals["asset"]("sfumato.css")
    assert [caller("GET", f"https://escrow.test{sheet}").status_code for _ in range(5)] == [200] * 5
    assert [caller("GET", "/health").status_code for _ in range(4)][-1] == 429


def test_the_document_is_at_its_address_and_knows_every_route() -> None:
    answer = Caller(APP, None)("GET", "/openapi.json")
    assert answer.json()["openapi"].startswith("3.")
    routes = {route.path for route in APP.routes if hasattr(route, "path")}
    # Beside the document and static files there is only what was included from routes/ and pages/.
    assert routes == {f"{API}/openapi.json", "/static/{version}/{name:path}"}


@pytest.fixture(autouse=True)
def nothing_was_called() -> None:
    for noun in vars(NOUNS).values():
        noun.calls.clear()


@pytest.mark.parametrize(
    ("token", "cookie", "headers", "content"),
    [
        pytest.param(None, None, {}, None, id="nothing"),
        pytest.param("unknown", None, {}, None, id="a wrong token"),
        pytest.param(None, "made up", {"X-CSRF-Token": CSRF}, None, id="a wrong cookie"),
        pytest.param(None, "session of alice", {"Authorization": "Basic YWxpY2U6eA=="}, None, id="another scheme"),
        pytest.param(None, None, {"Content-Type": "application/json"}, b"{", id="a broken body"),
    ],
)
def test_nobody_comes_in_without_signing_in(
    token: str | None, cookie: str | None, headers: dict[str, str], content: bytes | None
) -> None:
    caller = Caller(APP, token)
    caller.cookies = {"sfumato": cookie} if cookie else {}
    for method, path in CLOSED:
        answer = caller(method, address(path), headers=headers, content=content)
        assert (answer.status_code, answer.json()["code"]) == (401, "not-signed-in"), f"{method} {path}"
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert not NOUNS.calls


def test_an_address_that_is_not_there_is_not_told_to_strangers() -> None:
    assert Caller(APP, None)("GET", "/nowhere").status_code == 401
    assert Caller(APP)("GET", "/nowhere").json()["detail"] == "There is nothing at this address"


def test_a_session_lives_in_a_cookie_that_scripts_cannot_read() -> None:
    caller = Caller(app_on(Nouns(), secure=True), None)
    answer = caller("POST", "/session", json={"name": "alice", "password": PASSWORD})
    assert answer.status_code == 201
    assert answer.json()["csrf"] == CSRF
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=strict", "Secure"} <= set(cookie.split("; "))
    assert (
        "Secure"
        not in Caller(APP, None)("POST", "/session", json={"name": "a", "password": PASSWORD}).headers["Set-Cookie"]
    )
    assert caller("GET", "/session").json()["person"]["name"] == "alice"


@pytest.mark.parametrize("csrf", [None, "", "another", CSRF.upper()])
def test_what_changes_something_under_a_cookie_needs_the_csrf_token(csrf: str | None) -> None:
    caller = Caller(APP, None)
    caller.cookies = {"sfumato": "session of alice"}
    for method, path in CLOSED:
        if method != "GET":
            answer = caller(method, address(path), headers={} if csrf is None else {"X-CSRF-Token": csrf})
            assert answer.status_code == 403, f"{method} {path}"
            assert "CSRF" in answer.json()["detail"]
    assert not NOUNS.calls


def test_with_the_csrf_token_it_is_done() -> None:
    caller = Caller(APP, None)
    caller.cookies = {"sfumato": "session of alice"}
    assert caller("POST", "/notifications/n1/read", headers={"X-CSRF-Token": CSRF}).status_code == 204
    assert [verb for verb, _, _ in NOUNS.calls] == ["read"]
    assert caller("DELETE", "/session", headers={"X-CSRF-Token": CSRF}).status_code == 204
    assert NOUNS.calls[0] == ("sign_out", ("session of alice",), {})


def test_a_token_goes_before_a_cookie_and_needs_no_csrf() -> None:
    caller = Caller(APP, "bob-read-write")
    caller.cookies = {"sfumato": "session of alice"}
    assert caller("GET", "/session").json() | {"person": caller("GET", "/session").json()["person"]["name"]} == {
        "person": "bob",
        "csrf": None,
        "scopes": ["read", "write"],
    }
    assert caller("DELETE", "/session").json()["detail"] == "A token cannot be signed out"


# What a token may do that can only read: whatever changes nothing and leaves nothing on a dataset's record.
READS = {
    *("estimate", "dry-run", "worst-case", "noise", "guessing", "rehearse", "compare"),
    *("verify", "check-schema", "check-policy", "difference", "decision-preview"),
}
EITHER = {f"{API}/session"}
BODY = {
    "name": "x", "roles": [], "schema_text": "x", "controllers": ["x"], "sql": "x", "epsilon": 1.0, "binding": "x",
    "dataset": "x", "purpose": "x", "queries": [{"sql": "x"}], "scopes": ["write"], "how": {}, "answers": [0, 0, 0, 0],
}  # fmt: skip


def body_of(method: str, path: str) -> dict[str, object]:
    """What fits the body of a route."""
    wanted = APP.openapi()["paths"][path][method.lower()].get("requestBody", {}).get("content", {})
    name = wanted.get("application/json", {}).get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
    known = APP.openapi()["components"]["schemas"].get(name, {}).get("properties", {})
    return {name: value for name, value in BODY.items() if name in known}


@pytest.mark.parametrize("scope", ["read", "write"])
def test_a_token_that_may_read_changes_nothing(scope: str) -> None:
    caller = Caller(APP, f"alice-{scope}")
    for method, path in CLOSED:
        reads = method == "GET" or path.rsplit("/", 1)[-1] in READS
        NOUNS.accounts.calls.clear()
        answer = caller(method, address(path), json=body_of(method, path))
        allowed = path in EITHER or reads == (scope == "read")
        assert (answer.status_code != 403) == allowed, f"{method} {path}"


def test_a_token_makes_none_that_may_do_more() -> None:
    answer = Caller(APP, "alice-write")("POST", "/tokens", json={"scopes": ["read"]})
    assert answer.status_code == 403


def test_signing_in_is_counted_by_name_and_by_address() -> None:
    app = app_on(Nouns(), sign_ins_a_minute=3)
    wrong = {"name": "alice", "password": "no"}
    for number in range(3):
        assert Caller(app, None, address=f"192.0.2.{number}")("POST", "/session", json=wrong).status_code == 401
    answer = Caller(app, None, address="192.0.2.9")("POST", "/session", json=wrong | {"name": " ALICE"})
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    one = Caller(app, None, address="2001:db8::1")
    for number in range(3):
        assert one("POST", "/session", json=wrong | {"name": f"n{number}"}).status_code == 401
    other = Caller(app, None, address="2001:db8::2")  # the same subscriber
    assert other("POST", "/session", json={"name": "bob", "password": PASSWORD}).status_code == 429


def test_calls_are_counted_by_person_and_strangers_by_address() -> None:
    app = app_on(Nouns(), calls_a_minute=3)
    assert [Caller(app)("GET", "/session").status_code for _ in range(4)] == [200, 200, 200, 429]
    assert Caller(app, "bob-read")("GET", "/session").status_code == 200
    assert [Caller(app, None)("GET", "/session").status_code for _ in range(4)] == [401, 401, 401, 429]
    assert Caller(app, None)("GET", "/health").status_code == 429
    assert Caller(app, None, address="192.0.2.2")("GET", "/health").status_code == 200


def test_every_answer_is_kept_by_nobody_and_runs_nothing() -> None:
    for caller, path in ((Caller(APP), "/session"), (Caller(APP, None), "/people"), (Caller(APP), "/nowhere")):
        headers = caller("GET", path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert "Strict-Transport-Security" not in headers
    secure = Caller(app_on(Nouns(), secure=True))("GET", "/session")
    assert "Strict-Transport-Security" in secure.headers


def test_health_says_nothing_but_that_it_is_there() -> None:
    assert set(Caller(APP, None)("GET", "/health").json()) == {"status", "version"}
