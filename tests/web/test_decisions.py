"""Deciding in a browser: once, whatever is clicked; told what another decided; and nothing written is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import ANALYST, BOARD, CONTROLLER, POLICY, WAITING
from sfumato.presentation.wording import exploration_sentences as of_explorer
from tests.web import house as houses
from tests.web.browser import Visitors, follow, look, sign_in
from tests.web.house import House, Plan


@pytest.fixture(scope="module")
def open_house(plan: Plan, ground: Path) -> Iterator[House]:
    """For tests that decide a request of their own, the only one that waits, without a look at the people."""
    with TemporaryDirectory(dir=ground) as folder, houses.served(plan, Path(folder)) as made:
        clara = made.escrow.accounts.one(CONTROLLER)
        made.escrow.requests.approval.return_(clara, made.request_in("submitted"), "Later, please.")
        yield made


@pytest.fixture
def waiting(open_house: House, visitors: Visitors) -> Iterator[Page]:
    """The page of the only request that waits, before whoever decides it. Its question was not answered before."""
    escrow, (sql, purpose) = open_house.escrow, WAITING
    arthur = escrow.accounts.one(ANALYST)
    other = sql.replace("GROUP BY", f"WHERE age > {len(escrow.requests.many(arthur))} GROUP BY")
    asked = escrow.requests.submit(arthur, "adult", purpose, [{"sql": other}], None)
    try:
        page = visitors.enter(open_house, CONTROLLER)
        page.goto(f"/requests/{asked.id}")
        yield page
    finally:  # a test that failed may have left it undecided
        clara = escrow.accounts.one(CONTROLLER)
        for left in escrow.requests.many(clara, state="submitted"):
            escrow.requests.approval.return_(clara, left.submission.id, "Later, please.")


def approved(page: Page) -> None:
    page.locator("#approve").click()


def is_released(page: Page) -> None:
    expect(page.locator("#status")).to_contain_text("Released, charged epsilon")


def test_a_double_click_releases_once(waiting: Page, open_house: House) -> None:
    before = open_house.entered("released")
    waiting.locator("#approve").dblclick()
    is_released(waiting)
    assert open_house.entered("released") == before + 1


def test_an_approval_can_be_taken_back_before_it_starts_and_its_note_is_still_there(
    waiting: Page, open_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ports, before = open_house.escrow.ports, open_house.entered("reserved")
    monkeypatch.setitem(vars(ports), "limits", replace(ports.limits, undo_seconds=600.0))
    waiting.reload()
    waiting.get_by_label("Note to the analyst").fill("For the board.")
    approved(waiting)
    expect(waiting.locator("#status")).to_contain_text("Approved. Starts in")
    waiting.reload()  # the time goes on, also for a page that is opened anew
    expect(waiting.locator("#status")).to_contain_text("Approved. Starts in")
    waiting.get_by_role("button", name="Undo").click()
    expect(waiting.get_by_label("Note to the analyst")).to_have_value("For the board.")
    expect(waiting.locator("#approve")).to_be_visible()
    assert open_house.entered("reserved") == before
    waiting.goto("/inbox")
    waits = waiting.locator("#count-waiting").inner_text()
    waiting.get_by_role("button", name="Assign to me").click()
    expect(waiting.get_by_role("button", name=re.compile("you ?: remove the assignment"))).to_be_visible()
    waiting.locator(".pick").check()
    waiting.get_by_role("button", name="Approve 1").click()
    expect(waiting.locator("#undoing")).to_contain_text("1 request was approved. It starts in")
    waiting.get_by_role("button", name="Undo").click()
    expect(waiting.locator("#count-waiting")).to_have_text(waits)
    assert open_house.entered("reserved") == before
    asked = open_house.request_in("submitted")
    open_house.escrow.requests.withdraw(open_house.escrow.accounts.one(ANALYST), asked)
    open_house.stop_timers()


def test_of_two_tabs_the_second_is_told_what_the_first_did(waiting: Page, open_house: House) -> None:
    before = open_house.entered("released")
    other = waiting.context.new_page()
    other.goto(waiting.url)
    approved(waiting)
    is_released(waiting)
    approved(other)
    is_released(other)
    assert open_house.entered("released") == before + 1


def test_what_another_returned_can_no_longer_be_approved(waiting: Page, open_house: House, visitors: Visitors) -> None:
    visitors.forgive("409 (Conflict)")
    before = open_house.ledger()
    other = waiting.context.new_page()
    other.goto(waiting.url)
    waiting.get_by_label("Note to the analyst").fill("For the board.")
    other.get_by_role("button", name="Return R").click()
    other.get_by_label("Requested changes").fill("Fewer groups, please.")
    other.get_by_role("button", name="Return request").click()
    expect(other.locator("#status")).to_contain_text("Fewer groups, please.")
    approved(waiting)
    problem = waiting.locator("#bar").get_by_role("alert")
    expect(problem).to_be_visible()
    expect(waiting.get_by_label("Note to the analyst")).to_have_value("For the board.")
    problem.get_by_role("button", name="Reload page").click()
    expect(waiting.locator("#status")).to_contain_text("Fewer groups, please.")
    expect(waiting.locator("#approve")).to_have_count(0)
    assert open_house.ledger()["spent"] == before["spent"]


def test_the_back_button_after_deciding_shows_what_was_decided(waiting: Page) -> None:
    where = waiting.url
    approved(waiting)
    is_released(waiting)
    follow(waiting, "Open inbox")
    expect(waiting.get_by_role("heading", level=1)).to_have_text("Inbox")
    waiting.go_back()
    expect(waiting).to_have_url(where)
    expect(waiting.locator("#status")).to_contain_text("The answer was released")
    expect(waiting.locator("#approve")).to_have_count(0)


def test_a_session_that_ends_in_the_middle_of_a_decision_loses_nothing(
    waiting: Page, open_house: House, visitors: Visitors
) -> None:
    visitors.forgive("401 (Unauthorized)")
    where, before = waiting.url, open_house.ledger()["spent"]
    waiting.get_by_label("Note to the analyst").fill("For the board.")
    open_house.end_sessions()
    approved(waiting)
    expect(waiting.get_by_role("heading", level=1)).to_have_text("Sign in")
    assert open_house.ledger()["spent"] == before
    sign_in(waiting, CONTROLLER)
    expect(waiting).to_have_url(where)
    expect(waiting.get_by_label("Note to the analyst")).to_have_value("For the board.")
    approved(waiting)
    is_released(waiting)


def test_after_a_look_it_has_to_be_accepted_that_there_is_no_guarantee(own_house: House, visitors: Visitors) -> None:
    flow = {"who": [BOARD], "guarantees": ["dp", "dp-selected", "none"]}
    clara = own_house.escrow.accounts.one(CONTROLLER)
    own_house.escrow.policies.set(clara, "adult", POLICY | {"access_rule": [flow], "budget": 30})
    page = visitors.enter(own_house, CONTROLLER)
    page.goto(f"/requests/{own_house.request_in('submitted')}")
    look(page)
    approved(page)
    dialog = page.locator("#approve-dialog")
    expect(dialog.locator(".word.none")).to_be_visible()
    approve = dialog.get_by_role("button", name="Approve")
    approve.click()
    accept = dialog.get_by_label(of_explorer.ACCEPT_NONE)
    expect(accept).to_be_focused()
    assert own_house.request_in("submitted") in page.url
    accept.check()
    approve.click()
    expect(page.locator("#status")).to_contain_text("Released")
    assert own_house.ledger()["guarantee"] == "none"
