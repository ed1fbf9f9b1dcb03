"""An answer in a browser: two figures compared, a conclusion tested, and its chart as a picture."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from sfumato.cli.local.demo_server import ANALYST
from tests.web.axe import violations
from tests.web.browser import Visitors
from tests.web.house import House

PNG = b"\x89PNG\r\n\x1a\n"


def test_an_answer_is_compared_tested_and_downloaded(own_house: House, visitors: Visitors) -> None:
    page = visitors.enter(own_house, ANALYST)
    page.goto(f"/requests/{own_house.request_in('released')}")
    expect(page.locator(".estimates svg.dots circle")).to_have_count(2)

    page.get_by_label("First figure").select_option(label="Male · people")
    page.get_by_label("Second figure").select_option(label="Female · people")
    page.get_by_role("button", name="Compare").click()
    compared = page.locator("#compared li").first
    expect(compared).to_contain_text("Is Male · people above Female · people?")
    expect(compared).to_contain_text(re.compile(r"Difference [−\d,]+, 90% interval [−\d,]+ to [−\d,]+\."))
    expect(compared.locator("svg.chart circle")).to_have_count(1)

    page.get_by_label("Row of the conclusion").select_option(label="Male · people")
    page.get_by_label("Conclusion", exact=True).select_option("is above Female")
    page.get_by_role("button", name="Test conclusion").click()
    tested = page.locator("#conclusions li").last
    expect(tested).to_contain_text("people: Male above Female")
    expect(tested).to_contain_text(re.compile(r"(Yes|No), and the same in [\d.]+% of the draws"))

    page.get_by_text("Download", exact=True).click()
    with page.expect_download() as picture:
        page.get_by_role("button", name="Chart of people as PNG").click()
    assert picture.value.path().read_bytes().startswith(PNG)
    with page.expect_download() as picture:
        page.get_by_role("link", name="Chart of people as SVG").click()
    assert picture.value.path().read_text("utf-8").startswith("<svg")
    assert violations(page) == []
