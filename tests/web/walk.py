"""Through every page, as each who sees it in another way. Nothing on it was made of what people wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

from tests.web import pages
from tests.web.browser import Visitors
from tests.web.house import House

MADE = "img, iframe, object, [onerror], [onload], [onclick], [href^='javascript:' i], script:not([src]):not(#facts)"


def seen(path: str, house: House, visitors: Visitors, **how: Any) -> Iterator[tuple[Page, str]]:
    """A page as each who sees it in another way, once nothing on it is at work; and whose it is."""
    opened: dict[str | None, Page] = {}
    for view in pages.different(pages.views(path, house)):
        page = opened.get(view.who) or visitors.enter(house, view.who, **how)
        opened[view.who] = page
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(view.path)
        page.wait_for_function("document.querySelector('[aria-busy=true]') === null")
        assert page.locator(MADE).count() == 0, view.path
        yield page, f"{view.path} of {view.who}"
