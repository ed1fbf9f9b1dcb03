"""Whatever people wrote comes out as text: on every page, nothing of it becomes an element or runs."""

from __future__ import annotations

from tests.web import pages
from tests.web.browser import Visitors
from tests.web.house import PLACES, House, markup
from tests.web.walk import seen

MADE = "img, iframe, base, object, marquee, [onerror], [onload], [onclick], svg[onload], [href^='javascript:' i]"


def test_no_page_makes_anything_of_it_and_it_is_shown_as_text(house: House, visitors: Visitors) -> None:
    """Each place where somebody wrote it is on some page, whole."""
    shown = ""
    for path in pages.ALL:
        for page, whose in seen(path, house, visitors):
            assert page.locator(MADE).count() == 0, whose
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            fields = page.locator("input, textarea").evaluate_all("all => all.map((one) => one.value)")
            shown += "\n".join([page.locator("body").inner_text(), *fields])
    assert [place for place in PLACES if markup(place) not in shown] == []


def test_the_attempts_would_succeed_elsewhere(visitors: Visitors, house: House) -> None:
    """On a page that takes them for HTML."""
    visitors.forgive("a dialog")
    page = visitors.enter(house)
    page.set_content(f"<p>{markup('elsewhere')}</p>")
    assert page.locator(MADE).count() == 4
