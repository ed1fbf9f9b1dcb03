"""`make screens`: every screen as a picture in docs/screens, light and dark, on a desk and on a telephone.

`python -m tests.web.screens inbox ledger` takes these two only.
"""

from __future__ import annotations

import sys
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any, Literal

from playwright.sync_api import CDPSession, Page, expect

from sfumato.cli.local import demo_server as open_house
from sfumato.cli.local.demo_server import ANALYST, CONTROLLER, WAITING
from sfumato.composition.workspace import open_workspace
from sfumato.escrow.service import Escrow
from tests.web import browser, house
from tests.web.browser import Visitors, look
from tests.web.house import House, Plan

FOLDER = Path(__file__).parents[2] / "docs" / "screens"
ROWS, SEED = 3000, 1
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = {1280: 0.75, 400: 1.0}  # and at which scale they are kept
HEIGHT = 900  # of the window
QUALITY, HIGHEST = 25, 1600  # of a picture; what is further down is cut off
_COUNT = "SELECT sex, COUNT(*) AS people FROM adult GROUP BY sex"
_SHARE = {"task": "formula", "expression": 'people["Male"] / sum(people)', "low": 0.6, "high": 0.7}
_FIRST = {"task": "top_k", "column": "people", "k": 1}
_CODE = """import os
import numpy as np

def evaluate(tables):
    people = tables[0]["people"]
    if os.path.exists("/data/people.csv"):
        people = open("/data/people.csv").read()
    return np.max(people) / np.sum(people)
"""


def _nothing(page: Page) -> None:
    pass


def _rehearsed(page: Page) -> None:
    expect(page.get_by_role("radio", name="Rehearsal")).to_be_enabled()


def _shared(page: Page) -> None:
    page.get_by_label("Query", exact=True).fill("SELECT COUNT(*) FROM adult")
    page.get_by_role("button", name="Update").click()
    page.get_by_role("button", name="Use the least noise that meets my limit").click()
    expect(page.locator("#verdict.ok")).to_be_visible()


def _in_space(page: Page) -> None:
    _shared(page)
    page.get_by_text("in three dimensions").click()
    expect(page.locator("#space canvas").first).to_be_visible()


def _asked_to_approve(page: Page) -> None:
    page.locator("#approve").click()
    expect(page.locator("#approve-dialog")).to_be_visible()


def _tried(page: Page) -> None:
    page.locator(".editor").get_by_role("textbox").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(_COUNT)
    page.get_by_label("Purpose").fill("how many women and men there are")
    expect(page.locator("#estimate-shown")).to_contain_text("epsilon")
    page.get_by_role("button", name="Start dry run").click()
    expect(page.get_by_role("region", name="Synthetic data", exact=True)).to_be_visible()


def _signalled(page: Page) -> None:
    """A free signal is drawn, and one that was charged."""
    page.locator("#new-signal").evaluate("one => { one.open = true; }")
    for fold in page.locator(".signal details").all():
        fold.evaluate("one => { one.open = true; }")
    expect(page.locator(".signal .plot .point").last).to_be_visible()
    expect(page.locator(".signal .plot.strip .point").first).to_be_visible()


def _columns(page: Page) -> None:
    rows = "ward,days\ncardiology,3\nsurgery,12\n"
    page.get_by_label("CSV or Parquet file").set_input_files(
        {"name": "stays.csv", "mimeType": "text/csv", "buffer": rows.encode()}
    )
    for _ in range(2):
        page.locator(".step:not([hidden])").get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_role("heading", name="3 Columns")).to_be_visible()


@dataclass(frozen=True)
class Screen:
    """What is shown to whom, where it is, and what is done there first; a look is last, it is not undone."""

    name: str
    said: str
    who: str | None
    path: str
    first: Callable[[Page], None] = _nothing
    begins: str = "body"  # what is at the top of the picture


SCREENS = (
    Screen("sign-in", "Sign-in; the demo offers its two users.", None, "/sign-in"),
    Screen("datasets", "Controller: the datasets, with their policies and budgets.", CONTROLLER, "/datasets"),
    Screen("dataset", "Controller: one dataset.", CONTROLLER, "/datasets/adult"),
    Screen("columns", "Controller: its columns.", CONTROLLER, "/datasets/adult/columns"),
    Screen("data", "Controller: versions of its data.", CONTROLLER, "/datasets/adult/data"),
    Screen("budget", "Controller: its budget over time.", CONTROLLER, "/datasets/adult/budget"),
    Screen("history", "Controller: the latest entries about it.", CONTROLLER, "/datasets/adult/audit"),
    Screen("register", "Controller: registering a table, at its columns.", CONTROLLER, "/register", _columns),
    Screen("policy", "Controller: the policy in force, and its form.", CONTROLLER, "/datasets/adult/policy"),
    Screen("people", "Admin: users and their roles.", CONTROLLER, "/people"),
    Screen("inbox", "Controller: requests to decide.", CONTROLLER, "/inbox"),
    Screen("explorer", "Controller: a request to decide.", CONTROLLER, "/requests/{submitted}", _rehearsed),
    Screen("signal", "Controller: code that waits to be read, with its marks.", CONTROLLER, "/signals/{signal}"),
    Screen("sharing", "Controller: sharing risk.", CONTROLLER, "/datasets/adult/sharing", _shared),
    Screen(
        "space",
        "Controller: the same in three dimensions.",
        CONTROLLER,
        "/datasets/adult/sharing",
        _in_space,
        "#in-space",
    ),
    Screen("compare", "Controller: comparison of methods.", CONTROLLER, f"/datasets/adult/compare?sql={WAITING[0]}"),
    Screen("ledger", "Controller: the ledger and its total.", CONTROLLER, "/datasets/adult/ledger"),
    Screen("audit", "Admin: who did what.", CONTROLLER, "/audit"),
    Screen("introduction", "Controller: the introduction before the first approval.", CONTROLLER, "/introduction"),
    Screen("account", "All users: password and tokens.", ANALYST, "/account"),
    Screen("catalogue", "Analyst: the datasets that may be asked.", ANALYST, "/catalogue"),
    Screen("catalogued", "Analyst: one of them, as its controller described it.", ANALYST, "/catalogue/adult"),
    Screen("editor", "Analyst: the editor, with an estimate and a dry run.", ANALYST, "/datasets/adult/ask", _tried),
    Screen("requests", "Analyst: my requests, and who has them.", ANALYST, "/requests"),
    Screen("result", "Analyst: an answer with its 90% intervals.", ANALYST, "/requests/{released}"),
    Screen(
        "signalling",
        "Analyst: asking what the noise cost, below an answer.",
        ANALYST,
        "/requests/{released}",
        _signalled,
        "#signalling",
    ),
    Screen(
        "signals",
        "Analyst: a signal that waits, one that was charged, and a free one.",
        ANALYST,
        "/requests/{released}",
        _signalled,
        "h3:has(+ #signals)",
    ),
    Screen("certificate", "Analyst: the certificate, to be printed.", ANALYST, "/requests/{released}/certificate"),
    Screen("glossary", "All users: the terms of these pages.", ANALYST, "/glossary"),
    Screen("public", "Anyone: the public page of a dataset.", None, "/public/adult"),
    Screen("look", "Controller: the same request after a look.", CONTROLLER, "/requests/{submitted}", look),
    Screen(
        "approval",
        "Controller: the approval after a look, which has to be preregistered.",
        CONTROLLER,
        "/requests/{submitted}",
        _asked_to_approve,
    ),
)


def taken(screen: Screen, open_to: House, visitors: Visitors) -> None:
    """In each theme and width; what is done first is done once."""
    page = visitors.enter(open_to, screen.who, viewport={"width": max(WIDTHS), "height": HEIGHT})
    wire = page.context.new_cdp_session(page)
    names = {state: open_to.request_in(state) for state in ("submitted", "released")}
    names["signal"] = open_to.signal_in("submitted")
    page.goto(screen.path.format(**names), wait_until="networkidle", timeout=90_000)
    screen.first(page)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            page.wait_for_timeout(400)  # plots follow the theme and the width
            (FOLDER / f"{screen.name}-{theme}-{width}.webp").write_bytes(_picture(page, wire, width, screen.begins))


def _picture(page: Page, wire: CDPSession, width: int, begins: str) -> bytes:
    page.locator("#said").evaluate("one => { one.textContent = ''; }")  # it would go by itself
    top = page.locator(begins).evaluate("one => one.getBoundingClientRect().top + scrollY")
    height = min(HIGHEST, page.evaluate("document.documentElement.scrollHeight") - top)
    if page.locator("dialog[open]").count():  # it stands in the middle of the window
        page.evaluate("scrollTo(0, 0)")
        height = HEIGHT
    clip = {"x": 0, "y": top, "width": width, "height": height, "scale": WIDTHS[width]}
    how = {"format": "webp", "quality": QUALITY, "captureBeyondViewport": True, "clip": clip}
    return b64decode(wire.send("Page.captureScreenshot", how)["data"])


def listed() -> str:
    """The page that shows them."""
    lines = [
        "# Every screen",
        "",
        "Made by `make screens` from the web app of `sfumato demo --serve`, with signals added. "
        "All people in it are synthetic.",
        "",
    ]
    for screen in SCREENS:
        links = ", ".join(f"[{t} {w}]({screen.name}-{t}-{w}.webp)" for w in WIDTHS for t in THEMES)
        lines.append(f"- **{screen.name}**: {screen.said} {links}")
    return "\n".join(lines) + "\n"


def furnished(place: Path) -> Plan:
    """As the demo is, and with signals: a free one, one that was charged, and code that waits."""
    key = open_house.create_demo_workspace(place, ROWS, SEED)
    with open_workspace(place, key_file=key) as workspace, house.ready_sandbox():
        escrow = workspace.escrow
        _asked(escrow, "free", task=_SHARE)
        charged = _asked(escrow, "sample_and_aggregate", task=_FIRST, how={"epsilon": 0.5, "blocks": 20})
        clara = escrow.accounts.one(CONTROLLER)
        escrow.signals.approval.approve(clara, charged, escrow.signals.approval.inspect(clara, charged).binding)
        while escrow.signals.one(clara, charged).submission.state in ("approved", "running"):
            sleep(0.1)
        _asked(escrow, "as_published", code=_CODE, how={"range": [0, 1]})
    return Plan(place, key, is_empty=False)


def _asked(escrow: Escrow, kind: str, **how: Any) -> str:
    arthur = escrow.accounts.one(ANALYST)
    about = escrow.requests.many(arthur, state="released")[0].submission.id
    return escrow.signals.submit(arthur, about, 1, kind, **how).id


def main(*names: str) -> None:
    """All of them, or those with these names."""
    chosen = [screen for screen in SCREENS if not names or screen.name in names]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.webp") if not names else ():
        old.unlink()
    with house.quick_passwords(), TemporaryDirectory() as made, browser.started() as started:
        place = Path(made) / "plan"
        place.mkdir()
        with house.served(furnished(place / "workspace"), Path(made)) as open_to:
            for screen in chosen:
                visitors = Visitors(started)
                visitors.forgive("willReadFrequently", "GPU stall")
                taken(screen, open_to, visitors)
                assert visitors.leave() == [], screen.name
    (FOLDER / "README.md").write_text(listed(), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
