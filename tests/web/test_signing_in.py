"""Signing in and out, in a browser: nothing typed is lost, and one comes back to where one was, and nowhere else."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import ANALYST, CONTROLLER, PASSWORD
from tests.web.axe import violations
from tests.web.browser import Visitors, sign_in, sign_out, tab_to
from tests.web.conftest import SignedIn
from tests.web.house import House

ELSEWHERE = [
    "https://elsewhere.test/",
    "//elsewhere.test/",
    "/\\elsewhere.test/",
    "\\\\elsewhere.test/",
    "/\t/elsewhere.test/",
    "/\n/elsewhere.test/",
    "\t//elsewhere.test/",
    " //elsewhere.test/",
    "javascript:alert(1)",
    "elsewhere.test",
    "",
]


def at(page: Page, house: House, path: str) -> None:
    expect(page).to_have_url(f"{house.url}{path}")


def test_one_signs_in_and_is_where_one_wanted_to_go(page: Page, house: House) -> None:
    page.goto("/account?from=a+bookmark")
    at(page, house, "/sign-in?next=%2Faccount%3Ffrom%3Da%2Bbookmark")
    sign_in(page, CONTROLLER)
    at(page, house, "/account?from=a+bookmark")
    expect(page.get_by_role("heading", level=1)).to_have_text("Account and settings")
    expect(page.get_by_role("banner")).to_contain_text(CONTROLLER)


def test_a_wrong_password_is_one_sentence_and_the_name_is_still_there(
    page: Page, house: House, visitors: Visitors
) -> None:
    visitors.forgive("401 (Unauthorized)")
    page.goto("/sign-in?next=/account")
    sign_in(page, ANALYST, "nobody lives there")
    problem = page.get_by_role("alert")
    expect(problem).to_have_text("The user name or the password is wrong. Try again, or ask an admin.")
    expect(page.get_by_label("Name")).to_have_value(ANALYST)
    expect(page.get_by_label("Password")).to_have_value("")
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    at(page, house, "/account")


def test_nothing_is_sent_before_both_are_typed(page: Page, house: House) -> None:
    page.goto("/sign-in")
    page.get_by_label("Name").fill(ANALYST)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_label("Password")).to_be_focused()
    at(page, house, "/sign-in")


def test_where_the_server_does_not_answer_all_that_was_typed_is_still_there(page: Page, visitors: Visitors) -> None:
    visitors.forgive("ERR_INTERNET_DISCONNECTED")
    page.goto("/sign-in?next=/account")
    page.context.set_offline(True)
    sign_in(page, ANALYST)
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer. Your input is still here")
    expect(page.get_by_label("Name")).to_have_value(ANALYST)
    expect(page.get_by_label("Password")).to_have_value(PASSWORD)
    page.context.set_offline(False)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Account and settings")


def test_signed_out_is_signed_out_also_by_the_back_button(signed_in: SignedIn, house: House) -> None:
    page = signed_in(CONTROLLER)
    page.goto("/account")
    sign_out(page)
    at(page, house, "/sign-in")
    page.go_back()
    at(page, house, "/sign-in?next=%2Faccount")
    expect(page.get_by_role("banner")).not_to_contain_text(CONTROLLER)
    assert [cookie for cookie in page.context.cookies() if cookie.get("name") == "sfumato"] == []


@pytest.mark.parametrize("how", ["looking", "sending"])
def test_a_session_that_is_over_ends_at_the_door_and_one_comes_back(
    own_house: House, visitors: Visitors, how: str
) -> None:
    page = visitors.enter(own_house, ANALYST)
    page.goto("/account?page=1")
    own_house.end_sessions()
    if how == "looking":
        page.reload()
    else:
        visitors.forgive("401 (Unauthorized)")
        page.get_by_role("button", name="Create token").click()
    at(page, own_house, "/sign-in?next=%2Faccount%3Fpage%3D1")
    expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
    sign_in(page, ANALYST)
    at(page, own_house, "/account?page=1")


def test_a_session_in_another_browser_is_ended(own_house: House, visitors: Visitors) -> None:
    here, there = (visitors.enter(own_house, ANALYST, locale=each) for each in ("en-GB", "en-US"))
    there.goto("/account")
    here.goto("/account")
    sessions = here.get_by_role("region", name="Sessions", exact=True)
    expect(sessions.get_by_text("(this browser)")).to_have_count(1)
    here.get_by_role("button", name="End all other sessions").click()
    expect(here.get_by_role("button", name="End all other sessions")).to_have_count(0)
    expect(sessions.get_by_role("button")).to_have_count(0)
    there.reload()
    at(there, own_house, "/sign-in?next=%2Faccount")


def test_signed_out_in_one_tab_is_signed_out_in_the_other(
    signed_in: SignedIn, house: House, visitors: Visitors
) -> None:
    visitors.forgive("401 (Unauthorized)")
    one = signed_in(CONTROLLER)
    other = one.context.new_page()
    for tab in (one, other):
        tab.goto("/account")
    sign_out(one)
    at(one, house, "/sign-in")
    other.get_by_role("button", name="Create token").click()
    at(other, house, "/sign-in?next=%2Faccount")


def test_a_tab_of_whoever_was_there_before_does_nothing_in_anothers_name(
    signed_in: SignedIn, house: House, visitors: Visitors
) -> None:
    visitors.forgive("403 (Forbidden)")
    one = signed_in(CONTROLLER)
    other = one.context.new_page()
    other.goto("/account")
    one.goto("/sign-in?next=/account")
    sign_in(one, ANALYST)
    at(one, house, "/account")
    people = house.escrow.accounts
    before = people.tokens(people.one(ANALYST))
    other.get_by_role("button", name="Create token").click()
    expect(other.locator("#new-token").get_by_role("alert")).to_be_visible()
    assert people.tokens(people.one(ANALYST)) == before


def test_one_is_sent_nowhere_else(page: Page, house: House) -> None:
    """The address after signing in may have come by mail from anybody."""
    page.route(f"{house.url}/", lambda route: route.fulfill(content_type="text/html", body="<h1>The beginning</h1>"))
    for next_ in ELSEWHERE:
        page.context.clear_cookies()
        page.goto(f"/sign-in?next={quote(next_, safe='')}")
        sign_in(page, CONTROLLER)
        expect(page.get_by_role("heading", level=1), ascii(next_)).to_have_text("The beginning")
        at(page, house, "/")


def test_with_the_keyboard_alone(page: Page, house: House) -> None:
    page.goto("/sign-in?next=/account")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    tab_to(page, page.get_by_label("Name"))
    page.keyboard.type(ANALYST)
    tab_to(page, page.get_by_label("Password"))
    page.keyboard.type(PASSWORD)
    tab_to(page, page.get_by_role("button", name="Sign in", exact=True))
    page.keyboard.press("Space")
    at(page, house, "/account")
    tab_to(page, page.locator("#account summary"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="Sign out"))
    page.keyboard.press("Enter")
    at(page, house, "/sign-in")


def test_who_comes_in_with_one_click_begins_where_they_are_expected(page: Page, house: House) -> None:
    for guest in house.guests:
        path = f"{house.url}{guest.begins}"
        page.route(path, lambda route: route.fulfill(content_type="text/html", body="<h1>Expected</h1>"))
        page.goto("/sign-in")
        page.get_by_role("button", name=f"Continue as {guest.name}").click()
        at(page, house, guest.begins)


def test_light_or_dark_is_kept(signed_in: SignedIn) -> None:
    page = signed_in(ANALYST)
    page.emulate_media(color_scheme="light")
    page.goto("/account")
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_role("button", name="Switch between light and dark").click()
    dark = page.evaluate(paper)
    assert dark != light
    assert violations(page, "cat.color") == []
    page.reload()
    assert page.evaluate(paper) == dark
    page.get_by_role("button", name="Switch between light and dark").click()
    assert page.evaluate(paper) == light
