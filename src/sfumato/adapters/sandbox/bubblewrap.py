"""Runs a function of an analyst's in a fresh process of bubblewrap, and lets one rounded number out."""

from __future__ import annotations

import json
import math
import os
import select
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from importlib.util import find_spec
from threading import Lock, Thread
from typing import Any

from sfumato.adapters.sandbox import filesystem, self_test
from sfumato.adapters.sandbox.limits import WORKING, SandboxLimits
from sfumato.adapters.sandbox.seccomp import filter_program
from sfumato.errors import SandboxMissing
from sfumato.ports import Columns

INSTALL = "apt install bubblewrap libseccomp2 && pip install 'sfumato[signal]'"
_NUMBER = struct.Struct("<d")
_TESTED_FOR = 60.0  # seconds: a busy machine takes a while to load the libraries
_ENDLESS_FOR = 1.0
_TRIED_AGAIN_AFTER = 60.0


class Bubblewrap:
    """A sandbox. `clock` and `pause` are those of the machine, unless a test has others."""

    def __init__(
        self,
        limits: SandboxLimits | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.limits = limits or SandboxLimits()
        self._clock, self._pause = clock, pause
        self._testing = Lock()
        self._verdict: list[SandboxMissing | None] = []  # by the self-test, once it was done
        self._tested_at = 0.0

    def missing(self) -> SandboxMissing | None:
        """What has to be installed, or why it may not be used; None: it is ready.

        The first call tests it; where it was missing, so does the first call of every minute after that.
        """
        with self._testing:
            if any(self._verdict) and self._clock() >= self._tested_at + _TRIED_AGAIN_AFTER:
                self._verdict.clear()
            if not self._verdict:
                self._verdict.append(self._lacking() or self._unsafe())
                self._tested_at = self._clock()
            return self._verdict[0]

    def score(self, code: str, tables: Sequence[Columns], *, padded: bool = True) -> float | None:
        """One number of `evaluate(tables)`, rounded, when the seconds are over; None is no_score, whatever the reason.

        The code is not even parsed in this process. In a table's columns are numbers, texts, truths and None; whatever
        else is there arrives as text. Of public tables, `padded=False`, it comes when it is there.
        """
        if (missing := self.missing()) is not None:
            raise copy(missing)
        ends = self._clock() + self.limits.seconds
        score = self._run(code, tables, self.limits, ends)
        if padded:
            self._pause(max(0.0, ends - self._clock()))
        return score

    def _lacking(self) -> SandboxMissing | None:
        if shutil.which("bwrap") is None:
            return SandboxMissing.because("sandbox-bubblewrap-missing", install=INSTALL)
        if absent := filesystem.absent() + [name for name in ("pyseccomp",) if not find_spec(name)]:
            return SandboxMissing.because("sandbox-packages-missing", packages=absent, install=INSTALL)
        try:
            filter_program()
        except (ImportError, AttributeError, RuntimeError, OSError):  # none, or one that is too old
            return SandboxMissing.because("sandbox-libseccomp-unusable", install=INSTALL)
        return None

    def _unsafe(self) -> SandboxMissing | None:
        """Nothing is believed: what should work and what should not is tried."""
        ready = replace(self.limits, seconds=_TESTED_FOR, low=0, high=2 ** len(self_test.STOPPED), decimals=0)
        if self._run(self_test.GOOD, [self_test.TABLE], ready, self._clock() + ready.seconds) != 1:
            return SandboxMissing.because("sandbox-does-not-score")
        number = self._run(self_test.attacks(ready.memory_mb), [], ready, self._clock() + ready.seconds)
        if number is None:
            return SandboxMissing.because("sandbox-self-test-silent")
        if through := self_test.successful_attacks(number):
            return SandboxMissing.because("sandbox-attacks-succeeded", attacks=through)
        short = replace(ready, seconds=_ENDLESS_FOR)
        if self._run(self_test.ENDLESS, [], short, self._clock() + short.seconds) is not None:
            return SandboxMissing.because("sandbox-endless")
        return None

    def _run(self, code: str, tables: Sequence[Columns], limits: SandboxLimits, ends: float) -> float | None:
        working = limits.seconds * WORKING
        given = {
            "filter": filter_program().hex(),
            "memory_mb": limits.memory_mb,
            "seconds": math.ceil(working) + 1,
            "tables": [{name: list(values) for name, values in table.items()} for table in tables],
            "code": code,
        }
        with suppress(OSError):  # the machine has no process or memory left
            output = self._output(json.dumps(given, default=_plain).encode(), ends - limits.seconds + working, ends)
            if len(output) == _NUMBER.size:
                return limits.score(*_NUMBER.unpack(output))
        return None

    def _output(self, given: bytes, until: float, ends: float) -> bytes:
        """All that the process wrote, if it closed the pipe in time; of too much, a byte too much.

        What it is given lies in memory and not in a pipe: it need not be read for this to go on. Much memory takes a
        while to be released: a thread of its own waits for that.
        """
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb", buffering=0) as answer, os.fdopen(os.memfd_create("given"), "w+b") as file:
            with os.fdopen(writing, "wb"):
                file.write(given)
                file.seek(0)
                process = subprocess.Popen(
                    filesystem.command(shutil.which("bwrap") or "bwrap"),
                    stdin=file,
                    stdout=writing,
                    stderr=subprocess.DEVNULL,
                    env={},
                    cwd="/",
                )
            output = b""
            try:
                output = self._read(answer.fileno(), until)
                return output
            finally:
                left = until - self._clock() if len(output) == _NUMBER.size else 0.0  # it has nothing more to say
                ending = Thread(target=_end, args=(process, left), name="sfumato sandbox", daemon=True)
                ending.start()
                ending.join(max(0.0, ends - self._clock()))

    def _read(self, answer: int, until: float) -> bytes:
        output, ready = b"", select.poll()
        ready.register(answer, select.POLLIN)
        while len(output) <= _NUMBER.size:
            if not ready.poll(1000 * max(0.0, until - self._clock())):
                return b""
            part = os.read(answer, _NUMBER.size + 1 - len(output))
            if not part:
                break
            output += part
        return output


def _plain(value: Any) -> object:
    """A number of numpy's is a number; a date or a decimal is a text."""
    return value.item() if hasattr(value, "item") else str(value)


def _end(process: subprocess.Popen[bytes], within: float) -> None:
    """It ends by itself within the seconds, or it is killed; whatever is in it dies with it."""
    try:
        process.wait(max(0.0, within))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
