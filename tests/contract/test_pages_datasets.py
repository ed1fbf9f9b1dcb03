"""The list of what is held, one dataset, and the way to register another: who sees which, and what stands there."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import quote

import httpx
import pytest

from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import schema_sentences as of_schema
from tests.api import Api
from tests.room import COUNT, DATA, RULE, SCHEMA

MARKUP = "<img src=x onerror=y>"
TABLE = {
    "name": "more",
    "unit": "who",
    "max_rows": 2,
    "columns": {"who": {"type": "text"}, "x": {"type": "number", "bounds": [0, 0.5]}},
}


def page(api: Api, who: str, path: str) -> httpx.Response:
    return api(who, "GET", f"https://escrow.test{path}")


@pytest.mark.parametrize(
    ("who", "path", "status"),
    [
        ("alice", "/datasets", 200),
        ("eve", "/datasets", 200),
        ("root", "/datasets", 403),
        ("alice", "/datasets/stays", 200),
        ("eve", "/datasets/stays", 200),
        ("fay", "/datasets/stays", 404),
        ("root", "/datasets/stays", 404),
        ("alice", "/datasets/visits", 404),
        ("alice", "/datasets/nothing", 404),
        ("alice", "/register", 200),
        ("eve", "/register", 403),
        ("bob", "/register", 403),
    ],
)
def test_who_sees_which_page(api: Api, who: str, path: str, status: int) -> None:
    answer = page(api, who, path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "text/html; charset=utf-8")


def test_analysts_are_sent_to_the_catalogue(api: Api) -> None:
    for path, to in (("/datasets", "/catalogue"), ("/datasets/stays", "/catalogue/stays")):
        answer = page(api, "bob", path)
        assert (answer.status_code, answer.headers["Location"]) == (303, to)


def test_the_list_has_what_one_holds_with_what_waits_and_what_is_spent(api: Api) -> None:
    text = page(api, "alice", "/datasets").text
    assert 'href="/datasets/stays"' in text
    assert "visits" not in text
    assert text.count("✓ version 1") == 2  # of the data, and of the policy
    assert '2<span class="unseen"> requests of stays</span>' in text  # one that was submitted, one that is withheld
    assert ">no total</td>" in text  # something was released without a guarantee
    everything = page(api, "eve", "/datasets").text
    assert 'href="/datasets/visits"' in everything
    assert "Register a table" not in everything


def test_what_is_spent_stands_beside_the_budget(api: Api) -> None:
    room = api.room
    room.policies.set(
        room["fay"], "visits", {"rule": RULE, "budget": 3, "access_rule": [{"who": ["bob"], "approve": "automatic"}]}
    )
    room.requests.submit(room["bob"], "visits", "beds", [{"sql": COUNT.replace("stays", "visits")}])
    room.go()
    text = page(api, "fay", "/datasets").text
    assert re.search(r"<td[^>]*>0\.2</td><td[^>]*>3</td>", text)
    assert "Epsilon used so far: 0.2" in page(api, "fay", "/datasets/visits").text


def test_whoever_holds_nothing_is_told_how_to_begin(api: Api) -> None:
    api.room.accounts.add(api.room["root"], "gus", ["controller"])
    api.secrets["gus"] = api.room.accounts.new_token(api.room["gus"], "x")[1]
    text = page(api, "gus", "/datasets").text
    assert "You have no datasets yet." in text
    assert '<a class="button primary" href="/register">Register a table</a>' in text


def test_a_dataset_that_cannot_be_read_is_still_listed(api: Api) -> None:
    """Its policy was edited in the database: the others are shown, and where to see to it."""
    api.room.sql("UPDATE policies SET signature = 'AAAA' WHERE dataset = 'stays'")
    text = page(api, "eve", "/datasets").text
    assert "it was edited in the database" in text
    assert 'href="/datasets/visits"' in text


TABS = ("", "/columns", "/policy", "/budget", "/data", "/audit")


def test_each_tab_is_a_page_with_links_to_all_of_them(api: Api) -> None:
    for tab in TABS:
        text = page(api, "alice", f"/datasets/stays{tab}").text
        for other in TABS:
            here = ' aria-current="page"' if other == tab else ""
            assert f'<a href="/datasets/stays{other}"{here}>' in text, (tab, other)
    assert 'aria-current="page">Audit' in page(api, "alice", "/datasets/stays/ledger").text


@pytest.mark.parametrize("tab", TABS)
def test_who_sees_a_tab(api: Api, tab: str) -> None:
    path = f"/datasets/stays{tab}"
    assert [page(api, who, path).status_code for who in ("alice", "carol", "eve", "fay", "root")] == [200] * 3 + [
        404
    ] * 2
    of_analyst = {"/policy": 403, "/budget": 200}.get(tab, 303)
    assert page(api, "bob", path).status_code == of_analyst


def test_one_dataset_without_javascript(api: Api) -> None:
    text = page(api, "alice", "/datasets/stays").text
    for fact in (of_schema.ROW, "alice, carol", "no one has looked at the data"):
        assert fact in text
    for link in ("risk", "sharing", "compare"):
        assert f'href="/datasets/stays/{link}"' in text
    assert 'href="/datasets/stays/ask"' not in text, "the policy has no access rule for alice"
    columns = page(api, "alice", "/datasets/stays/columns").text
    for fact in ("<code>days</code>", ">60</td>", ">a, b, c</td>"):
        assert fact in columns
    data = page(api, "alice", "/datasets/stays/data").text
    for fact in ("in use", escape(of_guarantee.LOOK), of_schema.CHECK_COSTS["by a controller"]):
        assert fact in data
    api.room.look()
    assert 'id="check-costs"' not in page(api, "alice", "/datasets/stays/data").text, "there is nothing left to lose"
    assert of_schema.AFTER_LOOK in page(api, "alice", "/datasets/stays/columns").text


def test_a_draft_says_what_can_be_asked(api: Api) -> None:
    drafted = SCHEMA.replace("stays", "drafted")
    said = api("alice", "POST", "/datasets/check-schema", json={"schema_text": drafted}).json()
    assert "Rows can be counted. Columns for sums and averages: " in " ".join(said["sentences"])
    bare = api("alice", "POST", "/datasets/check-schema", json={"schema_text": 'name = "bare"'}).json()
    assert "none (no column has categories)" in " ".join(bare["sentences"])


def test_an_auditor_changes_nothing_and_sees_no_sizes(api: Api) -> None:
    text = "".join(page(api, "eve", f"/datasets/stays{tab}").text for tab in TABS)
    assert "Data versions" not in text
    assert 'data-l="Bytes"' not in text
    for id in ("deliver", "retire", "check", "new-schema", "new-controllers", "new-population", "policy"):
        assert f'id="{id}"' not in text


def test_markup_in_what_controllers_write_comes_out_as_text(api: Api) -> None:
    room = api.room
    schema = SCHEMA.replace('"stays"', f'"{MARKUP}"').replace("ward]", f'"{MARKUP}"]').replace('"a"', f'"{MARKUP}"')
    one = f"/datasets/{quote(room.datasets.register(room['alice'], schema, title=MARKUP).name)}"
    for path in ("/datasets", *(f"{one}{tab}" for tab in TABS)):
        answer = page(api, "alice", path)
        assert answer.status_code == 200
        assert escape(MARKUP) in answer.text
        assert MARKUP not in answer.text


# Drafts


def test_a_schema_is_read_back_and_not_kept(api: Api) -> None:
    flow = {"access_rule": [{"who": ["bob"]}], "budget": 3}
    said = api("alice", "POST", "/datasets/check-schema", json={"schema_table": TABLE, "policy": flow})
    assert said.status_code == 200
    told = said.json()
    assert told["schema_text"].startswith('name = "more"\nunit = "who"\nmax_rows = 2\n')
    assert "x: numbers from 0 to 0.5; values beyond count as the nearest bound." in told["sentences"]
    assert (
        "Access rule: bob may request any aggregate of any column. Allowed preferences: the rule."
        in told["policy"]["sentences"]
    )
    assert api("alice", "GET", "/datasets/more").status_code == 404
    assert (
        api("alice", "POST", "/datasets/check-schema", json={"schema_text": told["schema_text"]}).json()["policy"]
        is None
    )


def test_what_is_wrong_with_a_draft_is_said_with_its_place(api: Api) -> None:
    wrong = TABLE | {"columns": {"who": {"type": "text"}, "x": {"type": "number", "bounds": [1, 0]}}}
    answer = api("alice", "POST", "/datasets/check-schema", json={"schema_table": wrong})
    assert (answer.status_code, answer.json()["where"]) == (422, "[columns.x] in the schema")
    answer = api(
        "alice",
        "POST",
        "/datasets/check-schema",
        json={"schema_table": TABLE, "policy": {"access_rule": [{"who": ["zoe"]}]}},
    )
    assert (answer.status_code, answer.json()["where"]) == (422, "[[access_rule]] 1")
    for body in ({}, {"schema_text": SCHEMA, "schema_table": TABLE}):
        for path in ("/datasets", "/datasets/check-schema"):
            assert api("alice", "POST", path, json=body).status_code == 422


def test_a_name_that_is_taken_is_said_unless_it_is_ones_own_and_has_no_data_yet(api: Api) -> None:
    for name in ("stays", "Visits"):
        said = api("alice", "POST", "/datasets/check-schema", json={"schema_table": {"name": name}})
        assert (said.status_code, said.json()["code"]) == (409, "conflict")
    assert api("alice", "POST", "/datasets", json={"schema_table": TABLE, "title": "More"}).status_code == 201
    assert api("alice", "POST", "/datasets/check-schema", json={"schema_table": TABLE}).status_code == 200
    assert api("fay", "POST", "/datasets/check-schema", json={"schema_table": TABLE}).status_code == 409


def test_a_table_is_registered_as_tables_too(api: Api) -> None:
    columns = {"days": {"type": "integer", "bounds": [0, 60]}, "ward": {"categories": ["a", "b", "c"]}}
    made = api("alice", "POST", "/datasets", json={"schema_table": {"name": "more", "columns": columns}})
    assert made.json()["columns"][0]["bounds"] == [0.0, 60.0]
    sent = api("alice", "PUT", "/datasets/more/data", content=DATA, headers={"Content-Type": "text/csv"})
    assert sent.status_code == 200
    assert api("alice", "GET", "/datasets/more").json()["ready"]
