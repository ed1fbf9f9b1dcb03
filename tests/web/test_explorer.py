"""The risk explorer in a browser: sliders look up, a look closes what it closes, and an approval releases once."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import CONTROLLER, PASSWORD, POLICY, WAITING
from sfumato.presentation.escrow import dataset_view
from sfumato.presentation.wording import exploration_sentences as of_explorer
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import House


def waiting(page: Page, house: House) -> Page:
    page.goto(f"/requests/{house.request_in('submitted')}")
    expect(page.get_by_role("radio", name="Rehearsal")).to_be_enabled()
    return page


def previewed(page: Page, epsilon: str) -> None:
    expect(page.locator("#rows tr.is-preview th")).to_have_text(f"{epsilon} Preview")
    expect(page.locator("#plot .ghost")).to_be_visible()


def is_as_submitted(page: Page) -> None:
    """Whatever is previewed, the bar, the filled point and the marked row are the request's."""
    expect(page.locator("#bar-facts dd")).to_have_text(["epsilon 0.2", "±1,151", "at most 55%"])
    expect(page.locator("#approve")).to_have_text("Approve epsilon 0.2 A")
    expect(page.locator("#rows tr.is-request th")).to_have_text("0.2 Requested")


def test_a_slider_moves_the_preview_and_nothing_that_is_decided(signed_in: SignedIn, house: House) -> None:
    page = waiting(signed_in(CONTROLLER), house)
    is_as_submitted(page)
    expect(page.locator("#preview-actions")).to_be_hidden()
    page.locator("#gap").press("ArrowRight")
    previewed(page, "0.25")
    expect(page.locator("#preview")).to_contain_text("Epsilon 0.25, over the limit: ±921")
    expect(page.locator("#words")).to_contain_text("At epsilon 0.25, the person most at risk")
    expect(page.locator("#in")).to_have_text("57%")
    expect(page.locator("#make-rule")).to_have_attribute(
        "href", "/datasets/adult/policy?rule=%7B%22gap%22%3A1.25%2C%22worst_case%22%3Atrue%7D"
    )
    is_as_submitted(page)
    page.get_by_role("button", name="Propose this to the analyst").click()
    expect(page.get_by_label("Requested changes")).to_have_value(
        "Please submit it again with this preference: gap = 1.25, worst_case = true."
    )
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("#rows tr.is-preview")).to_have_count(0)
    expect(page.locator("#plot .ghost")).to_have_count(0)
    expect(page.locator("#preview")).to_have_text(of_explorer.PREVIEW)


def test_no_view_and_no_source_changes_the_criterion_or_calls_the_server(signed_in: SignedIn, house: House) -> None:
    page = waiting(signed_in(CONTROLLER), house)
    called: list[str] = []
    page.on("request", lambda request: called.append(request.url))
    for kind in ("chance", "error", "epsilon", "gap"):
        page.get_by_label("Set the").select_option(kind)
        page.locator(f"#{kind}").press("End")
    page.locator("#gap").fill("6")
    previewed(page, "0.25")
    for source in ("Rehearsal", "Worst case"):
        page.get_by_text(source, exact=True).click()
        for view in ("Risk range", "Histogram", "Answer", "Risk against noise"):
            page.get_by_text(view, exact=True).click()
            expect(page.locator("#plot")).to_have_attribute("aria-label", re.compile(f"^{view}"))
            expect(page.locator("#gap-value")).to_have_text("1.25×")
            expect(page.locator("#kind")).to_have_value("gap")
            is_as_submitted(page)
    previewed(page, "0.25")
    assert called == []


def test_the_range_of_risk_has_its_figures_in_the_table(signed_in: SignedIn, house: House) -> None:
    page = waiting(signed_in(CONTROLLER), house)
    page.goto(f"{page.url}?epsilons=0.5,+1.5")
    page.get_by_text("Risk range", exact=True).click()
    expect(page.locator("#cell-head")).to_have_text("RDR, lowest to highest")
    expect(page.locator("#rows th")).to_have_text(["0.2 Requested", "0.5", "1.5"])
    expect(page.locator("#rows tr").nth(1).locator("td").first).to_have_text(re.compile(r"^[\d,]+ to [\d,]+$"))
    expect(page.locator("#plot rect.box")).to_have_count(3)


def test_the_range_of_any_group_of_the_answer_is_drawn(signed_in: SignedIn, house: House) -> None:
    page = waiting(signed_in(CONTROLLER), house)
    page.get_by_text("Rehearsal", exact=True).click()
    page.get_by_text("Answer", exact=True).click()
    page.get_by_label("Group").select_option(label="Divorced · hours")
    expect(page.locator("#cell-head")).to_have_text("Divorced · hours")
    expect(page.locator("#plot .ival")).not_to_have_count(0)
    page.get_by_text("Histogram", exact=True).click()
    expect(page.locator("#plot")).to_contain_text("RDR at epsilon 0.2")
    page.locator("#gap").press("ArrowRight")
    expect(page.locator("#plot .bar").first).to_be_visible()


def test_three_clicks_from_signing_in_decide_without_scrolling(visitors: Visitors, own_house: House) -> None:
    """At 1280 by 800: sign in, open the request, approve. The bar, the verdict and the chart are in view."""
    page = visitors.enter(own_house, viewport={"width": 1280, "height": 800})
    page.goto("/sign-in")
    page.get_by_label("Name").fill(CONTROLLER)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name=WAITING[1]).click()
    for part in ("#bar", "#verdict", "#plot svg"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= 800, part
    page.locator("#approve").click()
    expect(page.locator("#status .word")).to_have_text("released")
    assert page.evaluate("scrollY") == 0


def test_an_introduction_that_is_due_is_announced_and_no_note_is_lost(visitors: Visitors, own_house: House) -> None:
    clara = own_house.escrow.accounts.one(CONTROLLER)
    own_house.escrow.policies.set(clara, "adult", POLICY | {"introduction": True})
    page = waiting(visitors.enter(own_house, CONTROLLER), own_house)
    page.get_by_label("Note to the analyst").fill("For the yearly report.")
    page.get_by_role("link", name="Approve after the introduction (3 minutes)").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("ntroduction")
    page.go_back()
    expect(page.get_by_label("Note to the analyst")).to_have_value("For the yearly report.")


def test_an_approval_is_of_the_request_as_it_stands_and_releases_once(visitors: Visitors, own_house: House) -> None:
    page = waiting(visitors.enter(own_house, CONTROLLER), own_house)
    page.locator("#gap").press("ArrowRight")
    page.locator("h1").click()
    page.keyboard.press("a")
    page.keyboard.press("a")
    expect(page.locator("#status .word")).to_have_text("released")
    expect(page.locator("#status-text")).to_contain_text("charged epsilon 0.2.")
    expect(page.get_by_role("link", name="Certificate")).to_be_visible()
    escrow = own_house.escrow
    total = dataset_view.ledger(escrow.datasets.ledger(escrow.accounts.one(CONTROLLER), "adult")).spent
    assert total == 0.4, "this one, and the one before"
