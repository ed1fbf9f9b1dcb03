"""The admin's page of people: theirs alone, and readable without JavaScript."""

from __future__ import annotations

import re
from html import escape

import pytest

from tests.api import TOKENS, Api
from tests.room import BOARD

PEOPLE = "https://escrow.test/people"
MARKUP = "<b>Board</b>"


@pytest.mark.parametrize("who", TOKENS)
def test_it_is_the_admins(api: Api, who: str) -> None:
    answer = api(who, "GET", PEOPLE)
    assert answer.status_code == (200 if who == "root" else 403)
    assert ("Only an admin may manage users" in answer.text) == (who != "root")
    assert (BOARD in answer.text) == (who == "root")


def test_everybody_is_listed_with_what_they_are(api: Api) -> None:
    api.room.accounts.change(api.room["root"], "dan", disabled=True)
    text = api("root", "GET", PEOPLE).text
    for name in TOKENS:
        assert f'<tr data-name="{name}"><th scope="row"><span class="title">{name}</span></th>' in text
    assert text.count("✕ disabled") == 1
    assert BOARD in text
    assert "argon2" not in text


def test_markup_in_an_organisation_comes_out_as_text(api: Api) -> None:
    api.room.accounts.change(api.room["root"], "dan", organisation=MARKUP)
    text = api("root", "GET", PEOPLE).text
    assert MARKUP not in text
    assert escape(MARKUP) in text


def test_many_people_come_in_pages(api: Api) -> None:
    for number in range(100):
        api.room.ports.rows("people").add(
            {"name": f"p{number:03}", "organisation": "", "roles": ["analyst"], "password": None, "public_key": "",
             "sealed_key": "", "created_at": "2026-11-16T09:00:00+00:00", "disabled": False}
        )  # fmt: skip
    first = api("root", "GET", PEOPLE).text
    assert 'data-name="root"' not in first
    assert "1 to 25 of 107 users" in first
    assert 'data-name="root"' in api("root", "GET", f"{PEOPLE}?page=5").text
    only = api("root", "GET", f"{PEOPLE}?search=ROOT").text
    assert re.findall('data-name="([^"]+)"', only) == ["root"]
    assert "1 to 1 of 1 users" in only
