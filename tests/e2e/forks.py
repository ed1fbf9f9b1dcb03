"""Real processes that start at once: one has loaded the libraries, and the others are forked from it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_PARENT = """
import json, os, sys, traceback
import opendp.prelude, pandas, sqlite3
import sfumato.adapters.engines.duckdb.engine, sfumato.adapters.noise.laplace
import sfumato.adapters.storage.ledger_file, sfumato.composition.local

def say(line):
    os.write(1, (line + "\\n").encode())  # whole, whoever else writes and whenever it is killed

{job}
forked = []
for line in sys.stdin:
    if line == "\\n":
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in forked]
        say("ended " + json.dumps(codes))
        forked = []
    else:
        forked.append(os.fork())
        if not forked[-1]:
            try:
                code = main(*json.loads(line)) or 0
            except BaseException:  # said, or a test would wait for its lines for ever
                traceback.print_exc()
                say("raised, see stderr")
                code = 70
            os._exit(code)
"""


class Forks:
    """Each one runs `main` of the job with arguments of its own; what they `say` comes back line by line."""

    def __init__(self, parent: subprocess.Popen[str]) -> None:
        self._parent = parent

    def start(self, *arguments: object) -> None:
        self._say(json.dumps(arguments))

    def line(self) -> str:
        assert self._parent.stdout is not None
        return self._parent.stdout.readline().removesuffix("\n")

    def ended(self) -> tuple[list[str], list[int]]:
        """When all have ended: what they said since, and their exit codes, in the order of their start."""
        self._say("")
        lines: list[str] = []
        while not (line := self.line()).startswith("ended "):
            lines.append(line)
        return lines, json.loads(line.removeprefix("ended "))

    def _say(self, line: str) -> None:
        print(line, file=self._parent.stdin, flush=True)


@contextmanager
def forks(job: str) -> Iterator[Forks]:
    """Processes that all run the same job, a text that defines `main`; none of them is left behind."""
    with subprocess.Popen(
        [sys.executable, "-c", _PARENT.format(job=job)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as parent:
        try:
            yield Forks(parent)
        finally:
            os.killpg(parent.pid, signal.SIGKILL)
