"""From a file to a released answer and its certificate, in two people's browsers, by clicks alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import ANALYST, BOARD, CONTROLLER
from sfumato.presentation.wording import introduction as of_introduction
from tests.web.browser import Visitors, follow
from tests.web.conftest import HouseOf
from tests.web.house import House, Plan

WARDS = ("cardiology", "surgery")
SQL = "SELECT ward, SUM(days) AS days FROM stays GROUP BY ward"
PURPOSE = "How many beds each ward needs next year."


@pytest.fixture
def own_house(empty_plan: Plan, house_of: HouseOf) -> House:
    """On its first morning, to be changed."""
    return house_of(empty_plan)


@pytest.fixture
def stays(tmp_path: Path) -> Path:
    """400 patients, each in one row."""
    rows = [f"{WARDS[i % 2]},{i % 30}" for i in range(400)]
    (file := tmp_path / "stays.csv").write_text("\n".join(["ward,days", *rows, ""]))
    return file


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def go_on(page: Page) -> None:
    page.get_by_role("button", name="Next", exact=True).click()


def chosen(page: Page, stays: Path) -> None:
    """The first three steps of registering a table."""
    page.get_by_label("CSV or Parquet file").set_input_files(stays)
    expect(page.locator("#file-read")).to_have_text("2 columns: ward, days")
    expect(page.get_by_label("Name in SQL")).to_have_value("stays")
    page.get_by_label("Title", exact=True).fill("Stays of one year")
    go_on(page)
    expect(page.get_by_role("heading", name="2 Privacy unit")).to_be_focused()
    go_on(page)
    page.get_by_label("ward group keys").fill(", ".join(WARDS))
    page.get_by_label("days lowest").fill("0")
    page.get_by_label("days highest").fill("60")


def registered(page: Page, stays: Path) -> None:
    follow(page, "Register a table")
    chosen(page, stays)
    go_on(page)
    page.get_by_label("Purpose").fill("planning of beds")
    page.get_by_label(BOARD, exact=True).check()
    page.get_by_label("Kind of rule").select_option("gap")
    go_on(page)
    expect(page.locator("#policy-sentences")).to_contain_text(f"{BOARD} may request")
    page.get_by_role("button", name="Register", exact=True).click()
    heading(page, "Stays of one year")


def asked(page: Page) -> None:
    """What the question is, and what for."""
    page.locator(".editor").get_by_role("textbox", name="SQL of query 1").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(SQL)
    page.get_by_label("Purpose").fill(PURPOSE)


def introduced(page: Page) -> None:
    """All questions are answered right."""
    heading(page, "Introduction for controllers")
    while page.get_by_role("button", name="Next").is_visible():
        page.get_by_role("button", name="Next").click()
    for number, question in enumerate(of_introduction.QUIZ):
        page.locator(f"#question-{number}").get_by_label(question.choices[question.right]).check()
    page.get_by_role("button", name="Check answers").click()
    follow(page, "Continue")


def test_from_a_file_to_an_answer_and_its_certificate(own_house: House, visitors: Visitors, stays: Path) -> None:
    visitors.forgive("409 (Conflict)", "ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
    clara, arthur = visitors.enter(own_house, CONTROLLER), visitors.enter(own_house, ANALYST)

    clara.goto("/datasets")
    registered(clara, stays)

    arthur.goto("/catalogue")
    follow(arthur, "Write request to stays")
    asked(arthur)

    own_house.close()  # the server goes, and comes back
    arthur.get_by_role("button", name="Submit").click()
    expect(arthur.locator("#refused")).to_contain_text("The server does not answer")
    own_house.open()
    arthur.reload()
    expect(arthur.get_by_role("textbox", name="SQL of query 1")).to_contain_text("SELECT ward")
    expect(arthur.get_by_label("Purpose")).to_have_value(PURPOSE)
    arthur.get_by_role("button", name="Submit").click()
    heading(arthur, "Request 1: stays")
    expect(arthur.locator("#state")).to_have_text("submitted")

    follow(clara, "Inbox")
    expect(clara.get_by_role("row", name=PURPOSE)).to_contain_text("#1 ")
    follow(clara, PURPOSE)
    clara.get_by_label("Note to the analyst").fill("For the plan of beds.")
    follow(clara, "Approve after the introduction (3 minutes)")
    introduced(clara)
    expect(clara.get_by_label("Note to the analyst")).to_have_value("For the plan of beds.")
    clara.get_by_role("button", name="Approve epsilon").click()
    expect(clara.locator("#status")).to_contain_text("Released, charged epsilon")
    follow(clara, "Certificate")
    heading(clara, "Certificate of request 1")

    expect(arthur.get_by_role("heading", name="Answer", exact=True)).to_be_visible()  # it came by itself
    answer = arthur.get_by_role("region", name="Answer 1")
    for ward in WARDS:
        expect(answer.get_by_role("rowheader", name=ward)).to_be_visible()
    follow(arthur, "Certificate")
    expect(arthur.get_by_role("article")).to_contain_text("Guarantee: dp")
    expect(arthur.get_by_role("article")).to_contain_text(SQL)


def test_the_back_button_goes_one_step_back_and_loses_nothing(
    own_house: House, visitors: Visitors, stays: Path
) -> None:
    page = visitors.enter(own_house, CONTROLLER)
    page.goto("/register")
    chosen(page, stays)
    go_on(page)
    page.get_by_label("Purpose").fill("planning of beds")
    page.go_back()
    expect(page.get_by_role("heading", name="3 Columns")).to_be_visible()
    expect(page.get_by_label("days highest")).to_have_value("60")
    page.go_forward()
    expect(page.get_by_label("Purpose")).to_have_value("planning of beds")
    page.reload()
    expect(page.locator("#draft")).to_contain_text("Your draft was restored")
    expect(page.get_by_label("Purpose")).to_have_value("planning of beds")
    page.go_back()
    page.go_back()
    page.go_back()
    expect(page.get_by_label("Title", exact=True)).to_have_value("Stays of one year")
    assert own_house.escrow.datasets.many(own_house.escrow.accounts.one(CONTROLLER)) == []


def test_a_column_of_people_asks_how_many_of_their_rows_count(
    own_house: House, visitors: Visitors, stays: Path
) -> None:
    visitors.forgive("422", "400")
    page = visitors.enter(own_house, CONTROLLER)
    page.goto("/register")
    page.get_by_label("CSV or Parquet file").set_input_files(stays)
    go_on(page)
    page.locator('[name="unit"][value="column"]').check()
    page.get_by_label("Column that identifies a person").select_option("ward")
    go_on(page)
    expect(page.locator('[data-place="max_rows"] .problem')).to_contain_text("does not limit how many rows")
    page.get_by_label("Maximum rows of one person").fill("4")
    page.get_by_label("Maximum groups of one person").fill("2")
    go_on(page)
    expect(page.get_by_role("heading", name="3 Columns")).to_be_visible()
