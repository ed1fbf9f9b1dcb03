"""What runs inside a worker: one job after the other, until the process that started it is gone."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from sfumato.adapters.workers.protocol import SETTING_UP, Message, MessageKind, error_content, receive, send
from sfumato.errors import SfumatoError

Share = Callable[[], float | None]
Watch = Callable[[Share], None]
Setup = Callable[[Any], Any]
Work = Callable[[Any, Mapping[str, Any], Watch], Mapping[str, Any]]

STOPPING = signal.SIGUSR1  # the process that started this one is stopping
_EVERY = 0.2  # seconds between two words about progress


_announced: list[int] = []  # signals: a handler may be interrupted by itself, so that it takes no lock


def is_stopping() -> bool:
    """Whether the process that started this one is stopping: a job that runs may end, and begins nothing lasting."""
    return bool(_announced)


def serve(line: Connection, lifeline: Connection) -> None:
    """Set up once, then work. An error that is not of our tree ends the process: its state is unknown."""
    _isolate()
    _tie_to(lifeline)
    setup, work, given = line.recv()
    worker = _Worker(line, work)
    if worker.attempt(SETTING_UP, partial(worker.set_up, setup, given)):
        with suppress(EOFError):
            while True:
                _, number, job = receive(line)
                worker.attempt(number, partial(worker.do, number, job))


class _Worker:
    def __init__(self, line: Connection, work: Work) -> None:
        self._line = line
        self._work = work
        self._sending = Lock()
        self._state: Any = None

    def set_up(self, setup: Setup, given: object) -> None:
        self._state = setup(given)
        self._send(Message(MessageKind.READY, SETTING_UP))

    def do(self, number: int, job: Mapping[str, Any]) -> None:
        done = Event()

        def watch(progress: Share) -> None:
            Thread(target=self._report_progress, args=(number, progress, done), daemon=True).start()

        try:
            answer = self._work(self._state, job, watch)
        finally:
            done.set()
        self._send(Message(MessageKind.ANSWER, number, answer))

    def attempt(self, number: int, step: Callable[[], None]) -> bool:
        try:
            step()
        except SfumatoError as error:
            self._send(Message(MessageKind.ERROR, number, error_content(error)))
            return False
        return True

    def _report_progress(self, number: int, progress: Share, done: Event) -> None:
        while not done.wait(_EVERY):
            self._send(Message(MessageKind.SHARE, number, progress()), unless=done)

    def _send(self, message: Message, unless: Event | None = None) -> None:
        with self._sending:
            if unless is None or not unless.is_set():
                send(self._line, message)


def _isolate() -> None:
    """A session of its own, nothing printed, nothing dumped, and the first to go when the machine has no memory."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(STOPPING, lambda number, _frame: _announced.append(number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT, STOPPING])
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")


def _tie_to(lifeline: Connection) -> None:
    """Have the kernel kill this group when the other end closes, even amid a call that does not come back."""
    fd = lifeline.fileno()
    fcntl.fcntl(fd, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
    if lifeline.poll():  # it closed before that
        os._exit(1)
