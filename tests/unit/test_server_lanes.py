"""Quick calls are served while slow ones last, and nobody fills a lane alone."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from sfumato.errors import TooMany
from sfumato.escrow.questions.risk_facts import RehearsalFacts
from sfumato.server.rate_limit import Rate, TooOften, network
from tests.examples import made_up
from tests.served import Caller, Nouns, app_on


def test_a_minute_has_so_many_calls() -> None:
    now = 0.0
    rate = Rate(2, clock=lambda: now)
    rate.count("alice")
    now = 30.0
    rate.count("alice")
    now = 59.5
    with pytest.raises(TooOften) as refused:
        rate.count("alice")
    assert refused.value.seconds == 1
    rate.count("bob")
    now = 60.0
    rate.count("alice")  # the first is a minute old; what was refused did not count
    with pytest.raises(TooOften):
        rate.count("alice")


def test_whoever_fell_silent_is_forgotten() -> None:
    now = 0.0
    rate = Rate(2, clock=lambda: now)
    for number in range(1000):
        rate.count(number)
    now = 61.0
    rate.count("somebody")
    assert len(rate) == 1


def test_addresses_are_counted_by_subscriber() -> None:
    assert network("2001:db8:0:1::1") == network("2001:db8:0:1:ffff::2") != network("2001:db8:0:2::1")
    assert network("::ffff:192.0.2.1") == network("192.0.2.1") != network("192.0.2.2")
    assert network("testclient") == "testclient"


def test_quick_calls_are_served_while_slow_ones_last() -> None:
    nouns, may_end = Nouns(), Event()

    def slow(*_: object) -> RehearsalFacts:
        assert may_end.wait(20)
        return made_up(RehearsalFacts)

    nouns.questions.answers["rehearse"] = slow
    app = app_on(nouns, asking_at_once=3, asking_at_once_each=2)
    body = {"sql": "SELECT 1"}

    async def story() -> None:
        alice, bob, carol = (Caller(app, f"{name}-read") for name in ("alice", "bob", "carol"))
        asked = [
            asyncio.create_task(who.answer("POST", "/datasets/adult/rehearse", json=body))
            for who in (alice, alice, bob, carol)
        ]
        while len(nouns.questions.calls) < 3:
            await asyncio.sleep(0.001)
        third = await alice.answer("POST", "/datasets/adult/rehearse", json=body)
        assert (third.status_code, third.json()["code"]) == (429, TooMany.code)
        assert (await alice.answer("GET", "/session")).status_code == 200
        assert len(nouns.questions.calls) == 3  # the fourth waits its turn
        may_end.set()
        assert [answer.status_code for answer in await asyncio.gather(*asked)] == [200] * 4
        assert (await alice.answer("POST", "/datasets/adult/rehearse", json=body)).status_code == 200

    asyncio.run(story())
