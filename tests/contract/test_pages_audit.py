"""The record of who did what, on a page: newest first, by whom, about what; and whether it is whole, in a sentence."""

from __future__ import annotations

import re

from tests.api import Api

PAGE = "https://escrow.test/audit"


def numbers(page: str) -> list[int]:
    return [int(found) for found in re.findall(r'<tr><th scope="row">(\d+)</th>', page)]


def test_newest_first_a_page_at_a_time(api: Api) -> None:
    for n in range(60):
        api.room.ports.audit.append(api.room.ports.moment, "root", f"did {n}", "nothing", {})
    last = api.room.ports.audit.read(newest_first=True)[0].number
    first = api("eve", "GET", PAGE).text
    assert numbers(first) == list(range(last, last - 50, -1))
    [older] = re.findall(r'rel="next" href="/audit\?after=(\d+)', first)
    assert numbers(api("eve", "GET", f"{PAGE}?after={older}").text)[0] == int(older) - 1
    assert api("eve", "GET", f"/audit?newest_first=true&limit=2&after={older}").json()["next"] == int(older) - 2


def test_by_whom_and_about_what(api: Api) -> None:
    page = api("eve", "GET", f"{PAGE}?who=alice&about=stays").text
    assert numbers(page)
    assert {e.who for e in api.room.ports.audit.read(who="alice", about="stays")} == {"alice"}
    assert "/audit?who=root" not in page
    assert "No entry matches" in api("eve", "GET", f"{PAGE}?who=nobody").text
    asked = api("eve", "GET", "/audit?who=alice&about=stays").json()["items"]
    assert {(one["who"], one["about"]) for one in asked} == {("alice", "stays")}


def test_a_controller_sees_what_is_theirs_from_either_end(api: Api) -> None:
    every = api.room.audit.many(api.room["alice"], limit=1000)
    back = api.room.audit.many(api.room["alice"], limit=1000, newest_first=True)
    assert back == every[::-1]
    assert not any(entry.about == "visits" for entry in every)
    assert api.room.audit.many(api.room["alice"], back[2].number, 2, newest_first=True) == back[3:5]


def test_a_request_is_called_by_its_number(api: Api) -> None:
    id, number = "0123456789abcdef01234567", api.room.submit().number
    api.room.sql(f"UPDATE requests SET id = '{id}' WHERE number = {number}")
    api.room.ports.audit.append(api.room.ports.moment, "bob", "submit request", id, {})
    page = api("alice", "GET", PAGE).text
    assert f">request {number}</a>" in page
    assert f">{id}</a>" not in page


def test_who_may_not(api: Api) -> None:
    assert api("bob", "GET", PAGE).status_code == 403


def test_the_verdict_is_a_sentence(api: Api) -> None:
    head = api("eve", "GET", "/audit/head").json()
    assert "no entry was changed" in api("eve", "POST", "/audit/verify", json={}).json()["sentence"]
    assert (
        "contain the checkpoint that eve saved"
        in api("eve", "POST", "/audit/verify", json={"head": head}).json()["sentence"]
    )


def test_markup_in_the_record_comes_out_as_text(api: Api) -> None:
    bad = "<script>alert(1)</script>"
    api.room.ports.audit.append(api.room.ports.moment, "root", bad, bad, {bad: [bad]})
    page = api("eve", "GET", PAGE).text
    assert bad not in page
    assert page.count("&lt;script&gt;") >= 4
    assert bad not in api("eve", "GET", f"{PAGE}?who=%3Cscript%3Ealert(1)%3C/script%3E").text
