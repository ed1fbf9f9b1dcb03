"""Registering a table: one grid of columns, filled by hand or from a codebook. No value of the file shows."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import CONTROLLER
from tests.web.axe import violations
from tests.web.browser import Visitors
from tests.web.conftest import SignedIn

ROWS = 'ward,days,price,code\nmarker_ward,3,"$1,400",1\nsurgery,12,"$99",2\n'
CODEBOOK = (
    "name,type,low,high,categories,missing\nward,text,,,cardiology;surgery,\ndays,,0,60,,99\ncode,,1,5,,NA\nsex,,,,,\n"
)
DDI = """<codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="DAYS"><labl>Days in bed</labl><valrng><range min="0" max="30"/></valrng>
<sumStat type="max">29</sumStat></var>
<var name="code"><catgry><catValu>1</catValu><catStat type="freq">77</catStat></catgry>
<catgry><catValu>2</catValu></catgry>
<catgry missing="Y"><catValu>-9</catValu></catgry><varFormat type="numeric"/></var></dataDscr></codeBook>"""

SPSS = """VARIABLE LABELS days 'Days in bed, SPSS' .
VALUE LABELS code 1 'planned' 2 'urgent' 3 'not known' .
MISSING VALUES code (3) .
"""
DROPPED = """(text) => {
  const moved = new DataTransfer();
  moved.items.add(new File([text], "stays.csv", { type: "text/csv" }));
  return moved;
}"""


@pytest.fixture
def page(signed_in: SignedIn) -> Page:
    """At the columns of a file."""
    page = signed_in(CONTROLLER)
    page.goto("/register")
    file = {"name": "stays.csv", "mimeType": "text/csv", "buffer": ROWS.encode()}
    page.get_by_label("CSV or Parquet file").set_input_files(file)  # type: ignore[arg-type]
    expect(page.get_by_role("region", name="Columns of the file")).to_contain_text("number, written as 1,234.56")
    for heading in ("2 Privacy unit", "3 Columns"):
        page.get_by_role("button", name="Next", exact=True).click()
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    return page


def state(page: Page, column: str, text: str) -> None:
    expect(page.get_by_role("row", name=column).locator(".state .pill")).to_contain_text(text)


def fill_in(page: Page, codebook: str) -> None:
    page.get_by_role("button", name="Paste or import a codebook").click()
    page.get_by_label("Text", exact=True).fill(codebook)
    page.get_by_role("button", name="Fill in columns").click()


def test_a_file_is_dropped_on_the_page(signed_in: SignedIn) -> None:
    page = signed_in(CONTROLLER)
    page.goto("/register")
    expect(page.locator("#about-file")).to_contain_text(re.compile(r"at most [\d.]+ [KMGT]iB"))
    page.dispatch_event("#drop", "drop", {"dataTransfer": page.evaluate_handle(DROPPED, ROWS)})
    expect(page.locator("#file-read")).to_have_text("4 columns: ward, days, price, code")
    expect(page.get_by_label("Name in SQL")).to_have_value("stays")


def test_a_missing_cell_is_named_and_one_that_does_not_apply_is_grey(page: Page) -> None:
    assert "marker_ward" not in page.content()
    state(page, "ward", "List the keys")
    state(page, "days", "Set the bounds: needed for sums")
    page.get_by_label("days lowest").fill("0")
    state(page, "days", "Set the highest")
    page.get_by_label("days highest").fill("60")
    state(page, "days", "Ready")
    page.get_by_label("code used for").select_option("group")
    state(page, "code", "List the keys")
    page.get_by_label("code lowest").fill("1")
    page.get_by_label("code highest").fill("5")
    state(page, "code", "Ready")  # its keys follow from the bounds
    expect(page.get_by_label("code group keys")).to_have_attribute("placeholder", "1 to 5, from the bounds")
    expect(page.get_by_label("ward lowest")).to_have_count(0)
    expect(page.get_by_label("price format")).to_have_value("1,234.56")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("#step-3 > .problem")).to_contain_text("Column ward and 1 more are not ready")
    assert violations(page) == []
    page.get_by_role("button", name="Use the others in conditions only").click()
    expect(page.locator("#ready")).to_have_text("4 of 4 columns ready.")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="4 Policy")).to_be_visible()
    kept = page.evaluate("JSON.stringify({ ...sessionStorage })")
    assert "marker_ward" not in kept
    assert "60" in kept


def test_a_codebook_fills_the_grid(page: Page) -> None:
    fill_in(page, CODEBOOK)
    taken = page.locator("#taken")
    expect(taken).to_contain_text("Filled 3 of 4 columns.")
    expect(taken).to_contain_text("sex is not a column of the file")
    expect(page.get_by_label("ward group keys")).to_have_value("cardiology, surgery")
    expect(page.get_by_label("days highest")).to_have_value("60")
    expect(page.get_by_label("Missing values are written as")).to_have_value("NA")
    expect(taken).to_contain_text("99 means missing in days, but is a possible value of price")
    fill_in(page, DDI)
    expect(page.get_by_label("days highest")).to_have_value("30")
    expect(page.get_by_role("row", name="days")).to_contain_text("Days in bed")
    expect(page.get_by_label("code group keys")).to_have_value("1, 2")
    fill_in(page, SPSS)
    expect(page.get_by_role("row", name="days")).to_contain_text("Days in bed, SPSS")
    expect(page.get_by_label("code group keys")).to_have_value("1, 2")
    expect(page.locator("#taken")).to_contain_text("3 means missing in code, but is a possible value of")
    fill_in(page, '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>')
    expect(page.locator("#codebook .problem")).to_contain_text("The XML has a document type or entities")


def test_days_have_bounds_and_numbers_have_units(signed_in: SignedIn, visitors: Visitors) -> None:
    visitors.forgive("422 (Unprocessable Entity)")  # a policy that gives no one access
    page = signed_in(CONTROLLER)
    page.goto("/register")
    rows = "admitted,day,stay\n2025-03-01 10:30:00,2025-03-01,3\n2025-04-01 08:00:00,2025-04-01,5\n"
    file = {"name": "visits.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    page.get_by_label("CSV or Parquet file").set_input_files(file)  # type: ignore[arg-type]
    expect(page.get_by_role("region", name="Columns of the file")).to_contain_text("timestamp")
    for _ in range(2):
        page.locator(".step:not([hidden])").get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="3 Columns")).to_be_visible()
    fill_in(page, "name,type,low,high,unit\nday,date,2025-01-01,2025-12-31,\nstay,integer,0,60,days\n")
    expect(page.get_by_label("day used for")).to_have_value("span")
    expect(page.get_by_label("stay unit")).to_have_value("days")
    page.get_by_label("admitted used for").select_option("span")
    state(page, "admitted", "Set the first and the last")
    page.get_by_label("admitted lowest").fill("1 March")
    state(page, "admitted", "Write days as 2025-12-31")
    page.get_by_label("admitted lowest").fill("2025-01-01")
    page.get_by_label("admitted highest").fill("2025-12-31 23:59")
    state(page, "admitted", "Ready")
    for width in (720, 899):
        page.set_viewport_size({"width": width, "height": 900})
        for label in ("day lowest", "day highest"):
            expect(page.get_by_label(label)).to_be_visible()
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_label("admitted", exact=True).uncheck()  # no analyst may use it
    page.get_by_label("Purpose").fill("planning")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("#who .problem")).to_contain_text("Select all analysts, an organisation or an analyst")
    expect(page.locator("#who .problem")).to_be_in_viewport()
    page.get_by_label("All analysts").check()
    page.get_by_role("button", name="Next", exact=True).click()
    schema = page.locator("#schema-text")
    expect(schema).to_contain_text("bounds = [2025-01-01, 2025-12-31]")
    expect(schema).to_contain_text("bounds = [2025-01-01T00:00:00, 2025-12-31T23:59:00]")
    expect(schema).to_contain_text('unit = "days"')
    expect(page.locator("#policy-sentences")).to_contain_text("any aggregate of day, stay")
    page.go_back()
    expect(page.get_by_label("admitted", exact=True)).not_to_be_checked()
    page.reload()
    expect(page.get_by_label("admitted", exact=True)).not_to_be_checked()
