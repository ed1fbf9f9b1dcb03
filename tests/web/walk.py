"""Through every page, as each who sees it in another way. Nothing on it was made of what people wrote."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.web import pages
from tests.web.browser import Visitors
from tests.web.house import House

MADE = "img, iframe, object, [onerror], [onload], [onclick], [href^='javascript:' i], script:not([src]):not(#facts)"


def seen(path: str, house: House, visitors: Visitors, script: str = "") -> Iterator[tuple[Page, str]]:
    """A page as each who sees it in another way, once nothing on it is at work; and whose it is.

    The script, if there is one, runs before those of the page.
    """
    opened: dict[str | None, Page] = {}
    for view in pages.different(pages.views(path, house)):
        if view.who not in opened:
            opened[view.who] = visitors.enter(house, view.who)
            if script:
                opened[view.who].add_init_script(script)
        page = opened[view.who]
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(view.path)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert page.locator(MADE).count() == 0, view.path
        yield page, f"{view.path} of {view.who}"
