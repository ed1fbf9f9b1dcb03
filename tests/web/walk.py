"""Through pages, as each who sees them in another way. Nothing on them was made of what people wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from playwright.sync_api import Page, expect

from tests.web.browser import Visitors
from tests.web.house import House
from tests.web.pages import View

MADE = "img, iframe, object, [onerror], [onload], [onclick], [href^='javascript:' i], script:not([src]):not(#facts)"


def seen(views: Iterable[View], house: House, visitors: Visitors, script: str = "") -> Iterator[tuple[Page, View]]:
    """Each view in the browser of whose it is, once nothing on it is at work.

    The script, if there is one, runs before those of the page.
    """
    opened: dict[str | None, Page] = {}
    for view in views:
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
        yield page, view
