"""Whatever people wrote comes out as text. That nothing of it runs is held wherever pages are walked."""

from __future__ import annotations

from html.parser import HTMLParser

from tests.web import pages
from tests.web.browser import Visitors
from tests.web.house import PLACES, House, markup
from tests.web.walk import MADE


class Text(HTMLParser):
    """What stands on a page, and in its fields."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name == "value"]


def test_everything_that_people_wrote_is_shown_whole(house: House) -> None:
    text = Text()
    for path in pages.ALL:
        for view in pages.views(path, house):
            text.feed(view.html)
    assert [place for place in PLACES if not any(markup(place) in one for one in text.found)] == []


def test_it_would_be_made_into_elements_and_run_elsewhere(house: House, visitors: Visitors) -> None:
    """On a page that takes it for HTML."""
    page = visitors.enter(house)
    page.set_content(f"<p>{markup('elsewhere')}</p>")
    assert page.locator(MADE).count() == 5
    assert any(trouble.startswith("a dialog") for trouble in visitors.troubles)
    visitors.forgive("a dialog")
