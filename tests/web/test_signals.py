"""What did the noise cost? In a browser: a free signal by clicks, and one as published, inspected twice."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from sfumato.cli.open_house import ANALYST, CONTROLLER
from sfumato.views.words import of_signal_pages
from tests.web.axe import violations
from tests.web.browser import Visitors
from tests.web.house import House


def answered(page: Page, house: House) -> Page:
    page.goto(f"/requests/{house.request_in('released')}")
    expect(page.get_by_label("column", exact=True)).to_have_value("people")
    return page


def test_a_free_signal_is_asked_for_and_drawn_at_once(visitors: Visitors, own_house: House) -> None:
    page = answered(visitors.enter(own_house, ANALYST), own_house)
    expect(page.get_by_role("radio", name="Free")).to_be_checked()
    page.get_by_label("The task", exact=True).select_option("top_k")
    page.get_by_label("k", exact=True).fill("1")
    page.get_by_role("button", name="Ask").click()
    made = page.locator(".signal").first
    expect(made).to_be_focused()
    expect(made).to_contain_text("released #3 Free: top k")
    expect(made).to_contain_text("came to another answer")
    expect(made.get_by_role("img", name="What noise of this size does to the score. the release: 1.")).to_be_visible()
    expect(made.locator(".plot .point")).not_to_have_count(0)
    assert violations(page) == []
    page.reload()
    expect(page.locator(".signal").first).to_contain_text("released #3 Free: top k")


def test_a_formula_takes_its_cells_from_the_answer(visitors: Visitors, own_house: House) -> None:
    page = answered(visitors.enter(own_house, ANALYST), own_house)
    page.get_by_label("The task", exact=True).select_option("formula")
    page.get_by_label("expression", exact=True).fill("1 - ")
    page.get_by_label("Put in a cell").select_option("sum(people)")
    expect(page.get_by_label("expression", exact=True)).to_have_value("1 - sum(people)")
    page.get_by_label("low", exact=True).fill("-2000")
    page.get_by_label("high", exact=True).fill("0")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".signal").first).to_contain_text("on a scale from -2000 to 0")


def test_code_of_ones_own_is_written_in_an_editor(visitors: Visitors, own_house: House) -> None:
    page = answered(visitors.enter(own_house, ANALYST), own_house)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.get_by_label("The task", exact=True).select_option("own code")
    expect(page.locator("#code-ready")).not_to_be_empty()
    expect(page.locator("#code-ready")).not_to_contain_text("Looking for", timeout=40_000)
    expect(page.locator("#own-code .cm-content")).to_contain_text("def evaluate(tables):")
    expect(page.locator("#signal-code")).to_be_hidden()
    assert wrong == []


def test_a_signal_as_published_is_inspected_twice(visitors: Visitors, own_house: House) -> None:
    asked = answered(visitors.enter(own_house, ANALYST), own_house)
    asked.get_by_role("radio", name="As published").check()
    expect(asked.locator("#signal-inspected")).to_contain_text("and then both scores")
    asked.get_by_role("button", name="Ask").click()
    made = asked.locator(".signal").first
    expect(made).to_contain_text("submitted #3 As published: above")

    page = visitors.enter(own_house, CONTROLLER)
    page.goto("/inbox")
    page.get_by_role("link", name="#3 As published").click()
    page.get_by_role("button", name="Approve").click()
    dialog = page.locator("#approve-dialog")
    dialog.get_by_role("button", name="Approve it").click()
    expect(dialog).to_be_visible()  # that it carries no guarantee has to be accepted
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Approve it").click()
    expect(page.locator("#status")).to_contain_text(of_signal_pages.STANDS["computed"])
    page.get_by_role("button", name="See the value").click()
    expect(page.locator("#value-dialog")).to_contain_text(of_signal_pages.BEFORE_VALUE)
    page.get_by_role("button", name="See it, and enter the look").click()
    expect(page.get_by_role("row", name="of the exact answer")).to_contain_text("0")
    assert violations(page) == []
    page.get_by_role("button", name="Release").click()
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Release them").click()
    expect(page.locator("#status .word")).to_have_text("released")

    expect(made).to_contain_text("Score of the exact answer: 0.00", timeout=40_000)
    expect(made).to_contain_text("6.66 bits used")
    expect(made.locator(".plot .point")).not_to_have_count(0)
