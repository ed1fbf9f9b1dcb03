"""After a look the explorer promises nothing that was not fixed before, and releases nothing without a guarantee."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from sfumato.cli.local.demo_server import CONTROLLER
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import policy_sentences as of_policy
from tests.web.browser import Visitors, look
from tests.web.house import House


def guarantee(page: Page, value: str) -> Locator:
    return page.locator(f'[name="guarantee"][value="{value}"]')


def test_after_a_look_only_what_was_fixed_before_is_offered_and_allowed(visitors: Visitors, own_house: House) -> None:
    page = visitors.enter(own_house, CONTROLLER)
    page.goto(f"/requests/{own_house.request_in('submitted')}")
    guarantee(page, "dp-selected").check()
    look(page)
    expect(page.locator("#warning")).to_have_text(of_policy.AFTER_LOOK)
    expect(page.locator("#deciding")).to_have_text(of_explorer.DECIDED_AFTER)
    expect(guarantee(page, "dp-selected")).not_to_be_checked()
    expect(guarantee(page, "dp-selected")).to_be_disabled()

    page.reload()  # what is in force keeps its guarantee, another preference has none
    expect(guarantee(page, "dp")).to_be_checked()
    expect(guarantee(page, "dp-selected")).to_be_disabled()
    page.locator("#epsilon").press("ArrowRight")
    expect(guarantee(page, "none")).to_be_checked()
    expect(guarantee(page, "dp")).to_be_disabled()

    page.reload()
    page.get_by_role("button", name="Approve A").click()  # the policy does not allow it
    dialog = page.locator("#approve-dialog")
    expect(dialog).to_contain_text(of_explorer.NOT_ALLOWED)
    approve = dialog.get_by_role("button", name="Approve")
    approve.click()
    declared, written = dialog.get_by_label(of_guarantee.DECLARE), dialog.get_by_label("Where it is written down")
    expect(declared).to_be_focused()
    expect(written).to_be_disabled()
    declared.check()
    approve.click()
    expect(written).to_be_focused()
    assert own_house.request_in("submitted") in page.url
