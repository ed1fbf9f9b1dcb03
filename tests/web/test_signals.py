"""Utility signals in a browser: a free signal by clicks, and one as published, inspected twice."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from sfumato.cli.local.demo_server import ANALYST, CONTROLLER
from sfumato.presentation.wording.signals import pages as of_signal_pages
from tests.web.axe import violations
from tests.web.browser import Visitors
from tests.web.house import House

TELEPHONE = ViewportSize(width=400, height=800)


def answered(page: Page, house: House) -> Page:
    page.goto(f"/requests/{house.request_in('released')}")
    page.get_by_role("button", name="Other utility signals").click()
    expect(page.get_by_label("column", exact=True)).to_have_value("people")
    return page


def test_a_free_signal_is_asked_for_and_drawn_at_once(own_house: House, visitors: Visitors) -> None:
    page = answered(visitors.enter(own_house, ANALYST), own_house)
    expect(page.get_by_role("radio", name="Free")).to_be_checked()
    page.get_by_label("Task", exact=True).select_option("top_k")
    page.get_by_label("k", exact=True).fill("1")
    page.get_by_role("button", name="Submit signal").click()
    made = page.locator(".signal").first
    expect(made).to_be_focused()
    expect(made).to_contain_text("released #3 Free: top k")
    expect(made).to_contain_text("gave another result")
    expect(made.get_by_role("img", name="Effect of noise on the score. release: 1.")).to_be_visible()
    expect(made.locator(".plot .point")).not_to_have_count(0)
    assert violations(page) == []
    page.reload()
    expect(page.locator(".signal").first).to_contain_text("released #3 Free: top k")


def test_a_formula_takes_its_cells_from_the_answer(own_house: House, visitors: Visitors) -> None:
    page = answered(visitors.enter(own_house, ANALYST), own_house)
    page.get_by_label("Task", exact=True).select_option("formula")
    page.get_by_label("expression", exact=True).fill("1 - ")
    page.get_by_label("Insert cell").select_option("sum(people)")
    expect(page.get_by_label("expression", exact=True)).to_have_value("1 - sum(people)")
    page.get_by_label("low", exact=True).fill("-2000")
    page.get_by_label("high", exact=True).fill("0")
    page.get_by_role("button", name="Submit signal").click()
    expect(page.locator(".signal").first).to_contain_text("(range -2000 to 0)")


def within(inner: Locator, outer: Locator) -> bool:
    part, whole = inner.bounding_box(), outer.bounding_box()
    assert part is not None
    assert whole is not None
    across = whole["x"] <= part["x"] and part["x"] + part["width"] <= whole["x"] + whole["width"]
    return across and whole["y"] <= part["y"] and part["y"] + part["height"] <= whole["y"] + whole["height"]


@pytest.mark.parametrize("order", ["Male, Female", "Female, Male"])  # one of them scores 1, at the edge
def test_on_a_telephone_the_pin_says_all_of_its_words(order: str, own_house: House, visitors: Visitors) -> None:
    page = visitors.enter(own_house, ANALYST)
    page.set_viewport_size(TELEPHONE)
    answered(page, own_house)
    for field, row in zip("ab", order.split(", "), strict=True):
        page.get_by_label(field, exact=True).select_option(row)
    page.get_by_role("button", name="Submit signal").click()
    made = page.locator(".signal").first
    label = made.locator(".plot .textpoint text").last
    expect(label).to_contain_text("release: ")
    assert within(label, made.locator(".plot .nsewdrag"))


def test_on_a_telephone_a_reason_stands_below_its_line(own_house: House, visitors: Visitors) -> None:
    page = visitors.enter(own_house, CONTROLLER)
    page.set_viewport_size(TELEPHONE)
    page.goto(f"/signals/{own_house.signal_in('submitted')}")
    reason = page.get_by_text("This imports os")
    line, below = page.locator("#code code").first.bounding_box(), reason.bounding_box()
    assert line is not None
    assert below is not None
    assert below["y"] >= line["y"] + line["height"]
    assert within(reason, page.get_by_role("region", name="Code, line by line"))


def test_code_of_ones_own_is_written_in_an_editor(own_house: House, visitors: Visitors) -> None:
    page = answered(visitors.enter(own_house, ANALYST), own_house)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.get_by_label("Task", exact=True).select_option("own code")
    expect(page.locator("#code-ready")).not_to_be_empty()
    expect(page.locator("#code-ready")).not_to_contain_text("Checking")
    expect(page.locator("#own-code .cm-content")).to_contain_text("def evaluate(tables):")
    expect(page.locator("#signal-code")).to_be_hidden()
    assert wrong == []


def test_a_signal_as_published_is_inspected_twice(own_house: House, visitors: Visitors) -> None:
    asked = answered(visitors.enter(own_house, ANALYST), own_house)
    asked.get_by_role("radio", name="As published").check()
    expect(asked.locator("#signal-inspected")).to_contain_text("whether to release both scores")
    asked.get_by_role("button", name="Submit signal").click()
    made = asked.locator(".signal").first
    expect(made).to_contain_text("submitted #3 As published: above")

    page = visitors.enter(own_house, CONTROLLER)
    page.goto("/inbox")
    page.get_by_role("row", name="#3 ").get_by_role("link", name="As published").click()
    page.get_by_role("button", name="Approve").click()
    dialog = page.locator("#approve-dialog")
    dialog.get_by_role("button", name="Approve").click()
    expect(dialog).to_be_visible()  # that it carries no guarantee has to be accepted
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Approve").click()
    expect(page.locator("#status")).to_contain_text(of_signal_pages.STANDS["computed"])
    page.get_by_role("button", name="View both scores").click()
    expect(page.locator("#value-dialog")).to_contain_text(of_signal_pages.BEFORE_VALUE)
    page.get_by_role("button", name="View (logged)").click()
    expect(page.get_by_role("row", name="exact answer")).to_contain_text("0")
    assert violations(page) == []
    page.get_by_role("button", name="Release").click()
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Release").click()
    expect(page.locator("#status .word")).to_have_text("released")

    expect(made).to_contain_text("Score of the exact answer: 0.00")
    expect(made).to_contain_text("6.66 bits used")
    expect(made.locator(".plot .point")).not_to_have_count(0)
