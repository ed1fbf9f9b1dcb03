"""The frame of every page: account menu, keys, status line, and times in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import ANALYST, CONTROLLER
from tests.web.axe import violations
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import House

_AGO = "async (at) => (await import(document.querySelector('script[src*=sfumato]').src)).ago(new Date(at))"


def test_the_account_menu_opens_and_closes(signed_in: SignedIn) -> None:
    page = signed_in(CONTROLLER)
    page.goto("/datasets")
    menu = page.locator("#account summary")
    menu.click()
    expect(page.get_by_role("link", name="Account")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Account")).to_be_hidden()
    expect(menu).to_be_focused()
    menu.click()
    page.get_by_role("heading", level=1).click()
    expect(page.get_by_role("link", name="Account")).to_be_hidden()


def test_a_question_mark_lists_the_keys_but_not_while_one_types(signed_in: SignedIn) -> None:
    page = signed_in(CONTROLLER)
    page.goto("/audit")
    page.get_by_label("User").press_sequentially("who?")
    expect(page.get_by_label("User")).to_have_value("who?")
    help_ = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(help_).to_be_hidden()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("?")
    expect(help_).to_contain_text("approve")
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(help_).to_be_hidden()


@pytest.mark.parametrize("width", [400, 1280])
def test_a_status_message_covers_nothing(signed_in: SignedIn, width: int) -> None:
    page = signed_in(ANALYST)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto("/requests")
    page.evaluate("scrollTo(0, 200)")
    line = page.get_by_role("status")
    line.evaluate("one => { one.textContent = 'The notification is marked as read.'; }")
    expect(line).to_be_in_viewport(ratio=1)
    within, frame = line.bounding_box(), page.get_by_role("banner").bounding_box()
    assert within is not None
    assert frame is not None
    assert frame["y"] <= within["y"]
    assert within["y"] + within["height"] <= frame["y"] + frame["height"]


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=5), "5 minutes ago"),
        (timedelta(hours=2), "2 hours ago"),
        (timedelta(days=1), "yesterday"),
        (timedelta(days=-3), "in 3 days"),
    ],
)
def test_how_long_ago(page: Page, before: timedelta, words: str) -> None:
    page.goto("/sign-in")
    assert page.evaluate(_AGO, (datetime.now(UTC) - before).isoformat()) == words


def test_a_time_is_exact_on_hover_and_without_scripts(house: House, visitors: Visitors) -> None:
    page = visitors.enter(house, CONTROLLER, timezone_id="Europe/Rome")
    page.goto("/people")
    time = page.locator("time").first
    exact, title = time.get_attribute("data-utc"), time.get_attribute("title")
    assert exact is not None
    assert exact.endswith("UTC")
    assert title is not None
    assert title.endswith(("CET", "CEST", "GMT+1", "GMT+2"))
    assert time.text_content() != exact
    without = visitors.enter(house, CONTROLLER, java_script_enabled=False)
    without.goto("/people")
    assert without.locator("time").first.text_content() == exact


def test_the_theme_and_the_time_zone_are_chosen_in_the_settings(house: House, visitors: Visitors) -> None:
    page = visitors.enter(house, CONTROLLER, timezone_id="Europe/Rome")
    page.goto("/account")
    zone, theme, root = page.get_by_label("Time zone"), page.get_by_label("Theme", exact=True), page.locator("html")
    expect(zone.locator("option").first).to_have_text("Browser's time zone (Europe/Rome)")
    zone.select_option("UTC")
    expect(page.locator("#zone-now")).to_contain_text("UTC")
    theme.select_option("Dark")
    expect(root).to_have_attribute("data-theme", "dark")
    page.goto("/people")
    expect(root).to_have_attribute("data-theme", "dark")
    assert (page.locator("time").first.get_attribute("title") or "").endswith("UTC")
    page.goto("/account")
    expect(zone).to_have_value("UTC")
    zone.select_option("")
    theme.select_option("System")
    page.reload()
    expect(theme).to_have_value("")
    expect(root).not_to_have_attribute("data-theme", "dark")
    expect(page.locator("#zone-now")).not_to_contain_text("UTC")
