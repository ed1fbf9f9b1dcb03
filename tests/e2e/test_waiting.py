"""The line that says what is waited for, on a terminal of its own: there while the work lasts, and gone after it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys

import pytest

from tests.e2e.command import PATIENCE

pytestmark = pytest.mark.e2e

WORDS = b"Reading the data"
# The work lasts until a line arrives on standard input.
WAIT = """
import sys
from sfumato.cli.progress import waiting
with waiting(lambda: {share}, "Reading the data", after={after}):
    sys.stdin.readline()
print("done", flush=True)
"""


class Terminal:
    """A process whose standard error is a terminal; its standard output is a pipe."""

    def __init__(self, after: float, share: float | None = None, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        self.shown = b""
        plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
        self._process = subprocess.Popen(
            [sys.executable, "-c", WAIT.format(share=share, after=after)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env=plain | {"TERM": "xterm-256color", "COLUMNS": "100"} | environment,
        )
        os.close(theirs)

    def until(self, words: bytes) -> None:
        """Read until the words are shown; the test's own time limit is the only clock."""
        while words not in self.shown:
            assert self._more(PATIENCE), f"not shown: {words!r}"

    def end(self) -> bytes:
        """Let the work end; what was shown from here on."""
        before = len(self.shown)
        out, _ = self._process.communicate(b"\n", timeout=PATIENCE)
        assert (self._process.returncode, out) == (0, b"done\n")
        while self._more(0):
            pass
        os.close(self._ours)
        return self.shown[before:]

    def _more(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            read = os.read(self._ours, 4096)
        except OSError:  # nobody writes there any more
            return False
        self.shown += read
        return bool(read)


def test_slow_work_shows_a_line_and_takes_it_away() -> None:
    terminal = Terminal(after=0, share=0.42)
    terminal.until(WORDS)
    terminal.until(b"42%")
    assert b"\x1b[2K" in terminal.end()  # the line is erased
    assert b"\x1b[3" in terminal.shown, "in colour, where nobody asked for none"


def test_work_of_unknown_length_shows_no_percentage() -> None:
    terminal = Terminal(after=0)
    terminal.until(WORDS)
    terminal.end()
    assert b"%" not in terminal.shown


def test_fast_work_shows_nothing() -> None:
    terminal = Terminal(after=600)
    assert terminal.end() == b""


def test_no_colour_where_none_is_wanted() -> None:
    terminal = Terminal(after=0, share=0.42, NO_COLOR="1")
    terminal.until(b"42%")
    terminal.end()
    assert b"\x1b[3" not in terminal.shown


def test_a_terminal_that_cannot_move_its_cursor_shows_nothing() -> None:
    assert Terminal(after=0, TERM="dumb").end() == b""


def test_a_pipe_gets_nothing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WAIT.format(share=0.42, after=0)],
        input=b"\n",
        capture_output=True,
        check=True,
        timeout=PATIENCE,
    )
    assert (done.stdout, done.stderr) == (b"done\n", b"")
