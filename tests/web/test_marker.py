"""Nothing of the data, of the true answer, of another partner or of what controllers wrote about them reaches an
analyst: a marker is planted there, and everything that an analyst's browser hears is searched for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from sfumato.cli.local.open_house import ANALYST, BOARD, CONTROLLER
from sfumato.escrow.service import Escrow
from tests.web import house as houses
from tests.web import pages
from tests.web.browser import Visitors
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
POLICY = {"rule": {"gap": 1.2, "worst_case": True}, "stop": 30.0, "introduction": False}
OTHER = f"{MARKER} Insurer"


@dataclass
class Heard:
    """What a browser was told, by its address; `answers` stands in the way of all of it."""

    texts: list[tuple[str, str]] = field(default_factory=list)

    def answers(self, route: Route) -> None:
        told = route.fetch(max_redirects=0)
        self.texts.append((route.request.url, told.text()))
        route.fulfill(response=told)

    def with_any(self, *markers: str) -> list[str]:
        return [url for url, text in self.texts if any(marker in text for marker in markers)]


@pytest.fixture(scope="module")
def marked(empty_plan: Plan, ground: Path) -> Iterator[House]:
    """An analyst has an answer, one that came back, and one that is withheld; another partner asked as well."""
    with TemporaryDirectory(dir=ground) as folder, houses.served(empty_plan, Path(folder)) as house:
        escrow = house.escrow
        clara, arthur = (escrow.people.one(name) for name in (CONTROLLER, ANALYST))
        dan = escrow.people.add(clara, f"{MARKER}-dan", ["analyst"], organisation=OTHER)
        escrow.datasets.register(clara, SCHEMA, title="Stays")
        escrow.datasets.deliver(clara, "stays", [DATA.encode()], "csv")
        flows = [{"who": [OTHER, dan.name]}, {"who": [BOARD], "signals": ["as_published"], "signal_bits": 64}]
        escrow.policies.set(clara, "stays", POLICY | {"flow": flows, "trust": {OTHER: "low", BOARD: "high"}})
        for who, mark in ((dan, MARKER), (arthur, "for the board")):
            escrow.decisions.return_(clara, ask(house, who.name, mark), mark)
            approve(house, ask(house, who.name, mark), note=mark)
        escrow = settled(house)
        withhold(house, escrow.requests.many(arthur, state="released")[0]["id"])
        escrow = settled(house)
        withheld = {"who": [BOARD], "approve": "after the answer", "guarantees": ["none"]}
        policy = POLICY | {"flow": [flows[0], withheld], "trust": {OTHER: "low"}}
        escrow.policies.set(clara, "stays", policy, accept_none=True)
        approve(house, ask(house, ANALYST, "for the board"), accept_none=True)
        settled(house)
        yield house


def settled(house: House) -> Escrow:
    """Once all of it is done."""
    house.close()
    house.open()
    return house.escrow


def ask(house: House, who: str, purpose: str) -> str:
    asked = house.escrow.requests.submit(house.escrow.people.one(who), "stays", purpose, [{"sql": SQL}], None)
    return asked.id


def approve(house: House, id: str, **how: Any) -> None:
    clara, decisions = house.escrow.people.one(CONTROLLER), house.escrow.decisions
    decisions.approve(clara, id, decisions.inspect(clara, id, rehearse=False)["binding"], **how)


def withhold(house: House, request: str) -> None:
    """The true sum of ward c, as a score that nobody has seen yet."""
    escrow, task = house.escrow, {"task": "formula", "expression": 'days["c"]', "low": 0, "high": 10_000_000}
    clara, arthur = (escrow.people.one(name) for name in (CONTROLLER, ANALYST))
    signal = escrow.signals.submit(arthur, request, 1, "as_published", task=task)
    binding = escrow.signal_decisions.inspect(clara, signal.id)["binding"]
    escrow.signal_decisions.approve(clara, signal.id, binding, accept_none=True)


def every_request(house: House) -> list[str]:
    found = house.escrow.requests.many(house.escrow.people.one(CONTROLLER))
    assert sorted(one["state"] for one in found) == ["computed", "released", "released", "returned", "returned"]
    return [one["id"] for one in found]


def walked(page: Page, ids: list[str], signal: str, heard: Heard) -> None:
    """Every page there is, of every request, with what can be tried on it."""
    for path in pages.ALL:
        for id in ids if "{id}" in path else [""]:
            address = path.format(name="stays", id=id, sid=signal, number=1)
            if address.endswith((".csv", ".json")):
                heard.texts.append((address, page.request.get(address).text()))
            else:
                page.goto(address)
    page.goto("/datasets/stays/ask")
    page.locator(".editor").get_by_role("textbox", name="SQL of question 1").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(SQL)
    page.get_by_role("button", name="Estimate").click()
    expect(page.locator("#estimate-shown")).to_contain_text("epsilon")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("region", name="Invented rows", exact=True)).to_be_visible()


def test_nothing_that_an_analyst_is_told_holds_it(marked: House, visitors: Visitors) -> None:
    visitors.forgive("403 (Forbidden)", "404 (Not Found)", "409 (Conflict)", "410 (Gone)")
    heard, ids = Heard(), every_request(marked)
    visitors.on_the_way("**", heard.answers)
    walked(visitors.enter(marked, ANALYST), ids, marked.signal_in("computed"), heard)
    assert len(heard.texts) > 40
    assert heard.with_any(*MARKERS) == []


def test_a_controller_who_looks_is_told(marked: House, visitors: Visitors) -> None:
    """The search finds what is there: the true answer beside the withheld one, and the other partner's request."""
    heard = Heard()
    visitors.on_the_way("**", heard.answers)
    page = visitors.enter(marked, CONTROLLER)
    page.goto(f"/requests/{marked.request_in('computed')}")
    assert heard.with_any(str(VALUE), f"{VALUE:,}") == []
    page.get_by_role("button", name="See the withheld answer").click()
    page.get_by_role("button", name="See it, and enter the look").click()
    expect(page.locator("#withheld")).to_contain_text(f"{VALUE:,}")
    (answer,) = heard.with_any(str(VALUE), f"{VALUE:,}")
    assert answer.endswith("/answer")
    page.goto("/inbox")
    assert any(url.endswith("/inbox") for url in heard.with_any(MARKER))
    page.goto(f"/signals/{marked.signal_in('computed')}")
    assert not any("/signals/" in url for url in heard.with_any(str(VALUE)))
    page.get_by_role("button", name="See the value").click()
    page.get_by_role("button", name="See it, and enter the look").click()
    expect(page.get_by_role("row", name="of the exact answer")).to_be_visible()
    (value,) = (url for url in heard.with_any(str(VALUE)) if "/signals/" in url)
    assert value.endswith("/value")
