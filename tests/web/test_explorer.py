"""The risk explorer in a browser: sliders look up, a look closes what it closes, and an approval releases once."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import CONTROLLER
from sfumato.presentation.escrow import dataset_view
from sfumato.presentation.wording import exploration_sentences as of_explorer
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import House


def waiting(page: Page, house: House) -> Page:
    page.goto(f"/requests/{house.request_in('submitted')}")
    expect(page.get_by_role("radio", name="Rehearsal")).to_be_enabled()
    return page


def chosen(page: Page, epsilon: str) -> None:
    expect(page.locator("#rows tr.current th")).to_have_text(epsilon)


def test_a_slider_changes_picture_table_and_words_and_nothing_that_is_decided(
    signed_in: SignedIn, house: House
) -> None:
    page = waiting(signed_in(CONTROLLER), house)
    chosen(page, "0.2")
    page.locator("#gap").press("ArrowRight")
    chosen(page, "0.25")
    expect(page.locator("#words")).to_contain_text("At epsilon 0.25, the person most at risk")
    expect(page.locator("#in")).to_have_text("57%")
    expect(page.locator("#thought-text")).to_have_text(of_explorer.A_THOUGHT)
    expect(page.locator("#make-rule")).to_have_attribute(
        "href", "/datasets/adult/policy?rule=%7B%22gap%22%3A1.25%2C%22worst_case%22%3Atrue%7D"
    )
    page.locator("#gap").press("ArrowLeft")
    chosen(page, "0.2")
    expect(page.locator("#thought")).to_be_hidden()


def test_sliders_never_call_the_server(signed_in: SignedIn, house: House) -> None:
    page = waiting(signed_in(CONTROLLER), house)
    called: list[str] = []
    page.on("request", lambda request: called.append(request.url))
    for kind in ("gap", "chance", "error", "epsilon"):
        page.locator(f"#{kind}").press("ArrowRight")
        page.locator(f"#{kind}").press("End")
    page.get_by_text("Rehearsal", exact=True).click()
    expect(page.locator("#source")).to_contain_text("synthetic data")
    page.get_by_text("Histogram", exact=True).click()
    expect(page.locator("#picture-title")).to_have_text("People by exposure")
    assert called == []


def test_an_approval_is_of_the_request_as_it_stands_and_releases_once(visitors: Visitors, own_house: House) -> None:
    page = waiting(visitors.enter(own_house, CONTROLLER), own_house)
    page.locator("#gap").press("ArrowRight")
    page.locator("h1").click()
    page.keyboard.press("a")
    page.locator("#approve-dialog button.primary").dblclick()
    expect(page.locator("#status .word")).to_have_text("released")
    expect(page.locator("#status-text")).to_contain_text("charged epsilon 0.2.")
    expect(page.get_by_role("link", name="Certificate")).to_be_visible()
    escrow = own_house.escrow
    total = dataset_view.ledger(escrow.datasets.ledger(escrow.accounts.one(CONTROLLER), "adult")).spent
    assert total == 0.4, "this one, and the one before"
