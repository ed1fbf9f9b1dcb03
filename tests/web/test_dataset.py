"""The tabs of a dataset in a browser: short on a phone, walked by keyboard; a policy that began with a preset."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from sfumato.cli.local.demo_server import CONTROLLER
from sfumato.escrow.policy.presets import presets
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import House

TABS = {
    "Overview": "",
    "Columns": "/columns",
    "Policy": "/policy",
    "Budget": "/budget",
    "Data": "/data",
    "Audit": "/audit",
}
MOST = 3600  # pixels at a width of 400; all of it on one page had 7,883


def test_tabs_by_keyboard_and_on_a_phone(signed_in: SignedIn) -> None:
    page = signed_in(CONTROLLER)
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto("/datasets/adult")
    tabs = page.get_by_role("navigation", name="Sections of adult")
    for name, address in TABS.items():
        tabs.get_by_role("link", name=name).focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/datasets/adult{address}")
        expect(tabs.get_by_role("link", name=name)).to_have_attribute("aria-current", "page")
        assert page.evaluate("document.documentElement.scrollHeight") <= MOST, name


def test_a_preset_fills_the_form_and_columns_are_cleared_by_clicks(own_house: House, visitors: Visitors) -> None:
    page = visitors.enter(own_house, CONTROLLER)
    page.goto("/datasets/adult/policy")
    usual = page.get_by_role("radio", name="Usual")
    expect(usual).not_to_be_checked()
    usual.check()
    expect(page.locator("#draft-sentences")).to_contain_text("Rule: attack chance 0.55.")
    page.get_by_role("checkbox", name="native_country").uncheck()
    page.get_by_role("checkbox", name="MIN", exact=True).uncheck()
    expect(page.locator("#draft-sentences")).not_to_contain_text("native_country")
    page.get_by_role("button", name="Review before signing").first.click()
    expect(page.locator("#would-say")).to_contain_text("attack chance 0.55")
    before = _policy(own_house)
    page.get_by_role("button", name="Sign", exact=True).click()
    expect(page.get_by_text("version 3").first).to_be_visible()
    expect(usual).to_be_checked()
    after = _policy(own_house)
    preset = presets(1)["usual"]
    [access] = after["access_rule"]
    assert (after["rule"], after["epsilon_max"]) == (preset["rule"], preset["epsilon_max"])
    assert {name: access.get(name, value) for name, value in preset["access_rule"][0].items()} == preset["access_rule"][
        0
    ]
    assert "native_country" not in access["columns"]
    assert "MIN" not in access["aggregates"]
    unchanged = ("purpose", "budget", "trust", "sensitivity", "introduction", "public_page")
    assert [after.get(name) for name in unchanged] == [before.get(name) for name in unchanged]
    assert access["who"] == before["access_rule"][0]["who"]
    expect(page.get_by_role("checkbox", name="native_country")).not_to_be_checked()
    page.get_by_role("radio", name="Strict").check()
    expect(usual).not_to_be_checked()
    page.get_by_text("Advanced").click()
    page.get_by_label("Maximum success rate").fill("0.7")
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="Strict")).not_to_be_checked()


def _policy(house: House) -> dict[str, Any]:
    escrow = house.escrow
    return escrow.policies.current(escrow.accounts.one(CONTROLLER), "adult").policy.as_dict()
