"""A study in a browser: a participant of each arm, from the consent to the end, and what is exported of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from sfumato.server.run import bind_socket
from sfumato.server.study import create_study_app
from sfumato.study import design
from sfumato.study.design import Arm, Kind
from sfumato.study.export import rows
from sfumato.study.file import StudyFile
from sfumato.study.tasks import make
from tests.web.axe import violations
from tests.web.house import running

Study = Callable[[Kind, tuple[Arm, ...]], tuple[StudyFile, str]]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Study]:
    ends: list[Callable[[], None]] = []

    def served(kind: Kind, arms: tuple[Arm, ...]) -> tuple[StudyFile, str]:
        tasks = make(kind, 300)
        people = design.assign(len(arms), arms, [task.name for task in tasks])
        study = StudyFile.create(tmp_path / kind, kind, tasks, people)
        taken = bind_socket("127.0.0.1", 0)
        ends.append(running(create_study_app(study), taken))
        return study, f"http://127.0.0.1:{taken.getsockname()[1]}/study/"

    yield served
    for end in ends:
        end()


@contextmanager
def visiting(browser: Browser, width: int) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert not troubles


def begin(page: Page, right: tuple[int, ...]) -> None:
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="I agree and begin").click()
    page.get_by_role("button", name="Continue").click()
    for number, choice in enumerate(right):
        page.locator(f"input[name=question-{number}]").nth(choice).check()
    page.get_by_role("button", name="Continue").click()


def choose(page: Page, steps: int) -> None:
    """Move the slider to the left end, and this many steps from there."""
    expect(page.get_by_role("button", name="Choose this")).to_be_disabled()
    slider = page.get_by_role("slider")
    expect(slider).to_be_enabled()
    slider.focus()
    slider.press("Home")
    for _ in range(steps):
        slider.press("ArrowRight")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert violations(page) == []
    chosen = page.get_by_role("heading").first.inner_text()
    page.get_by_role("button", name="Choose this").click()
    expect(page.get_by_role("heading").first).not_to_have_text(chosen)


@pytest.mark.parametrize("kind", [Kind.RDR, Kind.PRI])
def test_a_participant_of_each_arm_plays_through(browser: Browser, serve: Study, kind: Kind) -> None:
    study, url = serve(kind, tuple(Arm))
    strips = {}
    for participant in study.participants():
        with visiting(browser, 400 if participant.arm is Arm.TREATMENT else 1280) as page:
            page.goto(url + participant.link)
            begin(page, (1, 0, 0))
            expect(page.get_by_role("slider")).to_be_visible()
            strips[participant.arm] = page.locator(".study-strip rect").count()
            choose(page, 3)
            choose(page, 2)
            if participant.arm is not Arm.CONTROL:
                page.get_by_label("Yes", exact=True).check()
                page.get_by_role("button", name="Continue").click()
            expect(page.get_by_text("Your answers were recorded")).to_be_visible()
            page.goto(url + participant.link)  # a second visit changes nothing
            expect(page.get_by_text("Your answers were recorded")).to_be_visible()
    assert strips[Arm.CONTROL] == 0 < strips[Arm.TREATMENT] < strips[Arm.HISTOGRAM]
    exported = list(rows(study))
    assert len(exported) == 6
    assert {(row["position"], row["value"]) for row in exported} == {(1, 2.0), (2, 1.5)}
    assert all(row["finished"] and row["passed_quiz"] and row["knew_dp"] is False for row in exported)
    assert {row["used_indicator"] for row in exported if row["arm"] == "control"} == {None}
    assert all(row["seconds"] > 0 for row in exported)


def test_the_tasks_of_sharing_end_with_the_usability_scale(browser: Browser, serve: Study) -> None:
    study, url = serve(Kind.SHARING, design.DEFAULT_ARMS)
    curves = {}
    for participant in study.participants():
        with visiting(browser, 1280) as page:
            page.goto(url + participant.link)
            begin(page, (1, 1, 0))
            expect(page.get_by_role("slider")).to_be_visible()
            curves[participant.arm] = page.locator(".study-curve polyline").count()
            for _ in range(3):
                choose(page, 5)  # 5% noise
            if participant.arm is not Arm.CONTROL:
                page.get_by_label("Yes", exact=True).check()
                page.get_by_role("button", name="Continue").click()
            for item in range(10):
                page.locator(f"input[name=item-{item}]").nth(4 if item % 2 == 0 else 0).check()
            page.get_by_role("button", name="Continue").click()
            expect(page.get_by_text("Your answers were recorded")).to_be_visible()
    assert curves == {Arm.CONTROL: 0, Arm.TREATMENT: 1}
    exported = list(rows(study))
    assert {row["sus"] for row in exported} == {100.0}
    assert all(row["within_noise"] and row["within_risk"] is not None for row in exported)


def test_a_wrong_answer_in_the_quiz_ends_the_study(browser: Browser, serve: Study) -> None:
    study, url = serve(Kind.RDR, (Arm.CONTROL,))
    (participant,) = study.participants()
    with visiting(browser, 1280) as page:
        page.goto(url + participant.link)
        begin(page, (0, 0, 0))
        expect(page.get_by_text("the study ends here for you")).to_be_visible()
    (row,) = rows(study)
    assert (row["passed_quiz"], row["task"], row["finished"]) == (False, None, True)


def test_only_links_are_served_and_other_answers_are_left_out(serve: Study) -> None:
    study, url = serve(Kind.RDR, (Arm.CONTROL,))
    (participant,) = study.participants()
    root = url.removesuffix("/study/")
    link = url + participant.link
    with httpx.Client() as caller:
        assert [caller.get(root + path).status_code for path in ("/", "/study/" + "0" * 32, "/inbox")] == [404] * 3
        assert caller.post(url + "0" * 32, content=b"step=consent&knew_dp=yes").status_code == 404
        wrong: list[Any] = [
            b"",
            b"\xff",
            b"step=consent",
            b"step=consent&knew_dp=maybe",
            b"step=end",
            b"step=young-and-rich&option=99",
        ]
        for body in wrong:
            assert caller.post(link, content=body).status_code == 303
        assert caller.post(link, content=b"x" * 20_000).status_code == 413
        assert "control" not in caller.get(link).text
    assert study.participants()[0].answers == ()
