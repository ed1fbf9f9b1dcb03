"""What tests of the command line lean on."""

from __future__ import annotations

import io
import sys

import pytest

from sfumato.cli.main import main
from tests.e2e.command import Ran, Typed


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """The command, run in this process."""

    def run(*arguments: object, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, arguments)])
        monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # else it calls itself `python -m pytest`
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ending:
            main()
        out, err = capsys.readouterr()
        return Ran(int(ending.value.code or 0), out, err)

    return run
