"""People at machines of their own: each a process that runs a script, and knows an address and a token."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import indent
from types import TracebackType
from typing import Any, Self

from tests.e2e.command import PATIENCE

_SCRIPT = """
import json, sys, time
import sfumato as sf

def say(what):
    print(json.dumps(what), flush=True)

def hear():
    assert sys.stdin.readline(), "nobody is there any more"

def until(ask):
    while not (found := ask()):
        time.sleep(0.05)
    return found

with sf.connect(sys.argv[1]) as me:
"""


class Somebody:
    """Runs a script in a folder of their own. What they `say` is read here line by line; `hear` waits for a word."""

    def __init__(self, folder: Path, url: str, token: str, script: str) -> None:
        folder.mkdir()
        text = _SCRIPT + indent(script, "    ")
        self._process = subprocess.Popen(
            [sys.executable, "-c", text, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ | {"SFUMATO_TOKEN": token},
        )

    def said(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._process.communicate(timeout=PATIENCE)[1]
        return json.loads(line)

    def tell(self) -> None:
        """The word that they wait for."""
        print(file=self._process.stdin, flush=True)

    def leaves(self) -> None:
        """When they are done, and nothing went wrong."""
        _, wrong = self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0, wrong

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
