"""Attacks by the API, line by line of what must hold: refused before data is touched; none of it is theirs to see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from sfumato.presentation.wording.introduction import QUIZ
from tests.api import STATES, TOKENS, Api, Body, routes_of
from tests.depth import depth
from tests.room import COUNT, SUM

READING = ("exposure-histogram", "risk", "check", "explore")
# Line 6
TOUCHING = [
    "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
    "SELECT COUNT(*) FROM '/etc/passwd'",
    "SELECT COUNT(*) FROM stays WHERE age IN (SELECT length(content) FROM read_text('/etc/passwd'))",
    "COPY stays TO '/tmp/stays.csv'",
    "COPY (SELECT COUNT(*) FROM stays) TO '/tmp/stays.csv'",
    "ATTACH '/tmp/other.db' AS other",
    "INSTALL httpfs",
    "LOAD httpfs",
    "PRAGMA table_info('stays')",
    "SET enable_external_access = true",
    "CREATE TABLE t AS SELECT COUNT(*) FROM stays",
    "CREATE MACRO m() AS 1",
    "ALTER TABLE stays ADD COLUMN x INTEGER",
    "DROP TABLE stays",
    "INSERT INTO stays VALUES (1, 2, 'a')",
    "UPDATE stays SET days = 0",
    "DELETE FROM stays",
    "TRUNCATE stays",
    "CALL pragma_version()",
    "EXPORT DATABASE '/tmp/all'",
    f"{COUNT}; DROP TABLE stays",
    f"{COUNT}; {COUNT}",
    f"{COUNT};; COPY stays TO '/tmp/x'",
    f"{COUNT} -- \n; DROP TABLE stays",
    f"{COUNT} /* ; */ ; DROP TABLE stays --",
    "SELECT COUNT(*) FROM/**/read_csv/**/('/etc/passwd')",
    "/* SELECT COUNT(*) FROM stays */ DROP TABLE stays",
]
# Of these there is no place to name
NOWHERE = ["SELECT COUNT(*) FROM stays /* never closed", "-- SELECT COUNT(*) FROM stays", "SELECT COUNT(*)"]
# Line 7
TELLING = [
    f"EXPLAIN {COUNT}",
    f"EXPLAIN ANALYZE {COUNT}",
    "SUMMARIZE stays",
    "SUMMARIZE SELECT * FROM stays",
    "DESCRIBE stays",
    "SHOW TABLES",
    "FROM stays",
    "SELECT * FROM stays",
    "SELECT COUNT(*) FROM information_schema.tables",
    "SELECT COUNT(*) FROM duckdb_tables()",
    "SELECT COUNT(*) FROM duckdb_settings",
    "SELECT COUNT(*) FROM pg_catalog.pg_class",
    "SELECT COUNT(*) FROM sqlite_master",
    "SELECT COUNT(*) FROM main.stays, other.stays",
    "SELECT COUNT(*) FROM range(10)",
    "SELECT COUNT(*) FROM generate_series(1, 10)",
    "SELECT COUNT(*) FROM query('SELECT * FROM stays')",
    "SELECT COUNT(*) FROM query_table('stays')",
    "SELECT COUNT(*) FROM json_execute_serialized_sql('{}')",
    "SELECT json_execute_serialized_sql(json_serialize_sql('SELECT 1')) FROM stays",
    "SELECT COUNT(*) FROM pragma_table_info('stays')",
    "SELECT stats(age) FROM stays",
    "SELECT COUNT(*) FROM stays WHERE error('leak:' || age)",
    "SELECT SUM(getenv('HOME')) FROM stays",
    "SELECT current_setting('access_mode') FROM stays",
    "SELECT COUNT(*) FROM stays WHERE age = (SELECT MAX(age) FROM stays)",
]


def ways(sql: str) -> list[tuple[str, str, Body]]:
    """Everywhere that SQL comes in: who sends it, where, and in what."""
    several, one = {"queries": [{"sql": COUNT}, {"sql": sql}]}, {"sql": sql}
    return [
        ("bob", "/requests", several | {"dataset": "stays", "purpose": "planning"}),
        ("bob", "/datasets/stays/estimate", several),
        ("bob", "/datasets/stays/dry-run", several),
        *(("bob", f"/datasets/stays/{verb}", one) for verb in ("worst-case", "rehearse", "compare")),
        *(("alice", f"/datasets/stays/{verb}", one) for verb in ("worst-case", "rehearse", "compare", "risk")),
        ("alice", "/datasets/stays/exposure-histogram", one | {"epsilon": 0.1}),
    ]


def refused_untouched(api: Api, attempts: list[str]) -> None:
    """Each comes in by some of the ways, and by all of them at full depth; the first by all of them at any depth."""
    with unchanged(api):
        for number, sql in enumerate(attempts):
            every = ways(sql)
            first = number % len(every)
            for who, path, body in [*every[first:], *every[:first]][: depth("ways of SQL") if number else None]:
                answer = api(who, "POST", path, json=body)
                told = answer.json()
                assert (answer.status_code, told["code"]) == (422, "query"), f"{path}, {sql}: {told}"
                where = told["where"].removeprefix("query 2, ")
                assert where.startswith("line ") or sql in NOWHERE, f"{path}, {sql}: {told}"


@pytest.mark.depth("ways of SQL")
def test_line_6_what_reads_writes_or_loads_is_refused_before_any_data_is_touched(api: Api) -> None:
    refused_untouched(api, [*TOUCHING, *NOWHERE])


@pytest.mark.depth("ways of SQL")
def test_line_7_explain_summarize_catalog_and_table_functions_are_refused(api: Api) -> None:
    refused_untouched(api, TELLING)


def test_line_6_a_comment_goes_nowhere(api: Api) -> None:
    """What was understood is written anew: nobody approves what a comment hides."""
    sql = f"{COUNT} /* AND ward = 'a' */ -- ; DROP TABLE stays"
    made = api("bob", "POST", "/requests", json={"dataset": "stays", "purpose": "x", "queries": [{"sql": sql}]})
    assert made.json()["queries"][0]["sql"] == COUNT


# Line 19: what is another's is not there


def as_if_not_there(api: Api, who: str, of: str, theirs: str, nobodys: str) -> None:
    for method, path, body in routes_of(of):
        told = []
        for one in (theirs, nobodys):
            address = path.replace("{name}", one).replace("{id}", one)
            if path.endswith("/data"):
                answer = api(who, method, address, content=b"a\n1\n", headers={"Content-Type": "text/csv"})
            else:
                answer = api(who, method, address, json=body)
            text = answer.text.replace(f"'{one}'", "…").replace(f'"{one}"', "…")  # as it was asked for
            told.append((answer.status_code, text))
        assert told[0] == told[1], f"{who} {method} {path}"
        assert told[0][0] == 404, f"{who} {method} {path}: {told[0]}"


@contextmanager
def unchanged(api: Api) -> Iterator[None]:
    """Whatever is tried meanwhile: nothing is entered, kept or run."""

    def record() -> tuple[Any, ...]:
        tables = ("datasets", "versions", "policies", "requests", "signals", "notifications", "tokens", "people")
        return (api.room.entries(), api.room.ports.audit.read(), *(api.room.ports.rows(t).many() for t in tables))

    before = record()
    api.room.runner.done.clear()
    yield
    assert record() == before
    assert api.room.runner.done == []


@pytest.mark.parametrize(
    ("who", "theirs"), [("fay", "stays"), ("alice", "visits"), ("bob", "visits"), ("root", "stays"), ("fay", "STAYS")]
)
def test_line_19_another_controllers_dataset_is_not_there(api: Api, who: str, theirs: str) -> None:
    """With its policy, its versions and its ledger; to an analyst without a flow, and to an admin, neither."""
    with unchanged(api):
        as_if_not_there(api, who, "datasets", theirs, "nothing")


@pytest.mark.depth("names of a request")
@pytest.mark.parametrize("who", ["fay", "dan", "root"])
def test_line_19_anothers_request_and_result_are_not_there(api: Api, who: str) -> None:
    """Whatever its state, by its number and by its id; at the small depth by one of them in turn."""
    for place, state in enumerate(STATES):
        other = "bob" if (who, state) == ("dan", "computed") else who  # it is dan's
        id = api("eve", "GET", f"/requests/{place + 1}").json()["id"]
        names = [(str(place + 1), "999"), (id, "f" * 24)]
        with unchanged(api):
            for theirs, nobodys in [*names[place % 2 :], *names[: place % 2]][: depth("names of a request")]:
                as_if_not_there(api, other, "requests", theirs, nobodys)
        listed = api(other, "GET", "/requests?limit=200").json()["items"]
        assert id not in [one["id"] for one in listed], state


@pytest.mark.parametrize("who", ["bob", "dan", "fay", "carol"])
def test_line_19_anothers_notice_and_token_are_not_there(api: Api, who: str) -> None:
    with unchanged(api):
        as_if_not_there(api, who, "notifications", "notice-of-alice", "nothing")
    with unchanged(api):
        as_if_not_there(api, who, "tokens", TOKENS["alice"], "nothing")
    assert {one["person"] for one in api(who, "GET", "/notifications").json()["items"]} <= {who}
    assert {one["person"] for one in api(who, "GET", "/tokens").json()["items"]} == {who}


@pytest.mark.parametrize("who", ["bob", "alice", "eve"])
def test_line_19_nobody_acts_as_another(api: Api, who: str) -> None:
    """Nor learns by trying who there is."""
    password = {"password": "four words put together"}
    with unchanged(api):
        for change in (password, {"roles": ["admin"]}, {"disabled": True}):
            known, unknown = (api(who, "PATCH", f"/people/{name}", json=change) for name in ("fay", "nobody"))
            assert (known.status_code, known.text) == (403, unknown.text)
        known, unknown = (api(who, "POST", "/tokens", json={"person": name}) for name in ("fay", "nobody"))
        assert (known.status_code, known.text) == (403, unknown.text)
        _is(api(who, "PATCH", f"/people/{who}", json={"roles": ["admin"]}), 403)
        _is(api(who, "POST", "/people", json={"name": "gus", "roles": ["admin"]}), 403)


def test_line_19_nobody_approves_their_own_request(api: Api) -> None:
    room = api.room
    room.accounts.change(room["root"], "carol", roles=["analyst", "controller"], organisation="Health Board")
    asked = {"dataset": "stays", "purpose": "planning", "queries": [{"sql": SUM}]}
    own = api("carol", "POST", "/requests", json=asked).json()
    binding = api("alice", "GET", f"/requests/{own['id']}/page").json()["binding"]
    for verb, body in (("approve", {"binding": binding}), ("return", {"note": "n"}), ("refuse", {}), ("answer", None)):
        with unchanged(api):
            _is(api("carol", "POST", f"/requests/{own['id']}/{verb}", json=body), 403)
    _is(api("carol", "GET", f"/requests/{own['id']}/page"), 403)
    _is(api("alice", "POST", f"/requests/{own['id']}/approve", json={"binding": binding}), 200)


def test_line_19_a_page_of_another_site_changes_nothing(api: Api) -> None:
    """It can make a browser send the cookie, and neither read nor guess the CSRF token."""
    room = api.room
    for name in ("alice", "carol"):
        room.accounts.change(room["root"], name, password="four words put together")
    alice, carol = api.caller("alice"), api.caller("carol")
    csrf = {}
    for name, caller in (("alice", alice), ("carol", carol)):
        caller.headers = {}
        signed = caller("POST", "/session", json={"name": name, "password": "four words put together"})
        csrf[name] = signed.json()["csrf"]
        room.accounts.introduce(room[name], [question.right for question in QUIZ])
    page = alice("GET", "/requests/1/page").json()
    for headers in ({}, {"X-CSRF-Token": csrf["carol"]}, {"X-CSRF-Token": ""}, {"Content-Type": "text/plain"}):
        with unchanged(api):
            for method, path, body in [
                *(one for noun in ("datasets", "requests", "signals") for one in routes_of(noun)),
                ("POST", "/tokens", {}),
            ]:
                if method != "GET":
                    address = path.replace("{name}", "stays").replace("{id}", "1")
                    _is(alice(method, address, json=body, headers=headers), 403)
    approved = alice(
        "POST", "/requests/1/approve", json={"binding": page["binding"]}, headers={"X-CSRF-Token": csrf["alice"]}
    )
    assert approved.json()["state"] == "approved"


def test_line_19_an_analyst_reads_no_risk_profiles_entries_versions_policies_or_people(api: Api) -> None:
    with unchanged(api):
        for verb in READING:
            asked = {"sql": COUNT} | ({"epsilon": 0.1} if verb == "exposure-histogram" else {})
            _is(api("bob", "POST", f"/datasets/stays/{verb}", json=asked), 403)
        for path in ("versions", "policy", "policies"):
            _is(api("bob", "GET", f"/datasets/stays/{path}"), 403)
        for path in ("/people", "/audit", "/audit/head"):
            _is(api("bob", "GET", path), 403)
        _is(api("bob", "POST", "/audit/verify", json={}), 403)
        for number in (n for n, state in enumerate(STATES, 1) if state != "computed"):
            _is(api("bob", "GET", f"/requests/{number}/page"), 403)
            _is(api("bob", "POST", f"/requests/{number}/answer"), 403)
        for method, path, body in routes_of("datasets"):
            if method in ("PUT", "DELETE") and not path.endswith("/data"):
                _is(api("bob", method, path.replace("{name}", "stays"), json=body), 403)
        csv = {"Content-Type": "text/csv"}
        _is(api("bob", "PUT", "/datasets/stays/data", content=b"a\n", headers=csv), 403)
    assert "entries" not in api("bob", "GET", "/datasets/stays/ledger").json()


def _is(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status, f"{answer.request.method} {answer.request.url.path}: {answer.text}"
