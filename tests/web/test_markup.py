"""Whatever people wrote comes out as text: on every page, nothing of it becomes an element or runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.web import pages
from tests.web.browser import Visitors
from tests.web.house import ATTEMPTS, PLACES, House, markup

MADE = "img, iframe, base, object, marquee, [onerror], [onload], [onclick], svg[onload], [href^='javascript:' i]"


def opened(path: str, house: House, visitors: Visitors) -> list[tuple[Page, str]]:
    """A page as each who sees it in another way, with all that is folded on it shown."""
    found = []
    for view in pages.different(pages.views(path, house)):
        page = visitors.enter(house, view.who)
        page.on("dialog", lambda dialog: visitors.troubles.append(f"a dialog: {dialog.message}"))
        page.goto(view.path)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found.append((page, f"{view.path} of {view.who}"))
    return found


@pytest.mark.parametrize("path", pages.ALL)
def test_no_page_makes_anything_of_it(path: str, house: House, visitors: Visitors) -> None:
    for page, whose in opened(path, house, visitors):
        assert page.locator(MADE).count() == 0, whose
        assert "77/7" not in page.content() or "{{" in page.content(), whose


def test_it_is_shown_as_text(house: House, visitors: Visitors) -> None:
    """Each place where somebody wrote it is on some page, whole."""
    shown = ""
    for path in pages.ALL:
        for page, _ in opened(path, house, visitors):
            fields = page.locator("input, textarea").evaluate_all("all => all.map((one) => one.value)")
            shown += page.locator("body").inner_text() + "\n".join(fields)
    assert [place for place in PLACES if markup(place) not in shown] == []


def test_the_attempts_would_succeed_elsewhere(visitors: Visitors, house: House) -> None:
    """On a page that takes them for HTML."""
    page = visitors.enter(house)
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.set_content(f"<p>{markup('elsewhere')}</p>")
    assert page.locator(MADE).count() > 2
    assert len(ATTEMPTS) > 4
