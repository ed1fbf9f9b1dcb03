"""Nothing of the data, of the true answer, of another partner or of what controllers wrote about them reaches an
analyst: a marker is planted there, and everything that the server sends to an analyst is searched for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from sfumato.cli.local.demo_server import ANALYST, BOARD, CONTROLLER
from sfumato.escrow.service import Escrow
from tests.web import house as houses
from tests.web import pages
from tests.web.browser import Visitors, fetch
from tests.web.house import House, Plan

MARKER = "qzmarker"
VALUE = 7_319_426  # of the only person of ward c: also the true sum of that ward
MARKERS = (MARKER, str(VALUE), f"{VALUE:,}")
SCHEMA = """name = "stays"
[columns.ward]
type = "text"
categories = ["a", "b", "c"]
[columns.days]
type = "integer"
bounds = [0, 10_000_000]
"""
DATA = "ward,days,diary\n" + "a,3,none\nb,4,none\n" * 100 + f"c,{VALUE},{MARKER}\n"
SQL = "SELECT ward, SUM(days) AS days FROM stays GROUP BY ward"
POLICY = {"rule": {"gap": 1.2, "worst_case": True}, "budget": 30.0, "introduction": False}
OTHER = f"{MARKER} Insurer"


@pytest.fixture(scope="module")
def marked(empty_plan: Plan, ground: Path) -> Iterator[House]:
    """An analyst has an answer, one that came back, and one that is withheld; another partner asked as well."""
    with TemporaryDirectory(dir=ground) as folder, houses.served(empty_plan, Path(folder)) as house:
        escrow = house.escrow
        clara, arthur = (escrow.accounts.one(name) for name in (CONTROLLER, ANALYST))
        dan = escrow.accounts.add(clara, f"{MARKER}-dan", ["analyst"], organisation=OTHER)
        escrow.datasets.register(clara, SCHEMA, title="Stays")
        escrow.datasets.deliver(clara, "stays", [DATA.encode()], "csv")
        flows = [{"who": [OTHER, dan.name]}, {"who": [BOARD], "signals": ["as_published"], "signal_bits": 64}]
        escrow.policies.set(clara, "stays", POLICY | {"access_rule": flows, "trust": {OTHER: "low", BOARD: "high"}})
        for who, mark in ((dan, MARKER), (arthur, "for the board")):
            escrow.requests.approval.return_(clara, ask(house, who.name, mark), mark)
            approve(house, ask(house, who.name, mark), note=mark)
        escrow = settled(house)
        withhold(house, escrow.requests.many(arthur, state="released")[0].submission.id)
        escrow = settled(house)
        withheld = {"who": [BOARD], "approve": "after the answer", "guarantees": ["none"]}
        policy = POLICY | {"access_rule": [flows[0], withheld], "trust": {OTHER: "low"}}
        escrow.policies.set(clara, "stays", policy, allow_no_guarantee=True)
        approve(house, ask(house, ANALYST, "for the board"), allow_no_guarantee=True)
        house.sent = []
        settled(house)
        yield house


def settled(house: House) -> Escrow:
    """Once all of it is done."""
    house.close()
    house.open()
    return house.escrow


def ask(house: House, who: str, purpose: str) -> str:
    asked = house.escrow.requests.submit(house.escrow.accounts.one(who), "stays", purpose, [{"sql": SQL}], None)
    return asked.id


def approve(house: House, id: str, **how: Any) -> None:
    clara, decisions = house.escrow.accounts.one(CONTROLLER), house.escrow.requests.approval
    decisions.approve(clara, id, decisions.inspect(clara, id, rehearse=False).binding, **how)


def withhold(house: House, request: str) -> None:
    """The true sum of ward c, as a score that nobody has seen yet."""
    escrow, task = house.escrow, {"task": "formula", "expression": 'days["c"]', "low": 0, "high": 10_000_000}
    clara, arthur = (escrow.accounts.one(name) for name in (CONTROLLER, ANALYST))
    signal = escrow.signals.submit(arthur, request, 1, "as_published", task=task)
    binding = escrow.signals.approval.inspect(clara, signal.id).binding
    escrow.signals.approval.approve(clara, signal.id, binding, allow_no_guarantee=True)


def every_request(house: House) -> list[str]:
    found = house.escrow.requests.many(house.escrow.accounts.one(CONTROLLER))
    assert sorted(one.submission.state for one in found) == ["computed", "released", "released", "returned", "returned"]
    return [one.submission.id for one in found]


def told(house: House, *markers: str) -> list[str]:
    """Paths of answers with one of these markers in them."""
    assert house.sent is not None
    return [path for path, text in house.sent if any(marker in text for marker in markers)]


def walked(page: Page, ids: list[str], signal: str) -> None:
    """Every page there is, of every request, with what can be tried on it."""
    for path in pages.ALL:
        for id in ids if "{id}" in path else [""]:
            address = path.format(name="stays", id=id, sid=signal, number=1)
            if address.endswith((".csv", ".json", ".svg")):
                fetch(page, address)
            else:
                page.goto(address)
    page.goto("/datasets/stays/ask")
    page.locator(".editor").get_by_role("textbox", name="SQL of query 1").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(SQL)
    expect(page.locator("#estimate-shown")).to_contain_text("epsilon")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("region", name="Synthetic data", exact=True)).to_be_visible()


def test_nothing_that_an_analyst_is_told_holds_it(marked: House, visitors: Visitors) -> None:
    visitors.forgive("403 (Forbidden)", "404 (Not Found)", "409 (Conflict)", "410 (Gone)")
    assert marked.sent is not None
    marked.sent.clear()
    walked(visitors.enter(marked, ANALYST), every_request(marked), marked.signal_in("computed"))
    assert len(marked.sent) > 40
    assert told(marked, *MARKERS) == []


def test_a_controller_who_looks_is_told(marked: House, visitors: Visitors) -> None:
    """The search finds what is there: the true answer beside the withheld one, and the other partner's request."""
    assert marked.sent is not None
    marked.sent.clear()
    page = visitors.enter(marked, CONTROLLER)
    page.goto(f"/requests/{marked.request_in('computed')}")
    assert told(marked, str(VALUE), f"{VALUE:,}") == []
    page.get_by_role("button", name="View withheld answer (logged)").click()
    page.get_by_role("button", name="View and log").click()
    expect(page.locator("#withheld")).to_contain_text(f"{VALUE:,}")
    (answer,) = told(marked, str(VALUE), f"{VALUE:,}")
    assert answer.endswith("/answer")
    page.goto("/inbox")
    assert any(url.endswith("/inbox") for url in told(marked, MARKER))
    page.goto(f"/signals/{marked.signal_in('computed')}")
    assert not any("/signals/" in url for url in told(marked, str(VALUE)))
    page.get_by_role("button", name="View both scores").click()
    page.get_by_role("button", name="View (logged)").click()
    expect(page.get_by_role("row", name="exact answer")).to_be_visible()
    (value,) = (url for url in told(marked, str(VALUE)) if "/signals/" in url)
    assert value.endswith("/value")
