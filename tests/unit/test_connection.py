"""One server: where a token may go, what an answer means, what is asked once more."""

from __future__ import annotations

import logging
import ssl
import traceback
from collections.abc import Iterator

import httpx
import pytest

from sfumato.client.address import address
from sfumato.client.client import Client
from sfumato.client.connection import Connection
from sfumato.composition import local
from sfumato.errors import (
    AwaitingApproval,
    BadInput,
    EngineFailure,
    Forbidden,
    NoServer,
    QueryError,
    Refused,
    SfumatoError,
    TooMany,
)
from sfumato.escrow.identity.accounts import CurrentUser, Token
from sfumato.escrow.identity.person import Person
from tests.examples import example
from tests.unit.server_of_tests import TOKEN, Server, problem

# Where


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "http://localhost", "http://[::1]:80", "https://a.example"])
def test_a_token_may_go_to_this_machine_or_through_tls(url: str) -> None:
    assert address(f"{url}/").url == url


@pytest.mark.parametrize("url", ["http://a.example", "http://10.0.0.1:8000", "http://localhost.example"])
def test_a_token_does_not_go_over_a_network_in_plain_text(url: str) -> None:
    with pytest.raises(BadInput, match="in plain text"):
        address(url)
    assert address(url, insecure=True).url == url


@pytest.mark.parametrize(
    "url",
    ["", "a.example", "ftp://a.example", "https://", "https://a.example?x=1", "https://a.example:port", "https://[::1"],
)
def test_what_is_no_address(url: str) -> None:
    with pytest.raises(BadInput, match="address of"):
        address(url)


def test_an_address_has_no_password() -> None:
    with pytest.raises(BadInput) as wrong:
        address("https://ana:secret@a.example")
    assert "secret" not in str(wrong.value)


def test_a_token_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_TOKEN", raising=False)
    with pytest.raises(BadInput, match="A token is needed"):
        local.connect("http://localhost")
    monkeypatch.setenv("SFUMATO_TOKEN", TOKEN)
    assert "localhost" in repr(local.connect("http://localhost"))


@pytest.mark.parametrize("token", ["two words", "line\nline", "ñ"])
def test_what_is_no_token_is_not_repeated(token: str) -> None:
    with pytest.raises(BadInput, match="This is not a token") as wrong:
        Connection("http://localhost", token)
    assert token not in str(wrong.value)


# What answers mean


def test_a_token_goes_along() -> None:
    server = Server().on("GET /session", example(CurrentUser))
    assert server.client().me.as_dict()
    assert server.asked[0].headers["Authorization"] == f"Bearer {TOKEN}"
    assert server.asked[0].url.path == "/api/v1/session"


def test_a_refusal_is_the_same_error_as_here() -> None:
    refused = problem(422, "query", "window functions are not answered", "leave it out.", "line 1, column 8")
    with pytest.raises(QueryError) as error:
        Server().on("GET /session", refused).connection().get("session")
    assert str(error.value) == "window functions are not answered: line 1, column 8. Hint: leave it out."


def family(kind: type[SfumatoError]) -> Iterator[type[SfumatoError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from family(each)


CODES = {kind.code: kind for kind in reversed(list(family(SfumatoError))) if kind.__module__ == "sfumato.errors"}


@pytest.mark.parametrize("kind", CODES.values())
def test_every_code_comes_back_as_its_error(kind: type[SfumatoError]) -> None:
    with pytest.raises(SfumatoError) as error:
        Server().on("GET /session", problem(400, kind.code, "no.")).connection().get("session")
    assert type(error.value) is kind


@pytest.mark.parametrize(
    ("status", "kind"), [(403, Refused), (409, Refused), (404, BadInput), (422, BadInput), (500, SfumatoError)]
)
def test_a_code_of_a_newer_server_is_told_apart_by_its_status(status: int, kind: type[SfumatoError]) -> None:
    with pytest.raises(SfumatoError, match="new") as error:
        Server().on("GET /session", problem(status, "from-the-future", "new")).connection().get("session")
    assert type(error.value) is kind


def test_an_engine_says_nothing() -> None:
    with pytest.raises(EngineFailure) as error:
        Server().on("GET /session", problem(503, "engine", "row 7 is 39")).connection().get("session")
    assert "39" not in str(error.value)


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, text="<html>welcome</html>"),
        httpx.Response(302, headers={"Location": "https://elsewhere.example"}),
        httpx.Response(200),
    ],
)
def test_what_answers_there_is_something_else(answer: httpx.Response) -> None:
    server = Server().on("GET /session", answer)
    with pytest.raises(NoServer, match="localhost:8000 is not a sfumato server"):
        server.connection().get("session")
    assert len(server.asked) == 1  # a redirection is not followed: the token stays here


def test_an_error_without_a_word() -> None:
    with pytest.raises(SfumatoError, match="status 502 and no message"):
        Server().on("GET /session", httpx.Response(502, text="<html>")).connection().get("session")


def test_names_in_a_path_stay_one_part() -> None:
    server = Server()
    with pytest.raises(BadInput):
        server.client().dataset("../people?x=1")
    assert server.asked[0].url.raw_path == b"/api/v1/datasets/..%2Fpeople%3Fx%3D1"


def test_a_list_goes_on_to_its_end() -> None:
    pages = [
        {"items": [example(Person, name=name)], "next": following} for name, following in (("a", "a"), ("b", None))
    ]
    server = Server().on("GET /people", *pages)
    assert [person.name for person in server.client().people()] == ["a", "b"]
    assert [dict(request.url.params) for request in server.asked] == [{"limit": "200"}, {"after": "a", "limit": "200"}]


# What fails on the way


def certificate() -> httpx.ConnectError:
    error = httpx.ConnectError("failed")
    error.__cause__ = ssl.SSLCertVerificationError("self-signed")
    return error


@pytest.mark.parametrize(
    ("failure", "sentence", "asked"),
    [
        (httpx.ConnectError("refused"), "No server answers at localhost:8000", 3),
        (httpx.ConnectTimeout("slow"), "No server answers at localhost:8000", 3),
        (certificate(), "does not trust the certificate of localhost:8000", 1),
        (httpx.ReadTimeout("slow"), "localhost:8000 did not answer within 330 seconds", 3),
        (httpx.RemoteProtocolError("gone"), "connection to localhost:8000 was interrupted", 3),
    ],
)
def test_one_sentence_each(failure: Exception, sentence: str, asked: int) -> None:
    server = Server().on("GET /session", failure)
    with pytest.raises(NoServer, match=sentence) as error:
        server.connection().get("session")
    assert error.value.__cause__ is None
    assert error.value.__context__ is None
    assert len(server.asked) == asked


def test_reading_is_tried_again() -> None:
    server = Server().on("GET /session", httpx.ReadError("gone"), {"person": "ana"})
    assert server.connection().get("session") == {"person": "ana"}
    assert server.pauses == [0.25]


def test_what_changes_something_is_sent_once() -> None:
    server = Server().on("POST /people", httpx.ReadError("gone"), {"name": "ana"})
    with pytest.raises(NoServer, match="was interrupted"):
        server.client().add_person("ana", "analyst")
    assert len(server.asked) == 1


def test_unless_nothing_was_sent_at_all() -> None:
    server = Server().on("POST /people", httpx.ConnectError("refused"), example(Person, roles=["analyst"]))
    assert server.client().add_person("ana", "analyst").roles == ("analyst",)


def test_or_it_carries_a_key() -> None:
    server = Server().on("POST /requests", httpx.ReadError("gone"), httpx.ReadTimeout("slow"), {"id": "7"})
    server.connection().post("requests", body={"purpose": "x"}, key="k")
    assert [request.headers["Idempotency-Key"] for request in server.asked] == ["k", "k", "k"]


def test_a_server_that_was_asked_too_often_is_left_alone_as_long_as_it_says() -> None:
    server = Server().on("GET /session", problem(429, "too-many", "too often", Retry_After="7"), {"person": "ana"})
    server.connection().get("session")
    assert server.pauses == [7.0]


@pytest.mark.parametrize("said", ["600", "tomorrow"])
def test_but_not_for_minutes(said: str) -> None:
    server = Server().on("GET /session", problem(429, "too-many", "too often", Retry_After=said))
    with pytest.raises(TooMany):
        server.connection().get("session")
    assert server.pauses == []


def test_an_answer_that_is_awaited_is_no_answer() -> None:
    awaited = httpx.Response(202, json={"code": "awaiting-approval", "detail": "Request 7 awaits approval", "hint": ""})
    with pytest.raises(AwaitingApproval, match="Request 7 awaits approval") as error:
        Server().on("GET /requests/7/result", awaited).connection().get("requests", "7", "result")
    assert error.value.exit_status == 4


# Secrets


def test_a_token_is_nowhere_to_be_seen(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = Server().on("GET /session", problem(403, "forbidden", "no")).on("GET /people", httpx.ReadError("gone"))
    client = server.client()
    seen = [repr(client), repr(client._connection)]
    for ask in (lambda: client.me, client.people):
        with pytest.raises(SfumatoError) as error:
            ask()
        seen += ["".join(traceback.format_exception(error.value)), str(error.value.as_dict())]
    assert len(server.asked) == 4
    assert TOKEN not in "".join([*seen, caplog.text])


def test_signing_in_leaves_a_session_and_its_csrf_token() -> None:
    server = Server().on("POST /session", httpx.Response(201, json={"csrf": "c"}, headers={"Set-Cookie": "sfumato=s"}))
    server.on("POST /tokens", {"token": example(Token, id="1", label="mine"), "secret": "told once"})
    connection = server.connection("")
    connection.sign_in("ana", "long enough")
    token = Client(connection).new_token("mine")
    assert (token.secret, token.id) == ("told once", "1")
    assert "told once" not in repr(token)
    last = server.asked[-1].headers
    assert (last["Cookie"], last["X-CSRF-Token"]) == ("sfumato=s", "c")
    assert "Authorization" not in last


def test_a_wrong_password() -> None:
    server = Server().on("POST /session", problem(401, "not-signed-in", "That is not the name and password of anybody"))
    with pytest.raises(SfumatoError, match="not the name and password") as error:
        server.connection("").sign_in("ana", "my secret")
    assert "my secret" not in str(error.value)


def test_a_certificate_that_is_not_there() -> None:
    with pytest.raises(BadInput, match=r"none\.pem cannot be read as a certificate"):
        Connection("https://a.example", TOKEN, authority="none.pem")


def test_who_may_not_is_told_so() -> None:
    with pytest.raises(Forbidden, match="Only a controller"):
        Server().on("GET /people", problem(403, "forbidden", "Only a controller may")).client().people()
