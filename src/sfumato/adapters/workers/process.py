"""One worker, seen from the process that started it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Lock
from typing import Any

from sfumato.adapters.workers.child import STOPPING, Setup, Work, serve
from sfumato.adapters.workers.protocol import SETTING_UP, Message, MessageKind, receive, send

_SPAWN = multiprocessing.get_context("spawn")
_MUTE = (EOFError, OSError, ValueError, RecursionError)  # what is heard of one that is gone, or mad


class Process:
    """It inherits no open file. What it is given goes through a pipe, never on a command line or in the environment."""

    def __init__(self, setup: Setup, work: Work, given: object) -> None:
        self._line, theirs = _SPAWN.Pipe()
        lifeline, self._lifeline = _SPAWN.Pipe(duplex=False)  # nothing is written: it closes when this process is gone
        self._process = _SPAWN.Process(target=serve, args=(theirs, lifeline), daemon=True, name="sfumato worker")
        self._ready: Message | None = None
        self._number = SETTING_UP
        self._ending, self._is_killed, self._is_over = Lock(), False, False
        _start(self._process)
        self._pid = self._process.pid or 0
        theirs.close()
        lifeline.close()
        with suppress(OSError):  # it died already, which the first job will notice
            self._line.send((setup, work, given))

    def wait_until_ready(self) -> Message | None:
        """Wait until it is set up; or for what it says if it cannot be, or None if it is gone."""
        if self._ready is None:
            self._ready = self.receive()
        return self._ready

    def ask(self, job: Mapping[str, Any]) -> None:
        self._number += 1
        with suppress(OSError):
            send(self._line, Message(MessageKind.JOB, self._number, job))

    def receive(self) -> Message | None:
        """The next that it says about the job; None if it is gone, or mad."""
        try:
            message = receive(self._line)
        except _MUTE:
            return None
        return message if message.number == self._number else None

    @property
    def is_fit(self) -> bool:
        """Whether it lives and, as far as is known, can be set up."""
        can_work = self._ready is None or self._ready.kind is MessageKind.READY
        return can_work and not self._is_killed and self._process.is_alive()

    @property
    def memory(self) -> int:
        """Bytes that it holds: what is resident, and files that lie in memory only."""
        proc = Path("/proc", str(self._pid))
        try:
            pages = int((proc / "statm").read_text("ascii").split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(_in_memory, (proc / "fd").iterdir()))
        except OSError:  # it is gone
            return 0

    def kill(self) -> None:
        """End it and whatever it started, now. A caller that waits for its answer gets none.

        The group goes by its lifeline: its number may be another's by now.
        """
        with self._ending:
            self._is_killed = True
            if not self._is_over:
                self._lifeline.close()
                self._process.kill()  # it may not have been tied yet

    def announce_stop(self) -> None:
        """Tell it that this process is stopping (`child.is_stopping`)."""
        with self._ending:
            if not self._is_over:
                with suppress(OSError):
                    os.kill(self._pid, STOPPING)

    def forget(self) -> None:
        """Kill it and remove its files; no caller may still wait for it."""
        if self._is_over:
            return
        self.kill()
        self._process.join()
        with self._ending:
            self._is_over = True
            self._process.close()
        self._line.close()


def _start(process: SpawnProcess) -> None:
    """An interrupt from the keyboard is ours to handle; what we announce waits until the worker can note it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, STOPPING])
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _in_memory(link: Path) -> int:
    try:
        return link.stat().st_blocks * 512 if str(link.readlink()).startswith("/memfd:") else 0
    except OSError:  # closed meanwhile
        return 0
