"""The typeface: pages are drawn in the one that ships, whatever the machine has, and can be read without it."""

from __future__ import annotations

from playwright.sync_api import Page, Route

from tests.web.browser import Visitors
from tests.web.house import House


def typefaces(page: Page, selector: str) -> set[tuple[str, bool]]:
    """Fonts that the browser drew the text of an element with, and whether the page brought them."""
    wire = page.context.new_cdp_session(page)
    wire.send("DOM.enable")
    wire.send("CSS.enable")
    root = wire.send("DOM.getDocument")["root"]["nodeId"]
    node = wire.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    fonts = wire.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    return {(str(font["familyName"]), bool(font["isCustomFont"])) for font in fonts}


def test_text_is_drawn_in_the_typeface_that_ships(page: Page) -> None:
    page.goto("/sign-in")
    page.evaluate("document.fonts.ready")
    for selector in ("h1", "label", ".button", ".brand"):
        assert typefaces(page, selector) == {("Inter", True)}, selector


def test_a_page_can_be_read_without_the_typeface(visitors: Visitors, house: House) -> None:
    visitors.forgive("net::ERR_FAILED")
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.abort()

    visitors.on_the_way("**/*.woff2", refuse)
    page = visitors.enter(house)
    page.goto("/sign-in")
    page.evaluate("document.fonts.ready")
    assert asked
    drawn = typefaces(page, "h1")
    assert drawn
    assert not any(shipped for _, shipped in drawn)
