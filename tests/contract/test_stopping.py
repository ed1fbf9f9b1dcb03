"""Whose turn a job is, how much may wait, and what a server that stops does with what runs."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from sfumato.adapters.workers.lanes import WorkerLanes
from sfumato.adapters.workers.pool import Workers
from sfumato.composition.stopping import StoppableLedger
from sfumato.errors import Cancelled, Stopping, TooMany
from sfumato.escrow.service import Escrow
from sfumato.ledger.entry import Event
from tests.contract import jobs
from tests.contract.test_workers import PATIENCE, pool, until
from tests.room import COUNT, SUM, Room

AUTOMATIC = {"approve": "automatic", "preferences": ["rule", "epsilon"]}


class Noticing(StoppableLedger):
    """The signal comes right after a charge."""

    def append(self, *given: Any, **named: Any) -> Any:
        entries = super().append(*given, **named)
        if any(entry.draft.event is Event.RESERVED for entry in entries):
            assert isinstance(self.is_stopping, Signal)
            self.is_stopping.is_stopping = True
        return entries


class Signal:
    is_stopping = False

    def __call__(self) -> bool:
        return self.is_stopping


@pytest.fixture
def stop(room: Room) -> Signal:
    """What the room's worker charges is refused once this is set."""
    signal = Signal()
    room.runner._opened.ledger = StoppableLedger(room.database.ledger(), signal)
    return signal


def test_what_was_not_charged_before_the_signal_is_put_back_and_runs_at_the_next_start(
    room: Room, stop: Signal
) -> None:
    room.policy(AUTOMATIC)
    request = room.submit()

    def signalled(_job: Any) -> None:
        stop.is_stopping = True

    room.runner.meanwhile = signalled
    room.go()
    assert (room.state(request), room.charged) == ("approved", 0)
    assert room.ports.rows("requests").one(id=request.id)["owner"] is None  # type: ignore[index]
    stop.is_stopping, room.runner.meanwhile = False, lambda _job: None
    assert room.execution.resume() == 1
    room.go()
    assert (room.state(request), room.charged) == ("released", 0.2)


def test_what_was_charged_before_the_signal_is_released(room: Room, stop: Signal) -> None:
    room.policy(AUTOMATIC)
    request = room.submit()

    room.runner._opened.ledger = Noticing(room.database.ledger(), stop)
    room.go()
    assert stop.is_stopping
    assert (room.state(request), room.charged) == ("released", 0.2)


def test_a_request_of_which_part_was_charged_goes_on_where_it_stopped(room: Room, stop: Signal) -> None:
    """What selects its epsilon is charged for each step: those that were drawn come back as they were."""
    room.policy({"approve": "by a controller", "preferences": ["variance"], "guarantees": ["dp-selected"]})
    request = room.submit(COUNT, SUM, preference={"variance": 0.5, "select_epsilon": 5.0})
    room.approve(request)
    room.runner._opened.ledger = Noticing(room.database.ledger(), stop)
    for charges in range(1, 10):
        room.go()
        assert len(room.entries(Event.RESERVED)) == charges
        if room.state(request) != "approved":
            break
        stop.is_stopping = False
        assert room.execution.resume() == 1
    assert (room.state(request), charges) == ("released", 4), room.note(request)


def test_jobs_are_run_for_each_person_in_turn(room: Room) -> None:
    """What a controller waits for is in a lane of its own, also where it is computed as for an analyst."""
    room.policy({"approve": "by a controller"})
    room.questions.rehearse(room["bob"], "stays", COUNT, None)
    request = room.submit()
    room.approve(request)
    room.go()
    assert room.runner.turns[-3:] == [("bob", False), ("alice", True), ("bob", False)]
    room.questions.exposure_histogram(room["alice"], "stays", SUM, 0.05, {})
    room.look(by="carol")
    assert room.runner.turns[-2:] == [("alice", True), ("carol", True)]


def test_an_analyst_has_so_many_in_the_queue(room: Room) -> None:
    room.escrow = Escrow(replace(room.ports, limits=replace(room.ports.limits, most_waiting=2)))
    room.requests = room.escrow.requests
    room.policy(AUTOMATIC)
    for epsilon in (0.1, 0.2):
        room.submit(preference={"epsilon": epsilon})
    with pytest.raises(TooMany, match="2 of your requests are running or waiting for a worker"):
        room.submit(preference={"epsilon": 0.3})
    assert room.submit(by="dan", preference={"epsilon": 0.3}).state == "approved"
    room.waiting.pop(0)()
    assert room.submit(preference={"epsilon": 0.3}).state == "approved"


# Workers


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(12) as threads:
        yield threads


def test_workers_take_people_in_turn(threads: ThreadPoolExecutor, tmp_path: Any) -> None:
    note = tmp_path / "note"
    with pool(size=1) as workers:
        first = threads.submit(workers.run, "first", {"do": "sleep", "seconds": 600}, "a")
        waiting: list[Future[Any]] = []
        for who in ("a", "a", "a", "b", "c"):
            until(lambda: len(workers._jobs) == 1 + len(waiting))
            waiting.append(threads.submit(workers.run, who, {"do": "note", "path": str(note), "note": who}, who))
        until(lambda: len(workers._jobs) == 6)
        workers.cancel("first")
        for job in waiting:
            job.result(PATIENCE)
        assert isinstance(first.exception(), Cancelled)
    assert note.read_text("utf-8") == "abcaa"


def test_a_worker_that_gets_free_starts_no_job_that_was_cancelled(threads: ThreadPoolExecutor) -> None:
    with pool(size=1) as workers:
        running = threads.submit(workers.run, "running", {"do": "sleep", "seconds": 600}, "a")
        until(lambda: workers.progress("running"))
        waiting = threads.submit(workers.run, "waiting", {"do": "sleep", "seconds": 600}, "a")
        until(lambda: len(workers._jobs) == 2)
        with workers._changed:  # the thread of the job that waits cannot wake before a worker is free
            assert workers.cancel("waiting")
            assert workers._turns.waiting == []
            assert workers.cancel("running")
        for job in (running, waiting):
            with pytest.raises(Cancelled):
                job.result(PATIENCE)


def test_workers_that_are_stopped_start_nothing_and_tell_those_at_work(threads: ThreadPoolExecutor) -> None:
    with pool(size=1) as workers:
        running = threads.submit(workers.run, "running", {"do": "until stopped"}, "a")
        until(lambda: workers.progress("running"))
        waiting = [threads.submit(workers.run, f"waits {i}", {"do": "seen"}, "b") for i in range(3)]
        until(lambda: len(workers._jobs) == 4)
        workers.stop()
        assert running.result(PATIENCE) == {"stopped": True}
        for job in waiting:
            with pytest.raises(Stopping):
                job.result(PATIENCE)
        with pytest.raises(Stopping):
            workers.run("later", {"do": "seen"}, "c")


def test_a_worker_that_is_not_ready_yet_is_told_all_the_same(threads: ThreadPoolExecutor) -> None:
    """The signal comes while it starts: it waits until the worker can note it, and ends nothing."""
    with pool(size=1) as workers:
        running = threads.submit(workers.run, "running", {"do": "until stopped"}, "a")
        until(lambda: workers._jobs and workers._jobs[0].process)
        workers.stop()
        assert running.result(PATIENCE) == {"stopped": True}


def test_workers_that_are_closed_at_work_say_why(threads: ThreadPoolExecutor) -> None:
    with pool(size=1) as workers:
        running = threads.submit(workers.run, "running", {"do": "sleep", "seconds": 600}, "a")
        until(lambda: workers.progress("running"))
    with pytest.raises(Cancelled, match="The server was stopped while it ran"):
        running.result(PATIENCE)


def test_controllers_have_workers_that_analysts_do_not_take(threads: ThreadPoolExecutor) -> None:
    lanes = WorkerLanes(*(Workers(jobs.work, jobs.set_up, None, size=1) for _ in range(2)))
    try:
        flood = [threads.submit(lanes.run, f"{i}", {"do": "sleep", "seconds": 600}, "bob") for i in range(5)]
        until(lambda: any(lanes.progress(f"{i}") for i in range(5)))
        assert lanes.run("page", {"do": "seen"}, "alice", deciding=True)["job"] == {"do": "seen"}
        assert not any(job.done() for job in flood)
        assert all(lanes.cancel(f"{i}") for i in range(5))
        for job in flood:
            with pytest.raises(Cancelled):
                job.result(PATIENCE)
        lanes.stop()
        with pytest.raises(Stopping):
            lanes.run("page", {"do": "seen"}, "alice", deciding=True)
    finally:
        lanes.close()
