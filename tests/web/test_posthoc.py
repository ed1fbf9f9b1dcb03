"""Post-hoc risk in a browser: a look of the controller, after a button is pressed, and measured at four widths."""

from __future__ import annotations

from playwright.sync_api import expect

from sfumato.cli.local.demo_server import ANALYST, CONTROLLER
from tests.web.browser import Visitors
from tests.web.house import House
from tests.web.test_boxes import measured


def test_a_controller_views_it_and_it_is_logged(own_house: House, visitors: Visitors) -> None:
    visitors.forgive("willReadFrequently", "GPU stall")
    page = visitors.enter(own_house, CONTROLLER)
    visitors.forgive("422")  # of a condition that cannot be read
    looks, released = own_house.entered("looked"), own_house.request_in("released")
    page.goto(f"/requests/{released}")
    page.get_by_role("link", name="Post-hoc risk").click()
    expect(page.locator("#asked")).to_contain_text("This looks at the data and is logged")
    assert own_house.entered("looked") == looks, "nothing is read before the button is pressed"
    page.get_by_label("Compare people for whom").fill("age >")
    page.get_by_role("button", name="View post-hoc risk (logged)").click()
    expect(page.locator("#asked .problem")).to_be_visible()
    page.get_by_label("Compare people for whom").fill("age > 60")
    page.get_by_role("button", name="View post-hoc risk (logged)").click()
    expect(page.locator("#found")).to_contain_text("Median PRI where “age > 60”")
    expect(page.locator("#plot svg").first).to_be_visible()
    page.locator("summary", has_text="Percentiles").click()
    expect(page.locator("#percentiles")).to_contain_text("least")
    assert own_house.entered("looked") == looks + 1
    assert measured(page, "post-hoc risk, shown") == []
    analyst = own_house.get(f"/requests/{released}/posthoc-risk", ANALYST)
    assert analyst.status_code == 403
