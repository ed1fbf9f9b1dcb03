"""A page that fails by our fault says one constant thing, and what went wrong goes into no log and to nobody."""

from __future__ import annotations

import logging

import pytest

from tests.api import Api

SECRET = "Marta Kowalska, 48,000"


def fails(*_given: object, **_named: object) -> None:
    raise RuntimeError(SECRET)


@pytest.mark.parametrize("path", ["/inbox", "/datasets", "/account"])
def test_what_broke_a_page_does_not_break_the_page_that_says_so(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    """The menu of every page counts what waits: with a database that is gone, that fails too."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(api.room.decisions, "count_waiting", fails)
    answer = api("alice", "GET", f"https://escrow.test{path}")
    assert answer.status_code == 500
    assert "<h1>" in answer.text
    assert SECRET not in answer.text + caplog.text


def test_where_no_page_can_be_drawn_the_sentence_alone_is_left(
    api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setattr(api.app.state.templates, "get_template", fails)
    answer = api("alice", "GET", "https://escrow.test/inbox")
    assert (answer.status_code, answer.json()["status"]) == (500, 500)
    assert SECRET not in answer.text + caplog.text
