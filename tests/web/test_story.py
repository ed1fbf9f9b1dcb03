"""From a file to a released answer and its certificate, in two people's browsers, by clicks alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sfumato import demo
from sfumato.cli.local.demo_server import ANALYST, BOARD, CONTROLLER
from sfumato.presentation.wording import introduction as of_introduction
from tests.web.browser import Visitors, follow
from tests.web.conftest import HouseOf
from tests.web.house import House, Plan

WARDS = ("cardiology", "surgery")
PURPOSE = "What to plan for next year."


@dataclass(frozen=True)
class Story:
    """A table, what its codebook says, and a question about it."""

    name: str
    title: str
    write: Callable[[Path], Path]
    columns: int
    codebook: str
    measure: str
    by: str
    groups: tuple[str, ...]
    is_interrupted: bool


def women(folder: Path) -> Path:
    from statsmodels.datasets import fair  # it takes its time

    data = fair.load_pandas().data.astype({"religious": int})
    data.to_csv(folder / "fair.csv", index=False)
    return folder / "fair.csv"


def population(folder: Path) -> Path:
    return demo.write(folder, 3000)[0]


STORIES = (
    Story(
        name="fair",
        title="Survey of women",
        write=women,
        columns=9,
        codebook="name,type,low,high,unit,categories\naffairs,number,0,60,,\nreligious,integer,,,,1;2;3;4\n",
        measure="affairs",
        by="religious",
        groups=("1", "2", "3", "4"),
        is_interrupted=True,
    ),
    Story(
        name="adult",
        title="Census",
        write=population,
        columns=15,
        codebook="name,type,low,high,unit,categories\nhours_per_week,integer,0,100,hours,\nsex,text,,,,Female;Male\n",
        measure="hours_per_week",
        by="sex",
        groups=("Female", "Male"),
        is_interrupted=False,
    ),
)


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


def registered(page: Page, story: Story, file: Path) -> None:
    """Columns from a codebook, and the usual preset of a policy."""
    follow(page, "Register a table")
    page.get_by_label("CSV or Parquet file").set_input_files(file)
    expect(page.locator("#file-read")).to_contain_text(f"{story.columns} columns: ")
    page.get_by_label("Title", exact=True).fill(story.title)
    go_on(page)
    go_on(page)
    page.get_by_role("button", name="Paste or import a codebook").click()
    page.get_by_label("Text", exact=True).fill(story.codebook)
    page.get_by_role("button", name="Fill in columns").click()
    expect(page.locator("#taken")).to_contain_text("Filled")
    rest = page.get_by_role("button", name="Use the others in conditions only")
    if rest.is_visible():
        rest.click()
    go_on(page)
    page.get_by_label("Usual").check()
    page.get_by_label("Purpose").fill("planning")
    page.get_by_label(BOARD, exact=True).check()
    go_on(page)
    expect(page.locator("#policy-sentences")).to_contain_text(f"{BOARD} may request")
    page.get_by_role("button", name="Register", exact=True).click()
    heading(page, story.title)


def asked(page: Page, story: Story) -> None:
    """A question built by clicks, and what it is for."""
    page.get_by_label("Templates").select_option(label="Count of all rows")
    page.get_by_label("Measure 1", exact=True).select_option(label="Average")
    page.get_by_label("Column 1", exact=True).select_option(story.measure)
    page.get_by_label("Add a group").select_option(story.by)
    page.get_by_label("Purpose").fill(PURPOSE)


def signalled(page: Page) -> None:
    """A free signal: whether one group is above another."""
    page.get_by_role("button", name="Other utility signals").click()
    page.get_by_role("button", name="Submit signal").click()
    signal = page.locator(".signal").first
    expect(signal).to_contain_text("released")
    expect(signal.locator(".plot .point")).not_to_have_count(0)


def introduced(page: Page) -> None:
    """All questions are answered right."""
    heading(page, "Introduction for controllers")
    while page.get_by_role("button", name="Next").is_visible():
        page.get_by_role("button", name="Next").click()
    for number, question in enumerate(of_introduction.QUIZ):
        page.locator(f"#question-{number}").get_by_label(question.choices[question.right]).check()
    page.get_by_role("button", name="Check answers").click()
    follow(page, "Continue")


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_from_a_file_to_an_answer_its_certificate_and_a_signal(
    story: Story, own_house: House, visitors: Visitors, tmp_path: Path
) -> None:
    visitors.forgive("409 (Conflict)", "ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")
    clara, arthur = visitors.enter(own_house, CONTROLLER), visitors.enter(own_house, ANALYST)

    clara.goto("/datasets")
    registered(clara, story, story.write(tmp_path))

    arthur.goto("/catalogue")
    follow(arthur, f"Write request to {story.name}")
    asked(arthur, story)

    if story.is_interrupted:
        own_house.close()  # the server goes, and comes back
        arthur.get_by_role("button", name="Submit").click()
        expect(arthur.locator("#refused")).to_contain_text("The server does not answer")
        own_house.open()
        arthur.reload()
        expect(arthur.get_by_role("textbox", name="SQL of query 1")).to_contain_text(f"AVG({story.measure})")
        expect(arthur.get_by_label("Purpose")).to_have_value(PURPOSE)
    arthur.get_by_role("button", name="Submit").click()
    heading(arthur, PURPOSE)
    expect(arthur.locator("#state")).to_have_text("submitted")

    follow(clara, "Inbox")
    expect(clara.get_by_role("row", name=PURPOSE)).to_contain_text("#1 ")
    follow(clara, PURPOSE)
    clara.get_by_label("Note to the analyst").fill("For the plan.")
    follow(clara, "Approve after the introduction (3 minutes)")
    introduced(clara)
    expect(clara.get_by_label("Note to the analyst")).to_have_value("For the plan.")
    clara.get_by_role("button", name="Approve epsilon").click()
    expect(clara.locator("#status")).to_contain_text("Released, charged epsilon")
    follow(clara, "Certificate")
    heading(clara, "Certificate of request 1")

    expect(arthur.get_by_role("heading", name="Answer", exact=True)).to_be_visible()  # it came by itself
    answer = arthur.get_by_role("region", name="Answer 1")
    for group in story.groups:
        expect(
            answer.get_by_role("rowheader", name=re.compile(rf"^{re.escape(group)}( Mostly noise)?$"))
        ).to_be_visible()
    signalled(arthur)
    follow(arthur, "Certificate")
    expect(arthur.get_by_role("article")).to_contain_text("Guarantee: dp")
    expect(arthur.get_by_role("article")).to_contain_text(f"AVG({story.measure})")


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
