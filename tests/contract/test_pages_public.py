"""The page for everybody: there if the policy says so, and with what the ledger may tell anybody."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api import Api
from tests.room import BOARD, COUNT, SCHEMA, SUM
from tests.served import Caller

HOST = "https://escrow.test"


def stranger(api: Api) -> Caller:
    return Caller(api.app, None)


def opened(api: Api, **said: Any) -> None:
    after = {"approve": "after the answer", "guarantees": ["none"], "preferences": ["rule", "epsilon"]}
    api.room.policy({"who": [BOARD]}, {"who": ["dan"]} | after, **{"public_page": True} | said)


def test_where_the_policy_does_not_say_so_it_is_as_if_there_were_no_dataset(api: Api) -> None:
    call = stranger(api)
    there, not_there = call("GET", "/public/stays"), call("GET", "/public/nosuc")
    assert there.status_code == not_there.status_code == 404
    assert there.text.replace("stays", "nosuc") == not_there.text
    assert {*there.headers} == {*not_there.headers}
    pages = [call("GET", f"{HOST}/public/{name}") for name in ("stays", "nosuc")]
    assert [page.status_code for page in pages] == [404, 404]
    assert pages[0].text.replace("stays", "nosuc") == pages[1].text


def test_it_is_open_to_whoever_comes_and_changes_nothing(api: Api) -> None:
    opened(api)
    entries, log = api.room.entries(), api.room.ports.audit.read()
    page = stranger(api)("GET", f"{HOST}/public/STAYS")
    assert page.status_code == 200
    assert 'content="noindex"' in page.text
    assert "One row: whether it is in the data, and everything in it. A person with several rows" in page.text
    assert stranger(api)("GET", "/public/stays").json()["name"] == "stays"
    assert (api.room.entries(), api.room.ports.audit.read()) == (entries, log)
    assert stranger(api)("POST", "/public/stays").status_code == 401


def test_each_charge_is_there_with_its_word_and_epsilon_only_where_it_is_promised(api: Api) -> None:
    opened(api, budget=50)
    found = stranger(api)("GET", "/public/stays").json()
    promised = [one for one in found["releases"] if one["guarantee"] == "dp"]
    withheld = [one for one in found["releases"] if one["guarantee"] == "none"]
    assert [(one["kind"], one["epsilon"]) for one in promised] == [("batch", 0.4)]
    assert "is included at most 60% of the time" in promised[0]["sentence"]
    assert {(one["epsilon"], one["delta"]) for one in withheld} == {(None, None)}
    assert all("No guarantee" in one["sentence"] for one in withheld)
    assert withheld
    assert found["total"]["epsilon"] is None
    assert "No total exists" in found["total"]["odds"]
    assert found["budget"] == "epsilon 50"
    page = stranger(api)("GET", f"{HOST}/public/stays").text
    assert "withheld" in page
    assert "No total exists" in page


def test_neither_names_nor_answers_nor_looks(api: Api) -> None:
    room = api.room
    room.accounts.change(room["root"], "bob", organisation="qzboard")
    room.policy({"who": ["qzboard"]}, public_page=True)
    request = room.submit(SUM)
    room.approve(request, note="qznote")
    room.go()
    room.look(sql="SELECT SUM(days) FROM stays WHERE age > 41")
    found = stranger(api)("GET", "/public/stays").json()
    assert {*found} == {"name", "title", "purpose", "protected", "releases", "total", "budget", "population"}
    for one in found["releases"]:
        assert {*one} == {"at", "kind", "what", "guarantee", "word", "sentence", "epsilon", "delta"}
    for address in ("/public/stays", f"{HOST}/public/stays"):
        told = stranger(api)("GET", address).text
        for hidden in ("alice", "carol", "bob", "dan", "qz", "age > 41", "planning beds"):
            assert hidden not in told, hidden
        assert "SUM(age)" in told, "what was asked is there"


def test_a_word_by_a_declaration_says_so_and_not_what_was_declared(api: Api) -> None:
    room = api.room
    room.policy(public_page=True)
    request = room.submit(SUM)
    room.look()
    room.approve(request, preregistered="qzminutes")
    room.go()
    text = stranger(api)("GET", f"{HOST}/public/stays").text
    assert "Guaranteed, by a declaration" in text
    assert "has not been checked" in text
    assert "qzminutes" not in text


def test_what_the_total_comes_to(api: Api) -> None:
    """Of a dataset that nothing was released from without a guarantee."""
    fay = api.room["fay"]
    automatic = {"who": ["everyone"], "approve": "automatic"}
    api.room.policies.set(fay, "visits", {"rule": {"gap": 1.2, "worst_case": True}, "budget": 3, "public_page": True,
                                          "access_rule": [automatic]})  # fmt: skip
    nothing = stranger(api)("GET", "/public/visits").json()
    assert (nothing["releases"], nothing["total"]["epsilon"]) == ([], 0)
    assert "Nothing was released yet" in stranger(api)("GET", f"{HOST}/public/visits").text
    sql = COUNT.replace("stays", "visits")
    api.room.requests.submit(api.room["bob"], "visits", "planning", [{"sql": sql}])
    api.room.go()
    total = stranger(api)("GET", "/public/visits").json()["total"]
    assert total["epsilon"] == 0.2
    assert "at most 55% of the time" in total["odds"]


def test_markup_in_what_people_wrote_comes_out_as_text(api: Api) -> None:
    alice, bad = api.room["alice"], "<script>alert(1)</script>"
    schema = SCHEMA.replace('"stays"', '"marked"')
    api.room.datasets.register(alice, schema, title=bad)
    said = {"rule": {"gap": 1.2, "worst_case": True}, "purpose": bad, "public_page": True}
    api.room.policies.set(alice, "marked", said | {"access_rule": [{"who": ["bob"]}]})
    page = stranger(api)("GET", f"{HOST}/public/marked").text
    assert bad not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 2


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE policies SET signature = 'x' WHERE dataset = 'stays'",
        "UPDATE policies SET number = 7 WHERE dataset = 'stays' AND number = 2",
    ],
)
def test_a_policy_that_was_edited_opens_nothing(api: Api, edit: str) -> None:
    opened(api)
    api.room.sql(edit)
    assert stranger(api)("GET", "/public/stays").status_code == 404
