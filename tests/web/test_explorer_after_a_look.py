"""After a look the explorer promises nothing that was not fixed before."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from sfumato.cli.open_house import CONTROLLER
from tests.web.browser import Visitors
from tests.web.house import House


def chosen(page: Page) -> str:
    return str(page.locator('[name="guarantee"]:checked').input_value())


def look(page: Page) -> None:
    page.get_by_role("button", name="Look at the people in this dataset").click()
    page.get_by_role("button", name="Look, and enter it").click()
    expect(page.get_by_role("radio", name="The people")).to_be_checked()


def test_a_private_selection_that_is_thought_of_after_a_look_is_not_offered(
    visitors: Visitors, own_house: House
) -> None:
    page = visitors.enter(own_house, CONTROLLER)
    page.goto(f"/requests/{own_house.request_in('submitted')}")
    privately = page.locator('[name="guarantee"][value="dp-selected"]')
    privately.check()
    look(page)
    expect(privately).not_to_be_checked()
    expect(privately).to_be_disabled()
    page.reload()
    assert chosen(page) == "dp", "what is in force keeps its word"
    expect(privately).to_be_disabled()
