"""Quick calls are served while slow ones last, and nobody fills a lane alone."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from sfumato.errors import Stopping, TooMany
from sfumato.escrow.questions.risk_facts import RehearsalFacts
from sfumato.server.concurrency import WorkPool
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
        assert may_end.wait(600)
        return made_up(RehearsalFacts)

    nouns.questions.answers["rehearse"] = slow
    app = app_on(nouns, asking_at_once=3, asking_at_once_each=2, asking_waiting_each=0)
    body = {"sql": "SELECT 1"}

    async def story() -> None:
        alice, bob, carol = (Caller(app, f"{name}-read") for name in ("alice", "bob", "carol"))
        asked = []
        for asking, begun in (((alice, alice), 2), ((bob, carol), 3)):  # both of alice's have begun before others ask
            asked += [asyncio.create_task(who.answer("POST", "/datasets/adult/rehearse", json=body)) for who in asking]
            while len(nouns.questions.calls) < begun:
                await asyncio.sleep(0.001)
        third = await alice.answer("POST", "/datasets/adult/rehearse", json=body)
        assert (third.status_code, third.json()["code"]) == (429, TooMany.code)
        assert (await alice.answer("GET", "/session")).status_code == 200
        assert len(nouns.questions.calls) == 3  # the fourth waits its turn
        may_end.set()
        assert [answer.status_code for answer in await asyncio.gather(*asked)] == [200] * 4
        assert (await alice.answer("POST", "/datasets/adult/rehearse", json=body)).status_code == 200

    asyncio.run(story())


class Gate:
    """Slow work of several people: it notes who began, and ends when it is told to."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.may_end = Event()

    def work(self, who: str) -> str:
        self.begun.append(who)
        assert self.may_end.wait(600)
        return who


def test_one_person_waits_for_their_own_and_others_do_not() -> None:
    gate, pool = Gate(), WorkPool(2, 1, 40)

    async def story() -> None:
        flood = [asyncio.create_task(pool.run("alice", gate.work, "alice")) for _ in range(40)]
        await asyncio.sleep(0)  # all of them are in the queue
        bob = asyncio.create_task(pool.run("bob", gate.work, "bob"))
        while len(gate.begun) < 2:
            await asyncio.sleep(0.001)
        assert sorted(gate.begun) == ["alice", "bob"]
        gate.may_end.set()
        assert [await task for task in flood] == ["alice"] * 40
        assert await bob == "bob"

    asyncio.run(story())


def test_a_caller_who_goes_away_gives_the_turn_back() -> None:
    gate, pool = Gate(), WorkPool(1, 1, 1)

    async def story() -> None:
        running, waiting = (asyncio.create_task(pool.run("alice", gate.work, "alice")) for _ in range(2))
        while not gate.begun:
            await asyncio.sleep(0.001)
        with pytest.raises(TooMany):
            await pool.run("alice", gate.work, "alice")
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        third = asyncio.create_task(pool.run("alice", gate.work, "third"))
        gate.may_end.set()
        assert [await running, await third] == ["alice", "third"]
        assert gate.begun == ["alice", "third"]

    asyncio.run(story())


def test_a_pool_that_is_stopped_refuses_whoever_waits_and_ends_what_runs() -> None:
    gate, pool = Gate(), WorkPool(1, 1, 9)

    async def story() -> None:
        running, *waiting = (asyncio.create_task(pool.run("alice", gate.work, "alice")) for _ in range(4))
        while not gate.begun:
            await asyncio.sleep(0.001)
        pool.stop()
        refused = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(one) for one in refused] == [Stopping] * 3
        with pytest.raises(Stopping):
            await pool.run("bob", gate.work, "bob")
        gate.may_end.set()
        assert await running == "alice"
        assert gate.begun == ["alice"]

    asyncio.run(story())


def test_calls_of_analysts_do_not_fill_the_lane_of_controllers() -> None:
    """Quick calls and slow ones alike; one analyst does not keep another from a quick call either."""
    nouns, may_end = Nouns(), Event()

    def slow(*_: object, **__: object) -> RehearsalFacts:
        assert may_end.wait(600)
        return made_up(RehearsalFacts)

    nouns.questions.answers["rehearse"] = slow
    nouns.notifications.answers["many"] = lambda *_, **__: [] if may_end.wait(600) else None
    nouns.requests.answers["listed"] = nouns.accounts.answers["tokens"] = lambda *_, **__: []
    nouns.requests.answers["counts"], nouns.notifications.answers["count"] = {}, 0
    app = app_on(nouns, asking_at_once=1, calls_at_once=2, calls_at_once_each=1)
    body = {"sql": "SELECT 1"}

    async def story() -> None:
        bob, dan, alice = (Caller(app, f"{name}-read") for name in ("bob", "dan", "a controller"))
        asked = [asyncio.create_task(bob.answer("POST", "/datasets/adult/rehearse", json=body)) for _ in range(3)]
        asked += [asyncio.create_task(bob.answer("GET", "/notifications")) for _ in range(9)]
        while not (nouns.questions.calls and nouns.notifications.calls):
            await asyncio.sleep(0.001)
        assert (await dan.answer("GET", "/tokens")).status_code == 200
        assert (await alice.answer("GET", "/requests")).status_code == 200
        assert len(nouns.notifications.calls) == 1
        while len(nouns.questions.calls) < 2:  # a controller's question begins although the lane of analysts is full
            if len(asked) == 12:
                asked.append(asyncio.create_task(alice.answer("POST", "/datasets/adult/rehearse", json=body)))
            await asyncio.sleep(0.001)
        may_end.set()
        assert {answer.status_code for answer in await asyncio.gather(*asked)} == {200}

    asyncio.run(story())
