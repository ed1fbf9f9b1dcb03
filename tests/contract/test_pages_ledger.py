"""The ledger of a dataset on a page: all of it for whoever holds the data, the total for whoever asks."""

from __future__ import annotations

from tests.api import Api
from tests.room import BOARD, COUNT
from tests.served import Caller

HOST = "https://escrow.test"
PAGE = f"{HOST}/datasets/stays/ledger"


def test_who_sees_it(api: Api) -> None:
    assert [api(who, "GET", PAGE).status_code for who in ("alice", "carol", "eve", "bob")] == [200] * 4
    assert [api(who, "GET", PAGE).status_code for who in ("fay", "root")] == [404] * 2
    assert Caller(api.app, None)("GET", PAGE).headers["Location"].startswith("/sign-in?next=%2Fdatasets")


def test_a_row_for_each_charge_with_who_has_it(api: Api) -> None:
    page = api("alice", "GET", PAGE).text
    assert f"bob, {BOARD}" in page
    assert "COUNT(*)" in page
    assert "Decision: request 2: return" in page
    newest = next(e for e in reversed(api.room.entries()) if e.draft.event == "reserved")
    assert newest.digest in page
    assert 'id="verify"' in page


def test_looks_are_marked(api: Api) -> None:
    assert "▲ Look" not in api("alice", "GET", PAGE).text
    api.room.look()
    assert "▲ Look" in api("alice", "GET", PAGE).text


def test_an_analyst_sees_the_total_and_no_entries(api: Api) -> None:
    page = api("bob", "GET", PAGE).text
    assert "No total exists" in page, "dan's answer has no guarantee"
    for hidden in ("dan", "alice", "Decision", "COUNT", 'id="verify"', "public"):
        assert hidden not in page, hidden


def test_spent_up_to_the_budget_that_is_agreed_now_and_the_odds_of_all_of_it(api: Api) -> None:
    room, fay = api.room, api.room["fay"]
    policy = {"rule": {"gap": 1.2, "worst_case": True}, "access_rule": [{"who": ["everyone"], "approve": "automatic"}]}
    room.policies.set(fay, "visits", policy | {"budget": 3})
    room.requests.submit(room["bob"], "visits", "planning", [{"sql": COUNT.replace("stays", "visits")}])
    room.go()
    room.policies.set(fay, "visits", policy | {"budget": 4})
    told = api("bob", "GET", "/datasets/visits/ledger").json()
    assert (told["spent"], told["budget"]) == (0.2, {"epsilon": 4.0, "delta": None})
    assert "is included at most 55% of the time" in told["sentences"][1]
    for who in ("bob", "fay"):
        budget = api(who, "GET", f"{HOST}/datasets/visits/budget").text
        assert "0.2 <small>of 4</small>" in budget
        assert "<dd>3.8</dd>" in budget
        assert "<dd>at most 55%</dd>" in budget
        page = api(who, "GET", f"{HOST}/datasets/visits/ledger").text
        assert "epsilon 0.2 of 4.0" in page.replace("of 4<", "of 4.0<")
        assert "at most 55% of the time" in page


BUDGET = f"{HOST}/datasets/stays/budget"


def test_the_budget_has_a_point_and_a_row_for_each_charge(api: Api) -> None:
    charges = [e for e in api.room.entries() if e.draft.event == "reserved" and e.draft.dataset == "stays"]
    page = api("alice", "GET", BUDGET).text
    assert page.count('class="cand"') == 3 * len(charges)  # one picture for each width
    assert page.count('<tr id="entry-') == len(charges) == 2
    assert page.count('/certificate">Certificate') == 1, "dan's answer is withheld"
    assert f'<th scope="row">{BOARD}</th>' in page
    assert '<th scope="row">bob</th>' in page
    assert "There is no projection yet" in page or "No budget is set" in page
    assert "no bound" in page, "dan's answer has no guarantee"


def test_older_releases_are_on_another_page(api: Api) -> None:
    for epsilon in range(1, 9):
        request = api.room.submit(COUNT, preference={"epsilon": epsilon / 100})
        api.room.approve(request)
        api.room.go()
    page = api("alice", "GET", BUDGET).text
    assert page.count('<tr id="entry-') == 8
    assert "1 to 8 of 10" in page
    after = page.partition("/budget?after=")[2].partition("#")[0]
    older = api("alice", "GET", f"{BUDGET}?after={after}").text
    assert older.count('<tr id="entry-') == 2
    assert "9 to 10 of 10" in older


def test_an_analyst_sees_the_budget_without_charges(api: Api) -> None:
    page = api("bob", "GET", BUDGET).text
    assert "No total exists" in page
    for hidden in (
        "dan",
        "alice",
        "COUNT",
        'class="cand"',
        "entry-",
        "projection",
        "lasts until",
        "By analyst",
        "Audit",
    ):
        assert hidden not in page, hidden


def test_the_way_to_the_page_for_everybody(api: Api) -> None:
    assert "public_page = true" in api("alice", "GET", PAGE).text
    api.room.policy({"who": [BOARD]}, public_page=True)
    assert 'href="/public/stays"' in api("alice", "GET", PAGE).text


def test_a_name_that_is_markup_comes_out_as_text(api: Api) -> None:
    api.room.accounts.change(api.room["root"], "bob", organisation="<img src=x>")
    page = api("alice", "GET", PAGE).text
    assert "<img" not in page
    assert "&lt;img src=x&gt;" in page
