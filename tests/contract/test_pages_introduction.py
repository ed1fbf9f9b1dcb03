"""The introduction: its page, its questions, and what is refused before it is passed."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.errors import NotIntroduced
from sfumato.presentation.wording.introduction import QUIZ, SCREENS
from tests.api import Api
from tests.room import BOARD, Room
from tests.served import Caller

HOST = "https://escrow.test"
RIGHT = [question.right for question in QUIZ]
PASSWORD = "four words put together"


def browser(api: Api, name: str) -> Caller:
    api.room.accounts.change(api.room["root"], name, password=PASSWORD)
    caller = Caller(api.app, None)
    csrf = caller("POST", "/session", json={"name": name, "password": PASSWORD}).json()["csrf"]
    caller.headers = {"X-CSRF-Token": csrf}
    return caller


def test_a_browser_approves_after_the_introduction_and_a_program_at_once(api: Api) -> None:
    alice = browser(api, "alice")
    body = {"binding": alice("GET", "/requests/1/page").json()["binding"]}
    refused = alice("POST", "/requests/1/approve", json=body)
    assert (refused.status_code, refused.json()["code"]) == (409, "introduction")
    assert "/introduction" in refused.json()["hint"]
    assert api("alice", "GET", "/requests/1").json()["state"] == "submitted"
    assert alice("POST", "/introduction", json={"answers": RIGHT}).json()["wrong"] == []
    assert alice("POST", "/requests/1/approve", json=body).json()["state"] == "approved"


def test_a_program_is_not_asked(api: Api) -> None:
    binding = api("alice", "GET", "/requests/1/page").json()["binding"]
    assert api("alice", "POST", "/requests/1/approve", json={"binding": binding}).json()["state"] == "approved"


def test_nor_is_anybody_where_the_policy_does_not_ask(api: Api) -> None:
    api.room.policy({"who": [BOARD]}, introduction=False)
    alice = browser(api, "alice")
    binding = alice("GET", "/requests/1/page").json()["binding"]
    assert alice("POST", "/requests/1/approve", json={"binding": binding}).json()["state"] == "approved"


@pytest.mark.parametrize("wrong", range(len(QUIZ)))
def test_each_question_has_to_be_right_and_says_why_not(api: Api, wrong: int) -> None:
    answers = [*RIGHT]
    answers[wrong] = (answers[wrong] + 1) % len(QUIZ[wrong].choices)
    outcome = api("alice", "POST", "/introduction", json={"answers": answers}).json()
    assert outcome == {"wrong": [{"question": wrong, "why": QUIZ[wrong].why}], "passed_at": None}


def test_it_is_passed_once_and_can_be_repeated(room: Room) -> None:
    alice = room["alice"]
    assert room.accounts.introduced(alice) is None
    assert room.accounts.introduce(alice, RIGHT) == []
    first = room.accounts.introduced(alice)
    room.pass_(days=1)
    assert room.accounts.introduce(alice, [9, 9, 9, 9])
    assert room.accounts.introduce(alice, RIGHT) == []
    assert room.accounts.introduced(alice) == first is not None
    passed = [entry for entry in room.ports.audit.read() if entry.verb == "passed the introduction"]
    assert [entry.who for entry in passed] == ["alice"]
    assert room.accounts.introduced(room["carol"]) is None


def test_nothing_is_entered_where_it_is_refused(room: Room) -> None:
    room.policy()
    request = room.submit()
    binding = room.decisions.inspect(room["alice"], request.id).binding
    entries = room.entries()
    with pytest.raises(NotIntroduced):
        room.decisions.approve(room["alice"], request.id, binding, by_session=True)
    assert room.entries() == entries


@pytest.mark.parametrize("answers", [[], RIGHT[:-1], [*RIGHT, 0], ["1", 0, 2, 1], [-1, 0, 2, 1]])
def test_what_is_no_answer(api: Api, answers: list[Any]) -> None:
    assert api("alice", "POST", "/introduction", json={"answers": answers}).status_code == 422


def test_the_page_has_every_screen_and_question_and_does_not_tell_what_is_right(api: Api) -> None:
    page = api("alice", "GET", f"{HOST}/introduction?next=/requests/1").text
    for screen in SCREENS:
        assert f"{screen.title}</h2>" in page
    for question in QUIZ:
        assert question.text in page
        assert question.why not in page
    assert page.count('type="radio"') == sum(len(question.choices) for question in QUIZ)
    assert page.count("○") + page.count("●") == 200
    assert page.count("●") == 100
    assert 'id="go-on" href="/requests/1"' in page
    assert "right" not in api("alice", "GET", "/introduction").json()["questions"][0]


def test_every_word_of_a_question_stood_on_a_screen_before(api: Api) -> None:
    said = " ".join(sentence for screen in SCREENS for sentence in screen.sentences)
    for word in ("(dp)", "(dp-selected)", "(none)"):
        assert word in said


def test_the_inbox_says_before_anything_is_approved_that_it_comes_first(api: Api) -> None:
    notice = 'href="/introduction?next=/inbox"'
    assert notice in api("alice", "GET", f"{HOST}/inbox").text
    api.room.accounts.introduce(api.room["alice"], RIGHT)
    assert notice not in api("alice", "GET", f"{HOST}/inbox").text


def test_nor_does_it_where_no_policy_asks_for_it(api: Api) -> None:
    api.room.policy({"who": [BOARD]}, introduction=False)
    assert 'id="introduction-first"' not in api("alice", "GET", f"{HOST}/inbox").text


@pytest.mark.parametrize("elsewhere", ["https://evil.test/", "//evil.test", "/\\evil.test", "javascript:alert(1)"])
def test_it_leads_nowhere_else(api: Api, elsewhere: str) -> None:
    page = api("alice", "GET", f"{HOST}/introduction?next={elsewhere}").text
    assert "evil" not in page
    assert "javascript:" not in page
