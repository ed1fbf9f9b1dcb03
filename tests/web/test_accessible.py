"""Every page, for everybody who sees it: what axe finds in it, light and dark, full, empty and out of order."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from playwright.sync_api import Page, Route

from sfumato.cli.open_house import ANALYST, CONTROLLER
from tests.depth import depth
from tests.web import pages
from tests.web.axe import violations
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import House
from tests.web.walk import seen

OUT_OF_ORDER = {
    "type": "about:blank",
    "title": "Out of order",
    "status": 500,
    "code": "internal",
    "detail": "Something failed",
    "hint": "try again.",
    "where": "",
}
_TYPEFACE = "document.fonts.ready.then((fonts) => [...fonts].find((face) => face.family === 'Inter').status)"
# Each letter of DejaVu Sans, the widest of the usual fallbacks, bold included, is wider than Inter's by less than
# 0.15 em. The style sheet is one that the content security policy lets a test add.
_WIDEN = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { letter-spacing: .2em !important; }");
  document.adoptedStyleSheets.push(sheet);
}"""


def is_well_made(page: Page, whose: str) -> None:
    """In the dark nothing changes but the colours."""
    assert violations(page) == [], whose
    page.emulate_media(color_scheme="dark")
    assert violations(page, "cat.color") == [], f"{whose}, dark"


def fits_a_phone(page: Page, whose: str) -> None:
    """In the typeface that ships, then with wider letters: a browser may draw with another typeface."""
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate(_TYPEFACE) == "loaded"
    assert _width(page) <= 400, whose
    page.evaluate(_WIDEN)
    assert _width(page) <= 400, f"{whose}, with wide letters"


def _width(page: Page) -> int:
    """Width of the document. Plots follow the window's width a moment later."""
    patience = 50
    while (width := int(page.evaluate("document.documentElement.scrollWidth"))) > 400 and (patience := patience - 1):
        page.wait_for_timeout(100)
    return width


@pytest.mark.parametrize("path", pages.ALL)
def test_every_page(path: str, house: House, visitors: Visitors) -> None:
    """It is also no wider than a telephone."""
    for page, whose in seen(path, house, visitors):
        is_well_made(page, whose)
        fits_a_phone(page, whose)


@pytest.mark.depth("views out of order")
@pytest.mark.parametrize("path", pages.WITHOUT_NAMES)
def test_every_page_on_the_first_morning(path: str, empty_house: House, visitors: Visitors) -> None:
    for page, whose in islice(seen(path, empty_house, visitors), depth("views out of order")):
        assert violations(page) == [], whose


@pytest.mark.depth("views out of order")
@pytest.mark.parametrize("path", pages.ALL)
def test_every_page_when_all_that_it_asks_for_fails(path: str, house: House, visitors: Visitors) -> None:
    visitors.forgive("500 (Internal Server Error)")
    asked: list[str] = []

    def fails(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=500, content_type="application/problem+json", body=json.dumps(OUT_OF_ORDER))

    visitors.on_the_way("**/api/v1/**", fails)
    for page, whose in islice(seen(path, house, visitors), depth("views out of order")):
        if asked:  # else it is the page that was looked at already
            assert violations(page) == [], whose
        asked.clear()


@pytest.mark.parametrize(
    ("who", "path", "status"),
    [(CONTROLLER, "/nowhere", 404), (ANALYST, "/datasets/nowhere/ask", 404), (ANALYST, "/requests/nowhere", 404)],
)
def test_what_is_not_there(signed_in: SignedIn, visitors: Visitors, who: str, path: str, status: int) -> None:
    visitors.forgive(f"{status} (")
    page = signed_in(who)
    answer = page.goto(path)
    assert answer is not None
    assert answer.status == status
    is_well_made(page, path)


def test_what_went_wrong_while_signing_in(page: Page, visitors: Visitors) -> None:
    visitors.forgive("401 (Unauthorized)")
    page.goto("/sign-in")
    page.get_by_label("Name").fill(ANALYST)
    page.get_by_label("Password").fill("nobody lives there")
    page.get_by_label("Password").press("Enter")
    page.get_by_role("alert").wait_for()
    is_well_made(page, "sign-in")


def test_axe_finds_what_is_wrong(page: Page) -> None:
    page.goto("/sign-in")
    page.evaluate("document.querySelector('label').remove()")
    assert [one.partition(" ")[0] for one in violations(page)] == ["label"]
