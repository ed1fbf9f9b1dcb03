"""The command as a person types it: in a process of its own, or in ours where a hundred starts would take minutes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SFUMATO = Path(sys.executable).with_name("sfumato")
PATIENCE = 600.0  # seconds after which something is taken to hang, however slow the machine is


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        """The error of a command with --json."""
        return json.loads(self.err)["error"]


Typed = Callable[..., Ran]
"""The command, run in the process of the test."""


def sfumato(*arguments: object, stdin: str = "", **environment: str) -> Ran:
    """Run the installed command."""
    done = subprocess.run(
        [SFUMATO, *map(str, arguments)],
        input=stdin,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
