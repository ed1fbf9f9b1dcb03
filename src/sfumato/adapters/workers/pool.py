"""Workers that wait for jobs. A job that takes too long or too much, or that was cancelled, is killed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any

from sfumato.adapters.workers.child import Setup, Work
from sfumato.adapters.workers.process import Process
from sfumato.adapters.workers.protocol import Message, MessageKind, error_from
from sfumato.errors import Cancelled, EngineFailure, Stopping
from sfumato.escrow.turns import Turns

_EVERY = 0.05  # seconds between two looks at the clock and at each worker's memory


@dataclass(eq=False)
class _Job:
    name: str
    person: str
    waits: bool = True
    process: Process | None = None
    ends: float = 0.0
    share: float | None = None
    result: Message | None = None  # the worker's last message about it: an answer or an error
    is_cancelled: bool = False
    is_stopped: bool = False  # before its turn, with all of them


class Workers:
    """A pool of processes, which start with the first job.

    Each calls `state = setup(given)` once, then `work(state, job, watch)` for each job.

    `setup` and `work` are functions of a module; `given` may hold secrets and is small. A job and what comes back are
    JSON. `work` hands `watch` a function that tells how far it is. People take turns; one person's jobs are taken in
    the order in which they came, at most `each` at once.
    """

    def __init__(
        self,
        work: Work,
        setup: Setup,
        given: object,
        *,
        size: int = 2,
        each: int | None = None,
        seconds: float = 300,
        memory_mb: int = 4096,
    ) -> None:
        self._plan = setup, work, given
        self._size, self._seconds = size, seconds
        self._turns: Turns[_Job] = Turns(size, each or size)
        self._memory = memory_mb * 2**20
        self._changed = Condition()  # and the lock of everything below
        self._jobs: list[_Job] = []  # as they came
        self._idle: list[Process | None] = []  # None: could not be started
        self._is_stopping = False
        self._closed = Event()
        self._guard: Thread | None = None  # runs from the first job on

    def run(
        self, name: str, job: Mapping[str, Any], person: str = "", *, seconds: float | None = None
    ) -> Mapping[str, Any]:
        """Do a job when it is this person's turn, and wait for what comes back.

        Bad input and refusals are raised here as they were there. Whatever else goes wrong, too long and too much among
        it, is one constant sentence.
        """
        with self._turn(name, person) as mine:
            if mine.process is not None:
                mine.result = self._run_job(mine, mine.process, job, self._seconds if seconds is None else seconds)
        if mine.is_stopped:
            raise Stopping
        if mine.is_cancelled:
            raise Cancelled.because("stopped-while-running") if self._closed.is_set() else Cancelled()
        if mine.result is None:
            raise EngineFailure(worker_lost=True)
        if mine.result.kind is MessageKind.ERROR:
            raise error_from(mine.result.content)
        answer: Mapping[str, Any] = mine.result.content
        return answer

    def progress(self, name: str) -> float | None:
        """How far a job is, 0 to 1, if that is known."""
        with self._changed:
            return next((job.share for job in self._jobs if job.name == name), None)

    def cancel(self, name: str) -> bool:
        """Stop a job that runs or waits; whether there was one."""
        with self._changed:
            jobs = [job for job in self._jobs if job.name == name]
            self._stop(jobs)
        return bool(jobs)

    def stop(self) -> None:
        """Start no job from now on: callers that wait get `Stopping`. A worker that is at a job is told, and goes on.

        It may be called by the handler of a signal: the thread that has this lock may take it again.
        """
        with self._changed:
            self._is_stopping = True
            for job in self._jobs:
                job.is_stopped = job.waits
                if job.process is not None:
                    job.process.announce_stop()
            self._changed.notify_all()

    def close(self) -> None:
        """Stop everything; callers that wait get `Cancelled`."""
        with self._changed:
            self._closed.set()
            self._stop(self._jobs)
            self._changed.wait_for(lambda: not self._jobs)
            for process in filter(None, self._idle):
                process.forget()
            self._idle.clear()
        if self._guard is not None:
            self._guard.join()

    def _start(self) -> None:
        """Start the processes, for the first job."""
        self._idle = [self._fresh() for _ in range(self._size)]
        self._guard = Thread(target=self._watch, name="sfumato workers", daemon=True)
        self._guard.start()

    def _stop(self, jobs: list[_Job]) -> None:
        for job in jobs:
            job.is_cancelled = True
            if job.waits:  # now, not when its thread wakes: a worker that is free until then would start it
                self._turns.remove(job.person, job)
            if job.process is not None:
                job.process.kill()
        self._changed.notify_all()

    @contextmanager
    def _turn(self, name: str, person: str) -> Iterator[_Job]:
        """A job with a worker to itself, unless it is cancelled before its turn."""
        mine = _Job(name, person)
        try:
            self._wait(mine)
            yield mine
        finally:
            self._leave(mine)

    def _wait(self, mine: _Job) -> None:
        with self._changed:
            if self._closed.is_set():
                raise Cancelled
            if self._is_stopping:
                raise Stopping
            if self._guard is None:
                self._start()
            self._jobs.append(mine)
            self._turns.add(mine.person, mine)
            self._begin()
            self._changed.wait_for(lambda: mine.is_cancelled or mine.is_stopped or not mine.waits)
            if mine.waits:
                return
            if not mine.is_cancelled and (mine.process is None or not mine.process.is_fit):
                mine.process = self._fresh(mine.process)
                if self._is_stopping and mine.process is not None:
                    mine.process.announce_stop()
            self._changed.notify_all()

    def _begin(self) -> None:
        """Give each worker that is idle the next job."""

        def begin(_person: str, job: _Job) -> None:
            job.waits, job.process = False, self._idle.pop(0)
            job.ends = monotonic() + self._seconds  # to be set up; then for the job

        if not self._is_stopping:
            self._turns.start_all(begin)

    @staticmethod
    def _run_job(mine: _Job, process: Process, job: Mapping[str, Any], seconds: float) -> Message | None:
        """The last word of a worker about a job: an answer or an error; None when there is none."""
        message = process.wait_until_ready()
        if message is not None and message.kind is MessageKind.READY:
            mine.ends = monotonic() + seconds
            process.ask(job)
            while (message := process.receive()) is not None and message.kind is MessageKind.SHARE:
                mine.share = message.content
        return message if message is not None and message.kind in (MessageKind.ANSWER, MessageKind.ERROR) else None

    def _leave(self, mine: _Job) -> None:
        """Make room for the next. A worker that failed, or that holds on to much memory, is not asked again."""
        with self._changed:
            is_fit = mine.process is not None and mine.process.is_fit and mine.process.memory < self._memory / 2
            if mine.waits or (mine.result is not None and is_fit):
                self._give_back(mine, mine.process)
                return
        if mine.process is not None:
            mine.process.forget()  # not under the lock: much memory takes a while
        with self._changed:
            self._give_back(mine, None if self._closed.is_set() else self._fresh())

    def _give_back(self, mine: _Job, process: Process | None) -> None:
        if mine in self._jobs:
            self._jobs.remove(mine)
        if mine.waits:
            self._turns.remove(mine.person, mine)  # unless it was cancelled
        else:
            self._idle.append(process)
            self._turns.end(mine.person)
            self._begin()
        self._changed.notify_all()

    def _fresh(self, gone: Process | None = None) -> Process | None:
        if gone is not None:
            gone.forget()
        try:
            return Process(*self._plan)
        except OSError:
            return None

    def _watch(self) -> None:
        while not self._closed.wait(_EVERY):
            with self._changed:
                self._changed.wait_for(
                    lambda: self._jobs or self._closed.is_set()
                )  # nothing is watched while no job runs
                for job in self._jobs:
                    if job.process is not None and (monotonic() > job.ends or job.process.memory > self._memory):
                        job.process.kill()
