"""Every page, for everybody who sees it: what axe finds in it, light and dark, full, empty and out of order."""

from __future__ import annotations

import json
from itertools import chain, islice
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import ANALYST, CONTROLLER
from tests.depth import depth
from tests.web import pages
from tests.web.axe import violations
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import PEOPLE, House
from tests.web.walk import seen

THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
OUT_OF_ORDER = {
    "type": "about:blank",
    "title": "Out of order",
    "status": 500,
    "code": "internal",
    "detail": "Something failed",
    "hint": "try again.",
    "where": "",
}
# Instead of a route, with which the browser would not use its cache.
_FAILS = (
    f"const problem = {json.dumps(OUT_OF_ORDER)};"
    + """
  const reached = window.fetch;
  window.failed = 0;
  window.fetch = async (url, how) => {
    if (!String(url).startsWith("/api/v1/")) return reached(url, how);
    window.failed += 1;
    const headers = { "Content-Type": "application/problem+json" };
    return new Response(JSON.stringify(problem), { status: 500, headers });
  };
"""
)
# Plots follow the width of the window some frames later.
_WIDTH = """async () => {
  const width = () => document.documentElement.scrollWidth;
  for (let frame = 0; frame < 600 && width() > 400; frame += 1) await new Promise(requestAnimationFrame);
  return width();
}"""
_TYPEFACE = "document.fonts.ready.then((fonts) => [...fonts].find((face) => face.family === 'Inter').status)"
# Each letter of DejaVu Sans, the widest of the usual fallbacks, bold included, is wider than Inter's by less than
# 0.15 em. The style sheet is one that the content security policy lets a test add.
_WIDEN = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { letter-spacing: .2em !important; }");
  document.adoptedStyleSheets.push(sheet);
}"""


def is_well_made(page: Page, whose: str) -> None:
    """In a second theme nothing changes but the colours."""
    assert violations(page) == [], whose
    for theme in THEMES[1 : depth("themes")]:
        page.emulate_media(color_scheme=theme)
        assert violations(page, "cat.color") == [], f"{whose}, {theme}"


def fits_a_phone(page: Page, whose: str) -> None:
    """In the typeface that ships, then with wider letters: a browser may draw with another typeface."""
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate(_TYPEFACE) == "loaded"
    assert page.evaluate(_WIDTH) <= 400, whose
    page.evaluate(_WIDEN)
    assert page.evaluate(_WIDTH) <= 400, f"{whose}, with wide letters"


def is_deep() -> bool:
    """Whether axe also checks a view with the same kinds of elements as one that it has checked."""
    return depth("themes") > 1


@pytest.mark.depth("themes")
@pytest.mark.parametrize("who", [*PEOPLE, None], ids=str)
def test_every_page(who: str | None, house: House, visitors: Visitors) -> None:
    """It is also no wider than a telephone."""
    every = [pages.different(pages.views(path, house)) for path in pages.ALL]
    checked = every if is_deep() else [pages.adding(views) for views in every]
    for page, view in seen((view for view in chain(*every) if view.who == who), house, visitors):
        if view in chain(*checked):
            is_well_made(page, str(view))
        fits_a_phone(page, str(view))


def test_a_population_is_named_on_a_phone(own_house: House, visitors: Visitors) -> None:
    page = visitors.enter(own_house, CONTROLLER)
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto("/datasets/adult/data")
    expect(page.get_by_text("has the same rows as")).to_be_visible()
    name = "people-of-one-year" * 11
    page.get_by_label("Name of the population").fill(name)
    page.get_by_role("button", name="Save population").click()
    expect(page.get_by_role("definition").filter(has_text=name)).to_be_visible()
    assert violations(page) == []
    fits_a_phone(page, "a population")


@pytest.mark.depth("empty views")
def test_every_page_on_the_first_morning(house: House, empty_house: House, visitors: Visitors) -> None:
    every, checked = [], []
    for path in pages.WITHOUT_NAMES:
        views = pages.different(pages.views(path, empty_house))[: depth("empty views")]
        every += views
        checked += views if is_deep() else pages.adding(views, pages.views(path, house))
    for page, view in seen(every, empty_house, visitors):
        if view in checked:
            assert violations(page) == [], view
    assert checked


@pytest.mark.depth("failing pages")
def test_pages_when_all_that_they_ask_for_fails(house: House, visitors: Visitors) -> None:
    """A page that asks for nothing by itself is the one that was looked at already."""
    paths = sorted(pages.ALL, key=lambda path: path != "/requests/{id}")  # the explorer asks for most
    every = chain.from_iterable(pages.different(pages.views(path, house)) for path in paths)
    asking = ((page, view) for page, view in seen(every, house, visitors, _FAILS) if page.evaluate("failed"))
    checked = 0
    for page, view in islice(asking, depth("failing pages")):
        assert violations(page) == [], view
        checked += 1
    assert checked


@pytest.mark.depth("themes")
def test_what_is_not_there(signed_in: SignedIn, visitors: Visitors) -> None:
    visitors.forgive("404 (")
    page = signed_in(ANALYST)
    for path in ("/nowhere", "/datasets/nowhere/ask", "/requests/nowhere"):
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 404
        is_well_made(page, path)


@pytest.mark.depth("themes")
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
