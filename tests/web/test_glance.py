"""Deciding at a glance: three clicks, no scrolling, and a page of few bytes."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, ViewportSize, expect

from bench.target import PAGE_KB, PAGE_REQUESTS, WARM_KB
from sfumato.cli.local.demo_server import CONTROLLER, PASSWORD
from tests.web.browser import Visitors
from tests.web.house import House

DESK = ViewportSize(width=1280, height=800)


def is_in_view(what: Locator) -> None:
    """All of it, and nothing was scrolled."""
    expect(what).to_be_in_viewport(ratio=1)
    assert what.page.evaluate("scrollY") == 0


def click(what: Locator) -> None:
    is_in_view(what)
    what.click()


def test_a_controller_decides_in_three_clicks_without_scrolling(own_house: House, visitors: Visitors) -> None:
    page = visitors.enter(own_house, viewport=DESK)
    page.goto("/")
    page.get_by_label("Name").fill(CONTROLLER)
    page.get_by_label("Password").fill(PASSWORD)
    click(page.get_by_role("button", name="Sign in", exact=True))
    click(page.locator("#requests .open").first)
    for part in ("#bar-facts", "#note", "#refuse", "#return", "#verdict", "#plot"):
        is_in_view(page.locator(part))
    click(page.locator("#approve"))
    expect(page.locator("#status")).to_contain_text("Released, charged epsilon")


def test_the_page_of_a_request_is_light(house: House, visitors: Visitors) -> None:
    """As it comes over the wire: compressed, and again when the browser has the static files."""
    page = visitors.enter(house, CONTROLLER, viewport=DESK)
    for kilobytes in (PAGE_KB, WARM_KB):
        sent = fetched(page, f"/requests/{house.request_in('submitted')}")
        assert sum(sent) <= 1000 * kilobytes
        assert len(sent) <= PAGE_REQUESTS


def fetched(page: Page, address: str) -> list[float]:
    """Bytes from each address; an icon may come late, after the visit that asked for it."""
    wire, asked, sent = page.context.new_cdp_session(page), dict[str, str](), dict[str, float]()
    wire.on("Network.requestWillBeSent", lambda told: asked.update({told["requestId"]: told["request"]["url"]}))
    wire.on(
        "Network.loadingFinished",
        lambda told: sent.update({asked.get(told["requestId"], "late"): told["encodedDataLength"]}),
    )
    wire.send("Network.enable")
    page.goto(address, wait_until="networkidle")
    wire.detach()
    sent.pop("late", None)
    assert sent
    return [*sent.values()]
