"""What tests of the command line lean on."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer.main

from sfumato import demo
from sfumato.cli import main as cli
from tests.e2e.command import Ran, Typed
from tests.e2e.population import ROWS, write_population


@pytest.fixture(scope="session")
def population(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the small population and its schemas. Every test shares it: copy it, and write to the copy."""
    return write_population(tmp_path_factory.mktemp("population"), ROWS)


@pytest.fixture(scope="session")
def whole_population(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with as many rows as `sfumato demo --keep` writes, which the docs speak of."""
    return write_population(tmp_path_factory.mktemp("whole"), demo.ROWS)


@pytest.fixture(scope="session")
def command_tree() -> Callable[..., object]:
    """Every command with its options: Typer builds them anew on each call, which takes longer than most commands."""
    return typer.main.get_command(cli.app)


@pytest.fixture
def typed(
    command_tree: Callable[..., object], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Typed:
    """The command, run in this process."""
    monkeypatch.setattr(cli, "app", command_tree)

    def run(*arguments: object, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "argv", ["sfumato", *map(str, arguments)])
        monkeypatch.setattr(sys.modules["__main__"], "__package__", None)  # else it calls itself `python -m pytest`
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ending:
            cli.main()
        out, err = capsys.readouterr()
        return Ran(int(ending.value.code or 0), out, err)

    return run
