"""After a look the explorer promises nothing that was not fixed before, and releases nothing without a guarantee."""

from __future__ import annotations

from playwright.sync_api import expect

from sfumato.cli.local.demo_server import CONTROLLER
from sfumato.presentation.wording import exploration_sentences as of_explorer
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import policy_sentences as of_policy
from tests.web.browser import Visitors, look
from tests.web.house import House


def test_after_a_look_only_what_was_fixed_before_is_offered_and_allowed(visitors: Visitors, own_house: House) -> None:
    page = visitors.enter(own_house, CONTROLLER)
    page.goto(f"/requests/{own_house.request_in('submitted')}")
    page.get_by_label("Set the").select_option("selected")
    look(page)
    once = f"{of_policy.AFTER_LOOK} {of_explorer.CHOSEN_AFTER_LOOK}"
    expect(page.locator("#warning")).to_have_text(once)
    expect(page.locator("#kind")).not_to_have_value("selected")
    expect(page.locator('#kind option[value="selected"]')).to_be_disabled()
    expect(page.locator("#approve")).to_contain_text(of_explorer.AS_PREREGISTERED)
    expect(page.locator("#verdict-title")).to_contain_text("No guarantee")

    page.reload()
    expect(page.locator("#warning")).to_have_text(once)
    expect(page.locator('#kind option[value="selected"]')).to_be_disabled()
    expect(page.locator("#bar-facts")).to_contain_text("no guarantee")

    page.locator("#approve").click()  # the policy does not allow it
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
