"""The editor of an analyst: errors at their place, names that complete themselves, a dry run on synthetic data."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from sfumato.cli.local.demo_server import ANALYST
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import House

ASK = "/datasets/adult/ask"


@pytest.fixture
def page(signed_in: SignedIn) -> Page:
    page = signed_in(ANALYST)
    page.goto(ASK)
    return page


def editor(page: Page) -> Locator:
    """Once it is more than a plain field."""
    return page.locator(".editor").get_by_role("textbox", name="SQL of query 1")


def write(page: Page, sql: str) -> None:
    editor(page).click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(sql)


def test_an_error_stands_below_its_question_and_is_marked_at_its_place(page: Page, visitors: Visitors) -> None:
    visitors.forgive("400 (Bad Request)", "422 (Unprocessable")
    write(page, "SELECT sex,\n       SUM(nothing) AS sum\nFROM adult GROUP BY sex")
    question = page.get_by_role("group", name="Query 1")
    expect(question.locator(".problem")).to_contain_text("nothing")
    expect(page.locator(".cm-lintRange-error")).to_have_text("nothing")
    write(page, "SELECT sex, COUNT(*) AS people FROM adult GROUP BY sex")
    expect(page.locator("#estimate-shown")).to_contain_text("epsilon")
    expect(question.locator(".problem")).to_be_hidden()
    expect(page.locator(".cm-lintRange-error")).to_have_count(0)


def test_a_question_that_is_refused_is_not_submitted(own_house: House, visitors: Visitors) -> None:
    visitors.forgive("400 (Bad Request)", "422 (Unprocessable")
    page = visitors.enter(own_house, ANALYST)
    page.goto(ASK)
    before = len(own_house.escrow.requests.many(own_house.escrow.accounts.one(ANALYST)))
    write(page, "SELECT age FROM adult")
    page.get_by_label("Purpose").fill("To know it.")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("group", name="Query 1").locator(".problem")).to_be_visible()
    expect(editor(page)).to_contain_text("SELECT age FROM adult")
    expect(page.get_by_label("Purpose")).to_have_value("To know it.")
    assert len(own_house.escrow.requests.many(own_house.escrow.accounts.one(ANALYST))) == before


def test_names_complete_themselves(page: Page, visitors: Visitors) -> None:
    visitors.forgive("400 (Bad Request)", "422 (Unprocessable")  # it is estimated while one types
    write(page, "SELECT COUNT(*) FROM adult WHERE ")
    page.keyboard.type("mar")
    page.locator(".editor").get_by_role("option", name="marital_status").click()
    expect(editor(page)).to_contain_text("WHERE marital_status")
    page.keyboard.type(" = '")
    expect(page.locator(".editor").get_by_role("option", name="'Divorced'")).to_be_visible()


def test_a_value_that_is_no_category_of_its_column_is_doubted(page: Page) -> None:
    write(page, "SELECT COUNT(*) AS n FROM adult WHERE sex = 'female' AND marital_status IN ('Divorced', 'Wedded')")
    doubt = page.get_by_role("group", name="Query 1").locator(".unlisted")
    expect(doubt).to_contain_text("'female' is not a category of sex. Categories: 'Female', 'Male'.")
    expect(doubt).to_contain_text("'Wedded' is not a category of marital_status")
    expect(page.locator(".cm-lintRange-warning")).to_have_text(["'female'", "'Wedded'"])
    write(page, "SELECT COUNT(*) AS n FROM adult WHERE sex = 'Female'")
    expect(doubt).to_be_hidden()


def test_a_dry_run_invents_its_rows(page: Page, house: House) -> None:
    before = house.ledger()
    write(page, "SELECT sex, COUNT(*) AS people FROM adult GROUP BY sex")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("region", name="Synthetic data", exact=True).get_by_role("rowheader")).to_have_text(
        ["Female", "Male"]
    )
    assert house.ledger() == before
    expect(page.locator("#dry-shown")).to_contain_text("synthetic people")
    expect(page.locator("#older")).to_be_hidden()
    write(page, "SELECT COUNT(*) AS people FROM adult")
    expect(page.locator("#older")).to_be_visible()


def test_a_double_click_submits_once(own_house: House, visitors: Visitors) -> None:
    page = visitors.enter(own_house, ANALYST)
    page.goto(ASK)
    arthur = own_house.escrow.accounts.one(ANALYST)
    before = len(own_house.escrow.requests.many(arthur))
    write(page, "SELECT COUNT(*) AS people FROM adult")
    page.get_by_label("Purpose").fill("How many there are.")
    page.get_by_role("button", name="Submit").dblclick()
    expect(page.get_by_role("heading", level=1)).to_have_text("How many there are.")
    assert len(own_house.escrow.requests.many(arthur)) == before + 1


def test_what_was_typed_is_still_there_after_the_session_was_over(own_house: House, visitors: Visitors) -> None:
    visitors.forgive("401 (Unauthorized)")
    page = visitors.enter(own_house, ANALYST)
    page.goto(ASK)
    write(page, "SELECT COUNT(*) AS everybody FROM adult")
    page.get_by_label("Purpose").fill("How many there are.")
    own_house.end_sessions()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.get_by_role("button", name=f"Continue as {ANALYST}").click()
    expect(editor(page)).to_contain_text("AS everybody")
    expect(page.get_by_label("Purpose")).to_have_value("How many there are.")
