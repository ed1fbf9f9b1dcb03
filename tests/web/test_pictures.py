"""Names in pictures: Plotly reads some tags in whatever it writes, and is given none."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import expect

from sfumato.cli.local.demo_server import CONTROLLER
from tests.web.browser import Visitors
from tests.web.house import House

LINK = '<a href="https://elsewhere.test/">days</a>'


def test_a_column_that_is_called_like_a_link_is_none_in_a_picture(visitors: Visitors, own_house: House) -> None:
    schema = f'name = "linked"\n[columns.\'{LINK}\']\ntype = "integer"\nbounds = [0, 60]\n'
    own_house.escrow.datasets.register(own_house.escrow.accounts.one(CONTROLLER), schema)
    asked = 'SELECT SUM("{}") FROM linked'.format(LINK.replace('"', '""'))
    page = visitors.enter(own_house, CONTROLLER)
    page.goto(f"/datasets/linked/sharing?sql={quote(asked)}")
    title = page.locator("#curve-heading + span")
    expect(title).to_contain_text(LINK)
    expect(page.locator("section:has(#curve) a")).to_have_count(0)
