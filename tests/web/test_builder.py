"""A question without SQL: built by clicks, from the public schema; templates and saved queries."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import ANALYST, CONTROLLER
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn
from tests.web.house import POLICY, House
from tests.web.test_editor import ASK, editor, write

BUILT = (
    "SELECT marital_status,  AVG(hours_per_week) AS average_hours_per_week"
    "FROM adultWHERE age >= 25GROUP BY marital_status"
)


@pytest.fixture
def page(signed_in: SignedIn) -> Page:
    page = signed_in(ANALYST)
    page.goto(ASK)
    expect(editor(page)).to_be_visible()
    return page


def test_an_answer_without_a_line_of_sql(own_house: House, visitors: Visitors) -> None:
    clara = own_house.escrow.accounts.one(CONTROLLER)
    access = {"who": [ANALYST], "preferences": ["rule"], "approve": "automatic"}
    own_house.escrow.policies.set(clara, "adult", POLICY | {"access_rule": [access]})
    page = visitors.enter(own_house, ANALYST)
    page.goto(ASK)
    page.get_by_label("Templates").select_option(label="Count of all rows")
    page.get_by_label("Measure 1", exact=True).select_option(label="Average")
    page.get_by_label("Column 1", exact=True).select_option("hours_per_week")
    page.get_by_label("Add a group").select_option("marital_status")
    page.get_by_role("button", name="Add a condition").click()
    page.get_by_label("Filter column 1").select_option("age")
    page.get_by_label("Comparison 1").select_option(label="is at least")
    page.get_by_label("Value 1").fill("25")
    expect(editor(page)).to_have_text(BUILT)
    estimate = page.get_by_role("region", name="Estimate", exact=True)
    page.get_by_label("Minimum number of people in the smallest group").fill("4000")
    expect(estimate).to_contain_text("90% interval of average_hours_per_week, if 4,000 are counted")
    expect(estimate).to_contain_text("You stated this group size.")
    page.get_by_label("Purpose").fill("Hours of work by marital status.")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Answer", exact=True)).to_be_visible()
    answer = page.get_by_role("region", name="Answer 1")
    expect(answer.get_by_role("rowheader", name="Divorced")).to_be_visible()


def test_the_builder_follows_the_sql_and_steps_back_where_it_ends(page: Page) -> None:
    write(page, "SELECT sex, COUNT(*) AS n FROM adult WHERE age >= 30 AND sex <> 'Male' GROUP BY sex")
    expect(page.get_by_label("Value 1")).to_have_value("30")
    expect(page.get_by_label("Value 2")).to_have_value("Male")
    expect(page.get_by_role("button", name="Remove sex")).to_be_visible()
    write(page, "SELECT COUNT(*) AS n FROM adult WHERE age >= 30 OR sex = 'Male'")
    expect(page.get_by_text("This SQL goes beyond the builder.")).to_be_visible()
    expect(page.get_by_label("Measure 1", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Start over with the builder").click()
    expect(editor(page)).to_have_text("SELECT COUNT(*) AS nFROM adult")
    expect(page.get_by_label("Measure 1", exact=True)).to_be_focused()


def test_a_query_is_saved_under_a_name_and_used_again(page: Page) -> None:
    page.get_by_label("Templates").select_option(label="Average of age")
    page.get_by_role("button", name="Saved queries").click()
    page.get_by_label("Name of the query").fill("Mean age")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Close").click()
    page.get_by_label("Templates").select_option(label="Count by sex")
    expect(editor(page)).to_contain_text("COUNT(*)")
    page.reload()
    page.get_by_role("button", name="Saved queries").click()
    page.get_by_role("button", name="Use Mean age").click()
    expect(editor(page)).to_contain_text("AVG(age)")
    page.get_by_role("button", name="Saved queries").click()
    page.get_by_role("button", name="Delete Mean age").click()
    expect(page.get_by_text("You have saved no query yet.")).to_be_visible()
